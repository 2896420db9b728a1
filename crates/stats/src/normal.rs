//! Tail probabilities of the standard normal distribution.

/// Returns the probability that a standard normal number exceeds `z`, accurate to about 1e-14
/// relative, far tails included.
///
/// Near zero the power series of Marsaglia ("Evaluating the normal distribution", J. Stat. Software
/// 11, 2004), in the tail Laplace's continued fraction for the Mills ratio (Abramowitz & Stegun
/// 26.2.14). Both converge in a bounded number of terms on their side of the switch: O(1).
pub(crate) fn upper_tail(z: f64) -> f64 {
    if z < 0.0 {
        1.0 - upper_tail(-z)
    } else if z < 3.0 {
        0.5 - density(z) * series(z)
    } else {
        density(z) * mills_ratio(z)
    }
}

/// Returns the two-sided p-value of a standard normal statistic.
pub(crate) fn two_sided(z: f64) -> f64 {
    (2.0 * upper_tail(z.abs())).min(1.0)
}

fn density(z: f64) -> f64 {
    (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt()
}

/// Returns z + z^3/3 + z^5/(3*5) + ...; 60 terms are enough below 3.
fn series(z: f64) -> f64 {
    let mut term = z;
    let mut sum = z;
    for k in 1..60 {
        term *= z * z / f64::from(2 * k + 1);
        sum += term;
    }
    sum
}

/// Returns 1/(z + 1/(z + 2/(z + 3/(z + ...)))), evaluated from the inside.
fn mills_ratio(z: f64) -> f64 {
    let inner = (1..100).rev().fold(z, |acc, k| z + f64::from(k) / acc);
    1.0 / inner
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        let known = [
            (0.0, 0.5),
            (1.0, 0.158_655_253_931_457_05),
            (1.959_963_984_540_054, 0.025),
            (3.0, 0.001_349_898_031_630_094_5),
            (6.0, 9.865_876_450_376_98e-10),
        ];
        for (z, p) in known {
            assert!((upper_tail(z) / p - 1.0).abs() < 1e-11, "{z}: {}", upper_tail(z));
            assert!((upper_tail(-z) + upper_tail(z) - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn the_two_branches_meet() {
        assert!((upper_tail(3.0 - 1e-12) / upper_tail(3.0) - 1.0).abs() < 1e-10);
    }

    #[test]
    fn far_tails_stay_in_range() {
        assert!(upper_tail(f64::INFINITY).abs() < f64::MIN_POSITIVE);
        assert!((two_sided(0.0) - 1.0).abs() < 1e-15);
    }
}
