//! Parses quantities as people write them.

use std::fmt;
use std::time::Duration;

use crate::Time;

/// Why a text could not be parsed as a quantity. The message names what was expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError(String);

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ParseError {}

/// Units of size. As in OSU's and Intel's benchmarks `K`, `k` and `KiB` are 1,024; `kB` is 1,000.
const BYTES: &[(&str, f64)] = &[
    ("", 1.0),
    ("B", 1.0),
    ("K", 1024.0),
    ("k", 1024.0),
    ("KiB", 1024.0),
    ("kB", 1e3),
    ("M", 1_048_576.0),
    ("MiB", 1_048_576.0),
    ("MB", 1e6),
    ("G", 1_073_741_824.0),
    ("GiB", 1_073_741_824.0),
    ("GB", 1e9),
    ("T", 1_099_511_627_776.0),
    ("TiB", 1_099_511_627_776.0),
    ("TB", 1e12),
];

const TIMES: &[(&str, f64)] =
    &[("ns", 1e-9), ("us", 1e-6), ("µs", 1e-6), ("ms", 1e-3), ("s", 1.0), ("min", 60.0), ("h", 3600.0)];

/// Picoseconds in each unit: whole numbers, so that a decimal fraction is rounded once.
const PICOS: &[(&str, f64)] = &[
    ("ps", 1.0),
    ("ns", 1e3),
    ("us", 1e6),
    ("µs", 1e6),
    ("ms", 1e9),
    ("s", 1e12),
    ("min", 6e13),
    ("h", 3.6e15),
];

/// Units of rate in bytes a second. A small `b` is a bit, as on the boxes of network cards.
const RATES: &[(&str, f64)] = &[
    ("B/s", 1.0),
    ("kB/s", 1e3),
    ("KB/s", 1e3),
    ("KiB/s", 1024.0),
    ("MB/s", 1e6),
    ("MiB/s", 1_048_576.0),
    ("GB/s", 1e9),
    ("GiB/s", 1_073_741_824.0),
    ("TB/s", 1e12),
    ("TiB/s", 1_099_511_627_776.0),
    ("b/s", 0.125),
    ("kb/s", 125.0),
    ("kbit/s", 125.0),
    ("Mb/s", 125e3),
    ("Mbit/s", 125e3),
    ("Gb/s", 125e6),
    ("Gbit/s", 125e6),
    ("Tb/s", 125e9),
    ("Tbit/s", 125e9),
];

/// The largest time of a model in picoseconds: a day. Anything longer is taken for a mistake.
const MAX_PICOS: f64 = 86_400e12;

/// The largest size in bytes: 2^53, beyond which an `f64` is not exact.
const MAX_BYTES: f64 = 9_007_199_254_740_992.0;

/// The largest time in seconds: a century. Anything longer is taken for a mistake.
const MAX_SECONDS: f64 = 3.2e9;

/// Parses a size: `0`, `512`, `64KiB`, `64K`, `1.5M`, `64kB`.
///
/// ```
/// use panto_units::parse_bytes;
/// assert_eq!(parse_bytes("64KiB"), Ok(65536));
/// assert_eq!(parse_bytes("64kB"), Ok(64000));
/// assert!(parse_bytes("12 parsecs").is_err());
/// ```
pub fn parse_bytes(text: &str) -> Result<u64, ParseError> {
    let bytes = quantity(text, BYTES, "a size such as 512, 64KiB, 1M or 64kB")?;
    if bytes.fract() != 0.0 {
        return Err(ParseError(format!("`{text}` is {bytes} bytes, which is not a whole number")));
    }
    if bytes > MAX_BYTES {
        return Err(ParseError(format!("`{text}` is larger than 8 PiB")));
    }
    Ok(bytes as u64)
}

/// Parses a time: `1.5us`, `2ms`, `30s`, `5min`.
///
/// ```
/// use std::time::Duration;
/// assert_eq!(panto_units::parse_time("1.5us"), Ok(Duration::from_nanos(1500)));
/// ```
pub fn parse_time(text: &str) -> Result<Duration, ParseError> {
    let seconds = quantity(text, TIMES, "a time with a unit, such as 1.5us, 2ms, 30s or 5min")?;
    if seconds > MAX_SECONDS {
        return Err(ParseError(format!("`{text}` is longer than a century")));
    }
    Ok(Duration::from_nanos((seconds * 1e9).round() as u64))
}

/// Parses a time to the picosecond, for models: `39us`, `8.333333us`, `70ns`, `1.1ps`.
///
/// ```
/// use panto_units::{Time, parse_span};
/// assert_eq!(parse_span("8.3333us"), Ok(Time::from_picos(8_333_300)));
/// assert!(parse_span("-1us").is_err());
/// ```
pub fn parse_span(text: &str) -> Result<Time, ParseError> {
    Ok(Time::from_picos(picos(text)?.round() as u64))
}

