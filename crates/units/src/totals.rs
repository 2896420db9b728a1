//! Large sums: counts with digit groups, and bytes rounded to three digits.

use crate::format::{UnitScale, choose_unit, significant};

/// Binary units, in bytes.
const BYTES: UnitScale = &[
    (1_099_511_627_776.0, "TiB"),
    (1_073_741_824.0, "GiB"),
    (1_048_576.0, "MiB"),
    (1024.0, "KiB"),
    (1.0, "B"),
];

/// Returns a number of bytes rounded to three significant digits, for sums and file sizes.
///
/// ```
/// assert_eq!(panto_units::rounded_bytes(7 << 29), "3.50GiB");
/// ```
pub fn rounded_bytes(bytes: u64) -> String {
    if bytes < 1024 {
        return format!("{bytes}B");
    }
    let (size, unit) = choose_unit(bytes as f64, BYTES);
    format!("{}{unit}", significant(bytes as f64 / size, 3))
}

/// Returns a number with a comma between groups of three digits.
///
/// ```
/// assert_eq!(panto_units::grouped(1_234_567), "1,234,567");
/// ```
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_grouped_and_bytes_rounded() {
        assert_eq!(["0", "999", "1,000", "1,234,567"], [0, 999, 1000, 1_234_567].map(grouped));
        assert_eq!(["0B", "17B", "1.00KiB", "3.50GiB"], [0, 17, 1024, 7 << 29].map(rounded_bytes));
    }
}
