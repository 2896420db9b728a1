//! Parsing of value lists: `0..64KiB`, `8,64,1K`, `0..100:10`.

use panto_units::parse_bytes;

use crate::error::{Error, Result};

/// Maximum number of values of a list; more are taken for a mistake.
const MOST_VALUES: usize = 100_000;

/// Parses message sizes in bytes: values and ranges, separated by commas.
///
/// A range `a..b` doubles from `a` to `b` (from 0 and 1 if `a` is 0); `a..b:step` has a fixed step.
///
/// ```
/// use panto_bench::parse_sizes;
/// assert_eq!(parse_sizes("0..16").unwrap(), [0, 1, 2, 4, 8, 16]);
/// assert_eq!(parse_sizes("64,1K..3K,0..20:10").unwrap(), [0, 10, 20, 64, 1024, 2048, 3072]);
/// assert!(parse_sizes("12 parsecs").is_err());
/// ```
pub fn parse_sizes(text: &str) -> Result<Vec<u64>> {
    list(text, |text| parse_bytes(text).map_err(|error| Error::usage(error.to_string())))
}

/// Parses whole numbers (ranks, hops, lengths, dimensions) with the syntax of [`parse_sizes`].
pub fn parse_counts(text: &str) -> Result<Vec<u64>> {
    list(text, |text| {
        let wrong = || {
            Error::usage(format!(
                "`{text}` is not a whole number, a list such as 2,4,8 or a range such as 1..64"
            ))
        };
        text.trim().parse().map_err(|_| wrong())
    })
}

fn list(text: &str, value: impl Fn(&str) -> Result<u64>) -> Result<Vec<u64>> {
    let mut values = Vec::new();
    for part in text.split(',') {
        match part.split_once("..") {
            None => values.push(value(part)?),
            Some((from, rest)) => values.extend(range(part, from, rest, &value)?),
        }
        if values.len() > MOST_VALUES {
            return Err(Error::usage(format!("`{text}` has more than {MOST_VALUES} values")));
        }
    }
    values.sort_unstable();
    values.dedup();
    Ok(values)
}

fn range(part: &str, from: &str, rest: &str, value: impl Fn(&str) -> Result<u64>) -> Result<Vec<u64>> {
    let (to, step) = rest.split_once(':').map_or((rest, None), |(to, step)| (to, Some(step)));
    if from.trim().is_empty() || to.trim().is_empty() {
        return Err(Error::usage(format!("the range `{part}` needs a begin and an end, such as 1..64")));
    }
    let (from, to) = (value(from)?, value(to)?);
    if from > to {
        return Err(Error::usage(format!("the range `{part}` ends before it begins")));
    }
    match step.map(value).transpose()? {
        Some(0) => Err(Error::usage(format!("the range `{part}` has a step of 0"))),
        Some(step) => Ok((from..=to).step_by(step as usize).take(MOST_VALUES + 1).collect()),
        None => Ok(doubling(from, to)),
    }
}

fn doubling(from: u64, to: u64) -> Vec<u64> {
    let zero = (from == 0).then_some(0);
    let doubled = std::iter::successors(Some(from.max(1)), |value| value.checked_mul(2));
    let mut values: Vec<u64> = zero.into_iter().chain(doubled.take_while(|&value| value <= to)).collect();
    if values.last() != Some(&to) {
        values.push(to);
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_double_or_step() {
        assert_eq!(parse_sizes("0..64KiB").unwrap().len(), 18);
        assert_eq!(parse_sizes("3..20").unwrap(), [3, 6, 12, 20]);
        assert_eq!(parse_counts("0..0").unwrap(), [0]);
        assert_eq!(parse_counts("2,4,8,4").unwrap(), [2, 4, 8]);
        assert_eq!(parse_counts("0..100:50").unwrap(), [0, 50, 100]);
    }

    #[test]
    fn invalid_lists_are_refused() {
        for text in ["", ",", "1e3x", "-5", "12 parsecs", "9..3", "0..10:0", "1..", "..", "0..1000000000:1"] {
            assert!(parse_sizes(text).is_err(), "{text}");
        }
        assert!(parse_sizes("9..3").unwrap_err().to_string().contains("ends before it begins"));
    }
}
