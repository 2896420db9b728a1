//! The first and the last bytes of a file.
//!
//! ```text
//! byte  0  "PANTO-TL"
//!       8  version (4)
//!      12  the number of ranks (4)
//!      16  the number of helpers (4)
//!      20  how many ranks and helpers share a band (4)
//!      24  CRC-32 of bytes 0 to 23 (4)
//!      28  zero (4)
//! ```
//!
//! The last sixteen bytes are the place of the last index (8) and "PTL-DONE". The head of every version has its mark, its version and its checksum at
//! these places, so that a newer one is told from a damaged one.

use crate::about::MOST_RANKS;

/// The version of the format.
pub const VERSION: u32 = 1;

/// The length of the head.
pub const HEAD: usize = 32;

/// The length of the tail.
pub const TAIL: usize = 16;

const MARK: [u8; 8] = *b"PANTO-TL";
const END_MARK: [u8; 8] = *b"PTL-DONE";

/// The beginning of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    pub ranks: u32,
    pub helpers: u32,
    pub width: u32,
}

/// Why a head is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoHead {
    NotATimeline,
    Version(u32),
    Damaged,
}

/// Does a file begin as timelines do? It may be shorter than their mark.
pub fn looks_right(start: &[u8]) -> bool {
    !start.is_empty() && start.iter().zip(MARK).all(|(byte, mark)| *byte == mark)
}

impl Head {
    pub fn to_bytes(self) -> [u8; HEAD] {
        let mut bytes = [0; HEAD];
        bytes[..8].copy_from_slice(&MARK);
        for (place, number) in [VERSION, self.ranks, self.helpers, self.width].into_iter().enumerate() {
            bytes[8 + 4 * place..12 + 4 * place].copy_from_slice(&number.to_le_bytes());
        }
        let checksum = crc32fast::hash(&bytes[..24]);
        bytes[24..28].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    pub fn parse(bytes: &[u8; HEAD]) -> Result<Self, NoHead> {
        let number = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        if bytes[..8] != MARK {
            return Err(NoHead::NotATimeline);
        }
        if number(24) != crc32fast::hash(&bytes[..24]) {
            return Err(NoHead::Damaged);
        }
        if number(8) > VERSION {
            return Err(NoHead::Version(number(8)));
        }
        let head = Self { ranks: number(12), helpers: number(16), width: number(20) };
        let lines = u64::from(head.ranks) + u64::from(head.helpers);
        let is_sound = lines <= u64::from(MOST_RANKS) && head.width > 0 && number(8) > 0 && number(28) == 0;
        if is_sound { Ok(head) } else { Err(NoHead::Damaged) }
    }

    /// Ranks and helpers together.
    pub fn lines(self) -> u32 {
        self.ranks + self.helpers
    }

    /// The ranks and helpers of a band; none if there is no such band.
    pub fn band(self, band: u32) -> Option<std::ops::Range<u32>> {
        let first = band.checked_mul(self.width).filter(|first| *first < self.lines())?;
        Some(first..first.saturating_add(self.width).min(self.lines()))
    }
}

/// The last bytes of a file.
pub fn tail(index_at: u64) -> [u8; TAIL] {
    let mut bytes = [0; TAIL];
    bytes[..8].copy_from_slice(&index_at.to_le_bytes());
    bytes[8..].copy_from_slice(&END_MARK);
    bytes
}

/// Where the last index is, if these are the last bytes of a file.
pub fn parse_tail(bytes: &[u8; TAIL]) -> Option<u64> {
    let (place, mark) = bytes.split_first_chunk()?;
    (mark == END_MARK).then(|| u64::from_le_bytes(*place))
}
