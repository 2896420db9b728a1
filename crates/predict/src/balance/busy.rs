//! How long processors work.

use panto_sim::observe::{Activity, Observer};
use panto_units::Time;

/// Adds up the work of the ranks of each processor.
#[derive(Debug, Clone)]
pub(super) struct Busy<'a> {
    /// The processor of each rank. Helpers have none: they count nowhere.
    places: &'a [u32],
    times: Vec<Time>,
}

impl<'a> Busy<'a> {
    /// For ranks on these processors, out of so many.
    pub(super) fn new(places: &'a [u32], processors: usize) -> Self {
        Self { places, times: vec![Time::ZERO; processors] }
    }

    /// How long each processor worked.
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

    /// Ranks that share a processor seem to work at the same time, each for longer.
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
    fn a_processor_works_for_one_rank_at_a_time() {
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
