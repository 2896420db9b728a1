//! How a clock follows the global one.

use panto_units::Time;

/// No clock is off by more than this: a steeper line is noise. (A system that slews its clock to correct it does so by at
/// most 500 millionths, and two that do it in opposite directions by twice that.)
pub(super) const STEEPEST: f64 = 1e-3;

/// Turns readings of a local clock into global time: `G(t) = t - (slope * (t - origin) + intercept)`.
///
/// Moments are whole picoseconds and only differences are floating point, so that nothing is lost on clocks that have counted
/// for months. Global moments before the beginning of rank 0's clock are its beginning, and those past the end of [`Time`] are
/// the end. The default is the clock itself.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Model {
    /// A moment on the local clock ...
    origin: Time,
    /// ... and on the global one. Their difference is the intercept.
    anchor: Time,
    slope: f64,
    residual: Time,
    half_width: Time,
}

impl Model {
    /// The bytes of a model.
    pub const BYTES: usize = 5 * WORD;

    /// A line through `origin` on the local clock, which is `anchor` on the global one, as fitted.
    pub(super) fn new(origin: Time, anchor: Time, slope: f64, residual: Time, half_width: Time) -> Self {
        Self { origin, anchor, slope, residual, half_width }
    }

    /// The global time when this clock shows `local`. It never goes back when the clock does not.
    #[inline]
    pub fn global(&self, local: Time) -> Time {
        moved(local, self.origin, self.anchor, -self.slope)
    }

    /// What this clock shows at a global time: the inverse of [`global`](Self::global), to the picosecond or two.
    #[inline]
    pub fn local(&self, global: Time) -> Time {
        moved(global, self.anchor, self.origin, self.slope / (1.0 - self.slope))
    }

    /// By how much this clock is fast: seconds a second, negative where it is slow. Zero also where the drift was too small
    /// to be told from the scatter of the offsets.
    pub fn slope(&self) -> f64 {
        self.slope
    }

    /// How far the offsets that the line was fitted to lie from it: the root of their weighted mean square.
    pub fn residual(&self) -> Time {
        self.residual
    }

    /// How far the best of the offsets can be off: half of its round trip, or less. A path that is slower in one direction than
    /// in the other shifts all of them alike, by no more than this, and cannot be seen in the residual.
    pub fn half_width(&self) -> Time {
        self.half_width
    }

    /// As bytes, for another rank.
    pub fn encode(&self) -> [u8; Self::BYTES] {
        let words = [
            self.origin.as_picos(),
            self.anchor.as_picos(),
            self.slope.to_bits(),
            self.residual.as_picos(),
            self.half_width.as_picos(),
        ];
        let mut bytes = [0; Self::BYTES];
        for (chunk, word) in bytes.as_chunks_mut::<WORD>().0.iter_mut().zip(words) {
            *chunk = word.to_le_bytes();
        }
        bytes
    }

    /// From bytes, if they are those of a model.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; Self::BYTES] = bytes.try_into().ok()?;
        let word = |at: usize| u64::from_le_bytes(bytes.as_chunks::<WORD>().0[at]);
        let time = |at| Time::from_picos(word(at));
        let slope = f64::from_bits(word(2));
        (slope.abs() <= STEEPEST).then(|| Self::new(time(0), time(1), slope, time(3), time(4)))
    }
}

const WORD: usize = size_of::<u64>();

/// The moment that lies from `to` as `moment` from `from`, and `stretch` of that farther.
#[inline]
fn moved(moment: Time, from: Time, to: Time, stretch: f64) -> Time {
    let [moment, from, to] = [moment, from, to].map(Time::as_picos);
    let span = moment.abs_diff(from);
    // Both terms fit: a span is below 2^64 picoseconds, and a stretch takes ten bits off it.
    let stretched = i128::from(span) + i128::from((stretch * span as f64) as i64);
    let end = i128::from(to) + if moment < from { -stretched } else { stretched };
    Time::from_picos(end.clamp(0, u64::MAX.into()) as u64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DAY: u64 = 86_400_000_000_000_000;
    const SECOND: u64 = 1_000_000_000_000;

    fn at(picos: u64) -> Time {
        Time::from_picos(picos)
    }

    fn line(origin: u64, anchor: u64, slope: f64) -> Model {
        Model::new(at(origin), at(anchor), slope, Time::ZERO, Time::ZERO)
    }

    #[test]
    fn the_default_is_the_clock_itself() {
        for picos in [0, 1, DAY, 1_000_000_000_000_000_001, u64::MAX] {
            assert_eq!(Model::default().global(at(picos)), at(picos));
            assert_eq!(Model::default().local(at(picos)), at(picos));
        }
    }

    /// A clock that is fast by ten millionths and ahead by a hundred days.
    #[test]
    fn a_fast_clock_is_held_back() {
        let model = line(150 * DAY, 50 * DAY, 10e-6);
        assert_eq!(model.global(at(150 * DAY + 7)), at(50 * DAY + 7));
        assert_eq!(model.global(at(150 * DAY + SECOND)), at(50 * DAY + SECOND - 10_000_000));
        assert_eq!(model.global(at(150 * DAY - SECOND)), at(50 * DAY - SECOND + 10_000_000));
        assert_eq!(model.local(at(50 * DAY + SECOND - 10_000_000)), at(150 * DAY + SECOND));
    }

    #[test]
    fn moments_that_do_not_exist_are_the_nearest_that_do() {
        let ahead = line(150 * DAY, DAY, 0.0);
        assert_eq!(ahead.global(Time::ZERO), Time::ZERO);
        assert_eq!(ahead.local(at(u64::MAX)), at(u64::MAX));
        let behind = line(DAY, 150 * DAY, 0.0);
        assert_eq!(behind.global(at(u64::MAX)), at(u64::MAX));
        assert_eq!(behind.local(Time::ZERO), Time::ZERO);
    }

    #[test]
    fn strange_bytes_are_no_model() {
        let good = line(1, 2, 1e-5).encode();
        assert_eq!(Model::decode(&good[..39]), None);
        assert_eq!(Model::decode(&[]), None);
        for slope in [f64::NAN, f64::INFINITY, 0.5, -1.0] {
            let mut bytes = good;
            bytes[16..24].copy_from_slice(&slope.to_bits().to_le_bytes());
            assert_eq!(Model::decode(&bytes), None, "{slope}");
        }
    }

    proptest! {
        #[test]
        fn there_and_back(
            origin in 90 * DAY..110 * DAY, anchor in 90 * DAY..110 * DAY, slope in -STEEPEST..STEEPEST,
            local in 80 * DAY..120 * DAY, step in 0..1_000_u64,
        ) {
            let model = line(origin, anchor, slope);
            let global = model.global(at(local));
            prop_assert!(model.local(global).as_picos().abs_diff(local) <= 2);
            let later = model.global(at(local + step));
            prop_assert!(later >= global);
            prop_assert!((later - global).as_picos().abs_diff(step) <= step / 1_000 + 2);
        }

        #[test]
        fn models_are_read_as_written(
            origin: u64, anchor: u64, slope in -STEEPEST..STEEPEST, residual: u64, half_width: u64,
        ) {
            let model = Model::new(at(origin), at(anchor), slope, at(residual), at(half_width));
            prop_assert_eq!(Model::decode(&model.encode()), Some(model));
        }

        #[test]
        fn bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..50), moment: u64) {
            if let Some(model) = Model::decode(&bytes) {
                model.local(model.global(at(moment)));
            }
        }
    }
}
