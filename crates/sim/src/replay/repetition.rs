//! Iterations that are skipped: a program that iterates makes the same calls again and again, and
//! they become the same operations.
//!
//! A rank is *quiet* when no request is pending. What its calls become then depends on their
//! parameters only. So where a trace repeats the calls between two quiet points with unchanged
//! parameters, the operations between these points are repeated, without looking at the calls: only
//! the computation before each call is read. Calls with effects beyond the rank's own operations
//! (helpers, threads, communicators, warnings) interrupt a repetition, and so do calls whose
//! parameters change: a trace says that parameters are those of the last call of the same
//! signature, which may occur several times in an iteration.

use panto_trace::{Comm, Events, Sequence};
use panto_units::Time;

use super::channels::CallSite;
use super::error::Result;
use super::rank_reader::RankReader;
use crate::program::Op;

/// The most calls that are remembered, in bytes of the trace.
const MAX_REMEMBERED: usize = 1 << 15;

/// A moment of a rank without pending requests.
#[derive(Debug, Clone, Copy, Default)]
struct QuietPoint {
    /// The interruption since when calls were remembered, so that an older point is recognised.
    epoch: u32,
    /// The number of remembered bytes.
    bytes: usize,
    /// The number of remembered events.
    events: u32,
    /// The number of remembered collectives.
    collectives: usize,
    /// The number of the next operation.
    op: u64,
}

/// A collective among the remembered calls.
#[derive(Debug, Clone, Copy)]
struct Joined {
    comm: Comm,
    /// The number of the communicator, the same on all members.
    id: u32,
    /// The number of the agreed instance.
    number: u32,
}

/// The calls since the last interruption, and the quiet points among them.
#[derive(Default)]
pub struct Repetition {
    epoch: u32,
    calls: Sequence,
    collectives: Vec<Joined>,
    /// By signature, the last quiet point before an event of that signature.
    points: Vec<QuietPoint>,
    /// Whether the current call may be repeated.
    is_repeatable: bool,
    /// The number of calls to read before the next attempt: a failed one took as many comparisons.
    pause: usize,
    /// The block of the trace that was read last.
    block: u32,
}

impl Repetition {
    /// Begins a call.
    #[inline]
    pub fn begin_call(&mut self, is_repeatable: bool) {
        self.is_repeatable = is_repeatable;
    }

    /// The current call must not be repeated.
    pub fn interrupt(&mut self) {
        self.is_repeatable = false;
    }

    /// Remembers a collective of the current call.
    pub fn add_collective(&mut self, comm: Comm, id: u32, number: u32) {
        self.collectives.push(Joined { comm, id, number });
    }

    /// Ends a call with the signature of this number.
    #[inline]
    pub fn end_call(&mut self, number: usize) {
        self.pause = self.pause.saturating_sub(1);
        if self.is_repeatable && self.calls.len() < MAX_REMEMBERED {
            self.calls.push(number);
        } else {
            self.forget();
        }
    }

    /// Forgets all calls: what follows repeats none of them.
    pub fn forget(&mut self) {
        self.epoch += 1;
        self.calls.clear();
        self.collectives.clear();
    }

    /// Stores the quiet point before an event of this signature. Returns the last one, if all calls
    /// since then can be repeated.
    #[inline]
    fn exchange(&mut self, number: usize, op: u64) -> Option<QuietPoint> {
        if self.points.len() <= number {
            self.points.resize(number + 1, QuietPoint { epoch: u32::MAX, ..QuietPoint::default() });
        }
        let (bytes, events, collectives) = (self.calls.len(), self.calls.events(), self.collectives.len());
        let point = QuietPoint { epoch: self.epoch, bytes, events, collectives, op };
        let last = std::mem::replace(&mut self.points[number], point);
        (last.epoch == self.epoch).then_some(last)
    }
}

