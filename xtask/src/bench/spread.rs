//! A figure with its spread.

use std::fmt;

/// The median over rounds, the minimum and the maximum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    pub least: f64,
    pub median: f64,
    pub most: f64,
}

impl Spread {
    /// Returns the spread of the values; NaN for an empty slice.
    pub fn of(values: &[f64]) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (Some(&least), Some(&most)) = (sorted.first(), sorted.last()) else {
            return Self { least: f64::NAN, median: f64::NAN, most: f64::NAN };
        };
        let (low, high) = (sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]);
        Self { least, median: f64::midpoint(low, high), most }
    }

    /// Formats the spread in nanoseconds.
    pub fn nanos(&self) -> String {
        let (scale, unit) = if self.median < 1e4 { (1.0, "ns") } else { (1e3, "us") };
        let Self { least, median, most } = *self;
        format!("{:.1} {unit} ({:.1}..{:.1})", median / scale, least / scale, most / scale)
    }
}

/// Formats with two decimals, or with the given precision.
impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (decimals, Self { least, median, most }) = (f.precision().unwrap_or(2), self);
        write!(f, "{median:.decimals$} ({least:.decimals$}..{most:.decimals$})")
    }
}

/// Returns the distribution-free 95 % confidence interval of the median, by order statistics; the
/// minimum and the maximum if there are few values.
pub fn interval(values: &[f64]) -> (f64, f64) {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (count, half) = (sorted.len() as f64, 0.98 * (sorted.len() as f64).sqrt());
    let low = (count / 2.0 - half).floor().max(1.0) as usize - 1;
    let high = ((count / 2.0 + half).ceil() as usize).min(sorted.len() - 1);
    (sorted[low], sorted[high])
}

/// Returns the ratios round by round, since the speed of the machine drifts.
pub fn ratios(above: &[f64], below: &[f64]) -> Vec<f64> {
    above.iter().zip(below).map(|(above, below)| above / below).collect()
}

/// A limit for a figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    AtMost(f64),
    AtLeast(f64),
    /// At most this far from 1.
    Within(f64),
}

impl Limit {
    fn is_kept(self, value: f64) -> bool {
        match self {
            Self::AtMost(limit) => value <= limit,
            Self::AtLeast(limit) => value >= limit,
            Self::Within(limit) => (value - 1.0).abs() <= limit,
        }
    }
}

/// Returns whether the figures of all rounds keep to a limit, and how certain that is.
pub fn verdict(figures: &[f64], limit: Limit) -> &'static str {
    let kept = figures.iter().filter(|&&figure| limit.is_kept(figure)).count();
    match (limit.is_kept(Spread::of(figures).median), kept) {
        (true, kept) if kept == figures.len() => "met in every round",
        (true, _) => "met by the median, not in every round",
        (false, 0) => "MISSED in every round",
        (false, _) => "MISSED by the median, met in some rounds",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_and_its_ends() {
        assert_eq!(Spread::of(&[3.0, 1.0, 2.0]), Spread { least: 1.0, median: 2.0, most: 3.0 });
        assert_eq!(Spread::of(&[4.0, 1.0]).to_string(), "2.50 (1.00..4.00)");
        assert_eq!(format!("{:.0}", Spread::of(&[4.0, 2.0])), "3 (2..4)");
        assert!(Spread::of(&[]).median.is_nan());
    }

    #[test]
    fn the_median_lies_in_its_interval() {
        let values: Vec<f64> = (1..=31).map(f64::from).collect();
        assert_eq!(interval(&values), (10.0, 22.0));
        assert_eq!(interval(&[2.0, 1.0, 3.0]), (1.0, 3.0));
    }

    #[test]
    fn ratios_are_taken_round_by_round() {
        assert_eq!(ratios(&[1.0, 20.0], &[2.0, 40.0]), [0.5, 0.5]);
    }

    #[test]
    fn long_times_are_in_microseconds() {
        assert_eq!(Spread::of(&[123_456.0]).nanos(), "123.5 us (123.5..123.5)");
    }

    #[test]
    fn a_verdict_says_how_sure_it_is() {
        let figures = [0.4, 0.5, 1.1];
        assert_eq!(verdict(&figures, Limit::AtMost(2.0)), "met in every round");
        assert_eq!(verdict(&figures, Limit::AtMost(1.0)), "met by the median, not in every round");
        assert_eq!(verdict(&figures, Limit::AtMost(0.45)), "MISSED by the median, met in some rounds");
        assert_eq!(verdict(&figures, Limit::AtLeast(2.0)), "MISSED in every round");
        assert_eq!(verdict(&figures, Limit::Within(0.2)), "MISSED by the median, met in some rounds");
    }
}
