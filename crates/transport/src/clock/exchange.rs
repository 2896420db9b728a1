//! What messages to and fro tell about another clock.
//!
//! The other side reads its clock between our two readings, so the offset (theirs minus ours) is at least `theirs - after` and
//! at most `theirs - before`. That holds whatever delays a message: a delay makes the bounds wider, never wrong, and the best
//! bounds of many exchanges are those that nothing delayed. A mean would take in every delay.

use panto_units::Time;

use crate::error::Result;
use crate::message::Mode;
use crate::transport::Transport;

use super::TAG;
use super::tree::receive;

/// A bound of an offset, in picoseconds, and our reading that it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Bound {
    offset: i128,
    ours: Time,
}

/// The bounds of an offset over some exchanges: theirs minus ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bounds {
    least: Bound,
    most: Bound,
}

impl Bounds {
    /// From one exchange.
    pub(super) fn new(before: Time, theirs: Time, after: Time) -> Self {
        let bound = |ours: Time| Bound { offset: difference(theirs, ours), ours };
        Self { least: bound(after), most: bound(before) }
    }

    /// What both tell together.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            least: if other.least.offset > self.least.offset { other.least } else { self.least },
            most: if other.most.offset < self.most.offset { other.most } else { self.most },
        }
    }

    /// When the middle held. A good lower bound comes from a short way back and held just before its reading, a good upper
    /// bound just after its own. The two are often those of two exchanges; between them the offset drifts, and in the
    /// middle of their times it is in the middle too.
    pub(super) fn when(self) -> Time {
        Time::from_picos(self.least.ours.as_picos().midpoint(self.most.ours.as_picos()))
    }

    /// The offset in the middle.
    pub(super) fn middle(self) -> i128 {
        (self.least.offset + self.most.offset).div_euclid(2)
    }

    /// How far the middle can be off. Bounds that have crossed were drifting apart.
    pub(super) fn half_width(self) -> Time {
        saturated((self.most.offset - self.least.offset).unsigned_abs().div_ceil(2))
    }

    /// The farthest from nothing that the offset can be.
    pub(super) fn farthest(self) -> Time {
        saturated(self.least.offset.unsigned_abs().max(self.most.offset.unsigned_abs()))
    }

    /// The nearest to nothing that the offset can be.
    pub(super) fn nearest(self) -> Time {
        saturated(self.least.offset.max(-self.most.offset).max(0).unsigned_abs())
    }
}

fn difference(a: Time, b: Time) -> i128 {
    i128::from(a.as_picos()) - i128::from(b.as_picos())
}

fn saturated(picos: u128) -> Time {
    Time::from_picos(u64::try_from(picos).unwrap_or(u64::MAX))
}

/// Compares `clock` with that of `other`, which [answers](answer) as often.
pub(super) fn compare<T: Transport>(
    t: &T,
    other: usize,
    exchanges: usize,
    clock: &dyn Fn() -> Time,
) -> Result<Bounds> {
    let mut bounds = exchange(t, other, clock)?;
    for _ in 1..exchanges {
        bounds = bounds.and(exchange(t, other, clock)?);
    }
    Ok(bounds)
}

/// Question and answer have one size, so that they take equally long.
fn exchange<T: Transport>(t: &T, other: usize, clock: &dyn Fn() -> Time) -> Result<Bounds> {
    let before = clock();
    t.send(Mode::Standard, &before.as_picos().to_le_bytes(), other, TAG)?;
    let theirs = receive(t, other)?;
    let after = clock();
    Ok(Bounds::new(before, Time::from_picos(u64::from_le_bytes(theirs)), after))
}

/// Tells `other` the time, so many times.
pub(super) fn answer<T: Transport>(
    t: &T,
    other: usize,
    questions: usize,
    clock: &dyn Fn() -> Time,
) -> Result<()> {
    for _ in 0..questions {
        receive::<T, { size_of::<u64>() }>(t, other)?;
        t.send(Mode::Standard, &clock().as_picos().to_le_bytes(), other, TAG)?;
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
        assert_eq!((seen.when().as_picos(), seen.farthest().as_picos()), (1_200, 4_000));
    }

    /// Theirs is behind ours by months, and ours is at the end of time.
    #[test]
    fn offsets_of_months_have_either_sign() {
        let seen = bounds(u64::MAX - 10, 7, u64::MAX);
        assert_eq!(seen.middle(), 12 - i128::from(u64::MAX));
        assert_eq!(seen.half_width().as_picos(), 5);
        assert_eq!(seen.farthest().as_picos(), u64::MAX - 7);
    }

    /// The first answer was delayed on its way back, the second question on its way there.
    #[test]
    fn delays_in_different_exchanges_do_not_matter() {
        let seen = bounds(0, 1_010, 900).and(bounds(2_000, 3_800, 2_810));
        assert_eq!((seen.least.offset, seen.most.offset), (990, 1_010));
        assert_eq!(seen.and(bounds(0, 5_000, 9_000)), seen);
        assert_eq!(bounds(0, 5_000, 9_000).and(seen), seen);
    }

    /// The first question waited for long, and the offset drifted meanwhile: its lower bound belongs to the end of the wait.
    #[test]
    fn a_question_that_waited_tells_of_the_time_of_its_answer() {
        let seen = bounds(0, 10_990, 10_010).and(bounds(10_020, 10_999, 10_040));
        assert_eq!((seen.least.offset, seen.most.offset), (980, 979));
        assert_eq!((seen.when().as_picos(), seen.middle()), (10_015, 979));
    }

    /// An offset that shrinks faster than the messages are slow.
    #[test]
    fn bounds_that_crossed_still_have_a_middle() {
        let seen = bounds(0, 1_001, 2).and(bounds(1_000, 1_601, 1_002));
        assert_eq!((seen.least.offset, seen.most.offset), (999, 601));
        assert_eq!((seen.middle(), seen.half_width().as_picos(), seen.when().as_picos()), (800, 199, 501));
    }
}
