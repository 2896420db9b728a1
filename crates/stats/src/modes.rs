//! Serial dependence and bimodality of a sample.

use crate::error::{Error, require_finite};
use crate::mann_whitney::rank;

/// Share of absolute deviation that two medians must explain. A uniform distribution reaches 0.5, a
/// normal or exponential one 0.41; two normal modes of equal size 5 standard deviations apart reach
/// 0.68.
const MIN_EXPLAINED: f64 = 0.6;

/// Least share of the values in the smaller mode; with fewer it is a tail of outliers.
const MINOR_SHARE: f64 = 0.1;

/// Largest share of values in the valley between the modes, see [`valley`].
const MAX_VALLEY: f64 = 0.5;

/// Least distance of the modes relative to the lower one (ticks of a coarse clock are closer, for
/// example).
const MIN_DISTANCE: f64 = 0.02;

/// Two modes of a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Modes {
    /// Median of the lower mode.
    pub low: f64,
    /// Median of the upper mode.
    pub high: f64,
    /// Share of the values in the upper mode.
    pub high_share: f64,
    /// Share of the absolute deviation explained by two medians instead of one.
    pub explained: f64,
}

/// Returns the correlation of each value with the next; 0 for equal values. At least 3 values.
/// O(n).
pub fn lag1_autocorrelation(values: &[f64]) -> Result<f64, Error> {
    require_finite(values, 3)?;
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let total: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    let next: f64 = values.windows(2).map(|w| (w[0] - mean) * (w[1] - mean)).sum();
    Ok(if total > 0.0 { next / total } else { 0.0 })
}

/// Returns the rank correlation of each value with the next, if it is significant and at least 0.2.
///
/// Ranks, since a single outlier hides any dependence from the ordinary coefficient (Wald &
/// Wolfowitz 1943; Bartels, "The rank version of von Neumann's ratio test for randomness", JASA 77,
/// 1982). Without dependence the coefficient is about normal with variance 1/n (Bartlett 1946); the
/// limit is 2.58 standard deviations, 1 %. `None` for fewer than 10 values. O(n log n).
pub fn serial_dependence(values: &[f64]) -> Result<Option<f64>, Error> {
    require_finite(values, 1)?;
    if values.len() < 10 {
        return Ok(None);
    }
    let r = lag1_autocorrelation(&rank(values).ranks)?;
    let limit = (2.58 / (values.len() as f64).sqrt()).max(0.2);
    Ok((r.abs() > limit).then_some(r))
}

/// Returns the two modes of a sample, if it has them. `None` for fewer than 20 values. O(n log n).
///
/// The sorted values are cut in two where the sum of absolute deviations from the two medians is
/// least (Fisher, "On grouping for maximum homogeneity", JASA 53, 1958; the idea of Otsu's
/// threshold, 1979, with medians for means so that a tail does not decide). Four conditions: the
/// cut explains clearly more than it would for one broad mode, both parts are large, the valley
/// between them is empty enough, and the distance matters. Hartigan's dip (1985) tests the first
/// and third at once, but calls two ticks of a coarse clock bimodal and returns neither the places
/// nor the sizes of the modes.
pub fn two_modes(values: &[f64]) -> Result<Option<Modes>, Error> {
    require_finite(values, 1)?;
    if values.len() < 20 {
        return Ok(None);
    }
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let cut = best_cut(&sorted);
    let modes = describe(&sorted, cut);
    Ok(distinct(&sorted, cut, &modes).then_some(modes))
}

/// Prefix sums, with which the deviation of any run of sorted values from its median is O(1).
struct Sums(Vec<f64>);

impl Sums {
    /// Sums relative to the median of all, so that large times with small differences do not
    /// cancel.
    fn new(sorted: &[f64]) -> Self {
        let centre = sorted[sorted.len() / 2];
        let running = sorted.iter().scan(0.0, |sum, v| {
            *sum += v - centre;
            Some(*sum)
        });
        Self(std::iter::once(0.0).chain(running).collect())
    }

    /// Returns the sum of the upper half minus that of the lower half; a middle value belongs to
    /// neither.
    fn deviation(&self, from: usize, to: usize) -> f64 {
        let half = (to - from) / 2;
        (self.0[to] - self.0[to - half]) - (self.0[from + half] - self.0[from])
    }
}

fn best_cut(sorted: &[f64]) -> usize {
    let sums = Sums::new(sorted);
    let least = minor_count(sorted.len());
    let cost = |cut: usize| sums.deviation(0, cut) + sums.deviation(cut, sorted.len());
    let cuts = least..=sorted.len() - least;
    cuts.min_by(|&a, &b| cost(a).total_cmp(&cost(b))).unwrap_or(sorted.len() / 2)
}

fn minor_count(n: usize) -> usize {
    (n as f64 * MINOR_SHARE).ceil() as usize
}

