//! Parser of one line of a time-independent trace.

use crate::error::{Error, Result};

/// A line and its position.
#[derive(Debug, Clone, Copy)]
pub struct Line<'a> {
    pub file: &'a str,
    pub number: usize,
    pub text: &'a str,
}

/// Arguments of an action.
pub struct Args<'a> {
    line: Line<'a>,
    words: Vec<&'a str>,
    /// Name of the action.
    pub action: &'a str,
}

/// Largest count that floating point represents exactly: 2^53.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// Sizes in bytes of `SimGrid`'s datatypes by number: double, int, char, short, long, float, byte,
/// long long, signed and unsigned char, unsigned short, unsigned, unsigned long, unsigned long
/// long, long double, `wchar_t`, bool, and integers of 8 to 64 bits, signed and unsigned.
const SIZES: [u64; 25] = [8, 4, 1, 2, 8, 4, 1, 8, 1, 1, 2, 4, 8, 8, 16, 4, 1, 1, 2, 4, 8, 1, 2, 4, 8];

impl<'a> Line<'a> {
    /// Returns an error at one of the line's words.
    pub fn error(&self, word: &str, text: impl Into<String>) -> Error {
        // A word is a subslice of the line, so its address gives the column.
        let column = (word.as_ptr() as usize).checked_sub(self.text.as_ptr() as usize);
        let column = column.filter(|column| *column <= self.text.len()).unwrap_or(0) + 1;
        Error::Parse { file: self.file.to_owned(), line: self.number, column, text: text.into() }
    }

    /// Splits the line into the rank and its action.
    pub fn split(self) -> Result<(u32, Args<'a>)> {
        let mut words = self.text.split_whitespace();
        let first = words.next().unwrap_or_default();
        let rank = first.parse().map_err(|_| {
            self.error(first, format!("found `{}`, expected the number of a rank", shown(first)))
        })?;
        let Some(action) = words.next() else {
            return Err(
                self.error(first, format!("missing action after rank {rank}; expected one such as compute"))
            );
        };
        Ok((rank, Args { line: self, words: words.collect(), action }))
    }
}

impl<'a> Args<'a> {
    pub fn len(&self) -> usize {
        self.words.len()
    }

    fn word(&self, place: usize, what: &str) -> Result<&'a str> {
        self.words.get(place).copied().ok_or_else(|| {
            let text = format!(
                "{} has {} arguments; expected {what} as argument {}",
                self.action,
                self.words.len(),
                place + 1
            );
            self.line.error(self.action, text)
        })
    }

    /// Returns an error at an argument.
    pub fn error(&self, place: usize, text: impl Into<String>) -> Error {
        self.line.error(self.words.get(place).unwrap_or(&self.action), text)
    }

    /// Returns an error at the action's name.
    pub fn action_error(&self, text: impl Into<String>) -> Error {
        self.line.error(self.action, text)
    }

    /// Parses a non-negative number as floating point, since counts may be written as 1e6.
    pub fn amount(&self, place: usize, what: &str) -> Result<f64> {
        let word = self.word(place, what)?;
        let amount = word.parse::<f64>().ok().filter(|amount| (0.0..=MAX_EXACT).contains(amount));
        amount.ok_or_else(|| {
            self.error(place, format!("found `{}`, expected {what}: a number from 0 to 9e15", shown(word)))
        })
    }

    /// Parses a number of elements; returns bytes.
    pub fn bytes(&self, place: usize, element: u64) -> Result<u64> {
        let count = self.amount(place, "a count")? as u64;
        let bytes = count.checked_mul(element).filter(|bytes| *bytes as f64 <= MAX_EXACT);
        bytes.ok_or_else(|| self.error(place, "too many elements: more than 9e15 bytes"))
    }

    /// Parses one count per rank; returns bytes.
    pub fn list(&self, place: usize, ranks: u32, element: u64) -> Result<Vec<i64>> {
        (place..place + ranks as usize)
            .map(|place| self.bytes(place, element).map(|bytes| bytes as i64))
            .collect()
    }

    /// Parses an integer; ranks and tags below 0 are wildcards.
    pub fn integer(&self, place: usize, what: &str) -> Result<i64> {
        let word = self.word(place, what)?;
        let wrong = || self.error(place, format!("found `{}`, expected {what}: a whole number", shown(word)));
        let value = word
            .parse::<f64>()
            .ok()
            .filter(|value| value.fract() == 0.0 && value.abs() <= f64::from(u32::MAX));
        value.map(|value| value as i64).ok_or_else(wrong)
    }

    /// Parses a rank number.
    pub fn rank(&self, place: usize, ranks: u32) -> Result<u32> {
        let rank = self.integer(place, "a rank")?;
        u32::try_from(rank).ok().filter(|rank| *rank < ranks).ok_or_else(|| {
            self.error(place, format!("rank {rank} out of range; the trace has ranks 0 to {}", ranks - 1))
        })
    }

    /// Parses an optional root; the default is rank 0.
    pub fn root(&self, place: usize, ranks: u32) -> Result<u32> {
        if place < self.len() { self.rank(place, ranks) } else { Ok(0) }
    }

    /// Parses an optional datatype; returns the size of its elements in bytes.
    pub fn element(&self, place: usize, default_element: u64) -> Result<u64> {
        if place >= self.len() {
            return Ok(default_element);
        }
        let number = self.integer(place, "the number of a datatype")?;
        let size = usize::try_from(number).ok().and_then(|number| SIZES.get(number));
        size.copied().ok_or_else(|| {
            self.error(place, format!("unknown datatype {number}; expected 0 to {}", SIZES.len() - 1))
        })
    }
}

/// Returns a word shortened to 60 characters, for error messages.
pub fn shown(word: &str) -> &str {
    word.char_indices().nth(60).map_or(word, |(end, _)| &word[..end])
}
