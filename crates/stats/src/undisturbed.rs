//! The undisturbed mode of times, some of which interference made longer.

use crate::error::{Error, require_times};
use crate::summary::median;

/// Relative widths of the window in which values are counted: the first in which a dense place
/// exists is used, so that a narrow mode is not blurred and a broad one is found.
const WIDTHS: [f64; 3] = [0.05, 0.1, 0.2];

/// Least share of the values in a dense window; fewer may be lucky ones. A small sample has denser
/// places by chance, so it needs `CAUTION / sqrt(n)` more.
const DENSE: f64 = 0.2;
const CAUTION: f64 = 0.6;

/// The mode ends where a window holds fewer than this share of the values of its densest one.
const VALLEY: f64 = 0.15;

/// Share of the values beyond the mode up to which they are its tail, and stay with it.
const TAIL: f64 = 0.15;

/// Least distance of the medians of the mode and of the values beyond it, relative to the mode's.
/// Closer modes belong to the operation as well as to its disturbance.
const MIN_DISTANCE: f64 = 0.2;

/// Least number of values of which a mode can be told.
const MIN_VALUES: usize = 10;

/// Returns the largest value of the undisturbed mode; `None` if all values belong to one
/// distribution, or if there are fewer than 10.
///
/// Interference only ever adds time, so the undisturbed mode is the lowest dense place, not the
/// densest: a rank that has lost its core to another process has a mode of its own. The first
/// window from below with a fifth of the values is found, then its densest neighbour, and the mode
/// ends where the windows above are sparse (the idea of the half-sample mode: Bickel and Frühwirth,
/// "On a fast, robust estimator of the mode", CSDA 50, 2006). Values below the mode belong to it.
/// O(n log n).
pub fn undisturbed_limit(values: &[f64]) -> Result<Option<f64>, Error> {
    require_times(values)?;
    if values.len() < MIN_VALUES {
        return Ok(None);
    }
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let Some(members) = WIDTHS.into_iter().find_map(|width| mode_end(&sorted, width)) else {
        return Ok(None);
    };
    let (mode, beyond) = sorted.split_at(members);
    if beyond.len() as f64 <= TAIL * sorted.len() as f64 {
        return Ok(None);
    }
    let apart = median(beyond)? - median(mode)?;
    Ok((apart > MIN_DISTANCE * median(mode)?).then(|| mode[members - 1]))
}

/// Returns the number of sorted values up to the end of the lowest mode; `None` without a dense
/// window of this width.
fn mode_end(sorted: &[f64], width: f64) -> Option<usize> {
    let counts = window_counts(sorted, width);
    let n = sorted.len() as f64;
    let least = (DENSE * n + CAUTION * n.sqrt()).ceil() as usize;
    let dense = counts.iter().position(|&count| count >= least)?;
    // The densest window that overlaps the first dense one.
    let overlapping = &counts[dense..dense + counts[dense]];
    let peak = overlapping.iter().copied().max()?;
    let centre = dense + overlapping.iter().position(|&count| count == peak)?;
    let sparse = |&count: &usize| (count as f64) < VALLEY * peak as f64;
    let valley = counts[centre..].iter().position(sparse);
    Some(valley.map_or(sorted.len(), |distance| centre + distance))
}

/// Returns for each value the number of values from it to `width` above it.
fn window_counts(sorted: &[f64], width: f64) -> Vec<usize> {
    let mut end = 0;
    let count = |(start, value): (usize, &f64)| {
        while end < sorted.len() && sorted[end] <= value * (1.0 + width) {
            end += 1;
        }
        end - start
    };
    sorted.iter().enumerate().map(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use panto_random::SplitMix64;

    const TRUTH: f64 = 200.0;

    /// A time with a jitter of 1 %, to which a disturbance is added.
    fn times(seed: u64, n: usize, part: f64, disturbance: impl Fn(&mut SplitMix64) -> f64) -> Vec<f64> {
        let mut rng = SplitMix64::new(seed);
        let disturbed = (part * n as f64) as usize;
        let mut one = |place: usize| {
            let clean = TRUTH * (1.0 + 0.01 * rng.normal());
            if place < disturbed { clean + disturbance(&mut rng) } else { clean }
        };
        (0..n).map(&mut one).collect()
    }

    fn estimate(values: &[f64]) -> f64 {
        let limit = undisturbed_limit(values).unwrap().unwrap_or(f64::INFINITY);
        let kept: Vec<f64> = values.iter().copied().filter(|&value| value <= limit).collect();
        median(&kept).unwrap()
    }

    #[test]
    fn the_true_time_is_found_with_most_samples_disturbed() {
        type Disturbance = (&'static str, fn(&mut SplitMix64) -> f64);
        let disturbances: [Disturbance; 5] = [
            ("a second narrow mode", |rng| 80.0 * TRUTH * (1.0 + 0.002 * rng.normal())),
            ("a mode nearby", |rng| 0.5 * TRUTH + 2.0 * rng.unit()),
            ("uniform", |rng| 20.0 * TRUTH * rng.unit()),
            ("exponential", |rng| -TRUTH * (1.0 - rng.unit()).ln()),
            ("time slices", |rng| 3e6 * (1.0 + rng.unit())),
        ];
        for (name, disturbance) in disturbances {
            for (seed, n) in (0..100).zip([36, 100, 600].into_iter().cycle()) {
                let error = estimate(&times(seed, n, 0.6, disturbance)) / TRUTH - 1.0;
                assert!(error.abs() < 0.02, "{name}, {n} samples: {error}");
            }
        }
    }

    #[test]
    fn one_distribution_stays_whole() {
        type Draw = fn(&mut SplitMix64) -> f64;
        let draws: [Draw; 4] = [
            |rng| 100.0 + rng.normal(),
            |rng| 100.0 + 50.0 * rng.unit(),
            |rng| 100.0 - 20.0 * (1.0 - rng.unit()).ln(),
            // Two modes of the operation itself.
            |rng| if rng.unit() < 0.5 { 100.0 } else { 115.0 } + rng.normal(),
        ];
        for draw in draws {
            for (seed, n) in (0..200).zip([12, 36, 300].into_iter().cycle()) {
                let mut rng = SplitMix64::new(seed);
                let values: Vec<f64> = (0..n).map(|_| draw(&mut rng)).collect();
                let whole = median(&values).unwrap();
                let shift = estimate(&values) / whole - 1.0;
                assert!(shift.abs() < 0.08, "{n} values, seed {seed}: {shift}");
            }
        }
        let outliers = times(1, 100, 0.05, |rng| 1e6 * rng.unit());
        assert_eq!(undisturbed_limit(&outliers).unwrap(), None);
    }

    #[test]
    fn few_and_bad_values_are_told() {
        assert_eq!(undisturbed_limit(&[1.0, 900.0, 900.0]).unwrap(), None);
        assert_eq!(undisturbed_limit(&[0.0; 20]).unwrap(), None);
        assert!(undisturbed_limit(&[]).is_err());
        assert!(undisturbed_limit(&[f64::NAN; 20]).is_err());
    }
}
