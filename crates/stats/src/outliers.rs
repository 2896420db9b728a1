//! Outliers by the modified z-score (Iglewicz & Hoaglin 1993).

use crate::error::{Error, require_finite};
use crate::summary::median_in_place;

/// The 75 % point of the standard normal distribution: for normal data the median absolute
/// deviation is 0.6745 standard deviations, so dividing by `mad / 0.6745` puts the score on the
/// scale of an ordinary z-score.
const NORMAL_MAD: f64 = 0.6745;

/// Factor of [`NORMAL_MAD`] for the mean absolute deviation, sqrt(2 / pi), used when more than half
/// of the values are equal.
const NORMAL_MEAN_DEVIATION: f64 = 0.7979;

/// Modified z-score of an outlier, as recommended by the authors after simulating normal samples of
/// 10 to 40 values.
const CUTOFF: f64 = 3.5;

/// The outliers of a sample.
#[derive(Debug, Clone, PartialEq)]
pub struct Outliers {
    /// Indices in the sample, ascending.
    pub indices: Vec<usize>,
    /// Number of outliers above the median.
    pub high: usize,
    /// Largest score, signed: negative for a value below the median.
    pub extreme: f64,
}

impl Outliers {
    /// Returns the number of outliers.
    pub fn count(&self) -> usize {
        self.indices.len()
    }
}

/// Finds outliers by the modified z-score, `0.6745 (x - median) / mad`, beyond 3.5 on either side.
///
/// Iglewicz & Hoaglin, "How to Detect and Handle Outliers", ASQC 1993. Median and MAD have a
/// breakdown point of one half, whereas mean and standard deviation are moved by the very values to
/// be found. Where the MAD is 0 the mean absolute deviation takes its place (same book); where that
/// is 0 too, all values are equal. O(n).
pub fn outliers(values: &[f64]) -> Result<Outliers, Error> {
    require_finite(values, 1)?;
    let centre = median_in_place(&mut values.to_vec());
    let unit = unit_of_spread(values, centre);
    let score = |v: &f64| if unit > 0.0 { (v - centre) / unit } else { 0.0 };
    let beyond = |v: &f64| score(v).abs() > CUTOFF;
    Ok(Outliers {
        indices: (0..values.len()).filter(|&i| beyond(&values[i])).collect(),
        high: values.iter().filter(|v| score(v) > CUTOFF).count(),
        extreme: values.iter().map(score).fold(0.0, |a, b| if b.abs() > f64::abs(a) { b } else { a }),
    })
}

/// Returns an estimate of the standard deviation of the bulk.
fn unit_of_spread(values: &[f64], centre: f64) -> f64 {
    let mut deviations: Vec<f64> = values.iter().map(|v| (v - centre).abs()).collect();
    let mad = median_in_place(&mut deviations);
    if mad > 0.0 {
        return mad / NORMAL_MAD;
    }
    deviations.iter().sum::<f64>() / deviations.len() as f64 / NORMAL_MEAN_DEVIATION
}

#[cfg(test)]
mod tests {
    use super::*;
    use panto_random::SplitMix64;

    #[test]
    fn finds_outliers_on_both_sides() {
        let mut values: Vec<f64> = (0..50).map(|i| 100.0 + f64::from(i % 7)).collect();
        values[10] = 500.0;
        values[20] = 1.0;
        let found = outliers(&values).unwrap();
        assert_eq!(found.indices, [10, 20]);
        assert_eq!((found.count(), found.high), (2, 1));
        assert!(found.extreme > 100.0);
    }

    #[test]
    fn equal_values_have_none_and_one_outlier_is_found() {
        assert_eq!(outliers(&[4.0; 20]).unwrap().count(), 0);
        let mut values = [4.0; 40];
        values[3] = 5.0;
        assert_eq!(outliers(&values).unwrap().indices, [3]);
    }

    #[test]
    fn normal_data_has_few() {
        let mut rng = SplitMix64::new(8);
        let values: Vec<f64> = (0..10_000).map(|_| rng.normal()).collect();
        // Beyond 3.5 standard deviations lie 4.7 of 10,000 normal values.
        assert!(outliers(&values).unwrap().count() < 15);
    }

    #[test]
    fn bad_input_is_an_error() {
        assert_eq!(outliers(&[]), Err(Error::Empty));
        assert_eq!(outliers(&[1.0, f64::NAN]), Err(Error::NotFinite { index: 1 }));
    }
}