impl RankReader<'_, '_> {
    /// Skips events that repeat those since an earlier quiet point.
    #[inline]
    pub(super) fn skip_repetitions(&mut self, events: &mut Events) -> Result<()> {
        if !self.code.is_quiet() || self.carries() || self.context.dependencies.is_some() {
            return Ok(());
        }
        let Some(next) = events.peek() else { return Ok(()) };
        if self.repetition.block != events.blocks_read() {
            // Parts that are unchanged since another block are an error, which the reader reports.
            self.repetition.block = events.blocks_read();
            self.repetition.forget();
        }
        let op = self.code.number();
        let Some(since) = self.repetition.exchange(next, op) else { return Ok(()) };
        if self.repetition.pause > 0 || self.code.ops_since(since.op).is_none() {
            return Ok(());
        }
        self.skip_since(events, since)
    }

    fn skip_since(&mut self, events: &mut Events, since: QuietPoint) -> Result<()> {
        let sequence = self.repetition.calls.since(since.bytes, since.events);
        let found = events.count_repetitions(&sequence);
        let left = self.limit().saturating_sub(events.position());
        let calls = u64::from(self.repetition.calls.events() - since.events).max(1);
        let times = found.times.min(self.agreed_repetitions(since)).min(left / calls);
        if times == 0 {
            self.repetition.pause = found.matched + sequence.len();
            return Ok(());
        }
        let mut sum = Time::ZERO;
        let code = &mut self.code;
        events.skip_repetitions(&sequence, times, |before| {
            let before = Time::from_picos(before.saturating_mul(1_000));
            sum = sum.saturating_add(before);
            code.push_time(before);
        })?;
        self.add_computation(sum);
        self.count_repeated(since, times, events.position());
        self.repeat_collectives(since, times);
        self.code.repeat_since(since.op, times);
        if sequence.len() as u64 * times < MAX_REMEMBERED as u64 {
            self.repetition.remember_again(&sequence, since.collectives, times);
        } else {
            self.repetition.forget();
        }
        Ok(())
    }

    /// Counts the messages of repeated operations; `end` is the position of the next event.
    fn count_repeated(&mut self, since: QuietPoint, times: u64, end: u64) {
        let calls = u64::from(self.repetition.calls.events() - since.events);
        let mut site = CallSite { position: end - calls, call: 0 };
        let mut next = site.position;
        for op in self.code.ops_since(since.op).unwrap_or_default() {
            let op = op.unpack();
            if let Op::CallListed { call } = op {
                site = CallSite { position: next, call };
                next += 1;
            }
            self.context.channels.count_repeated(op, times, site);
        }
    }

    /// Returns how many times the other members of communicators repeat the collectives as well.
    fn agreed_repetitions(&mut self, since: QuietPoint) -> u64 {
        let mut least = u64::MAX;
        for (comm, id, numbers) in self.repetition.collectives_since(since.collectives) {
            let nth = self.comms.progress(comm).map_or(0, |progress| progress.collectives);
            least = least.min(self.context.collectives.repetitions(id, self.rank, nth, &numbers));
        }
        least
    }

    fn repeat_collectives(&mut self, since: QuietPoint, times: u64) {
        for (comm, id, numbers) in self.repetition.collectives_since(since.collectives) {
            let Some(progress) = self.comms.progress(comm) else { continue };
            let nth = progress.collectives;
            progress.collectives += numbers.len() * times as usize;
            self.context.collectives.repeat(id, self.rank, nth, &numbers, times);
        }
    }
}

impl Repetition {
    /// Returns the collectives from an index on, by communicator: the instances in their order.
    fn collectives_since(&self, first: usize) -> Vec<(Comm, u32, Vec<u32>)> {
        let mut by_comm: Vec<(Comm, u32, Vec<u32>)> = Vec::new();
        for joined in &self.collectives[first..] {
            match by_comm.iter_mut().find(|(comm, ..)| *comm == joined.comm) {
                Some((.., numbers)) => numbers.push(joined.number),
                None => by_comm.push((joined.comm, joined.id, vec![joined.number])),
            }
        }
        by_comm
    }

    /// Remembers repeated calls, which may be a part of a longer repetition.
    fn remember_again(&mut self, sequence: &Sequence, first_collective: usize, times: u64) {
        self.calls.extend(sequence, times);
        let end = self.collectives.len();
        (0..times).for_each(|_| self.collectives.extend_from_within(first_collective..end));
    }
}
