//! Ranks that can proceed, in batches.
//!
//! A rank that can proceed need not do so at once: before its clock, and before the end of its
//! lookahead (the computation that it is known to do first), it does nothing that another rank can
//! observe. Events before that time are processed first, and ranks then run many at a time in the
//! order of their numbers: the state of neighbours lies together in memory and is prefetched while
//! others run.

use panto_units::Time;

use super::message::UNKNOWN;

/// The ranks that can proceed.
#[derive(Debug)]
pub(super) struct RunQueue {
    /// The current batch, in descending order: the next rank is the last entry.
    due: Vec<u32>,
    /// The next batch.
    ready: Vec<u32>,
    /// No rank of `ready` does anything observable before this time.
    earliest: Time,
}

impl RunQueue {
    /// All ranks are ready at time zero.
    pub(super) fn new(ranks: u32) -> Self {
        Self { due: Vec::new(), ready: (0..ranks).collect(), earliest: Time::ZERO }
    }

    /// Adds a rank that does nothing observable before `earliest`.
    #[inline]
    pub(super) fn push(&mut self, rank: u32, earliest: Time) {
        self.ready.push(rank);
        self.earliest = self.earliest.min(earliest);
    }

    /// Takes the next rank of the current batch.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<u32> {
        self.due.pop()
    }

    /// The rank of the current batch that runs after `turns` - 1 others.
    #[inline]
    pub(super) fn upcoming(&self, turns: usize) -> Option<u32> {
        self.due.len().checked_sub(turns).and_then(|index| self.due.get(index)).copied()
    }

    /// Returns whether a rank may do something observable at this time or earlier.
    #[inline]
    pub(super) fn is_due(&self, time: Time) -> bool {
        !self.ready.is_empty() && self.earliest <= time
    }

    /// Returns whether a next batch has ranks.
    #[inline]
    pub(super) fn has_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// Makes all ready ranks the current batch. Their order is free: no rank observes what another
    /// does before it blocks.
    pub(super) fn start_batch(&mut self) {
        std::mem::swap(&mut self.due, &mut self.ready);
        self.due.sort_unstable_by(|a, b| b.cmp(a));
        self.earliest = UNKNOWN;
    }
}
