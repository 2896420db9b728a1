//! The first and the last bytes of a file.

use crate::bytes::{u32_at, u64_at};
use crate::checksum;

/// The length of the head, in bytes.
pub const HEAD: usize = 32;

/// The length of the tail, in bytes.
pub const TAIL: usize = 16;

const CHECKED: usize = 24;

/// A format of files: its magic numbers and the newest version that this program reads and writes.
///
/// ```text
/// head  0  magic, 8 bytes of ASCII
///       8  version (4)
///      12  three numbers of the format's own (3 x 4)
///      24  CRC-32 of bytes 0 to 23 (4)
///      28  zero (4)
///
/// tail  0  the offset of the last index (8)
///       8  magic of the tail, 8 bytes of ASCII
/// ```
///
/// Magic, version and checksum keep their places in every version, so that a file of a newer
/// version is distinguished from a damaged one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format {
    /// The first bytes of a file.
    pub magic: [u8; 8],
    /// The last bytes of a file that was written to its end.
    pub tail_magic: [u8; 8],
    /// The version that is written; this and all earlier ones are read.
    pub version: u32,
}

/// Why bytes are not a valid head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeadError {
    /// The magic number of another format, or of none.
    OtherFormat,
    /// A newer version.
    Version(u32),
    /// The checksum or a number is wrong.
    Damaged,
}

impl Format {
    /// Returns whether a file may begin with these bytes, which may be fewer than the magic number.
    pub fn matches(&self, start: &[u8]) -> bool {
        !start.is_empty() && start.iter().zip(self.magic).all(|(byte, magic)| *byte == magic)
    }

    /// Returns the head of a file with the format's own three numbers.
    pub fn head(&self, numbers: [u32; 3]) -> [u8; HEAD] {
        let mut bytes = [0; HEAD];
        bytes[..8].copy_from_slice(&self.magic);
        bytes[8..12].copy_from_slice(&self.version.to_le_bytes());
        for (place, number) in numbers.into_iter().enumerate() {
            bytes[12 + 4 * place..16 + 4 * place].copy_from_slice(&number.to_le_bytes());
        }
        let check = checksum(&[&bytes[..CHECKED]]);
        bytes[CHECKED..CHECKED + 4].copy_from_slice(&check.to_le_bytes());
        bytes
    }

    /// Reads the format's own three numbers from a head.
    pub fn parse_head(&self, bytes: &[u8; HEAD]) -> Result<[u32; 3], HeadError> {
        if bytes[..8] != self.magic {
            return Err(HeadError::OtherFormat);
        }
        if u32_at(bytes, CHECKED) != checksum(&[&bytes[..CHECKED]]) {
            return Err(HeadError::Damaged);
        }
        match u32_at(bytes, 8) {
            0 => Err(HeadError::Damaged),
            version if version > self.version => Err(HeadError::Version(version)),
            _ => Ok([u32_at(bytes, 12), u32_at(bytes, 16), u32_at(bytes, 20)]),
        }
    }

    /// Returns the tail of a file whose last index is at this offset.
    pub fn tail(&self, index_at: u64) -> [u8; TAIL] {
        let mut bytes = [0; TAIL];
        bytes[..8].copy_from_slice(&index_at.to_le_bytes());
        bytes[8..].copy_from_slice(&self.tail_magic);
        bytes
    }

    /// Returns the offset of the last index, if these bytes are a tail.
    pub fn parse_tail(&self, bytes: &[u8; TAIL]) -> Option<u64> {
        (bytes[8..] == self.tail_magic).then(|| u64_at(bytes, 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMAT: Format = Format { magic: *b"PANTO-XY", tail_magic: *b"PXY-DONE", version: 3 };

    #[test]
    fn heads_and_tails_are_read_back() {
        assert_eq!(FORMAT.parse_head(&FORMAT.head([1, 2, u32::MAX])), Ok([1, 2, u32::MAX]));
        assert_eq!(FORMAT.parse_tail(&FORMAT.tail(u64::MAX - 1)), Some(u64::MAX - 1));
        assert_eq!(FORMAT.parse_tail(b"12345678PANTOEND"), None);
        assert!(FORMAT.matches(b"PAN") && !FORMAT.matches(b"") && !FORMAT.matches(b"PANTO-TR"));
    }

    #[test]
    fn other_formats_newer_versions_and_damage_are_told_apart() {
        let other = Format { magic: *b"PANTO-ZZ", ..FORMAT };
        assert_eq!(FORMAT.parse_head(&other.head([0; 3])), Err(HeadError::OtherFormat));
        let newer = Format { version: 4, ..FORMAT };
        assert_eq!(FORMAT.parse_head(&newer.head([0; 3])), Err(HeadError::Version(4)));
        let older = Format { version: 2, ..FORMAT };
        assert_eq!(FORMAT.parse_head(&older.head([7; 3])), Ok([7; 3]));
        for byte in 8..28 {
            let mut damaged = FORMAT.head([5; 3]);
            damaged[byte] ^= 1;
            assert_eq!(FORMAT.parse_head(&damaged), Err(HeadError::Damaged), "byte {byte}");
        }
    }
}
