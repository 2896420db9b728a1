//! A column of varints, read from front to back.

use crate::block::BlockHeader;
use panto_container::varint;

/// Bytes behind the numbers, so that eight bytes can be read at each of them.
const PADDING: usize = 8;

/// The eighth bit of each byte: more bytes follow.
const MORE: u64 = 0x8080_8080_8080_8080;

/// A section of varints.
#[derive(Default)]
pub struct Column {
    bytes: Vec<u8>,
    end: usize,
    at: usize,
}

impl Column {
    /// Loads a section of another block.
    pub fn fill(&mut self, header: &BlockHeader, stored: &[u8], section: usize) -> Result<(), &'static str> {
        header.unpack(stored, section, &mut self.bytes)?;
        self.end = self.bytes.len();
        self.at = 0;
        self.bytes.extend([0; PADDING]);
        Ok(())
    }

    /// Returns the next number; none if there is none. It has no branches on the number's length,
    /// which could not be predicted where times vary.
    #[inline]
    pub fn take(&mut self) -> Option<u64> {
        let window = self.bytes.get(self.at..)?.first_chunk()?;
        let word = u64::from_le_bytes(*window);
        let ends = !word & MORE;
        if ends == 0 {
            return self.take_long();
        }
        let bits = ends.trailing_zeros();
        self.at += (bits as usize + 1) / 8;
        (self.at <= self.end).then(|| gather(word & (u64::MAX >> (63 - bits))))
    }

    /// Returns the next number, which is most often below 128.
    #[inline]
    pub fn take_small(&mut self) -> Option<u64> {
        match self.bytes.get(self.at) {
            Some(byte) if *byte < 0x80 && self.at < self.end => {
                self.at += 1;
                Some(u64::from(*byte))
            }
            _ => self.take(),
        }
    }

    /// Reads a number of nine or ten bytes.
    #[cold]
    fn take_long(&mut self) -> Option<u64> {
        let mut rest = self.bytes.get(self.at..self.end)?;
        let before = rest.len();
        let number = varint::take(&mut rest)?;
        self.at += before - rest.len();
        Some(number)
    }

    /// Returns the bytes that are left.
    #[inline]
    pub fn rest(&self) -> &[u8] {
        self.bytes.get(self.at..self.end).unwrap_or_default()
    }

    /// Skips bytes, which must be whole numbers.
    pub fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// Returns the number of bytes that are left.
    pub fn left(&self) -> usize {
        self.end.saturating_sub(self.at)
    }

    /// Returns whether the section is empty.
    pub fn is_empty(&self) -> bool {
        self.end == 0
    }
}

/// Gathers the seven lower bits of eight bytes.
#[inline]
fn gather(word: u64) -> u64 {
    let word = word & !MORE;
    let word = (word & 0x007f_007f_007f_007f) | (word & 0x7f00_7f00_7f00_7f00) >> 1;
    let word = (word & 0x0000_3fff_0000_3fff) | (word & 0x3fff_0000_3fff_0000) >> 2;
    (word & 0x0fff_ffff) | (word & 0x0fff_ffff_0000_0000) >> 4
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(numbers: &[u64]) -> Column {
        let mut bytes = Vec::new();
        for number in numbers {
            varint::put(&mut bytes, *number);
        }
        let end = bytes.len();
        bytes.extend([0; PADDING]);
        Column { bytes, end, at: 0 }
    }

    #[test]
    fn numbers_of_each_length_come_back() {
        let ends = (0..64).flat_map(|bit| [(1 << bit) - 1, 1 << bit, u64::MAX >> bit]);
        let numbers: Vec<u64> = ends.collect();
        let mut column = column(&numbers);
        for number in numbers {
            assert_eq!(column.take(), Some(number));
        }
        assert_eq!(column.left(), 0);
        assert_eq!(column.take(), None);
    }

    #[test]
    fn a_number_that_does_not_end_is_none() {
        let mut column = column(&[1 << 20]);
        column.end -= 1;
        column.bytes[column.end] = 0;
        assert_eq!(column.take(), None);
    }
}
