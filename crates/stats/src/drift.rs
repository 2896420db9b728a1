//! Mann-Kendall test for a trend in the order of the samples.

use crate::error::{Error, require_finite};
use crate::mann_whitney::rank;
use crate::normal::two_sided;
use crate::summary::median;

/// Trend of values in the order in which they were taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drift {
    /// Kendall's tau between value and time: -1 always falls, 1 always rises.
    pub tau: f64,
    /// Two-sided p-value of the hypothesis "no drift".
    pub p: f64,
    /// Difference of the medians of the last and the first third, relative to the first.
    pub change: f64,
}

impl Drift {
    /// Returns whether the drift is significant at 1 % and larger than 1 %: with many samples even
    /// negligible drifts are significant.
    pub fn matters(&self) -> bool {
        self.p < 0.01 && self.change.abs() > 0.01
    }
}

/// Computes the test of Mann (Econometrica 13, 1945) and Kendall ("Rank Correlation Methods", 1948)
/// with the correction for ties.
///
/// Discordant pairs are counted by merge sort (Knight, JASA 61, 1966): O(n log n). At least 4
/// values.
pub fn drift(values: &[f64]) -> Result<Drift, Error> {
    require_finite(values, 4)?;
    let n = values.len() as f64;
    let pairs = n * (n - 1.0) / 2.0;
    let groups = tied_groups(values);
    let tied: f64 = groups.iter().map(|t| t * (t - 1.0) / 2.0).sum();
    let falling = count_falling(&mut values.to_vec(), &mut Vec::new()) as f64;
    let score = (pairs - tied) - 2.0 * falling;
    Ok(Drift { tau: score / pairs, p: p_value(score, n, &groups), change: change(values)? })
}

fn p_value(score: f64, n: f64, groups: &[f64]) -> f64 {
    let term = |t: f64| t * (t - 1.0) * (2.0 * t + 5.0);
    let variance = (term(n) - groups.iter().map(|t| term(*t)).sum::<f64>()) / 18.0;
    if variance <= 0.0 {
        return 1.0;
    }
    two_sided((score.abs() - 1.0).max(0.0) / variance.sqrt())
}

fn change(values: &[f64]) -> Result<f64, Error> {
    let third = values.len() / 3;
    let first = median(&values[..third])?;
    let difference = median(&values[values.len() - third..])? - first;
    Ok(if difference.abs() > 0.0 { difference / first.abs() } else { 0.0 })
}

/// Returns the sizes of the groups of equal values.
fn tied_groups(values: &[f64]) -> Vec<f64> {
    let mut ranks = rank(values).ranks;
    ranks.sort_unstable_by(f64::total_cmp);
    ranks.chunk_by(|a, b| a >= b).map(|g| g.len() as f64).collect()
}

/// Returns the number of pairs whose earlier value is the larger; sorts the values.
fn count_falling(values: &mut [f64], buffer: &mut Vec<f64>) -> u64 {
    if values.len() < 2 {
        return 0;
    }
    let middle = values.len() / 2;
    let (left, right) = values.split_at_mut(middle);
    let within = count_falling(left, buffer) + count_falling(right, buffer);
    buffer.clear();
    let across = merge(left, right, buffer);
    values.copy_from_slice(buffer);
    within + across
}

fn merge(left: &[f64], right: &[f64], out: &mut Vec<f64>) -> u64 {
    let (mut i, mut falling) = (0, 0);
    for &value in right {
        while i < left.len() && left[i] <= value {
            out.push(left[i]);
            i += 1;
        }
        falling += (left.len() - i) as u64;
        out.push(value);
    }
    out.extend_from_slice(&left[i..]);
    falling
}

#[cfg(test)]
mod tests {
    use super::*;
    use panto_random::SplitMix64;

    #[test]
    fn counts_as_the_definition_does() {
        let mut rng = SplitMix64::new(61);
        for n in 4..60 {
            let values: Vec<f64> = (0..n).map(|_| rng.index(12) as f64).collect();
            let mut score = 0.0;
            for i in 0..n {
                score +=
                    values[i + 1..].iter().map(|v| f64::from(v.total_cmp(&values[i]) as i8)).sum::<f64>();
            }
            let tau = drift(&values).unwrap().tau;
            assert!((tau * (n * (n - 1)) as f64 / 2.0 - score).abs() < 1e-9);
        }
    }

    #[test]
    fn detects_a_drift_and_nothing_in_constant_data() {
        let mut rng = SplitMix64::new(62);
        let still: Vec<f64> = (0..500).map(|_| 10.0 + rng.unit()).collect();
        let rising: Vec<f64> = still.iter().enumerate().map(|(i, v)| v + i as f64 * 0.002).collect();
        assert!(!drift(&still).unwrap().matters());
        let found = drift(&rising).unwrap();
        assert!(found.matters() && found.change > 0.03 && found.tau > 0.0, "{found:?}");
    }

    #[test]
    fn false_positives_are_as_rare_as_specified() {
        let mut rng = SplitMix64::new(63);
        let alarms = (0..2000)
            .filter(|_| drift(&(0..30).map(|_| rng.unit()).collect::<Vec<f64>>()).unwrap().p < 0.05)
            .count();
        assert!((60..=130).contains(&alarms), "{alarms} of 2000");
    }

    #[test]
    fn equal_values_and_bad_input() {
        let same = drift(&[2.0; 10]).unwrap();
        assert!((same.p - 1.0).abs() < 1e-12 && same.change.abs() < 1e-12);
        assert!(drift(&[1.0, 2.0, 3.0]).is_err());
        assert!(drift(&[0.0; 9]).unwrap().change.abs() < 1e-12);
    }
}
