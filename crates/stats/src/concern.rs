//! Diagnosis of a sample: drift, autocorrelation, bimodality, outliers.

use crate::drift::drift;
use crate::error::{Error, require_finite};
use crate::modes::{serial_dependence, two_modes};
use crate::outliers::outliers;
use std::fmt;

/// Share of outliers from which on they are reported.
const REPORTED_OUTLIERS: f64 = 0.05;

/// A property of a sample that its median hides.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Concern {
    /// Later samples are larger or smaller than earlier ones.
    Drift {
        /// Last third against first third, as a fraction of the first.
        change: f64,
        /// Two-sided p-value of the Mann-Kendall test.
        p: f64,
    },
    /// Neighbouring samples are correlated, so they carry less information than their number
    /// suggests.
    Autocorrelated {
        /// Rank correlation of neighbours.
        lag1: f64,
        /// Number of independent samples with the same information about the centre.
        effective: f64,
    },
    /// The samples have two modes; the median is one of them or neither.
    Bimodal {
        /// Median of the lower mode.
        low: f64,
        /// Median of the upper mode.
        high: f64,
        /// Share of the samples in the upper mode.
        high_share: f64,
    },
    /// Many samples lie far from the bulk.
    Outliers {
        /// Number of outliers.
        count: usize,
        /// Number of samples.
        of: usize,
        /// Most extreme modified z-score.
        extreme: f64,
    },
}

impl fmt::Display for Concern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Drift { change, .. } => {
                let way = if change > 0.0 { "grow" } else { "shrink" };
                write!(f, "the times {way} by {:.1} % during the measurement", 100.0 * change.abs())
            }
            Self::Autocorrelated { lag1, effective } => {
                let how = if lag1 > 0.0 { "are correlated" } else { "alternate" };
                write!(
                    f,
                    "successive samples {how} (correlation {lag1:.2}): worth {effective:.0} independent ones"
                )
            }
            Self::Bimodal { low, high, high_share } => {
                let percent = 100.0 * high_share;
                write!(
                    f,
                    "the samples have two modes, {low:.4} and {high:.4} ({percent:.0} % of the samples)"
                )
            }
            Self::Outliers { count, of, extreme } => {
                write!(
                    f,
                    "{count} of {of} samples are outliers (the worst by {:.0} deviations)",
                    extreme.abs()
                )
            }
        }
    }
}

/// Returns the concerns about samples in the order in which they were taken; empty if there are
/// none.
///
/// Each test alone has a false positive in about one sample of a hundred. Outliers are reported
/// from 5 % on, and not where two modes explain them. Fewer than 10 samples raise no concern. O(n
/// log n).
pub fn diagnose(samples: &[f64]) -> Result<Vec<Concern>, Error> {
    require_finite(samples, 1)?;
    if samples.len() < 10 {
        return Ok(Vec::new());
    }
    let bimodal = find_modes(samples)?;
    let outliers = if bimodal.is_some() { None } else { find_outliers(samples)? };
    let found = [find_drift(samples)?, find_dependence(samples)?, bimodal, outliers];
    Ok(found.into_iter().flatten().collect())
}

fn find_drift(samples: &[f64]) -> Result<Option<Concern>, Error> {
    let found = drift(samples)?;
    Ok(found.matters().then_some(Concern::Drift { change: found.change, p: found.p }))
}

fn find_dependence(samples: &[f64]) -> Result<Option<Concern>, Error> {
    let n = samples.len() as f64;
    // For a first-order process (Bayley & Hammersley, J. R. Statist. Soc. Suppl. 8, 1946).
    let effective = |r: f64| (n * (1.0 - r) / (1.0 + r)).clamp(1.0, n);
    Ok(serial_dependence(samples)?.map(|lag1| Concern::Autocorrelated { lag1, effective: effective(lag1) }))
}

fn find_modes(samples: &[f64]) -> Result<Option<Concern>, Error> {
    let modes = two_modes(samples)?;
    Ok(modes.map(|m| Concern::Bimodal { low: m.low, high: m.high, high_share: m.high_share }))
}

fn find_outliers(samples: &[f64]) -> Result<Option<Concern>, Error> {
    let found = outliers(samples)?;
    let many = found.count() as f64 >= REPORTED_OUTLIERS * samples.len() as f64;
    let concern = Concern::Outliers { count: found.count(), of: samples.len(), extreme: found.extreme };
    Ok(many.then_some(concern))
}

#[cfg(test)]
mod tests {
    use super::*;
    use panto_random::SplitMix64;

    #[test]
    fn clean_samples_raise_few_concerns() {
        let mut rng = SplitMix64::new(71);
        let clean = |rng: &mut SplitMix64| (0..100).map(|_| 50.0 + rng.normal()).collect::<Vec<f64>>();
        let raised = (0..300).filter(|_| !diagnose(&clean(&mut rng)).unwrap().is_empty()).count();
        assert!(raised <= 12, "{raised} of 300");
    }

    #[test]
    fn each_concern_is_raised_and_worded() {
        let mut rng = SplitMix64::new(72);
        let mut noise = |n: usize| (0..n).map(|_| rng.normal()).collect::<Vec<f64>>();
        let drifting: Vec<f64> =
            noise(200).iter().enumerate().map(|(i, v)| 100.0 + v + i as f64 * 0.05).collect();
        let text: Vec<String> = diagnose(&drifting).unwrap().iter().map(ToString::to_string).collect();
        assert!(text[0].starts_with("the times grow by"), "{text:?}");

        let mut modes: Vec<f64> =
            noise(200).iter().enumerate().map(|(i, v)| v + 100.0 + 50.0 * (i % 2) as f64).collect();
        SplitMix64::new(1).shuffle(&mut modes);
        assert!(matches!(diagnose(&modes).unwrap()[..], [Concern::Bimodal { .. }]));

        let mut stray: Vec<f64> = noise(200).iter().map(|v| v + 100.0).collect();
        (0..200).step_by(17).for_each(|i| stray[i] += 80.0 + i as f64);
        let found = diagnose(&stray).unwrap();
        assert!(matches!(found[..], [Concern::Outliers { count: 12, of: 200, .. }]), "{found:?}");
        assert!(found[0].to_string().starts_with("12 of 200 samples are outliers"));
    }

    #[test]
    fn few_samples_and_bad_input() {
        assert_eq!(diagnose(&[1.0, 100.0]), Ok(vec![]));
        assert_eq!(diagnose(&[0.0; 50]), Ok(vec![]));
        assert!(diagnose(&[]).is_err() && diagnose(&[f64::NAN; 20]).is_err());
    }
}
