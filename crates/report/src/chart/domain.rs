//! Range of values that an axis shows.

use super::data::{Data, can_show, in_zero_slot};
use super::{Axis, Scale};

/// The range of an axis: `low < high`, both positive on a logarithmic axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Domain {
    pub low: f64,
    pub high: f64,
    /// Whether zero has a slot of its own left of the axis.
    pub zero: bool,
}

impl Domain {
    /// Returns the range of x values, without padding: the plot has a margin in pixels.
    pub fn of_x(axis: &Axis, data: &[Data]) -> Self {
        match axis.names.len() {
            0 => {}
            1 => return Self { low: 0.5, high: 1.5, zero: false },
            count => return Self { low: 1.0, high: count as f64, zero: false },
        }
        let xs: Vec<f64> = data.iter().flat_map(Data::points).map(|point| point.x).collect();
        let zero = xs.iter().any(|&x| in_zero_slot(axis, x));
        Self { zero, ..around(axis, xs.into_iter()) }
    }

    /// Returns the padded range of y values and their intervals.
    pub fn of_y(axis: &Axis, data: &Data) -> Self {
        around(axis, data.points().flat_map(|point| [point.low, point.y, point.high])).padded(axis.scale)
    }

    fn padded(self, scale: Scale) -> Self {
        const SHARE: f64 = 0.05;
        if scale.is_log() {
            let factor = (self.high / self.low).powf(SHARE);
            return Self { low: self.low / factor, high: self.high * factor, ..self };
        }
        let air = (self.high - self.low) * SHARE;
        // An axis that starts at zero starts there exactly.
        let below = if self.low == 0.0 { 0.0 } else { air };
        let above = if self.high == 0.0 { 0.0 } else { air };
        Self { low: self.low - below, high: self.high + above, ..self }
    }
}

fn around(axis: &Axis, values: impl Iterator<Item = f64>) -> Domain {
    let (low, high) = values
        .filter(|&value| can_show(axis, value))
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    let (low, high) = match (low <= high, axis.scale.is_log()) {
        (false, _) => (1.0, 10.0),
        (true, true) => opened(low, high),
        (true, false) => with_zero(low, high),
    };
    Domain { low, high, zero: false }
}

/// Widens the range of a single value on a logarithmic axis, so that it is in the middle.
fn opened(low: f64, high: f64) -> (f64, f64) {
    if high / low > 1.0 + 1e-9 { (low, high) } else { (low / 2.0, high * 2.0) }
}

/// Extends a linear range to zero, so that lengths are proportional to values, unless the values
/// are so close together that their differences would not be visible.
fn with_zero(low: f64, high: f64) -> (f64, f64) {
    /// Values closer together than this share of the largest get a range of their own.
    const CLOSE: f64 = 0.4;
    let (span, size) = (high - low, low.abs().max(high.abs()));
    if size == 0.0 {
        (0.0, 1.0)
    } else if span > size * 1e-9 && span < size * CLOSE {
        (low, high)
    } else {
        (low.min(0.0), high.max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_ranges_include_zero_unless_values_are_close() {
        assert_eq!(with_zero(3.0, 10.0), (0.0, 10.0));
        assert_eq!(with_zero(9.5, 10.0), (9.5, 10.0));
        assert_eq!(with_zero(5.0, 5.0), (0.0, 5.0));
        assert_eq!(with_zero(-5.0, -3.0), (-5.0, 0.0));
        assert_eq!(with_zero(0.0, 0.0), (0.0, 1.0));
    }

    #[test]
    fn a_range_that_begins_at_zero_stays_there() {
        let padded = Domain { low: 0.0, high: 100.0, zero: false }.padded(Scale::Linear);
        assert_eq!((padded.low, padded.high), (0.0, 105.0));
    }

    #[test]
    fn one_value_on_a_logarithmic_axis_is_opened_up() {
        assert_eq!(opened(8.0, 8.0), (4.0, 16.0));
    }
}
