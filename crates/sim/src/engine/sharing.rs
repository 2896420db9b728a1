//! Ranks that share a processor (P13).
//!
//! Round robin with equal priorities and turns too short to be seen: of r ranks that compute, each gets 1/r of the
//! processor. A clock of *service* runs at 1/r of the speed of time; a rank's work is done when the service clock has
//! advanced by it. So nothing needs to be changed for the others when one comes or goes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use panto_units::Time;

/// Binary digits of a picosecond of service.
const FRACTION: u32 = 20;

/// A processor that ranks share.
#[derive(Default)]
pub(super) struct Sharing {
    service: u128,
    last: Time,
    work: BinaryHeap<Reverse<(u128, u32)>>,
    /// The moment of the last event that was asked for. There is one at a time: those before it are out of date.
    planned: Option<Time>,
}

impl Sharing {
    /// A rank begins to compute.
    pub(super) fn begin(&mut self, now: Time, rank: u32, work: Time) {
        self.advance(now);
        self.work.push(Reverse((self.service + (u128::from(work.as_picos()) << FRACTION), rank)));
    }

    /// When the first will be done, if nobody comes.
    pub(super) fn next(&self) -> Option<Time> {
        let Reverse((end, _)) = self.work.peek()?;
        let left = end.saturating_sub(self.service) * self.work.len() as u128;
        let picos = u64::try_from((left + (1 << FRACTION) - 1) >> FRACTION).unwrap_or(u64::MAX);
        Some(self.last.saturating_add(Time::from_picos(picos)))
    }

    /// When the next event must be, if it is not planned already.
    pub(super) fn plan(&mut self) -> Option<Time> {
        let next = self.next();
        let news = next != self.planned;
        self.planned = next;
        next.filter(|_| news)
    }

    /// An event of this moment has come. Is it the one that was planned last?
    pub(super) fn is_due(&mut self, now: Time) -> bool {
        let due = self.planned == Some(now);
        if due {
            self.planned = None;
        }
        due
    }

    /// The ranks that are done now; none, if somebody has come since this moment was named.
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

    /// Lets everything be done; the answers are (time, rank).
    fn finish(sharing: &mut Sharing) -> Vec<(u64, u32)> {
        let mut all = Vec::new();
        while let Some(at) = sharing.next() {
            sharing.done(at, |rank| all.push((at.as_picos(), rank)));
        }
        all
    }

    #[test]
    fn equal_shares() {
        let mut sharing = Sharing::default();
        sharing.begin(Time::ZERO, 0, Time::from_picos(300));
        sharing.begin(Time::ZERO, 1, Time::from_picos(100));
        // Both at half speed until 200; then rank 0 has 200 left, alone.
        assert_eq!(finish(&mut sharing), [(200, 1), (400, 0)]);
    }

    #[test]
    fn a_late_comer_slows_the_other_down() {
        let mut sharing = Sharing::default();
        sharing.begin(Time::ZERO, 0, Time::from_picos(100));
        assert_eq!(sharing.next(), Some(Time::from_picos(100)));
        sharing.begin(Time::from_picos(40), 1, Time::from_picos(10));
        sharing.done(Time::from_picos(50), |rank| panic!("rank {rank} is done too early"));
        assert_eq!(finish(&mut sharing), [(60, 1), (110, 0)]);
    }

    #[test]
    fn thirds_lose_nothing() {
        let mut sharing = Sharing::default();
        (0..3).for_each(|rank| sharing.begin(Time::ZERO, rank, Time::from_picos(7)));
        assert_eq!(finish(&mut sharing), [(21, 0), (21, 1), (21, 2)]);
    }
}
