//! Processor sharing between ranks (P13).
//!
//! Round robin with equal priorities in the limit of infinitely short time slices (*processor
//! sharing*, Kleinrock 1967): of r ranks that compute, each gets 1/r of the processor. A service
//! clock runs at 1/r of the speed of time, and the work of a rank is done when the service clock
//! has advanced by it. So no other rank's entry changes when a rank begins or ends its work, and
//! each costs O(log r).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use panto_units::Time;

/// Fractional bits of the service clock, whose unit is a picosecond / 2^20.
const FRACTION: u32 = 20;

/// A processor that several ranks share.
#[derive(Default)]
pub(super) struct SharedProcessor {
    /// The service clock.
    service: u128,
    /// The time to which the service clock has advanced.
    last: Time,
    /// The service at which each rank that computes is done, and the rank.
    work: BinaryHeap<Reverse<(u128, u32)>>,
    /// The time of the last event that was scheduled. Only this one is valid; earlier ones are
    /// stale.
    scheduled: Option<Time>,
}

impl SharedProcessor {
    /// Begins the work of a rank.
    pub(super) fn begin(&mut self, now: Time, rank: u32, work: Time) {
        self.advance(now);
        self.work.push(Reverse((self.service + (u128::from(work.as_picos()) << FRACTION), rank)));
    }

    /// The time at which the first rank is done if no other begins.
    pub(super) fn next(&self) -> Option<Time> {
        let Reverse((end, _)) = self.work.peek()?;
        let left = end.saturating_sub(self.service) * self.work.len() as u128;
        let picos = u64::try_from((left + (1 << FRACTION) - 1) >> FRACTION).unwrap_or(u64::MAX);
        Some(self.last.saturating_add(Time::from_picos(picos)))
    }

    /// The time at which an event must be scheduled, unless it is already.
    pub(super) fn reschedule(&mut self) -> Option<Time> {
        let next = self.next();
        let changed = next != self.scheduled;
        self.scheduled = next;
        next.filter(|_| changed)
    }

    /// Returns whether an event at this time is the one that was scheduled last.
    pub(super) fn is_due(&mut self, now: Time) -> bool {
        let due = self.scheduled == Some(now);
        if due {
            self.scheduled = None;
        }
        due
    }

    /// Reports the ranks that are done by now: none if others have begun since this time was
    /// computed.
    pub(super) fn done(&mut self, now: Time, mut done: impl FnMut(u32)) {
        if self.next().is_none_or(|next| next > now) {
            return;
        }
        self.advance(now);
        while let Some(&Reverse((end, rank))) = self.work.peek()
            && end <= self.service
        {
            self.work.pop();
            done(rank);
        }
    }

    fn advance(&mut self, now: Time) {
        if let Some(ranks) = u128::try_from(self.work.len()).ok().filter(|&ranks| ranks > 0) {
            self.service += (u128::from(now.since(self.last).as_picos()) << FRACTION) / ranks;
        }
        self.last = self.last.max(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Completes all work; returns (time, rank) of each.
    fn finish(processor: &mut SharedProcessor) -> Vec<(u64, u32)> {
        let mut all = Vec::new();
        while let Some(at) = processor.next() {
            processor.done(at, |rank| all.push((at.as_picos(), rank)));
        }
        all
    }

    #[test]
    fn equal_shares() {
        let mut processor = SharedProcessor::default();
        processor.begin(Time::ZERO, 0, Time::from_picos(300));
        processor.begin(Time::ZERO, 1, Time::from_picos(100));
        // Both at half speed until 200; then rank 0 has 200 left, alone.
        assert_eq!(finish(&mut processor), [(200, 1), (400, 0)]);
    }

    #[test]
    fn later_work_slows_earlier_work() {
        let mut processor = SharedProcessor::default();
        processor.begin(Time::ZERO, 0, Time::from_picos(100));
        assert_eq!(processor.next(), Some(Time::from_picos(100)));
        processor.begin(Time::from_picos(40), 1, Time::from_picos(10));
        processor.done(Time::from_picos(50), |rank| panic!("rank {rank} is done too early"));
        assert_eq!(finish(&mut processor), [(60, 1), (110, 0)]);
    }

    #[test]
    fn thirds_round_to_exact_times() {
        let mut processor = SharedProcessor::default();
        (0..3).for_each(|rank| processor.begin(Time::ZERO, rank, Time::from_picos(7)));
        assert_eq!(finish(&mut processor), [(21, 0), (21, 1), (21, 2)]);
    }
}
