//! A figure with what it varied by.

use std::fmt;

/// The median over the rounds, and the least and the most.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    pub least: f64,
    pub median: f64,
    pub most: f64,
}

impl Spread {
    /// Of one or more values; with none, of nothing but NaN.
    pub fn of(values: &[f64]) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (Some(&least), Some(&most)) = (sorted.first(), sorted.last()) else {
            return Self { least: f64::NAN, median: f64::NAN, most: f64::NAN };
        };
        let (low, high) = (sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]);
        Self { least, median: f64::midpoint(low, high), most }
    }

    /// Of the ratios, round by round: neighbours in time had the same weather.
    pub fn of_ratios(above: &[f64], below: &[f64]) -> Self {
        let ratios: Vec<f64> = above.iter().zip(below).map(|(above, below)| above / below).collect();
        Self::of(&ratios)
    }

    /// In nanoseconds, for people.
    pub fn nanos(&self) -> String {
        let (scale, unit) = if self.median < 1e4 { (1.0, "ns") } else { (1e3, "us") };
        let Self { least, median, most } = *self;
        format!("{:.1} {unit} ({:.1}..{:.1})", median / scale, least / scale, most / scale)
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{:.2} ({:.2}..{:.2})", self.median, self.least, self.most))
    }
}

/// Which side of a limit is good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    AtMost,
    AtLeast,
}

/// Whether a figure keeps to a limit, and how sure that is.
pub fn verdict(figure: &Spread, side: Limit, limit: f64) -> &'static str {
    let good = |value: f64| match side {
        Limit::AtMost => value <= limit,
        Limit::AtLeast => value >= limit,
    };
    match (good(figure.least), good(figure.median), good(figure.most)) {
        (true, true, true) => "met in every round",
        (_, true, _) => "met by the median, not in every round",
        (false, false, false) => "MISSED in every round",
        _ => "MISSED by the median, met in some rounds",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_and_its_ends() {
        assert_eq!(Spread::of(&[3.0, 1.0, 2.0]), Spread { least: 1.0, median: 2.0, most: 3.0 });
        assert_eq!(Spread::of(&[4.0, 1.0]).to_string(), "2.50 (1.00..4.00)");
        assert!(Spread::of(&[]).median.is_nan());
    }

    #[test]
    fn ratios_are_taken_round_by_round() {
        assert_eq!(
            Spread::of_ratios(&[1.0, 20.0], &[2.0, 40.0]),
            Spread { least: 0.5, median: 0.5, most: 0.5 }
        );
    }

    #[test]
    fn long_times_are_in_microseconds() {
        assert_eq!(Spread::of(&[123_456.0]).nanos(), "123.5 us (123.5..123.5)");
    }

    #[test]
    fn a_verdict_says_how_sure_it_is() {
        let figure = Spread::of(&[0.4, 0.5, 1.1]);
        assert_eq!(verdict(&figure, Limit::AtMost, 2.0), "met in every round");
        assert_eq!(verdict(&figure, Limit::AtMost, 1.0), "met by the median, not in every round");
        assert_eq!(verdict(&figure, Limit::AtMost, 0.45), "MISSED by the median, met in some rounds");
        assert_eq!(verdict(&figure, Limit::AtLeast, 2.0), "MISSED in every round");
    }
}
