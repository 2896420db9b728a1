//! The linear model of a clock.

use panto_units::Time;

/// Maximum slope: a steeper line is noise. (A system that slews its clock does so by at most 500
/// parts per million, and two in opposite directions by twice that.)
pub(super) const MAX_SLOPE: f64 = 1e-3;

/// Converts readings of a local clock to global time: `G(t) = t - (slope * (t - origin) +
/// intercept)`.
///
/// Times are whole picoseconds and only differences are floating point, so no precision is lost on
/// clocks that have counted for months. Global times before the origin of rank 0's clock saturate
/// at zero, and those beyond the range of [`Time`] at its end. The default is the identity.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LinearModel {
    /// A time on the local clock.
    origin: Time,
    /// The global time at `origin`; their difference is the intercept.
    anchor: Time,
    slope: f64,
    residual: Time,
    half_width: Time,
}

impl LinearModel {
    /// Bytes of an encoded model.
    pub const BYTES: usize = 5 * WORD;

    /// Makes a line through `origin` on the local clock, which is `anchor` on the global one.
    pub(super) fn new(origin: Time, anchor: Time, slope: f64, residual: Time, half_width: Time) -> Self {
        Self { origin, anchor, slope, residual, half_width }
    }

    /// Returns the global time when this clock shows `local`. It is monotonic.
    #[inline]
    pub fn global(&self, local: Time) -> Time {
        map_time(local, self.origin, self.anchor, -self.slope)
    }

    /// Returns what this clock shows at a global time: the inverse of [`global`](Self::global), to
    /// one or two picoseconds.
    #[inline]
    pub fn local(&self, global: Time) -> Time {
        map_time(global, self.anchor, self.origin, self.slope / (1.0 - self.slope))
    }

    /// Returns by how much this clock is fast, in seconds per second; negative where it is slow.
    /// Zero also where the drift was too small to be significant.
    pub fn slope(&self) -> f64 {
        self.slope
    }

    /// Returns the residual of the fit: the root of the weighted mean square.
    pub fn residual(&self) -> Time {
        self.residual
    }

    /// Returns the maximum error of the best offset: half of its round trip, or less. Unequal paths
    /// shift all offsets alike, by no more than this, and do not show in the residual.
    pub fn half_width(&self) -> Time {
        self.half_width
    }

    /// Encodes the model for another rank.
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

    /// Decodes a model; `None` if the bytes are malformed.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; Self::BYTES] = bytes.try_into().ok()?;
        let word = |at: usize| u64::from_le_bytes(bytes.as_chunks::<WORD>().0[at]);
        let time = |at| Time::from_picos(word(at));
        let slope = f64::from_bits(word(2));
        (slope.abs() <= MAX_SLOPE).then(|| Self::new(time(0), time(1), slope, time(3), time(4)))
    }
}

const WORD: usize = size_of::<u64>();

/// Returns the time whose distance from `to` is that of `time` from `from`, scaled by `1 +
/// stretch`.
#[inline]
fn map_time(time: Time, from: Time, to: Time, stretch: f64) -> Time {
    let [time, from, to] = [time, from, to].map(Time::as_picos);
    let span = time.abs_diff(from);
    // Both terms fit: a span is below 2^64 picoseconds, and the stretch is below a thousandth.
    let stretched = i128::from(span) + i128::from((stretch * span as f64) as i64);
    let end = i128::from(to) + if time < from { -stretched } else { stretched };
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

    fn line(origin: u64, anchor: u64, slope: f64) -> LinearModel {
        LinearModel::new(at(origin), at(anchor), slope, Time::ZERO, Time::ZERO)
    }

    #[test]
    fn the_default_is_the_clock_itself() {
        for picos in [0, 1, DAY, 1_000_000_000_000_000_001, u64::MAX] {
            assert_eq!(LinearModel::default().global(at(picos)), at(picos));
            assert_eq!(LinearModel::default().local(at(picos)), at(picos));
        }
    }

    /// A clock that is fast by ten parts per million and ahead by a hundred days.
    #[test]
    fn a_fast_clock_is_slowed_down() {
        let model = line(150 * DAY, 50 * DAY, 10e-6);
        assert_eq!(model.global(at(150 * DAY + 7)), at(50 * DAY + 7));
        assert_eq!(model.global(at(150 * DAY + SECOND)), at(50 * DAY + SECOND - 10_000_000));
        assert_eq!(model.global(at(150 * DAY - SECOND)), at(50 * DAY - SECOND + 10_000_000));
        assert_eq!(model.local(at(50 * DAY + SECOND - 10_000_000)), at(150 * DAY + SECOND));
    }

    #[test]
    fn times_out_of_range_saturate() {
        let ahead = line(150 * DAY, DAY, 0.0);
        assert_eq!(ahead.global(Time::ZERO), Time::ZERO);
        assert_eq!(ahead.local(at(u64::MAX)), at(u64::MAX));
        let behind = line(DAY, 150 * DAY, 0.0);
        assert_eq!(behind.global(at(u64::MAX)), at(u64::MAX));
        assert_eq!(behind.local(Time::ZERO), Time::ZERO);
    }

    #[test]
    fn malformed_bytes_are_rejected() {
        let good = line(1, 2, 1e-5).encode();
        assert_eq!(LinearModel::decode(&good[..39]), None);
        assert_eq!(LinearModel::decode(&[]), None);
        for slope in [f64::NAN, f64::INFINITY, 0.5, -1.0] {
            let mut bytes = good;
            bytes[16..24].copy_from_slice(&slope.to_bits().to_le_bytes());
            assert_eq!(LinearModel::decode(&bytes), None, "{slope}");
        }
    }

    proptest! {
        #[test]
        fn there_and_back(
            origin in 90 * DAY..110 * DAY, anchor in 90 * DAY..110 * DAY, slope in -MAX_SLOPE..MAX_SLOPE,
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
            origin: u64, anchor: u64, slope in -MAX_SLOPE..MAX_SLOPE, residual: u64, half_width: u64,
        ) {
            let model = LinearModel::new(at(origin), at(anchor), slope, at(residual), at(half_width));
            prop_assert_eq!(LinearModel::decode(&model.encode()), Some(model));
        }

        #[test]
        fn bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..50), moment: u64) {
            if let Some(model) = LinearModel::decode(&bytes) {
                model.local(model.global(at(moment)));
            }
        }
    }
}
