//! Replay of calls that become known while the program runs (P5, P21, P24).
//!
//! Each rank is a real process. It tells its definitions and its calls in order, and asks what
//! depends on virtual time ([`Inquiry`]). Calls become operations as those of a trace do, and are
//! executed by a [`GrowingRun`]. Receives with wildcards match the message that arrives first.

use std::borrow::Cow;
use std::fmt;

use panto_calls::{Matched, Reply, TestKind};
use panto_trace::{Action, Comm, Name, Peer, Tables, World};
use panto_units::Time;

use super::agreement::CollectiveLog;
use super::channels::WildcardKey;
use super::code_builder::CodeBuilder;
use super::context::Context;
use super::error::{CallError, Error};
use super::suspended_rank::SuspendedRank;
use super::tags::{MAX_TAGS, Tags};
use super::{Options, Wildcards};
use crate::config::RunConfig;
use crate::engine::MessageInfo;
use crate::error::RunError;
use crate::observe::PROBED;
use crate::ordered::{Answer, GrowingRun, Question};
use crate::program::{Op, PackedOp, Program};

/// What a rank asks after the calls that it has told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inquiry {
    /// What time it is when they are done, and what their wildcards matched.
    Clock,
    /// Which of these requests are complete, by their slots in the trace.
    Test(TestKind, Vec<u32>),
    /// Whether there is a message (`MPI_Iprobe`).
    Probe {
        /// The communicator.
        comm: Comm,
        /// The source.
        from: Peer,
        /// The tag; -1 for `MPI_ANY_TAG`.
        tag: i64,
    },
    /// Whether this request can be cancelled; it is then.
    Cancel(u32),
}

/// Why a program cannot continue.
#[derive(Debug)]
pub enum OnlineError {
    /// A call cannot be simulated.
    Call(Error),
    /// The simulation ends: a deadlock, or the end of virtual time.
    Run(String),
}

impl fmt::Display for OnlineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(error) => error.fmt(f),
            Self::Run(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for OnlineError {}

impl From<Error> for OnlineError {
    fn from(error: Error) -> Self {
        Self::Call(error)
    }
}

/// A program of real ranks in virtual time.
pub struct Online<'a> {
    context: Context<'a>,
    run: GrowingRun<'a>,
    ranks: Vec<OnlineRank>,
    tags: Tags,
    /// The channels, wildcards and helpers that the run knows.
    known: Known,
    ops: Vec<PackedOp>,
}

#[derive(Default)]
struct Known {
    channels: usize,
    wildcards: usize,
    helpers: usize,
}

struct OnlineRank {
    tables: Tables,
    /// The state of the reader between two calls.
    reader: Option<SuspendedRank>,
    /// The requests that the last call completes: each slot, and the request's slot in the trace.
    completing: Vec<(u32, u32)>,
    /// Whether its last question was for a message. Those that earlier probes found are no answer.
    asks_for_message: bool,
    /// The request that its last question cancels.
    cancels: Option<u32>,
}

impl<'a> Online<'a> {
    /// Starts `ranks` ranks on a machine. The caller has checked that it has room for them.
    pub fn new(config: RunConfig<'a>, ranks: u32) -> Self {
        let options = Options { wildcards: Wildcards::Rematch, lenient: false, call_sites: false };
        let mut context = Context::new(config.machine, options, Cow::Owned(World::empty(ranks)), ranks);
        // Ranks reach a collective in any order.
        context.collectives = CollectiveLog::of_incomplete();
        let rank = |rank| OnlineRank {
            tables: Tables::default(),
            reader: Some(SuspendedRank::new(rank, CodeBuilder::online())),
            completing: Vec::new(),
            asks_for_message: false,
            cancels: None,
        };
        Self {
            context,
            run: GrowingRun::new(config, ranks),
            ranks: (0..ranks).map(rank).collect(),
            tags: Tags::default(),
            known: Known::default(),
            ops: Vec::new(),
        }
    }

    /// Adds definitions of a rank, as a trace has them.
    pub fn define(&mut self, rank: u32, definitions: &[u8]) -> Result<(), OnlineError> {
        let tables = &mut self.ranks[rank as usize].tables;
        if tables.extend(definitions).is_none() {
            return Err(call_error(rank, "definitions that make no sense"));
        }
        self.context.world.to_mut().extend(rank, tables).map_err(|message| call_error(rank, &message))
    }

