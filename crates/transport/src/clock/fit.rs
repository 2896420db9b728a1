//! A weighted line through offsets that were measured one after the other.
//!
//! *Weights.* The middle of two bounds is off by half the difference of the two directions' delays.
//! The constant part of it (unequal paths) shifts all points alike and does not affect the slope;
//! the varying part makes the bounds wider. So a point's uncertainty is the excess of its half
//! width over the narrowest, plus an eighth of the narrowest, since even equal bounds scatter a
//! little. A point in which every exchange was delayed has almost no weight.
//!
//! *Slope.* Over a short time a slope is mostly noise: its standard error is the scatter of the
//! points over the time that they span. A slope below three standard errors, or steeper than any
//! clock, or from too few points, is taken to be zero, and the line is the weighted mean of the
//! offsets. An undetected drift then causes a smaller error than a slope of noise would. The
//! effective number of points is `(sum w)^2 / sum w^2`, which is their number if all weights are
//! equal.

use panto_units::Time;

use super::exchange::Bounds;
use super::model::{LinearModel, MAX_SLOPE};

/// Minimum slope in standard errors.
const MIN_STANDARD_ERRORS: f64 = 3.0;
/// Minimum effective number of points for a slope: with three, the standard error itself is too
/// uncertain. (A little less than four, for rounding.)
const MIN_POINTS: f64 = 3.99;
/// Scatter of points of the narrowest half width, as a share of that half width.
const SCATTER: f64 = 0.125;
/// Assumed resolution of clocks in picoseconds.
const CLOCK_RESOLUTION: f64 = 1_000.0;

/// An offset, in picoseconds from the first point.
#[derive(Debug, Clone, Copy)]
struct Point {
    x: f64,
    y: f64,
    weight: f64,
}

/// A line through the weighted mean of the points.
struct Line {
    x: f64,
    y: f64,
    slope: f64,
}

/// Fits the model of a clock to its offsets from global time. There must be at least one.
pub(super) fn line(offsets: &[Bounds]) -> LinearModel {
    let Some(&first) = offsets.first() else { return LinearModel::default() };
    let points = weighted(offsets, first);
    let line = fitted(&points);
    let moment = |picos: i128| Time::from_picos(picos.clamp(0, u64::MAX.into()) as u64);
    let origin = i128::from(first.time().as_picos()) + line.x.round() as i128;
    let anchor = origin + first.middle() + line.y.round() as i128;
    let residual = (line.squares(&points) / total(&points, |_| 1.0)).sqrt();
    let half_width = offsets.iter().map(|bounds| bounds.half_width()).min().unwrap_or_default();
    // A growing offset means that this clock is slow.
    LinearModel::new(
        moment(origin),
        moment(anchor),
        0.0 - line.slope,
        Time::from_picos(residual.ceil() as u64),
        half_width,
    )
}

fn weighted(offsets: &[Bounds], first: Bounds) -> Vec<Point> {
    let narrowest = offsets.iter().map(|bounds| bounds.half_width()).min().unwrap_or_default();
    let even = SCATTER * narrowest.as_picos() as f64 + CLOCK_RESOLUTION;
    offsets
        .iter()
        .map(|bounds| {
            let doubt = even + (bounds.half_width() - narrowest).as_picos() as f64;
            Point {
                x: (i128::from(bounds.time().as_picos()) - i128::from(first.time().as_picos())) as f64,
                y: (bounds.middle() - first.middle()) as f64,
                weight: 1.0 / (doubt * doubt),
            }
        })
        .collect()
}

/// Returns the weighted sum of `of` over the points.
fn total(points: &[Point], of: impl Fn(&Point) -> f64) -> f64 {
    points.iter().map(|point| point.weight * of(point)).sum()
}

/// Fits a line by weighted least squares, of slope zero if the slope is not significant.
fn fitted(points: &[Point]) -> Line {
    let weight = total(points, |_| 1.0);
    let (x, y) = (total(points, |point| point.x) / weight, total(points, |point| point.y) / weight);
    let spread = total(points, |point| (point.x - x).powi(2));
    let level = Line { x, y, slope: 0.0 };
    let count = weight * weight / total(points, |point| point.weight);
    if count < MIN_POINTS || spread == 0.0 {
        return level;
    }
    let slope = total(points, |point| (point.x - x) * (point.y - y)) / spread;
    let steep = Line { slope, ..level };
    let error = (steep.squares(points) / (count - 2.0) / spread).sqrt();
    if slope.abs() > MIN_STANDARD_ERRORS * error && slope.abs() <= MAX_SLOPE { steep } else { level }
}

impl Line {
    /// Returns the weighted sum of squared residuals.
    fn squares(&self, points: &[Point]) -> f64 {
        total(points, |point| (point.y - self.y - self.slope * (point.x - self.x)).powi(2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: f64 = 1e12;

    /// A reproducible source of numbers in `[0, 1)`.
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1_u64 << 53) as f64
        }
    }

    /// Returns what a clock shows that is fast by `drift` and showed `start` at the beginning.
    fn shown(start: u64, drift: f64, picos: f64) -> Time {
        Time::from_picos(start + (picos as u64).saturating_add_signed((drift * picos) as i64))
    }

