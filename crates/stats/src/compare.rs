//! Comparison of two samples: Mann-Whitney test, bootstrap interval of the ratio of medians, and
//! Holm's correction for families.

use crate::bootstrap::Bootstrap;
use crate::error::{Error, require_times};
use crate::interval::Interval;
use crate::mann_whitney::mann_whitney;
use crate::summary::median;
use std::fmt;

/// Significance level: p-values below it count as evidence.
const SIGNIFICANCE: f64 = 0.05;

/// Relative difference below which a ratio is practically 1.
const EQUIVALENCE_MARGIN: f64 = 0.02;

/// Comparison of the times `b` with the times `a`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// Median of `b` over median of `a`: above 1, `b` takes longer.
    pub ratio: f64,
    /// 95 % bootstrap interval of the ratio.
    pub interval: Interval,
    /// Two-sided p-value of the Mann-Whitney test, corrected when it is one of a family.
    pub p: f64,
    /// Verdict from interval and p-value.
    pub verdict: Verdict,
}

/// Verdict on the second sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// `b` takes less time: the test is significant and the interval of the ratio lies below 1.
    Faster,
    /// `b` takes more time: the test is significant and the interval of the ratio lies above 1.
    Slower,
    /// The interval of the ratio lies within 2 % of 1 and the samples do not show a direction.
    Same,
    /// The samples are too few or too noisy to decide.
    Unclear,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Same => "the same within 2 %",
            Self::Unclear => "no difference shown",
        })
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Interval { low, high } = self.interval;
        write!(f, "{} (ratio {:.3}, {low:.3} to {high:.3}, p = {:.2e})", self.verdict, self.ratio, self.p)
    }
}

impl Comparison {
    fn new(ratio: f64, interval: Interval, p: f64) -> Self {
        Self { ratio, interval, p, verdict: verdict(interval, p) }
    }

    fn with_p(self, p: f64) -> Self {
        Self::new(self.ratio, self.interval, p)
    }
}

/// Compares two samples of times by the Mann-Whitney test and the ratio of their medians. O(n log
/// n).
pub fn compare(a: &[f64], b: &[f64]) -> Result<Comparison, Error> {
    let ratio = median_ratio(a, b)?;
    let interval = Bootstrap::default().median_ratio(a, b)?;
    Ok(Comparison::new(ratio, interval, mann_whitney(a, b)?.p))
}

/// Compares times measured in several launches of each program.
///
/// The launch is the unit: the interval resamples launches, and the test ranks the medians of
/// launches, since samples of one launch are not independent. A p-value below 0.05 needs at least
/// four launches on each side.
pub fn compare_launches<G: AsRef<[f64]>>(a: &[G], b: &[G]) -> Result<Comparison, Error> {
    let pool = |groups: &[G]| groups.iter().flat_map(|g| g.as_ref().iter().copied()).collect::<Vec<f64>>();
    let ratio = median_ratio(&pool(a), &pool(b))?;
    let interval = Bootstrap::default().median_ratio_by_group(a, b)?;
    Ok(Comparison::new(ratio, interval, mann_whitney(&medians(a)?, &medians(b)?)?.p))
}

/// Compares each pair, and corrects the p-values for their number; see [`holm`].
pub fn compare_family<G: AsRef<[f64]>>(pairs: &[(G, G)]) -> Result<Vec<Comparison>, Error> {
    let single: Result<Vec<Comparison>, Error> =
        pairs.iter().map(|(a, b)| compare(a.as_ref(), b.as_ref())).collect();
    let single = single?;
    let adjusted = holm(&single.iter().map(|c| c.p).collect::<Vec<f64>>())?;
    Ok(single.into_iter().zip(adjusted).map(|(c, p)| c.with_p(p)).collect())
}

/// Returns p-values corrected for the family-wise error rate: the probability of one false positive
/// in the whole family is that of a single test.
///
/// Holm, "A simple sequentially rejective multiple test procedure", Scand. J. Statist. 6 (1979):
/// the i-th smallest of m is multiplied by m - i + 1, and none may fall below a smaller one. O(m
/// log m).
pub fn holm(p: &[f64]) -> Result<Vec<f64>, Error> {
    if let Some(index) = p.iter().position(|p| !p.is_finite()) {
        return Err(Error::NotFinite { index });
    }
    if p.iter().any(|p| !(0.0..=1.0).contains(p)) {
        return Err(Error::Setting { name: "p", rule: "must lie between 0 and 1" });
    }
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&i, &j| p[i].total_cmp(&p[j]));
    let mut adjusted = vec![0.0; p.len()];
    let mut least: f64 = 0.0;
    for (place, &i) in order.iter().enumerate() {
        least = least.max(p[i] * (p.len() - place) as f64).min(1.0);
        adjusted[i] = least;
    }
    Ok(adjusted)
}

