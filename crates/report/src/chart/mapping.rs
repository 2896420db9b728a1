//! Mapping of values to pixels.

use super::Scale;
use super::domain::Domain;

/// Pixel position of each value of an axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mapping {
    scale: Scale,
    domain: Domain,
    /// Pixels of the lower and upper end of the domain.
    range: (f64, f64),
    /// Pixel of zero, if it has a slot of its own.
    zero: Option<f64>,
}

impl Mapping {
    pub fn new(scale: Scale, domain: Domain, range: (f64, f64), zero: Option<f64>) -> Self {
        Self { scale, domain, range, zero }
    }

    pub fn domain(&self) -> Domain {
        self.domain
    }

    /// Returns the pixel of `value`. Values beyond the domain are clamped to its edge: an unbounded
    /// interval is drawn up to there.
    pub fn at(&self, value: f64) -> f64 {
        match self.zero {
            Some(pixel) if value == 0.0 => pixel,
            _ => self.range.0 + self.fraction(value) * (self.range.1 - self.range.0),
        }
    }

    /// Returns whether the value is in the domain or in the slot for zero.
    pub fn shows(&self, value: f64) -> bool {
        let Domain { low, high, .. } = self.domain;
        (low..=high).contains(&value) || (value == 0.0 && self.zero.is_some())
    }

    fn fraction(&self, value: f64) -> f64 {
        let Domain { low, high, .. } = self.domain;
        let value = value.clamp(low, high);
        match self.scale {
            Scale::Linear => (value - low) / (high - low),
            Scale::Log2 | Scale::Log10 => (value / low).ln() / (high / low).ln(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapping(scale: Scale) -> Mapping {
        Mapping::new(scale, Domain { low: 1.0, high: 100.0, zero: true }, (10.0, 110.0), Some(2.0))
    }

    fn assert_place(scale: Scale, value: f64, pixel: f64) {
        assert!((mapping(scale).at(value) - pixel).abs() < 1e-9, "{scale:?} {value}");
    }

    #[test]
    fn ends_and_middle() {
        for (scale, value, pixel) in [
            (Scale::Linear, 1.0, 10.0),
            (Scale::Linear, 100.0, 110.0),
            (Scale::Log10, 10.0, 60.0),
            (Scale::Log2, 10.0, 60.0),
        ] {
            assert_place(scale, value, pixel);
        }
    }

    #[test]
    fn zero_has_a_slot_and_other_values_are_clamped() {
        for (value, pixel) in [(0.0, 2.0), (-5.0, 10.0), (f64::INFINITY, 110.0)] {
            assert_place(Scale::Log10, value, pixel);
        }
        assert!(mapping(Scale::Log10).shows(0.0) && !mapping(Scale::Log10).shows(0.5));
    }
}