    /// Adds a call of a rank, after a computation.
    pub fn call(
        &mut self,
        rank: u32,
        name: Name,
        action: &Action<'_>,
        before: Time,
    ) -> Result<(), OnlineError> {
        self.note_completing(rank, action);
        let online = &mut self.ranks[rank as usize];
        let Some(reader) = online.reader.take() else { return Err(call_error(rank, "the rank has failed")) };
        let mut reader = reader.resume(&mut self.context);
        reader.call(name, action, before, &online.tables)?;
        online.reader = Some(reader.suspend());
        self.update(rank)
    }

    /// Adds computation of a rank that belongs to no call yet.
    pub fn compute(&mut self, rank: u32, time: Time) {
        self.run.extend(rank, &[Op::Compute(time).into()]);
    }

    /// Remembers which requests a call completes: their wildcards are resolved by the next reply.
    fn note_completing(&mut self, rank: u32, action: &Action<'_>) {
        let online = &mut self.ranks[rank as usize];
        online.completing.clear();
        let (Action::Complete { requests, .. }, Some(reader)) = (action, &online.reader) else { return };
        if self.context.channels.wildcards().is_empty() {
            return;
        }
        for request in requests.iter().filter_map(|request| u32::try_from(*request).ok()) {
            online.completing.extend(reader.requests.pending_slots(request).map(|slot| (slot, request)));
        }
    }

    /// Passes what the last call has added to the run.
    fn update(&mut self, rank: u32) -> Result<(), OnlineError> {
        let Self { context, run, known, tags, .. } = self;
        for home in &context.helpers.homes()[known.helpers..] {
            run.add_helper(*home);
            known.helpers += 1;
        }
        let too_many = || call_error(rank, &format!("a communicator has more than {MAX_TAGS} distinct tags"));
        for (channel, comm, tag) in context.channels.since(known.channels) {
            run.add_channel(channel, tags.channel(comm, tag, channel.kind).ok_or_else(too_many)?);
            known.channels += 1;
        }
        for key in &context.channels.wildcards()[known.wildcards..] {
            run.add_wildcard(tags.wildcard(*key).ok_or_else(too_many)?);
            known.wildcards += 1;
        }
        let Some(reader) = &mut self.ranks[rank as usize].reader else { return Ok(()) };
        for (number, helper) in reader.helpers.values_mut() {
            self.ops.clear();
            helper.take_ops(&mut self.ops);
            self.run.extend(*number, &self.ops);
        }
        self.ops.clear();
        reader.code.take_ops(&mut self.ops);
        self.run.extend(rank, &self.ops);
        Ok(())
    }

    /// Asks for a rank; the reply comes when its calls so far are done.
    pub fn ask(&mut self, rank: u32, inquiry: &Inquiry) -> Result<(), OnlineError> {
        let question = match inquiry {
            Inquiry::Clock => Question::Clock,
            Inquiry::Test(kind, requests) => {
                let slots = |request: &u32| self.slots(rank, *request);
                Question::Test(*kind, requests.iter().map(slots).collect())
            }
            Inquiry::Cancel(request) => Question::Cancel(self.slots(rank, *request)),
            &Inquiry::Probe { comm, from, tag } => {
                let key = self.probe_key(rank, comm, from, tag)?;
                let spec = self.tags.wildcard(key);
                Question::Probe(spec.ok_or_else(|| call_error(rank, "too many communicators or tags"))?)
            }
        };
        let online = &mut self.ranks[rank as usize];
        online.asks_for_message = matches!(inquiry, Inquiry::Probe { .. });
        online.cancels = if let Inquiry::Cancel(request) = inquiry { Some(*request) } else { None };
        self.run.ask(rank, question);
        Ok(())
    }

    /// Returns the slots of a request's operations in the run.
    fn slots(&self, rank: u32, request: u32) -> Vec<u32> {
        let reader = self.ranks[rank as usize].reader.as_ref();
        reader
            .into_iter()
            .flat_map(|reader| reader.requests.pending_slots(request))
            .map(|slot| slot * 2)
            .collect()
    }

    fn probe_key(&mut self, rank: u32, comm: Comm, from: Peer, tag: i64) -> Result<WildcardKey, OnlineError> {
        let online = &mut self.ranks[rank as usize];
        let Some(reader) = online.reader.take() else { return Err(call_error(rank, "the rank has failed")) };
        let mut reader = reader.resume(&mut self.context);
        let info = reader.comm(comm, &online.tables)?;
        let from = if from == Peer::Any { None } else { reader.partner(&info, from)? };
        online.reader = Some(reader.suspend());
        Ok(WildcardKey { from, comm: info.id, tag: u32::try_from(tag).ok() })
    }

