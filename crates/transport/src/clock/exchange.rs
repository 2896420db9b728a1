//! Bounds on a clock offset from round trips (Cristian's algorithm).
//!
//! The other side reads its clock between our two readings, so the offset (theirs minus ours) is at
//! least `theirs - after` and at most `theirs - before`. That holds whatever delays a message: a
//! delay makes the bounds wider, never wrong, and the intersection of many exchanges is that of the
//! ones without delays. A mean would include every delay.

use panto_units::Time;

use crate::error::Result;
use crate::message::SendMode;
use crate::transport::Transport;

use super::TAG;
use super::tree::receive;

/// One bound of an offset in picoseconds, and our reading that it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Bound {
    offset: i128,
    ours: Time,
}

/// Bounds of an offset (theirs minus ours) over some exchanges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bounds {
    least: Bound,
    most: Bound,
}

impl Bounds {
    /// Returns the bounds of one exchange.
    pub(super) fn new(before: Time, theirs: Time, after: Time) -> Self {
        let bound = |ours: Time| Bound { offset: difference(theirs, ours), ours };
        Self { least: bound(after), most: bound(before) }
    }

    /// Returns the intersection of both bounds.
    pub(super) fn intersect(self, other: Self) -> Self {
        Self {
            least: if other.least.offset > self.least.offset { other.least } else { self.least },
            most: if other.most.offset < self.most.offset { other.most } else { self.most },
        }
    }

    /// Returns the time on our clock at which the middle held. A good lower bound comes from a fast
    /// reply and held just before its reading, a good upper bound just after its own. The two often
    /// come from different exchanges; between them the offset drifts, and halfway between their
    /// times it is halfway too.
    pub(super) fn time(self) -> Time {
        Time::from_picos(self.least.ours.as_picos().midpoint(self.most.ours.as_picos()))
    }

    /// Returns the middle of the bounds, in picoseconds.
    pub(super) fn middle(self) -> i128 {
        (self.least.offset + self.most.offset).div_euclid(2)
    }

    /// Returns the maximum error of the middle. Bounds that crossed come from clocks that drift.
    pub(super) fn half_width(self) -> Time {
        saturated((self.most.offset - self.least.offset).unsigned_abs().div_ceil(2))
    }

    /// Returns the largest absolute value that the offset can have.
    pub(super) fn max_abs(self) -> Time {
        saturated(self.least.offset.unsigned_abs().max(self.most.offset.unsigned_abs()))
    }

    /// Returns the smallest absolute value that the offset can have.
    pub(super) fn min_abs(self) -> Time {
        saturated(self.least.offset.max(-self.most.offset).max(0).unsigned_abs())
    }
}

fn difference(a: Time, b: Time) -> i128 {
    i128::from(a.as_picos()) - i128::from(b.as_picos())
}

fn saturated(picos: u128) -> Time {
    Time::from_picos(u64::try_from(picos).unwrap_or(u64::MAX))
}

/// Compares `clock` with that of rank `other`, which [replies](reply) to as many requests.
pub(super) fn compare<T: Transport>(
    t: &T,
    other: usize,
    exchanges: usize,
    clock: &dyn Fn() -> Time,
) -> Result<Bounds> {
    let mut bounds = exchange(t, other, clock)?;
    for _ in 1..exchanges {
        bounds = bounds.intersect(exchange(t, other, clock)?);
    }
    Ok(bounds)
}

/// Runs one exchange. Request and reply have equal sizes, so that they take equally long.
fn exchange<T: Transport>(t: &T, other: usize, clock: &dyn Fn() -> Time) -> Result<Bounds> {
    let before = clock();
    t.send(SendMode::Standard, &before.as_picos().to_le_bytes(), other, TAG)?;
    let theirs = receive(t, other)?;
    let after = clock();
    Ok(Bounds::new(before, Time::from_picos(u64::from_le_bytes(theirs)), after))
}

/// Replies to `requests` requests of rank `other` with the time on `clock`.
pub(super) fn reply<T: Transport>(
    t: &T,
    other: usize,
    requests: usize,
    clock: &dyn Fn() -> Time,
) -> Result<()> {
    for _ in 0..requests {
        receive::<T, { size_of::<u64>() }>(t, other)?;
        t.send(SendMode::Standard, &clock().as_picos().to_le_bytes(), other, TAG)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(before: u64, theirs: u64, after: u64) -> Bounds {
        Bounds::new(Time::from_picos(before), Time::from_picos(theirs), Time::from_picos(after))
    }

    #[test]
    fn one_exchange_bounds_the_offset() {
        let seen = bounds(1_000, 5_000, 1_400);
        assert_eq!((seen.least.offset, seen.most.offset), (3_600, 4_000));
        assert_eq!((seen.middle(), seen.half_width().as_picos()), (3_800, 200));
        assert_eq!((seen.time().as_picos(), seen.max_abs().as_picos()), (1_200, 4_000));
    }

    /// Their clock is months behind ours, and ours is at the end of its range.
    #[test]
    fn offsets_of_months_have_either_sign() {
        let seen = bounds(u64::MAX - 10, 7, u64::MAX);
        assert_eq!(seen.middle(), 12 - i128::from(u64::MAX));
        assert_eq!(seen.half_width().as_picos(), 5);
        assert_eq!(seen.max_abs().as_picos(), u64::MAX - 7);
    }

    /// The first reply was delayed, and the second request.
    #[test]
    fn delays_in_different_exchanges_do_not_matter() {
        let seen = bounds(0, 1_010, 900).intersect(bounds(2_000, 3_800, 2_810));
        assert_eq!((seen.least.offset, seen.most.offset), (990, 1_010));
        assert_eq!(seen.intersect(bounds(0, 5_000, 9_000)), seen);
        assert_eq!(bounds(0, 5_000, 9_000).intersect(seen), seen);
    }

    /// The first request was delayed for long while the offset drifted: its lower bound belongs to
    /// the end of the delay.
    #[test]
    fn a_delayed_request_bounds_the_offset_at_its_reply() {
        let seen = bounds(0, 10_990, 10_010).intersect(bounds(10_020, 10_999, 10_040));
        assert_eq!((seen.least.offset, seen.most.offset), (980, 979));
        assert_eq!((seen.time().as_picos(), seen.middle()), (10_015, 979));
    }

    /// An offset that shrinks by more than the messages take.
    #[test]
    fn bounds_that_crossed_still_have_a_middle() {
        let seen = bounds(0, 1_001, 2).intersect(bounds(1_000, 1_601, 1_002));
        assert_eq!((seen.least.offset, seen.most.offset), (999, 601));
        assert_eq!((seen.middle(), seen.half_width().as_picos(), seen.time().as_picos()), (800, 199, 501));
    }
}
