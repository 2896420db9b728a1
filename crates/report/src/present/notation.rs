//! Formatting of columns of quantities: in one unit where their range allows it.

use panto_units::{UnitScale, choose_unit, in_units, significant};

use crate::table::Column;

/// Significant digits: enough to see an interval of one percent.
const DIGITS: usize = 4;

/// Range of numbers that are readable in one unit; beyond it they have too many zeros.
const READABLE: std::ops::Range<f64> = 0.01..100_000.0;

/// Messages per second.
pub(super) const MESSAGES: UnitScale = &[(1e9, "G/s"), (1e6, "M/s"), (1e3, "k/s"), (1.0, "/s")];

/// Formatting of the quantities of one or several columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Notation {
    /// All in the same unit, which is below the heading.
    Shared { size: f64, unit: &'static str },
    /// Each with its own unit.
    Own(UnitScale),
}

impl Notation {
    /// Chooses the unit in the middle of the range, if all values are readable in it.
    pub fn of(values: impl Iterator<Item = f64>, ladder: UnitScale) -> Self {
        let (low, high) = values
            .filter(|value| *value > 0.0)
            .fold((f64::INFINITY, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
        let (size, unit) = choose_unit((low * high).sqrt(), ladder);
        if READABLE.contains(&(low / size)) && READABLE.contains(&(high / size)) {
            Self::Shared { size, unit }
        } else {
            Self::Own(ladder)
        }
    }

    pub fn column(self, header: &str) -> Column {
        match self {
            Self::Shared { unit, .. } => Column::number(header).unit(unit),
            Self::Own(_) => Column::right(header),
        }
    }

    pub fn cell(self, value: f64) -> String {
        match self {
            Self::Shared { size, .. } => significant(value / size, DIGITS),
            Self::Own(ladder) => in_units(value, ladder, DIGITS),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use panto_units::TIME;

    #[test]
    fn one_unit_where_the_range_allows_it() {
        let notation = Notation::of([250e-9, 400e-6].into_iter(), TIME);
        assert_eq!(notation, Notation::Shared { size: 1e-6, unit: "us" });
        assert_eq!([250e-9, 400e-6, 0.0].map(|value| notation.cell(value)), ["0.2500", "400.0", "0.000"]);
    }

    #[test]
    fn own_units_where_it_does_not() {
        let notation = Notation::of([1e-9, 10.0].into_iter(), TIME);
        assert_eq!([1e-9, 10.0].map(|value| notation.cell(value)), ["1.000ns", "10.00s"]);
        assert_eq!(Notation::of(std::iter::empty(), TIME), Notation::Own(TIME));
    }
}
