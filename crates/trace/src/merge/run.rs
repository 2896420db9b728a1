//! The calls of one run, thread by thread, without polls that found nothing.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::places::are_equal_but_for_places;
use crate::action::Action;
use crate::error::{Error, Result};
use crate::field::{CompletionKind, ProbeKind};
use crate::read::{Event, Events, RankTrace};
use crate::table::{Signature, Tables};

/// The most calls of other threads that are kept while those of one are read: how threads
/// interleave differs from run to run.
const MOST_WAITING: usize = 1 << 20;

/// A call that is kept.
#[derive(Debug, Clone, Default)]
pub struct Call {
    /// The number of its signature in its run; none if there is no call.
    number: Option<usize>,
    pub values: Vec<i64>,
    pub thread: u32,
    pub position: u64,
    /// Computation before it, and before polls that were left out, in nanoseconds.
    pub before: u64,
    /// Wall-clock time before it, likewise.
    pub gap: u64,
    pub inside: u64,
    /// Its block, and the beginning of what is kept of that.
    pub block: (usize, u64),
}

impl Call {
    /// Returns whether there is a call.
    pub fn is_present(&self) -> bool {
        self.number.is_some()
    }
}

/// One rank of one run.
pub struct Run {
    rank: RankTrace,
    events: Events,
    thread: u32,
    has_threads: bool,
    waiting: FxHashMap<u32, VecDeque<Call>>,
    waiting_calls: usize,
    /// For each thread, computation that belongs to its next call.
    carried: FxHashMap<u32, u64>,
    /// Wall-clock time that belongs to the next call of any thread.
    carried_gap: u64,
    /// The block that is being read, and the beginning of what is kept of it.
    block: (usize, u64),
    /// For each signature, the one of the first run that was found equal.
    same: Vec<Option<usize>>,
}

impl Run {
    pub fn new(rank: &RankTrace) -> Self {
        Self {
            rank: rank.clone(),
            events: rank.events(),
            thread: 0,
            has_threads: false,
            waiting: FxHashMap::default(),
            waiting_calls: 0,
            carried: FxHashMap::default(),
            carried_gap: 0,
            block: (0, 0),
            same: Vec::new(),
        }
    }

    pub fn rank(&self) -> &RankTrace {
        &self.rank
    }

    pub fn tables(&self) -> &Tables {
        self.events.tables()
    }

    pub fn signature(&self, call: &Call) -> Option<&Signature> {
        self.tables().signature(call.number?)
    }

    pub fn name(&self, call: &Call) -> &str {
        self.signature(call).and_then(|signature| self.tables().name(signature.name)).unwrap_or_default()
    }

    /// Returns what a call does. It was valid when it was read.
    pub fn action<'a>(&self, call: &'a Call) -> Option<Action<'a>> {
        let signature = self.signature(call)?;
        Action::join(signature.kind, &signature.constants, &call.values)
    }

    /// Reads the next call of any thread; returns false if there is none.
    pub fn read_any(&mut self, call: &mut Call) -> Result<bool> {
        if let Some(waiting) = self.waiting.values_mut().find_map(VecDeque::pop_front) {
            self.waiting_calls -= 1;
            *call = waiting;
            return Ok(true);
        }
        self.read(call)
    }

    /// Reads the next call of a thread; returns false if there is none.
    pub fn read_of(&mut self, thread: u32, call: &mut Call) -> Result<bool> {
        if self.waiting_calls > 0
            && let Some(waiting) = self.waiting.get_mut(&thread).and_then(VecDeque::pop_front)
        {
            self.waiting_calls -= 1;
            *call = waiting;
            return Ok(true);
        }
        while self.read(call)? {
            if call.thread == thread {
                return Ok(true);
            }
            self.keep(std::mem::take(call))?;
        }
        Ok(false)
    }

    fn keep(&mut self, call: Call) -> Result<()> {
        if self.waiting_calls == MOST_WAITING {
            return Err(Error::Mismatch(format!(
                "{}: rank {}: its threads take turns in an order too different from that of the first run; these runs cannot be merged",
                self.rank.source().path().display(),
                self.rank.rank()
            )));
        }
        self.waiting_calls += 1;
        self.waiting.entry(call.thread).or_default().push_back(call);
        Ok(())
    }

    /// Reads the next call that is kept.
    fn read(&mut self, call: &mut Call) -> Result<bool> {
        call.number = None;
        while let Some(event) = self.events.next()? {
            let action = event.action()?;
            let stamps = event.stamps().unwrap_or_default();
            let (block, wall) = event.block();
            if self.block.0 != block {
                self.block = (block, wall.saturating_sub(self.carried_gap));
            }
            if let Action::Thread { thread } = action {
                self.thread = thread;
                self.has_threads = true;
            } else if !is_in_vain(&action, event) {
                call.number = Some(event.number());
                call.values.clear();
                call.values.extend_from_slice(event.values());
                call.thread = self.thread;
                call.position = event.position();
                let carried = if self.carried.is_empty() { None } else { self.carried.remove(&self.thread) };
                call.before = event.before().saturating_add(carried.unwrap_or(0));
                call.gap = stamps.gap.saturating_add(std::mem::take(&mut self.carried_gap));
                call.inside = stamps.inside;
                call.block = self.block;
                return Ok(true);
            }
            let carried = self.carried.entry(self.thread).or_default();
            *carried = carried.saturating_add(event.before());
            self.carried_gap = self.carried_gap.saturating_add(stamps.gap).saturating_add(stamps.inside);
        }
        Ok(false)
    }

    /// Returns whether a call of this run equals one of the first.
    pub fn agrees(&mut self, call: &Call, first: &Self, wanted: &Call) -> bool {
        self.has_same_signature(call, first, wanted)
            && (call.values == wanted.values || self.differs_by_chance(call, wanted))
    }

    /// Returns whether they differ only by what depends on the order of threads.
    fn differs_by_chance(&self, call: &Call, wanted: &Call) -> bool {
        let is_same =
            |signature: &Signature| are_equal_but_for_places(signature.kind, &call.values, &wanted.values);
        self.has_threads && self.signature(call).is_some_and(is_same)
    }

    fn has_same_signature(&mut self, call: &Call, first: &Self, wanted: &Call) -> bool {
        let Some(number) = call.number else { return false };
        if self.same.len() <= number {
            self.same.resize(number + 1, None);
        }
        if self.same[number].is_some() && self.same[number] == wanted.number {
            return true;
        }
        let (Some(one), Some(other)) = (self.signature(call), first.signature(wanted)) else { return false };
        let is_same = (one.kind, one.constants) == (other.kind, other.constants);
        if !is_same || self.name(call) != first.name(wanted) {
            return false;
        }
        self.same[number] = wanted.number;
        true
    }
}

/// Returns whether a call is a poll that found nothing.
fn is_in_vain(action: &Action<'_>, event: Event<'_>) -> bool {
    match *action {
        Action::Spin { .. } => true,
        Action::Complete { until, completed, .. } => {
            let is_test = matches!(
                until,
                CompletionKind::Test
                    | CompletionKind::TestAll
                    | CompletionKind::TestAny
                    | CompletionKind::TestSome
            );
            is_test && completed.is_empty()
        }
        Action::Probe { look, found, .. } => matches!(look, ProbeKind::Iprobe | ProbeKind::Improbe) && !found,
        Action::Partition { arrived, .. } => !arrived && event.name() == "MPI_Parrived",
        _ => false,
    }
}
