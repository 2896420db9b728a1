//! Mann-Whitney U test, exact for small samples, and ranking with ties.

use crate::error::{Error, require_finite};
use crate::normal::two_sided;

/// Largest sample size on both sides for the exact distribution: all counts are exact in a double.
const EXACT: usize = 20;

/// Result of the Mann-Whitney test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MannWhitney {
    /// U statistic: pairs in which the value of `a` is the larger; ties count one half.
    pub u: f64,
    /// Two-sided p-value.
    pub p: f64,
    /// Probability that a value of `a` exceeds one of `b`: 0.5 when neither is larger.
    pub superiority: f64,
    /// Whether p is exact rather than the normal approximation.
    pub exact: bool,
}

/// Computes the test of Mann & Whitney (Ann. Math. Statist. 18, 1947), which assumes no
/// distribution.
///
/// Exact for up to 20 values on each side without ties; otherwise the normal approximation with the
/// correction for ties (Lehmann, "Nonparametrics", 1975, section 1.4) and for continuity. O(n log
/// n), exact O(n^3).
pub fn mann_whitney(a: &[f64], b: &[f64]) -> Result<MannWhitney, Error> {
    require_finite(a, 1)?;
    require_finite(b, 1)?;
    let ranking = rank(&[a, b].concat());
    let u = ranking.ranks[..a.len()].iter().sum::<f64>() - (a.len() * (a.len() + 1)) as f64 / 2.0;
    let exact = ranking.ties <= 0.0 && a.len() <= EXACT && b.len() <= EXACT;
    let p = if exact {
        exact_p(u, a.len(), b.len())
    } else {
        approximate_p(u, a.len() as f64, b.len() as f64, ranking.ties)
    };
    Ok(MannWhitney { u, p, superiority: u / (a.len() * b.len()) as f64, exact })
}

/// Ranks from 1, ties sharing their mean rank.
pub(crate) struct Ranking {
    pub(crate) ranks: Vec<f64>,
    /// Sum of t^3 - t over the groups of t equal values.
    pub(crate) ties: f64,
}

/// Ranks values. O(n log n).
pub(crate) fn rank(values: &[f64]) -> Ranking {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&i, &j| values[i].total_cmp(&values[j]));
    let mut ranking = Ranking { ranks: vec![0.0; values.len()], ties: 0.0 };
    let mut before = 0.0;
    // Not `==` on bits: zero of either sign is one value.
    for group in order.chunk_by(|&i, &j| values[i] >= values[j]) {
        let t = group.len() as f64;
        for &i in group {
            ranking.ranks[i] = before + f64::midpoint(t, 1.0);
        }
        ranking.ties += t * t * t - t;
        before += t;
    }
    ranking
}

fn approximate_p(u: f64, m: f64, n: f64, ties: f64) -> f64 {
    let total = m + n;
    let variance = m * n / 12.0 * (total + 1.0 - ties / (total * (total - 1.0)));
    if variance <= 0.0 {
        return 1.0;
    }
    let distance = ((u - m * n / 2.0).abs() - 0.5).max(0.0);
    two_sided(distance / variance.sqrt())
}

/// Returns twice the smaller tail of the distribution of U, each of the C(m + n, m) orders being
/// equally likely.
fn exact_p(u: f64, m: usize, n: usize) -> f64 {
    let counts = orders_by_u(m, n);
    let all: f64 = counts.iter().sum();
    let smaller = u.min((m * n) as f64 - u) as usize;
    let tail: f64 = counts[..=smaller].iter().sum();
    (2.0 * tail / all).min(1.0)
}