    /// A rank waits, after its calls so far, until other ranks make its next call as well.
    pub fn hold(&mut self, rank: u32) {
        self.run.hold(rank);
    }

    /// Returns a rank that is held, if there is one.
    pub fn held(&self) -> Option<u32> {
        self.run.held()
    }

    /// Lets all ranks proceed past those that are held; returns whether there are any that they
    /// had not passed.
    pub fn overtake_held(&mut self) -> bool {
        self.run.overtake_held()
    }

    /// Ends a rank after its calls so far.
    pub fn end(&mut self, rank: u32) {
        self.run.end(rank);
    }

    /// Simulates as far as calls are known.
    pub fn run(&mut self) -> Result<(), OnlineError> {
        self.run.run().map_err(|error| self.failure(&error))
    }

    /// Returns why no rank can proceed, if all wait: only after [`Online::run`], with all replies
    /// taken.
    pub fn deadlock(&self) -> Option<OnlineError> {
        self.run.deadlock().map(|deadlock| self.failure(&RunError::Deadlock(deadlock)))
    }

    fn failure(&self, error: &RunError) -> OnlineError {
        let program = Program {
            ranks: self.ranks.len() as u32,
            helper_homes: self.context.helpers.homes().to_vec(),
            channels: self.context.channels.all().to_vec(),
            ..Program::default()
        };
        OnlineError::Run(error.describe(&program).to_string())
    }

    /// Returns whether all ranks have ended.
    pub fn is_done(&self) -> bool {
        self.run.is_done()
    }

    /// Returns the virtual clock of a rank.
    pub fn clock(&self, rank: u32) -> Time {
        self.run.clock(rank)
    }

    /// Returns whether all calls of a rank are done, and the next is not known.
    pub fn is_starved(&self, rank: u32) -> bool {
        self.run.is_starved(rank)
    }

    /// Returns whether the next call of any rank is not known, apart from those that are held.
    pub fn has_starved(&self) -> bool {
        self.run.has_starved()
    }

    /// Returns the number of operations of a rank that are not executed yet.
    pub fn backlog(&self, rank: u32) -> usize {
        self.run.backlog(rank)
    }

    /// Takes the next reply, with its rank.
    pub fn next_reply(&mut self) -> Option<(u32, Reply)> {
        let (rank, Answer { clock, completed, probed, matches, pending_matches }) = self.run.next_answer()?;
        let online = &mut self.ranks[rank as usize];
        if let (Some(request), Some(reader), [_]) = (online.cancels, &mut online.reader, completed.as_slice())
        {
            reader.withdraw(request);
        }
        let online = &self.ranks[rank as usize];
        let mut reply = Reply { clock, completed, ..Reply::default() };
        reply.probed = probed.and_then(|message| self.matched(online, message));
        let Some(reader) = &online.reader else { return Some((rank, reply)) };
        for (slot, message) in pending_matches {
            let request = reader.requests.of_pending_slot(slot / 2);
            reply.matches.extend(request.zip(self.matched(online, message)));
        }
        // The rank knows those of earlier requests; the last one of a slot replaces them.
        for (slot, message) in matches {
            let Some(matched) = self.matched(online, message) else { continue };
            if slot == PROBED {
                if !online.asks_for_message {
                    reply.probed = Some(matched);
                }
            } else if let Some((_, request)) = online.completing.iter().find(|(own, _)| own * 2 == slot) {
                reply.matches.retain(|(known, _)| known != request);
                reply.matches.push((*request, matched));
            } else if reader.requests.blocking_wildcard == Some(slot / 2) {
                reply.received = Some(matched);
            }
        }
        Some((rank, reply))
    }

    /// Returns a message as its receiver sees it: of an intercommunicator, with the rank on the
    /// other side.
    fn matched(&self, online: &OnlineRank, message: MessageInfo) -> Option<Matched> {
        let (comm, tag) = self.tags.get(message.tag)?;
        let info = online.reader.as_ref()?.comms.shared(comm)?;
        let source = info.partners().iter().position(|member| member == message.source)?;
        Some(Matched { source: source as u32, tag, bytes: message.bytes })
    }
}

fn call_error(rank: u32, message: &str) -> OnlineError {
    let message = message.to_owned();
    OnlineError::Call(Error::Call(Box::new(CallError { rank, position: 0, call: String::new(), message })))
}
