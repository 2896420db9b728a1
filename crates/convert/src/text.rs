//! Times and names in files of text.

use std::borrow::Cow;
use std::fmt;

use panto_timeline::What;
use panto_units::Time;

/// The most digits that say something: a picosecond.
pub const MOST_DIGITS: usize = 12;

/// Seconds with so many digits behind the point, rounded down so that order stays. No floating point: a month of picoseconds has 19 digits.
#[derive(Debug, Clone, Copy)]
pub struct Seconds(pub Time, pub usize);

/// 2^64 has 20 digits, and there is a point; with a zero before it where the seconds are none.
const LONGEST: usize = 22;

impl fmt::Display for Seconds {
    /// Most of what is written are times, so this does not go through the general way of writing numbers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(time, digits) = *self;
        let mut left = time.as_picos() / 10_u64.pow((MOST_DIGITS - digits) as u32);
        let (mut text, mut start) = ([0; LONGEST], LONGEST);
        while left > 0 || LONGEST - start < digits + 2 {
            start -= 1;
            if LONGEST - start == digits + 1 {
                text[start] = b'.';
            } else {
                text[start] = b'0' + (left % 10) as u8;
                left /= 10;
            }
        }
        f.write_str(std::str::from_utf8(&text[start..]).map_err(|_| fmt::Error)?)
    }
}

/// Whole nanoseconds, rounded down.
pub fn nanos(time: Time) -> u64 {
    time.as_picos() / 1000
}

/// The word for what a rank did.
pub fn word(what: What) -> &'static str {
    match what {
        What::Compute => "compute",
        What::Message => "message",
        What::Combine => "combine",
        What::Access => "access",
        What::Wait(_) => "wait",
    }
}

/// A name on one line and without double quotes, for formats that have no way to write these.
pub fn plain(name: &str) -> String {
    let replace = |letter: char| match letter {
        '"' => '\'',
        letter if letter.is_control() => ' ',
        letter => letter,
    };
    name.chars().map(replace).collect()
}

/// A field of CSV (RFC 4180): quoted where it must be.
pub fn field(text: &str) -> Cow<'_, str> {
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\"")).into()
    } else {
        text.into()
    }
}

/// How often something is not as it was, in words; nothing if never.
pub fn note(count: u64, what: &str) -> Option<String> {
    (count > 0).then(|| format!("{count} {what}"))
}

/// For notes: the sender's clock and the receiver's differ.
pub const EARLY: &str = "messages were received before they were sent: the clocks of their ranks disagree";

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