/// Returns the number of orders for each U: the coefficients of the Gaussian binomial, product of
/// (1 - q^(n+i)) / (1 - q^i) for i from 1 to m (Andrews, "The Theory of Partitions", 1976, chapter
/// 3). O(m * m n).
fn orders_by_u(m: usize, n: usize) -> Vec<f64> {
    let mut counts = vec![0.0; m * n + 1];
    counts[0] = 1.0;
    for i in 1..=m {
        for k in (n + i..counts.len()).rev() {
            counts[k] -= counts[k - n - i];
        }
        for k in i..counts.len() {
            counts[k] += counts[k - i];
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use panto_random::SplitMix64;

    #[test]
    fn published_examples() {
        // Complete separation of 3 and 3: 2 / C(6, 3). Of 5 and 5: 2 / C(10, 5).
        let test = mann_whitney(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]).unwrap();
        assert!((test.p - 0.1).abs() < 1e-12 && test.exact && test.u.abs() < 1e-12);
        let five = mann_whitney(&[1.0, 2.0, 3.0, 4.0, 5.0], &[6.0, 7.0, 8.0, 9.0, 10.0]).unwrap();
        assert!((five.p - 2.0 / 252.0).abs() < 1e-12);
        // Hollander & Wolfe, permeability of the chorioamnion (also R's `wilcox.test`): W = 35,
        // one-sided p 0.1272.
        let x = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
        let y = [1.15, 0.88, 0.90, 0.74, 1.21];
        let chorion = mann_whitney(&x, &y).unwrap();
        assert!((chorion.u - 35.0).abs() < 1e-12);
        assert!((chorion.p / 2.0 - 0.1272).abs() < 5e-5, "{}", chorion.p);
    }

    #[test]
    fn exact_counts_equal_enumeration() {
        for (m, n) in [(1, 4), (3, 3), (4, 5), (6, 3)] {
            let mut counts = vec![0.0; m * n + 1];
            for mask in (0_u32..1 << (m + n)).filter(|mask| mask.count_ones() as usize == m) {
                counts[inversions(mask, m + n)] += 1.0;
            }
            assert_eq!(orders_by_u(m, n), counts, "{m} and {n}");
        }
    }

    /// Returns the pairs (a above b) when the set bits are the positions of a.
    fn inversions(mask: u32, length: usize) -> usize {
        let below = |i: usize| (0..i).filter(|j| mask >> j & 1 == 0).count();
        (0..length).filter(|i| mask >> i & 1 == 1).map(below).sum()
    }

    #[test]
    fn approximation_meets_the_exact_value() {
        let mut rng = SplitMix64::new(51);
        for _ in 0..50 {
            let a: Vec<f64> = (0..20).map(|_| rng.unit()).collect();
            let b: Vec<f64> = (0..20).map(|_| rng.unit() + 0.2).collect();
            let test = mann_whitney(&a, &b).unwrap();
            let approximate = approximate_p(test.u, 20.0, 20.0, 0.0);
            assert!((test.p - approximate).abs() < 0.01, "{} and {approximate}", test.p);
        }
    }

    #[test]
    fn ties_are_corrected() {
        // By hand: 3 against two 3s is two halves, U = 1; ties 2 (2^3 - 2) + (3^3 - 3) = 36; |1 -
        // 8| - 0.5 = 6.5.
        let test = mann_whitney(&[1.0, 2.0, 2.0, 3.0], &[3.0, 3.0, 4.0, 4.0]).unwrap();
        let sd = (16.0 / 12.0 * (9.0 - 36.0 / 56.0_f64)).sqrt();
        assert!((test.u - 1.0).abs() < 1e-12 && !test.exact);
        assert!((test.p - two_sided(6.5 / sd)).abs() < 1e-12);
        assert!((mann_whitney(&[1.0; 9], &[1.0; 9]).unwrap().p - 1.0).abs() < 1e-12);
    }

    #[test]
    fn false_positives_are_as_rare_as_specified() {
        let mut rng = SplitMix64::new(52);
        for n in [8, 40] {
            let mut sample = || (0..n).map(|_| rng.unit()).collect::<Vec<f64>>();
            let alarms = (0..2000).filter(|_| mann_whitney(&sample(), &sample()).unwrap().p < 0.05).count();
            assert!((60..=130).contains(&alarms), "n = {n}: {alarms} of 2000");
        }
    }
}
