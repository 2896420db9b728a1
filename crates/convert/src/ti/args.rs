//! A line of a trace, word by word.

use crate::error::{Error, Result};

/// Where a line stands, and its words.
#[derive(Debug, Clone, Copy)]
pub struct Line<'a> {
    pub file: &'a str,
    pub number: usize,
    pub text: &'a str,
}

/// The arguments of an action.
pub struct Args<'a> {
    line: Line<'a>,
    words: Vec<&'a str>,
    /// The name of the action.
    pub action: &'a str,
}

/// The largest number of bytes that floating point counts exactly.
const LARGEST: f64 = 9_007_199_254_740_992.0;

/// Bytes of the types with the numbers 0, 1, ...: double, int, char, short, long, float, byte, long long, signed and unsigned char, unsigned
/// short, unsigned, unsigned long, unsigned long long, long double, `wchar_t`, bool, and integers of 8 to 64 bits, signed and unsigned.
const SIZES: [u64; 25] = [8, 4, 1, 2, 8, 4, 1, 8, 1, 1, 2, 4, 8, 8, 16, 4, 1, 1, 2, 4, 8, 1, 2, 4, 8];

impl<'a> Line<'a> {
    /// An error at a word of it.
    pub fn error(&self, word: &str, text: impl Into<String>) -> Error {
        // A word of the line is a part of its memory.
        let column = (word.as_ptr() as usize).checked_sub(self.text.as_ptr() as usize);
        let column = column.filter(|column| *column <= self.text.len()).unwrap_or(0) + 1;
        Error::Text { file: self.file.to_owned(), line: self.number, column, text: text.into() }
    }

    /// The rank and the action.
    pub fn split(self) -> Result<(u32, Args<'a>)> {
        let mut words = self.text.split_whitespace();
        let first = words.next().unwrap_or_default();
        let rank = first.parse().map_err(|_| {
            self.error(first, format!("found `{}`, expected the number of a rank", shown(first)))
        })?;
        let Some(action) = words.next() else {
            return Err(self
                .error(first, format!("rank {rank} does nothing here; expected an action such as compute")));
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
                "{} has {} arguments, expected {what} as number {}",
                self.action,
                self.words.len(),
                place + 1
            );
            self.line.error(self.action, text)
        })
    }

    /// An error about an argument.
    pub fn error(&self, place: usize, text: impl Into<String>) -> Error {
        self.line.error(self.words.get(place).unwrap_or(&self.action), text)
    }

    /// An error about the action.
    pub fn wrong(&self, text: impl Into<String>) -> Error {
        self.line.error(self.action, text)
    }

    /// Not negative, as floating point: counts are written as 1e6, too.
    pub fn amount(&self, place: usize, what: &str) -> Result<f64> {
        let word = self.word(place, what)?;
        let amount = word.parse::<f64>().ok().filter(|amount| (0.0..=LARGEST).contains(amount));
        amount.ok_or_else(|| {
            self.error(place, format!("found `{}`, expected {what}: a number from 0 to 9e15", shown(word)))
        })
    }

    /// So many elements, in bytes.
    pub fn bytes(&self, place: usize, element: u64) -> Result<u64> {
        let count = self.amount(place, "a count")? as u64;
        let bytes = count.checked_mul(element).filter(|bytes| *bytes as f64 <= LARGEST);
        bytes.ok_or_else(|| self.error(place, "that many elements are more than 9e15 bytes; give fewer"))
    }

    /// Counts for each rank, in bytes.
    pub fn list(&self, place: usize, ranks: u32, element: u64) -> Result<Vec<i64>> {
        (place..place + ranks as usize)
            .map(|place| self.bytes(place, element).map(|bytes| bytes as i64))
            .collect()
    }

    /// A whole number; a rank or tag below 0 means any.
    pub fn integer(&self, place: usize, what: &str) -> Result<i64> {
        let word = self.word(place, what)?;
        let wrong = || self.error(place, format!("found `{}`, expected {what}: a whole number", shown(word)));
        let value = word
            .parse::<f64>()
            .ok()
            .filter(|value| value.fract() == 0.0 && value.abs() <= f64::from(u32::MAX));
        value.map(|value| value as i64).ok_or_else(wrong)
    }

    /// Another rank.
    pub fn rank(&self, place: usize, ranks: u32) -> Result<u32> {
        let rank = self.integer(place, "a rank")?;
        u32::try_from(rank).ok().filter(|rank| *rank < ranks).ok_or_else(|| {
            self.error(place, format!("there is no rank {rank}; the trace has 0 to {}", ranks - 1))
        })
    }

    /// The root, rank 0 if it is not there.
    pub fn root(&self, place: usize, ranks: u32) -> Result<u32> {
        if place < self.len() { self.rank(place, ranks) } else { Ok(0) }
    }

    /// Bytes of an element of a type, if one is there.
    pub fn element(&self, place: usize, usual: u64) -> Result<u64> {
        if place >= self.len() {
            return Ok(usual);
        }
        let number = self.integer(place, "the number of a datatype")?;
        let size = usize::try_from(number).ok().and_then(|number| SIZES.get(number));
        size.copied().ok_or_else(|| {
            self.error(
                place,
                format!("there is no datatype {number} here; give one from 0 to {}", SIZES.len() - 1),
            )
        })
    }
}

/// A word as an error shows it.
pub fn shown(word: &str) -> &str {
    word.char_indices().nth(60).map_or(word, |(end, _)| &word[..end])
}
