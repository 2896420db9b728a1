//! A program that becomes known while it runs.
//!
//! The ranks are real processes that report their operations one after the other, and some of them
//! wait for an [`Answer`]: what time it is, which message a wildcard matched, whether a request is
//! complete. A rank whose operations have all been executed is *starved*: what it does next is not
//! known yet.
//!
//! *Invariant*: no event is processed at or after the clock of a starved rank, since that rank may
//! still act at its clock. This is the conservative bound of Chandy and Misra (1979), with the
//! real processes in place of null messages. So the result is that of [`run`](super::run) for the
//! same operations, whenever they become known.
//!
//! A starved rank may be *held*: it waits for other ranks in a call whose partners only the real
//! MPI knows (`MPI_Intercomm_create`). If one of those cannot proceed because of it, the others
//! overtake it.
//!
//! Cost: as for a complete program, plus O(log n) each time a rank starves. Executed operations are
//! forgotten, so memory holds what was reported and not yet executed.

use std::collections::BTreeSet;

use panto_units::Time;

use super::answers::{Answer, PollingLoop, Question};
use super::channel_table::ChannelTable;
use super::message_cost::MessageCost;
use super::rank_run::RankRun;
use super::rank_state::{Pending, RankState};
use super::{awaited_by_send, blocked_rank};
use crate::config::RunConfig;
use crate::engine::{Engine, MatchSpec, MessageInfo, Placement, RequestId};
use crate::error::{Awaited, BlockedRank, Deadlock, MAX_REPORTED_RANKS, RunError};
use crate::memo::Memo;
use crate::observe::Observer;
use crate::program::{Channel, Op, PackedOp, Program};

/// Executed operations of a rank that are kept before they are forgotten, so that few are moved.
const MAX_EXECUTED: u32 = 4_096;

/// A program while it runs and grows.
pub struct GrowingRun<'a> {
    pub(super) config: RunConfig<'a>,
    /// The ranks and helpers, without operations and channels.
    pub(super) program: Program,
    pub(super) channels: ChannelTable,
    pub(super) engine: Engine,
    pub(super) ranks: Vec<GrowingRank>,
    pub(super) matches: MatchLog,
    pub(super) costs: Memo<MessageCost>,
    /// The starved ranks, each with its clock.
    pub(super) starved: BTreeSet<(Time, u32)>,
    pub(super) answers: Vec<(u32, Answer)>,
}

/// Whether a starved rank waits for other ranks in a call that is not known yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hold {
    /// It does not, or that is not known.
    None,
    /// It does. No event is processed at or after its clock.
    Bounds,
    /// It does, and others proceed: one of the ranks for which it waits has to.
    Overtaken,
}

/// A rank or helper, and what is known of its operations.
pub(super) struct GrowingRank {
    pub(super) state: RankState<Vec<PackedOp>>,
    pub(super) slots: Vec<Pending>,
    pub(super) question: Option<Question>,
    /// The next stage of the question.
    pub(super) stage: u8,
    /// Whether all its operations are executed, so that the engine does not run it.
    pub(super) is_idle: bool,
    pub(super) has_ended: bool,
    pub(super) hold: Hold,
    pub(super) has_wildcards: bool,
    pub(super) polling: Option<PollingLoop>,
}

impl GrowingRank {
    fn new(is_idle: bool) -> Self {
        Self {
            state: RankState::new(Vec::new(), 0..0),
            slots: Vec::new(),
            question: None,
            stage: 0,
            is_idle,
            has_ended: false,
            hold: Hold::None,
            has_wildcards: false,
            polling: None,
        }
    }

    pub(super) fn request(&self, slot: u32) -> Option<RequestId> {
        self.slots.get(slot as usize)?.request()
    }
}

/// What receives with wildcards and probes have matched: rank, slot and message.
#[derive(Default)]
pub(super) struct MatchLog(pub(super) Vec<(u32, u32, MessageInfo)>);

impl Observer for MatchLog {
    fn matched(&mut self, rank: u32, slot: u32, message: MessageInfo) {
        self.0.push((rank, slot, message));
    }
}