/// Parses a time as seconds, without rounding to the picosecond: a byte at 900 GB/s takes 1.1 ps.
///
/// ```
/// assert_eq!(panto_units::parse_seconds("410ns"), Ok(410e-9));
/// ```
pub fn parse_seconds(text: &str) -> Result<f64, ParseError> {
    Ok(picos(text)? / 1e12)
}

fn picos(text: &str) -> Result<f64, ParseError> {
    let picos = quantity(text, PICOS, "a time with a unit, such as 70ns, 1.5us or 2ms")?;
    if picos > MAX_PICOS {
        return Err(ParseError(format!("`{text}` is longer than a day")));
    }
    Ok(picos)
}

/// Parses a rate as bytes per second: `35.5MB/s`, `12.5GB/s`, `100Gb/s` (bits), `1.5GiB/s`. Zero is
/// an error.
///
/// ```
/// assert_eq!(panto_units::parse_rate("100Gb/s"), Ok(12.5e9));
/// assert!(panto_units::parse_rate("100").is_err());
/// ```
pub fn parse_rate(text: &str) -> Result<f64, ParseError> {
    let rate = quantity(text, RATES, "a rate such as 35.5MB/s, 12.5GB/s or 100Gb/s (bits)")?;
    if rate > 0.0 { Ok(rate) } else { Err(ParseError(format!("`{text}` is not a positive rate"))) }
}

fn quantity(text: &str, units: &[(&str, f64)], expected: &str) -> Result<f64, ParseError> {
    let wrong = || ParseError(format!("`{text}` is not {expected}"));
    let text = text.trim();
    let digits = |c: char| c.is_ascii_digit() || c == '.';
    let end = text.find(|c| !digits(c)).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let number: f64 = number.parse().map_err(|_| wrong())?;
    let unit = units.iter().find(|(name, _)| *name == unit.trim_start()).ok_or_else(wrong)?;
    let value = number * unit.1;
    if value.is_finite() { Ok(value) } else { Err(wrong()) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sizes_as_people_write_them() {
        let cases = [
            ("0", 0),
            ("512", 512),
            ("1.5K", 1536),
            ("64k", 65536),
            ("1 MiB", 1 << 20),
            ("2G", 2 << 30),
            ("1MB", 1_000_000),
        ];
        for (text, bytes) in cases {
            assert_eq!(parse_bytes(text), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn invalid_sizes_are_errors() {
        for text in
            ["", "-5", "1e3x", "12 parsecs", "KiB", "1..2", "0.3", "1e400", "99999999T", "٣", "64 K B"]
        {
            assert!(parse_bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn times_need_a_unit() {
        assert_eq!(parse_time("2ms"), Ok(Duration::from_millis(2)));
        assert_eq!(parse_time("1min"), Ok(Duration::from_secs(60)));
        for text in ["5", "-1s", "1 fortnight", "1e9h", "nan s", "infs"] {
            assert!(parse_time(text).is_err(), "{text}");
        }
    }

    #[test]
    fn spans_are_exact_to_the_picosecond() {
        let cases = [("39us", 39_000_000), ("0.41us", 410_000), ("25 ns", 25_000), ("1.4ps", 1), ("0s", 0)];
        for (text, picos) in cases {
            assert_eq!(parse_span(text), Ok(Time::from_picos(picos)), "{text}");
        }
        for text in ["39", "-1us", "25h", "1e3us", "us", ""] {
            assert!(parse_span(text).is_err(), "{text}");
        }
        assert_eq!(parse_seconds("0.5ps"), Ok(0.5e-12));
    }

    #[test]
    fn rates_in_bytes_and_bits() {
        let cases = [("35.5MB/s", 35.5e6), ("10Gbit/s", 1.25e9), ("1 KiB/s", 1024.0), ("8b/s", 1.0)];
        for (text, rate) in cases {
            assert_eq!(parse_rate(text), Ok(rate), "{text}");
        }
        for text in ["35.5", "0B/s", "-1MB/s", "MB/s", "1MB", "1 m/s"] {
            assert!(parse_rate(text).is_err(), "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(1), ..ProptestConfig::default() })]

        #[test]
        fn formatted_sizes_parse_back(bytes in 0_u64..1 << 53) {
            prop_assert_eq!(parse_bytes(&crate::bytes(bytes)), Ok(bytes));
        }

        #[test]
        fn no_text_makes_it_panic(text in ".*") {
            let _ = (parse_bytes(&text), parse_time(&text));
            let _ = (parse_span(&text), parse_seconds(&text), parse_rate(&text));
        }
    }
}
