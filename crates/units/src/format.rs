//! Formats quantities for people: short, with a unit, without a space, in ASCII.

/// Formats a duration with three significant digits: `1.53us`. Units are ns, us, ms, s and min.
///
/// ```
/// use panto_units::time;
/// assert_eq!(time(1.534e-6), "1.53us");
/// assert_eq!(time(90.0), "1.50min");
/// ```
pub fn time(seconds: f64) -> String {
    in_units(seconds, TIME, 3)
}

/// Formats a number of bytes, always exactly: `64KiB` and `1.5KiB` where quarters of a binary unit
/// suffice, else `1234B`.
///
/// ```
/// use panto_units::bytes;
/// assert_eq!(bytes(65536), "64KiB");
/// assert_eq!(bytes(1000), "1000B");
/// ```
pub fn bytes(count: u64) -> String {
    // Quarters only in the unit of the same magnitude: 976562.5KiB is not clearer than 1000000000B.
    let fits = |&&(size, _): &&(u64, _)| {
        count >= size
            && (count.is_multiple_of(size) || (count / size < 1024 && count.is_multiple_of(size / 4)))
    };
    match BINARY.iter().find(fits) {
        Some(&(size, unit)) => format!("{}{unit}", trim_zeros(&format!("{:.2}", count as f64 / size as f64))),
        None => format!("{count}B"),
    }
}

/// Formats a bandwidth with three significant digits in decimal units: `11.2GB/s` is 11.2e9 bytes
/// per second.
///
/// ```
/// assert_eq!(panto_units::rate(11.2e9), "11.2GB/s");
/// ```
pub fn rate(bytes_per_second: f64) -> String {
    in_units(bytes_per_second, RATE, 3)
}

/// Formats a percentage with one decimal: 33.3 is `33.3%`.
pub fn percent(value: f64) -> String {
    if value.is_finite() { format!("{}%", unsigned_zero(&format!("{value:.1}"))) } else { not_finite(value) }
}

/// Formats a plain number: whole numbers in full, others with three significant digits.
pub fn count(value: f64) -> String {
    plain(value, 3)
}

/// The units of a quantity: the value of one unit and its name, largest first.
pub type UnitScale = &'static [(f64, &'static str)];

/// Units of time; values are in seconds.
pub const TIME: UnitScale = &[(60.0, "min"), (1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")];
/// Units of rate; values are in bytes per second.
pub const RATE: UnitScale = &[(1e12, "TB/s"), (1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s"), (1.0, "B/s")];

const BINARY: [(u64, &str); 6] = [
    (1 << 60, "EiB"),
    (1 << 50, "PiB"),
    (1 << 40, "TiB"),
    (1 << 30, "GiB"),
    (1 << 20, "MiB"),
    (1 << 10, "KiB"),
];

/// Formats `value` with `digits` significant digits in the largest unit not above it.
pub fn in_units(value: f64, scale: UnitScale, digits: usize) -> String {
    if !value.is_finite() {
        return not_finite(value);
    }
    if value == 0.0 {
        return format!("0{}", base(scale));
    }
    // Rounding comes first: 999.6ns with three digits is 1.00us, not 1000ns.
    let value = rounded(value, digits);
    let (size, unit) = choose_unit(value, scale);
    format!("{}{unit}", significant(value / size, digits))
}

/// Returns the unit in which `value` is written: the largest not above it, or the smallest.
pub fn choose_unit(value: f64, scale: UnitScale) -> (f64, &'static str) {
    let fitting = scale.iter().find(|(size, _)| value.abs() >= *size);
    *fitting.or(scale.last()).unwrap_or(&(1.0, ""))
}

/// Formats whole numbers in full (as long as they are exact), others with `digits` significant
/// digits.
pub fn plain(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        not_finite(value)
    } else if value.fract() == 0.0 && value.abs() < 1e15 {
        unsigned_zero(&format!("{value:.0}")).to_string()
    } else if (1e-4..1e15).contains(&value.abs()) {
        significant(value, digits)
    } else {
        format!("{value:.*e}", digits - 1)
    }
}

/// Formats `value` with `digits` significant digits and no exponent.
pub fn significant(value: f64, digits: usize) -> String {
    let decimals = (digits as i32 - 1 - exponent(value, digits)).max(0);
    format!("{value:.*}", decimals as usize)
}

/// Removes trailing zeros after the decimal point, and the sign of a zero.
pub fn trim_zeros(number: &str) -> &str {
    if !number.contains('.') {
        return number;
    }
    match number.trim_end_matches('0').trim_end_matches('.') {
        "-0" => "0",
        trimmed => trimmed,
    }
}

/// Formats a value that is not finite: `n/a` for NaN, else `inf` or `-inf`.
pub fn not_finite(value: f64) -> String {
    if value.is_nan() { "n/a".into() } else { format!("{value}") }
}

/// Returns the base unit: seconds, bytes per second.
fn base(scale: UnitScale) -> &'static str {
    scale.iter().find(|(size, _)| (*size - 1.0).abs() < f64::EPSILON).map_or("", |(_, unit)| unit)
}

/// Returns the decimal exponent of `value` after rounding to `digits` significant digits.
fn exponent(value: f64, digits: usize) -> i32 {
    let scientific = format!("{value:.*e}", digits - 1);
    scientific.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0)
}

fn rounded(value: f64, digits: usize) -> f64 {
    format!("{value:.*e}", digits - 1).parse().unwrap_or(value)
}

fn unsigned_zero(number: &str) -> &str {
    match number {
        "-0" => "0",
        "-0.0" => "0.0",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_digits_and_the_right_unit() {
        let cases = [
            (0.0, "0s"),
            (2.5e-10, "0.250ns"),
            (1.5e-9, "1.50ns"),
            (999.6e-9, "1.00us"),
            (1.534e-6, "1.53us"),
            (-12.34e-3, "-12.3ms"),
            (59.94, "59.9s"),
            (59.96, "1.00min"),
            (3600.0, "60.0min"),
        ];
        for (seconds, text) in cases {
            assert_eq!(time(seconds), text);
        }
    }

    #[test]
    fn bytes_are_exact() {
        let cases = [
            (0, "0B"),
            (1, "1B"),
            (1000, "1000B"),
            (1024, "1KiB"),
            (1234, "1234B"),
            (1280, "1.25KiB"),
            (1536, "1.5KiB"),
            (65536, "64KiB"),
            (65537, "65537B"),
            (4 << 20, "4MiB"),
            ((1 << 20) + 1024, "1025KiB"),
            (1_000_000_000, "1000000000B"),
            (u64::MAX, "18446744073709551615B"),
        ];
        for (count, text) in cases {
            assert_eq!(bytes(count), text);
        }
    }

    #[test]
    fn rates_are_decimal() {
        let cases =
            [(0.0, "0B/s"), (512.0, "512B/s"), (2.8e6, "2.80MB/s"), (11.2e9, "11.2GB/s"), (3e15, "3000TB/s")];
        for (value, text) in cases {
            assert_eq!(rate(value), text);
        }
    }

    #[test]
    fn percent_and_count() {
        assert_eq!((percent(33.333), percent(-0.01)), ("33.3%".into(), "0.0%".into()));
        assert_eq!((count(1024.0), count(1.23456), count(-0.0)), ("1024".into(), "1.23".into(), "0".into()));
        assert_eq!(count(1e-9), "1.00e-9");
    }

    #[test]
    fn values_that_are_not_finite_are_named() {
        assert_eq!([time(f64::NAN), rate(f64::INFINITY), percent(f64::NEG_INFINITY)], ["n/a", "inf", "-inf"]);
    }
}