fn describe(sorted: &[f64], cut: usize) -> Modes {
    let n = sorted.len();
    let sums = Sums::new(sorted);
    let one = sums.deviation(0, n);
    let two = sums.deviation(0, cut) + sums.deviation(cut, n);
    Modes {
        low: sorted[cut / 2],
        high: sorted[usize::midpoint(cut, n)],
        high_share: (n - cut) as f64 / n as f64,
        explained: if one > 0.0 { 1.0 - two / one } else { 0.0 },
    }
}

fn distinct(sorted: &[f64], cut: usize, modes: &Modes) -> bool {
    // A small sample explains more by chance: chosen so that fewer than one in a hundred uniform
    // ones passes.
    let caution = 0.7 / (sorted.len() as f64).sqrt();
    modes.explained > MIN_EXPLAINED + caution
        && modes.high - modes.low > MIN_DISTANCE * modes.low.abs()
        && valley(sorted, cut, modes) < MAX_VALLEY
}

/// Returns the number of values in the middle third between the two medians, over that half of the
/// smaller mode which lies on the inner side of its median: about 0 for separate modes, 1 and more
/// for one broad mode.
fn valley(sorted: &[f64], cut: usize, modes: &Modes) -> f64 {
    let third = (modes.high - modes.low) / 3.0;
    let upto = |x: f64| sorted.partition_point(|v| *v < x);
    let middle = upto(modes.high - third) - upto(modes.low + third);
    let minor = cut.min(sorted.len() - cut);
    middle as f64 / (minor as f64 / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use panto_random::SplitMix64;

    fn samples(seed: u64, n: usize, draw: impl Fn(&mut SplitMix64) -> f64) -> Vec<f64> {
        let mut rng = SplitMix64::new(seed);
        (0..n).map(|_| draw(&mut rng)).collect()
    }

    #[test]
    fn one_mode_is_hardly_ever_two() {
        for n in [20, 50, 500] {
            let alarm = |values: Vec<f64>| usize::from(two_modes(&values).unwrap().is_some());
            let alarms = |draw: &dyn Fn(&mut SplitMix64) -> f64| {
                (0..500).map(|s| alarm(samples(s, n, draw))).sum::<usize>()
            };
            assert!(alarms(&|r| 100.0 + 5.0 * r.normal()) <= 5);
            assert!(alarms(&|r| 100.0 + 50.0 * r.unit()) <= 5);
            assert!(alarms(&|r| 100.0 - 30.0 * (1.0 - r.unit()).ln()) <= 5);
            assert!(alarms(&|r| 100.0 * (0.5 * r.normal()).exp()) <= 5);
        }
    }

    #[test]
    fn two_modes_are_found_with_their_places() {
        for seed in 0..50 {
            let values =
                samples(seed, 300, |r| if r.unit() < 0.3 { 130.0 } else { 100.0 } + 3.0 * r.normal());
            let modes = two_modes(&values).unwrap().expect("two modes");
            assert!((modes.low - 100.0).abs() < 2.0 && (modes.high - 130.0).abs() < 2.0, "{modes:?}");
            assert!((modes.high_share - 0.3).abs() < 0.1);
        }
    }

    #[test]
    fn outliers_neither_hide_nor_create_modes() {
        let spiky = |r: &mut SplitMix64, v: f64| if r.unit() < 0.03 { 2000.0 * r.unit() } else { v };
        let two = samples(7, 400, |r| {
            let v = if r.unit() < 0.5 { 150.0 } else { 100.0 } + r.normal();
            spiky(r, v)
        });
        assert!(two_modes(&two).unwrap().is_some());
        let one = samples(8, 400, |r| {
            let v = 100.0 + r.normal();
            spiky(r, v)
        });
        assert_eq!(two_modes(&one).unwrap(), None);
    }

    #[test]
    fn dependence_is_seen_and_independence_too() {
        let independent = samples(9, 400, SplitMix64::normal);
        assert_eq!(serial_dependence(&independent).unwrap(), None);
        let walk: Vec<f64> = independent
            .iter()
            .scan(0.0, |level, step| {
                *level = 0.6 * *level + step;
                Some(*level)
            })
            .collect();
        let r = serial_dependence(&walk).unwrap().expect("dependence");
        assert!((r - 0.6).abs() < 0.12, "{r}");
        assert!((lag1_autocorrelation(&walk).unwrap() - 0.6).abs() < 0.12);
        let mut alternating = [1.0, 2.0].repeat(30);
        assert!(serial_dependence(&alternating).unwrap().expect("dependence") < -0.9);
        alternating.truncate(9);
        assert_eq!(serial_dependence(&alternating).unwrap(), None);
    }

    #[test]
    fn equal_values_and_bad_input() {
        assert_eq!(two_modes(&[5.0; 40]).unwrap(), None);
        assert!(lag1_autocorrelation(&[5.0; 40]).unwrap().abs() < 1e-12);
        assert!(two_modes(&[f64::NAN; 30]).is_err());
        assert!(serial_dependence(&[]).is_err());
    }
}
