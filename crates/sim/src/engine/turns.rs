//! Whose turn it is.
//!
//! A rank that can go on need not do so at once: until its clock it does nothing that others can see. Whatever happens before that
//! moment comes first, and ranks then go on many at a time, neighbours after each other: what they need lies together, and can be fetched
//! while others run.

use panto_units::Time;

use super::message::UNKNOWN;

/// Ranks that can go on.
#[derive(Debug)]
pub(super) struct Turns {
    /// Those whose time has come, the first rank last.
    due: Vec<u32>,
    /// Those that can go on later.
    ready: Vec<u32>,
    /// Before this none of them does anything.
    earliest: Time,
}

impl Turns {
    /// So many ranks that begin.
    pub(super) fn new(ranks: u32) -> Self {
        Self { due: Vec::new(), ready: (0..ranks).collect(), earliest: Time::ZERO }
    }

    /// The rank can go on, and will do nothing that others can see before this moment.
    #[inline]
    pub(super) fn push(&mut self, rank: u32, earliest: Time) {
        self.ready.push(rank);
        self.earliest = self.earliest.min(earliest);
    }

    /// Whose turn it is, of those whose time has come.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<u32> {
        self.due.pop()
    }

    /// Whose turn it is so many later.
    #[inline]
    pub(super) fn later(&self, by: usize) -> Option<u32> {
        self.due.len().checked_sub(by).and_then(|place| self.due.get(place)).copied()
    }

    /// Can somebody go on at this time?
    #[inline]
    pub(super) fn is_due(&self, at: Time) -> bool {
        !self.ready.is_empty() && self.earliest <= at
    }

    /// The time of all that can go on has come. None sees what another does before it waits, so their order is free.
    pub(super) fn begin(&mut self) {
        std::mem::swap(&mut self.due, &mut self.ready);
        self.due.sort_unstable_by(|a, b| b.cmp(a));
        self.earliest = UNKNOWN;
    }
}