    const START: u64 = 100 * 86_400_000_000_000_000;

    /// Returns points of one exchange each, every two milliseconds, with the given delays in
    /// picoseconds of request and reply.
    fn observed(drift: f64, count: usize, mut ways: impl FnMut(usize) -> (f64, f64)) -> Vec<Bounds> {
        let exchange = |point| {
            let (there, back) = ways(point);
            let asked = SECOND + 2e9 * point as f64;
            let answered = asked + there;
            let ours = |picos| shown(START, drift, picos);
            Bounds::new(ours(asked), Time::from_picos(answered as u64), ours(answered + back))
        };
        (0..count).map(exchange).collect()
    }

    /// Returns the error of the global clock in picoseconds, `seconds` after the beginning.
    fn off(model: &LinearModel, drift: f64, seconds: f64) -> f64 {
        let global = model.global(shown(START, drift, seconds * SECOND));
        (i128::from(global.as_picos()) - (seconds * SECOND) as i128) as f64
    }

    #[test]
    fn a_line_is_found_whatever_its_sign() {
        for drift in [-100e-6, -1e-6, 0.0, 3e-9, 30e-6, 100e-6] {
            let model = line(&observed(drift, 20, |_| (5e6, 5e6)));
            let slope = drift / (1.0 + drift);
            assert!((model.slope() - slope).abs() < 1e-9, "{drift}: {}", model.slope());
            assert!(off(&model, drift, 2.0).abs() < 1_000.0, "{drift}: {}", off(&model, drift, 2.0));
            assert!(model.residual().as_picos() < 10, "{drift}: {}", model.residual());
            assert!(model.half_width().as_picos().abs_diff(5_000_000) < 1_000, "{}", model.half_width());
        }
    }

    /// Unequal paths shift the clock by half of their difference, and do not change the slope.
    #[test]
    fn unequal_paths_shift_but_do_not_change_the_slope() {
        let model = line(&observed(20e-6, 20, |_| (9e6, 3e6)));
        for seconds in [1.0, 2.0, 10.0] {
            let off = off(&model, 20e-6, seconds);
            assert!((off - 3e6).abs() < 20_000.0, "{seconds}: {off}");
        }
    }

    /// Milliseconds of delay in one direction, in a third of the points.
    #[test]
    fn delayed_points_have_no_weight() {
        for seed in 0..50 {
            let mut random = Random(seed);
            let model = line(&observed(20e-6, 20, |_| {
                let delay = if random.next() < 0.3 { 1e9 * random.next() } else { 0.0 };
                if random.next() < 0.5 { (5e6 + delay, 5e6) } else { (5e6, 5e6 + delay) }
            }));
            // Equal weights would give an error of many microseconds.
            assert!(off(&model, 20e-6, 1.0).abs() < 1e6, "{seed}: {}", off(&model, 20e-6, 1.0));
        }
    }

    /// Without drift and with random delays, the slope is nearly always zero.
    #[test]
    fn noise_is_not_drift() {
        let level = (0..1_000).filter(|&seed| {
            let mut random = Random(seed);
            let model = line(&observed(0.0, 20, |_| (5e6 + 2e6 * random.next(), 5e6 + 2e6 * random.next())));
            assert!(model.residual().as_picos() > 10_000);
            model.slope() == 0.0
        });
        let level = level.count();
        assert!(level > 950, "{level} of 1000 are level");
    }

    /// Three points that agree by chance, and many too uncertain to contradict.
    #[test]
    fn uncertain_points_do_not_count() {
        for seed in 0..1_000 {
            let mut random = Random(seed);
            let model = line(&observed(0.0, 20, |point| {
                let wide = if point % 8 == 0 { 0.0 } else { 1e9 };
                (5e6 + wide + 1e6 * random.next(), 5e6 + wide + 1e6 * random.next())
            }));
            assert!(model.slope() == 0.0, "{seed}: {}", model.slope());
        }
    }

    /// A drift much larger than the noise is detected.
    #[test]
    fn drift_is_detected_in_noise() {
        for seed in 0..200 {
            let mut random = Random(seed);
            let model =
                line(&observed(-300e-6, 20, |_| (5e6 + 2e6 * random.next(), 5e6 + 2e6 * random.next())));
            assert!((model.slope() + 300e-6).abs() < 60e-6, "{seed}: {}", model.slope());
        }
    }

    #[test]
    fn few_points_and_impossible_slopes_give_no_drift() {
        for count in 1..4 {
            let model = line(&observed(100e-6, count, |_| (5e6, 5e6)));
            assert!(model.slope() == 0.0 && off(&model, 100e-6, 1.0).abs() < 1e6);
        }
        assert!(line(&observed(100e-6, 4, |_| (5e6, 5e6))).slope() > 0.0);
        assert!(line(&observed(0.1, 20, |_| (5e6, 5e6))).slope() == 0.0);
    }

    /// All points at one time of a clock that stands still.
    #[test]
    fn a_stopped_clock_does_not_panic() {
        let moment = Time::from_picos(5);
        let model = line(&[Bounds::new(moment, Time::from_picos(9), moment); 6]);
        assert_eq!(model.global(moment), Time::from_picos(9));
    }
}
