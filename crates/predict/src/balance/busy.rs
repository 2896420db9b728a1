//! The busy time of each processor.

use panto_sim::observe::{Activity, Observer};
use panto_units::Time;

/// An observer that sums the work of the ranks of each processor.
#[derive(Debug, Clone)]
pub(super) struct Busy<'a> {
    /// The processor of each rank. Helpers have none and are not counted.
    places: &'a [u32],
    times: Vec<Time>,
}

impl<'a> Busy<'a> {
    /// Returns zero sums for ranks on these processors.
    pub(super) fn new(places: &'a [u32], processors: usize) -> Self {
        Self { places, times: vec![Time::ZERO; processors] }
    }

    /// Returns the busy time of each processor.
    pub(super) fn times(self) -> Vec<Time> {
        self.times
    }

    fn time(&mut self, rank: u32) -> Option<&mut Time> {
        self.places.get(rank as usize).map(|place| &mut self.times[*place as usize])
    }
}

impl Observer for Busy<'_> {
    #[inline]
    fn worked(&mut self, rank: u32, _activity: Activity, from: Time, to: Time) {
        if let Some(time) = self.time(rank) {
            *time = time.saturating_add(to.since(from));
        }
    }

    /// Subtracts the time in which other ranks had the processor: work of ranks that share a
    /// processor is reported with overlapping intervals.
    #[inline]
    fn shared(&mut self, rank: u32, _activity: Activity, shared: Time) {
        if let Some(time) = self.time(rank) {
            *time = time.since(shared);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ps(picos: u64) -> Time {
        Time::from_picos(picos)
    }

    #[test]
    fn shared_time_is_counted_once() {
        let mut busy = Busy::new(&[0, 0, 1], 3);
        for (rank, from, to, shared) in
            [(0, 0, 10, 5), (1, 0, 10, 5), (0, 20, 30, 0), (2, 3, 4, 0), (3, 0, 99, 1)]
        {
            busy.worked(rank, Activity::Compute, ps(from), ps(to));
            busy.shared(rank, Activity::Compute, ps(shared));
        }
        assert_eq!(busy.times(), [ps(20), ps(1), ps(0)]);
    }
}
