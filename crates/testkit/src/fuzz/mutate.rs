//! Random changes of bytes and of text.

use panto_random::SplitMix64;

/// Numbers at which counts, lengths and signs turn.
const NUMBERS: [u64; 12] = [
    0,
    1,
    0x7F,
    0x80,
    0xFFFF,
    0x7FFF_FFFF,
    0x8000_0000,
    0xFFFF_FFFF,
    1 << 32,
    i64::MAX as u64,
    1 << 63,
    u64::MAX,
];

/// Words that mean something, or nothing, in place of a number or a name.
const WORDS: [&str; 16] = [
    "0",
    "-1",
    "1e308",
    "-0.0",
    "nan",
    "inf",
    "1e-320",
    "18446744073709551615",
    "18446744073709551616",
    "4294967296",
    "99999999999999999999999999",
    "",
    "\"",
    "[[[[[[[[",
    "\u{1b}[2J",
    "\u{10ffff}",
];

/// A source of random changes.
pub struct Mutator(SplitMix64);

impl Mutator {
    /// Changes that follow from a seed.
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    /// Returns a random number below `end`; 0 if that is 0.
    pub fn below(&mut self, end: usize) -> usize {
        self.0.index(end)
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// Changes an input once; `other` is a valid one, of which parts are taken.
    pub fn change(&mut self, bytes: &mut Vec<u8>, other: &[u8]) {
        let at = self.below(bytes.len());
        let length = 1 + self.below(16.min(bytes.len() - at));
        let end = (at + length).min(bytes.len());
        match self.below(10) {
            _ if bytes.is_empty() => bytes.extend_from_slice(other),
            0 => bytes[at] ^= 1 << self.below(8),
            1 => bytes[at] = self.0.next_u64() as u8,
            2 => self.overwrite(&mut bytes[at..]),
            3 => drop(bytes.drain(at..end)),
            4 => {
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
            5 => bytes.truncate(at),
            6 => {
                let from = self.below(other.len());
                let to = other.len().min(from + 1 + self.below(64));
                bytes.splice(at..end, other[from..to].iter().copied());
            }
            7 => bytes[at..end].fill(0xFF),
            _ => self.replace_word(bytes, at),
        }
    }

    /// Writes a number of 4 or 8 bytes, little-endian or big-endian.
    fn overwrite(&mut self, bytes: &mut [u8]) {
        let number = self.pick(&NUMBERS);
        let mut digits = number.to_le_bytes();
        let width = self.pick(&[4, 8]).min(bytes.len());
        if self.below(4) == 0 {
            digits[..width].reverse();
        }
        bytes[..width].copy_from_slice(&digits[..width]);
    }

    /// Replaces the word of text at a place.
    fn replace_word(&mut self, bytes: &mut Vec<u8>, at: usize) {
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-+".contains(byte);
        let start = bytes[..at].iter().rposition(|byte| !is_word(byte)).map_or(0, |before| before + 1);
        let end = bytes[at..].iter().position(|byte| !is_word(byte)).map_or(bytes.len(), |after| at + after);
        let word = self.pick(&WORDS);
        bytes.splice(start..end.max(start), word.bytes());
    }
}
