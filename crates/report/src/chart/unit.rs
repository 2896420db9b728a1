//! Units of an axis, and the formatting of its values.

use panto_units::trim_zeros;
use panto_units::{self as units, RATE, TIME, UnitScale};

/// Unit of the values of an axis. Values are in the base unit; prefixes are chosen on formatting.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Unit {
    /// Durations, in seconds.
    Seconds,
    /// Sizes, in bytes. Written with binary prefixes.
    Bytes,
    /// Bandwidths, in bytes per second. Written with decimal prefixes.
    BytesPerSecond,
    /// Plain numbers: ranks, dimensions, lengths.
    Count,
    /// Shares, in percent: 33 is 33%.
    Percent,
}

/// Significant digits of exact values: enough to distinguish neighbouring measurements.
const EXACT_DIGITS: usize = 6;

impl Unit {
    /// Formats a value with three significant digits.
    pub fn human(self, value: f64) -> String {
        match self {
            Self::Seconds => units::time(value),
            Self::Bytes => size(value, 3),
            Self::BytesPerSecond => units::rate(value),
            Self::Count => units::count(value),
            Self::Percent => units::percent(value),
        }
    }

    /// Formats a value exactly, for tooltips: `1.53412us`, `64KiB (65536B)`.
    pub fn exact(self, value: f64) -> String {
        match self {
            Self::Bytes => exact_size(value),
            _ => self.written(value, EXACT_DIGITS),
        }
    }

    /// Formats a tick of a logarithmic axis as briefly as possible, with a prefix of its own.
    pub(super) fn tick(self, value: f64) -> String {
        match self {
            Self::Bytes => size(value, 3),
            _ => self.written(value, 3),
        }
    }

    /// Formats ticks `step` apart on a linear axis, all with the same prefix and the same decimals.
    pub(super) fn linear_ticks(self, values: &[f64], step: f64) -> Vec<String> {
        if self == Self::Bytes {
            return values.iter().map(|&value| size(value, EXACT_DIGITS)).collect();
        }
        let largest = values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
        let (scale, name) = units::choose_unit(largest, self.axis_scale());
        let decimals = decimals(step / scale);
        values.iter().map(|value| linear_tick(value / scale, decimals, name)).collect()
    }

    /// Formats a value without trailing zeros.
    fn written(self, value: f64, digits: usize) -> String {
        match self {
            Self::Seconds => trimmed(&units::in_units(value, TIME, digits)),
            Self::BytesPerSecond => trimmed(&units::in_units(value, RATE, digits)),
            Self::Bytes => size(value, digits),
            Self::Count => trimmed(&units::plain(value, digits)),
            Self::Percent => trimmed(&units::plain(value, digits)) + "%",
        }
    }

    /// Returns the unit prefixes of an axis. Minutes are omitted: a step of 100 seconds would be
    /// 1.67 of them.
    fn axis_scale(self) -> UnitScale {
        match self {
            Self::Seconds => &TIME[1..],
            Self::BytesPerSecond => RATE,
            Self::Bytes | Self::Count => &[(1.0, "")],
            Self::Percent => &[(1.0, "%")],
        }
    }
}

fn linear_tick(value: f64, decimals: usize, unit: &str) -> String {
    if value == 0.0 {
        format!("0{}", if unit == "%" { unit } else { "" })
    } else {
        format!("{value:.decimals$}{unit}")
    }
}

/// Returns the number of decimals that distinguish values 1, 2 or 5 times a power of ten apart.
fn decimals(step: f64) -> usize {
    // The addend keeps 0.1 / 1e-3 and the like from landing just below a power of ten.
    (-(step.log10() + 1e-9).floor()).clamp(0.0, 12.0) as usize
}

fn size(value: f64, digits: usize) -> String {
    if is_whole(value) {
        units::bytes(value as u64)
    } else {
        trimmed(&units::in_units(value, BINARY, digits))
    }
}

fn exact_size(value: f64) -> String {
    let short = size(value, EXACT_DIGITS);
    if is_whole(value) && short != format!("{value}B") { format!("{short} ({value}B)") } else { short }
}

/// Returns whether the value is a count of bytes that a float represents exactly.
fn is_whole(value: f64) -> bool {
    value >= 0.0 && value.fract() == 0.0 && value < 9e15
}

const BINARY: UnitScale = &[(1_073_741_824.0, "GiB"), (1_048_576.0, "MiB"), (1024.0, "KiB"), (1.0, "B")];

/// Removes trailing zeros of the number, not those of the unit or of an exponent.
fn trimmed(quantity: &str) -> String {
    let end = quantity.find(|c: char| c.is_alphabetic() || c == '%').unwrap_or(quantity.len());
    let (number, unit) = quantity.split_at(end);
    format!("{}{unit}", trim_zeros(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_of_logarithmic_axes_are_short() {
        assert_eq!(Unit::Seconds.tick(1e-6), "1us");
        assert_eq!(Unit::Bytes.tick(65536.0), "64KiB");
        assert_eq!(Unit::BytesPerSecond.tick(1e8), "100MB/s");
        assert_eq!(Unit::Count.tick(16.0), "16");
        assert_eq!(Unit::Percent.tick(10.0), "10%");
    }

    #[test]
    fn ticks_of_linear_axes_share_prefix_and_decimals() {
        assert_eq!(
            Unit::Seconds.linear_ticks(&[0.0, 5e-7, 1e-6, 1.5e-6], 5e-7),
            ["0", "0.5us", "1.0us", "1.5us"]
        );
        assert_eq!(Unit::Seconds.linear_ticks(&[0.0, 100.0], 100.0), ["0", "100s"]);
        assert_eq!(Unit::Percent.linear_ticks(&[-20.0, 0.0], 20.0), ["-20%", "0%"]);
        assert_eq!(Unit::Bytes.linear_ticks(&[0.0, 1536.0], 1536.0), ["0B", "1.5KiB"]);
    }

    #[test]
    fn tooltips_are_exact() {
        assert_eq!(Unit::Seconds.exact(1.534_127e-6), "1.53413us");
        assert_eq!(Unit::Bytes.exact(65536.0), "64KiB (65536B)");
        assert_eq!(Unit::Bytes.exact(9968.0), "9968B");
        assert_eq!(Unit::Percent.exact(33.25), "33.25%");
        assert_eq!(Unit::Count.exact(1e20), "1e20");
    }
}
