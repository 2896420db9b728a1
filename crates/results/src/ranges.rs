//! Sets of numbers in the notation `0-3,8`.

use std::fmt;
use std::str::FromStr;

/// A set of numbers, stored as ranges.
///
/// ```
/// use panto_results::Ranges;
/// let ranks: Ranges = [8, 1, 0, 3, 2].into_iter().collect();
/// assert_eq!(ranks.to_string(), "0-3,8");
/// assert_eq!("0-3,8".parse(), Ok(ranks));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ranges {
    /// First and last number of each range, ascending, with gaps between ranges.
    parts: Vec<(usize, usize)>,
}

impl Ranges {
    fn of(mut parts: Vec<(usize, usize)>) -> Self {
        parts.sort_unstable();
        let mut folded: Vec<(usize, usize)> = Vec::new();
        for (first, last) in parts {
            match folded.last_mut() {
                Some(before) if first <= before.1.saturating_add(1) => before.1 = before.1.max(last),
                _ => folded.push((first, last)),
            }
        }
        Self { parts: folded }
    }

    /// Returns the number of elements.
    pub fn count(&self) -> usize {
        let each = self.parts.iter().map(|(first, last)| (last - first).saturating_add(1));
        each.fold(0, usize::saturating_add)
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Returns the union of several sets.
    pub fn union<'a>(all: impl IntoIterator<Item = &'a Self>) -> Self {
        Self::of(all.into_iter().flat_map(|ranges| ranges.parts.iter().copied()).collect())
    }
}

impl FromIterator<usize> for Ranges {
    fn from_iter<I: IntoIterator<Item = usize>>(numbers: I) -> Self {
        Self::of(numbers.into_iter().map(|number| (number, number)).collect())
    }
}

impl fmt::Display for Ranges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (first, last)) in self.parts.iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            match last - first {
                0 => write!(f, "{comma}{first}")?,
                _ => write!(f, "{comma}{first}-{last}")?,
            }
        }
        Ok(())
    }
}

/// Parses what [`Display`](fmt::Display) writes. The size of a range does not affect the cost.
impl FromStr for Ranges {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no list of numbers such as 0-3,8");
        let number = |text: &str| text.parse::<usize>().map_err(|_| wrong());
        let mut parts = Vec::new();
        for part in text.split(',').filter(|_| !text.is_empty()) {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last) = (number(first)?, number(last)?);
            if first > last {
                return Err(wrong());
            }
            parts.push((first, last));
        }
        Ok(Self::of(parts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Ranges {
        text.parse().expect("ranges")
    }

    #[test]
    fn neighbours_are_folded() {
        for (written, folded, count) in [
            ("", "", 0),
            ("5", "5", 1),
            ("0,1", "0-1", 2),
            ("4-6,0-2,3", "0-6", 7),
            ("1-9,2-3,20", "1-9,20", 10),
        ] {
            assert_eq!((read(written).to_string().as_str(), read(written).count()), (folded, count));
        }
        assert_eq!(Ranges::union([&read("0-3"), &read("2-8"), &read("")]), read("0-8"));
    }

    #[test]
    fn invalid_text_is_an_error() {
        for text in ["x", "1-", "-1", "3-1", "1,,2", " 1", "99999999999999999999"] {
            assert!(text.parse::<Ranges>().is_err(), "{text}");
        }
        let most = read(&format!("0-{}", usize::MAX));
        assert_eq!((most.count(), most.is_empty()), (usize::MAX, false));
        assert_eq!(Ranges::union([&most, &read("7")]), most);
    }
}