fn verdict(interval: Interval, p: f64) -> Verdict {
    if p < SIGNIFICANCE && interval.high < 1.0 {
        Verdict::Faster
    } else if p < SIGNIFICANCE && interval.low > 1.0 {
        Verdict::Slower
    } else if interval.low > 1.0 - EQUIVALENCE_MARGIN && interval.high < 1.0 + EQUIVALENCE_MARGIN {
        Verdict::Same
    } else {
        Verdict::Unclear
    }
}

fn median_ratio(a: &[f64], b: &[f64]) -> Result<f64, Error> {
    require_times(a)?;
    require_times(b)?;
    let denominator = median(a)?;
    if denominator > 0.0 { Ok(median(b)? / denominator) } else { Err(Error::Zero { index: 0 }) }
}

fn medians<G: AsRef<[f64]>>(groups: &[G]) -> Result<Vec<f64>, Error> {
    groups.iter().map(AsRef::as_ref).filter(|g| !g.is_empty()).map(median).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use panto_random::SplitMix64;

    fn sample(seed: u64, n: usize, level: f64) -> Vec<f64> {
        let mut rng = SplitMix64::new(seed);
        (0..n).map(|_| level * (1.0 - 0.05 * (1.0 - rng.unit()).ln())).collect()
    }

    #[test]
    fn tells_faster_slower_and_same() {
        let a = sample(1, 200, 10.0);
        let verdict = |b: &[f64]| compare(&a, b).unwrap().verdict;
        assert_eq!(verdict(&sample(2, 200, 9.0)), Verdict::Faster);
        assert_eq!(verdict(&sample(3, 200, 11.0)), Verdict::Slower);
        assert_eq!(verdict(&sample(4, 200, 10.0)), Verdict::Same);
        assert_eq!(verdict(&sample(5, 3, 10.3)), Verdict::Unclear);
        let slower = compare(&a, &sample(3, 200, 11.0)).unwrap();
        assert!(slower.interval.contains(slower.ratio) && slower.interval.contains(1.1), "{slower}");
    }

    #[test]
    fn one_fast_launch_proves_nothing() {
        let launch = |seed, level| sample(seed, 100, level);
        let a: Vec<Vec<f64>> =
            [10.0, 10.8, 9.6, 10.4, 11.0].iter().zip(10..).map(|(l, s)| launch(s, *l)).collect();
        let b: Vec<Vec<f64>> =
            [10.2, 9.5, 10.9, 11.2, 10.6].iter().zip(20..).map(|(l, s)| launch(s, *l)).collect();
        assert_eq!(compare_launches(&a, &b).unwrap().verdict, Verdict::Unclear);
        assert_ne!(compare(&a[2], &b[3]).unwrap().verdict, Verdict::Unclear);
    }

    #[test]
    fn holm_as_in_his_paper() {
        let adjusted = holm(&[0.01, 0.04, 0.03, 0.005]).unwrap();
        for (found, truth) in adjusted.iter().zip([0.03, 0.06, 0.06, 0.02]) {
            assert!((found - truth).abs() < 1e-12, "{adjusted:?}");
        }
        assert_eq!(holm(&[]), Ok(vec![]));
        assert!(holm(&[f64::NAN]).is_err() && holm(&[1.5]).is_err());
    }

    #[test]
    fn families_without_differences_rarely_show_one() {
        let mut rng = SplitMix64::new(81);
        let mut draw = || (0..15).map(|_| rng.unit()).collect::<Vec<f64>>();
        let mut alarm = || {
            let p: Vec<f64> = (0..20).map(|_| mann_whitney(&draw(), &draw()).unwrap().p).collect();
            holm(&p).unwrap().iter().any(|p| *p < 0.05)
        };
        let alarms = (0..400).filter(|_| alarm()).count();
        assert!(alarms <= 32, "{alarms} of 400 families");
    }

    #[test]
    fn a_family_corrects_each_verdict() {
        let pairs = [(sample(1, 40, 1.0), sample(2, 40, 1.2)), (sample(3, 40, 1.0), sample(4, 40, 1.0))];
        let family = compare_family(&pairs).unwrap();
        let alone = compare(&pairs[0].0, &pairs[0].1).unwrap();
        assert_eq!(family[0].verdict, Verdict::Slower);
        assert!((family[0].p - 2.0 * alone.p).abs() < 1e-15);
        assert!(matches!(family[1].verdict, Verdict::Same | Verdict::Unclear));
    }

    #[test]
    fn bad_input_is_an_error() {
        assert_eq!(compare(&[], &[1.0]), Err(Error::Empty));
        assert_eq!(compare(&[0.0], &[1.0]), Err(Error::Zero { index: 0 }));
        assert!(compare(&[1.0], &[-1.0]).is_err());
        assert!(compare_launches::<Vec<f64>>(&[], &[]).is_err());
    }
}
