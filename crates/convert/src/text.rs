//! Formatting of times and names in text formats.

use std::borrow::Cow;
use std::fmt;

use panto_timeline::StateKind;
use panto_units::Time;

/// Decimals of a picosecond, the resolution of [`Time`].
pub const MAX_DECIMALS: usize = 12;

/// Seconds with a number of decimals, rounded down so that order is kept. No floating point: a
/// month of picoseconds has 19 digits.
#[derive(Debug, Clone, Copy)]
pub struct Seconds(pub Time, pub usize);

/// Length of the longest text: 2^64 has 20 digits, plus the point and a leading zero.
const MAX_LENGTH: usize = 22;

impl fmt::Display for Seconds {
    /// Formats by hand instead of through `core::fmt`'s numbers, since times are most of the
    /// output.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(time, digits) = *self;
        let mut left = time.as_picos() / 10_u64.pow((MAX_DECIMALS - digits) as u32);
        let (mut text, mut start) = ([0; MAX_LENGTH], MAX_LENGTH);
        while left > 0 || MAX_LENGTH - start < digits + 2 {
            start -= 1;
            if MAX_LENGTH - start == digits + 1 {
                text[start] = b'.';
            } else {
                text[start] = b'0' + (left % 10) as u8;
                left /= 10;
            }
        }
        f.write_str(std::str::from_utf8(&text[start..]).map_err(|_| fmt::Error)?)
    }
}

/// Returns whole nanoseconds, rounded down.
pub fn nanos(time: Time) -> u64 {
    time.as_picos() / 1000
}

/// Returns the name of a state.
pub fn state_name(what: StateKind) -> &'static str {
    match what {
        StateKind::Compute => "compute",
        StateKind::Message => "message",
        StateKind::Combine => "combine",
        StateKind::Access => "access",
        StateKind::Wait(_) => "wait",
    }
}

/// Returns a name on one line and without double quotes, for formats that cannot escape them.
pub fn plain(name: &str) -> String {
    let replace = |c: char| match c {
        '"' => '\'',
        c if c.is_control() => ' ',
        c => c,
    };
    name.chars().map(replace).collect()
}

/// Returns a field of CSV (RFC 4180), quoted where necessary.
pub fn field(text: &str) -> Cow<'_, str> {
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\"")).into()
    } else {
        text.into()
    }
}

/// Returns a note with a count; `None` if the count is zero.
pub fn note(count: u64, what: &str) -> Option<String> {
    (count > 0).then(|| format!("{count} {what}"))
}

/// Note on messages whose sender's and receiver's clocks differ.
pub const EARLY: &str = "messages received before they were sent: the clocks of their ranks disagree";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_exact_and_rounded_down() {
        let time = Time::from_picos(18_446_744_073_709_551_615);
        assert_eq!(Seconds(time, 12).to_string(), "18446744.073709551615");
        assert_eq!(Seconds(time, 6).to_string(), "18446744.073709");
        assert_eq!(Seconds(Time::from_picos(999_999), 6).to_string(), "0.000000");
        assert_eq!(Seconds(Time::from_picos(12_034_000_000_000), 3).to_string(), "12.034");
        assert_eq!(Seconds(Time::ZERO, 1).to_string(), "0.0");
    }

    #[test]
    fn names_cannot_break_a_line_or_a_quote() {
        assert_eq!(plain("a \"b\"\nc\td é"), "a 'b' c d é");
        assert_eq!(field("a \"b\",\nc"), "\"a \"\"b\"\",\nc\"");
        assert_eq!(field("plain"), "plain");
    }
}