impl<'a> GrowingRun<'a> {
    /// Starts ranks whose operations are not known yet. The caller has checked that the machine has
    /// room for them.
    pub fn new(config: RunConfig<'a>, ranks: u32) -> Self {
        let placement = Placement { ranks: ranks as usize, helpers_of: &[] };
        let engine =
            Engine::with_helpers(config.machine, &placement, config.sharing, u32::MAX).without_bytes();
        Self {
            config,
            program: Program { ranks, ..Program::default() },
            channels: ChannelTable::empty(),
            engine,
            ranks: (0..ranks).map(|_| GrowingRank::new(false)).collect(),
            matches: MatchLog::default(),
            costs: Memo::default(),
            starved: BTreeSet::new(),
            answers: Vec::new(),
        }
    }

    /// Adds a helper beside a rank. Its number follows those of all ranks and helpers.
    pub fn add_helper(&mut self, home: u32) {
        self.engine.add_helper(home);
        self.program.helper_homes.push(home);
        self.ranks.push(GrowingRank::new(true));
    }

    /// Adds a channel, with a tag that all channels of the same communicator, tag and kind have.
    pub fn add_channel(&mut self, channel: Channel, tag: u32) {
        self.channels.add(channel, tag, &mut self.engine);
    }

    /// Adds a wildcard.
    pub fn add_wildcard(&mut self, spec: MatchSpec) {
        self.channels.add_wildcard(spec);
    }

    /// Appends operations of a rank or helper. They must not contain loops.
    pub fn extend(&mut self, rank: u32, ops: &[PackedOp]) {
        let growing = &mut self.ranks[rank as usize];
        for op in ops {
            let slot = match op.unpack() {
                Op::StartWildcard { slot, .. } => {
                    growing.has_wildcards = true;
                    slot
                }
                Op::StartSend { slot, .. } | Op::StartReceive { slot, .. } => slot,
                _ => continue,
            };
            if growing.slots.len() <= slot as usize {
                growing.slots.resize(slot as usize + 1, Pending::Empty);
            }
        }
        growing.state.ops.extend_from_slice(ops);
        if !ops.is_empty() {
            self.proceed(rank);
        }
    }

    /// Asks a question that is answered when the rank's operations so far are executed. A rank has
    /// one question at a time, and no operations follow before its answer.
    pub fn ask(&mut self, rank: u32, question: Question) {
        let growing = &mut self.ranks[rank as usize];
        (growing.question, growing.stage) = (Some(question), 0);
        self.proceed(rank);
    }

    /// Ends a rank after its operations so far.
    pub fn end(&mut self, rank: u32) {
        self.ranks[rank as usize].has_ended = true;
        self.proceed(rank);
    }

    /// A rank waits, after its operations so far, in a call that is not known before other ranks
    /// have made it, too. It becomes known by the rank's next operations.
    pub fn hold(&mut self, rank: u32) {
        self.ranks[rank as usize].hold = Hold::Bounds;
    }

    /// Returns a rank that is held, if there is one.
    pub fn held(&self) -> Option<u32> {
        (0..self.program.ranks).find(|rank| self.ranks[*rank as usize].hold != Hold::None)
    }

    /// Lets all ranks proceed past those that are held; returns whether there are any that they
    /// had not passed. A held rank then continues at the time of the last event.
    pub fn overtake_held(&mut self) -> bool {
        let mut found = false;
        for rank in 0..self.program.ranks {
            let growing = &mut self.ranks[rank as usize];
            if growing.hold == Hold::Bounds && growing.is_idle {
                growing.hold = Hold::Overtaken;
                self.starved.remove(&(self.engine.clock(rank), rank));
                found = true;
            }
        }
        found
    }

    fn proceed(&mut self, rank: u32) {
        let growing = &mut self.ranks[rank as usize];
        if !std::mem::take(&mut growing.is_idle) {
            return;
        }
        if std::mem::replace(&mut growing.hold, Hold::None) == Hold::Overtaken {
            return self.engine.proceed_from_now(rank);
        }
        self.starved.remove(&(self.engine.clock(rank), rank));
        self.engine.proceed(rank);
    }

    /// Runs all ranks as far as their operations are known.
    pub fn run(&mut self) -> Result<(), RunError> {
        loop {
            let limit = self.starved.first().map_or(Time::from_picos(u64::MAX), |(clock, _)| *clock);
            let Some(rank) = self.engine.next_rank_before(limit) else { break };
            self.resume(rank);
            if self.engine.is_time_exhausted() {
                return Err(RunError::TimeOverflow);
            }
        }
        Ok(())
    }

    /// Takes the next answer, with its rank.
    pub fn next_answer(&mut self) -> Option<(u32, Answer)> {
        self.answers.pop()
    }

    /// Returns the clock of a rank.
    pub fn clock(&self, rank: u32) -> Time {
        self.engine.clock(rank)
    }

    /// Returns whether all operations of a rank are executed, and what it does next is not known.
    pub fn is_starved(&self, rank: u32) -> bool {
        let growing = &self.ranks[rank as usize];
        growing.is_idle && !growing.has_ended
    }

    /// Returns whether the next operations of any rank are not known, apart from those that are
    /// held.
    pub fn has_starved(&self) -> bool {
        self.starved.iter().any(|(_, rank)| self.ranks[*rank as usize].hold == Hold::None)
    }

    /// Returns the number of operations of a rank that are not executed yet.
    pub fn backlog(&self, rank: u32) -> usize {
        let state = &self.ranks[rank as usize].state;
        state.ops.len() - state.pc as usize
    }

    /// Returns whether all ranks have ended.
    pub fn is_done(&self) -> bool {
        self.ranks[..self.program.ranks as usize].iter().all(|rank| rank.has_ended && rank.is_idle)
    }

    /// Returns the ranks that wait, if no rank can proceed any more. Only after
    /// [`GrowingRun::run`], with all answers taken.
    pub fn deadlock(&self) -> Option<Deadlock> {
        if !self.starved.is_empty() || self.is_done() || self.held().is_some() {
            return None;
        }
        let waits = |rank: &u32| !self.ranks[*rank as usize].is_idle;
        let blocked: Vec<u32> = (0..self.program.ranks).filter(waits).collect();
        let reported = blocked.iter().take(MAX_REPORTED_RANKS).filter_map(|rank| self.blocked(*rank));
        Some(Deadlock { count: blocked.len(), blocked: reported.collect() })
    }

    fn blocked(&self, rank: u32) -> Option<BlockedRank> {
        let growing = &self.ranks[rank as usize];
        let in_question = || {
            let Some(Question::Test(_, requests)) = &growing.question else { return None };
            let awaits =
                requests.iter().flatten().find_map(|slot| match growing.slots.get(*slot as usize)? {
                    Pending::Empty => None,
                    &Pending::Send { request, channel } => {
                        Some(awaited_by_send(&self.engine, request, channel))
                    }
                    &Pending::Receive { channel, .. } => Some(Awaited::Message { channel }),
                    &Pending::Wildcard { wildcard, .. } => Some(Awaited::Wildcard { wildcard }),
                })?;
            Some(BlockedRank { rank, calls: growing.state.calls, awaits })
        };
        blocked_rank(rank, &growing.state, &growing.slots, &self.engine).or_else(in_question)
    }

    fn resume(&mut self, rank: u32) {
        let growing = &mut self.ranks[rank as usize];
        let mut run = RankRun {
            program: &self.program,
            config: &self.config,
            channels: &self.channels,
            rank,
            batches_waits: true,
            slots: &mut growing.slots,
            state: &mut growing.state,
            engine: &mut self.engine,
            observer: &mut self.matches,
            costs: &mut self.costs,
        };
        if !run.resume() {
            if growing.state.pc > MAX_EXECUTED {
                growing.state.ops.drain(..growing.state.pc as usize);
                growing.state.pc = 0;
            }
            return;
        }
        (growing.state.is_done, growing.state.pc) = (false, 0);
        growing.state.ops.clear();
        if let Some(question) = growing.question.take() {
            match self.answer(rank, &question) {
                Some(answer) => self.answers.push((rank, answer)),
                None => return self.ranks[rank as usize].question = Some(question),
            }
        }
        let growing = &mut self.ranks[rank as usize];
        growing.is_idle = true;
        if rank >= self.program.ranks {
            return;
        }
        if growing.has_ended {
            self.engine.finish(rank);
        } else {
            self.starved.insert((self.engine.clock(rank), rank));
        }
    }
}
