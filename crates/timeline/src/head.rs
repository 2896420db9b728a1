//! The first and the last bytes of a file.
//!
//! ```text
//! byte  0  "PANTO-TL"
//!       8  version (4)
//!      12  the number of ranks (4)
//!      16  the number of helpers (4)
//!      20  the number of ranks and helpers that share a band (4)
//!      24  CRC-32 of bytes 0 to 23 (4)
//!      28  zero (4)
//! ```
//!
//! The last sixteen bytes are the offset of the last index (8) and "PTL-DONE".

pub use panto_container::{HEAD, HeadError, TAIL};

use panto_container::Format;

use crate::info::MOST_RANKS;

/// The version of the format that is written.
pub const VERSION: u32 = 1;

/// The most ranks and helpers of the shortest file: with a kilobyte of memory each, 64 MiB.
const LINES_OF_ANY_FILE: u64 = 1 << 16;

/// The format of timelines.
pub const FORMAT: Format = Format { magic: *b"PANTO-TL", tail_magic: *b"PTL-DONE", version: VERSION };

/// The head of a timeline: what it says beside the magic number, the version and the checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    pub ranks: u32,
    pub helpers: u32,
    /// The number of consecutive ranks and helpers that share a band.
    pub width: u32,
}

impl Head {
    pub fn to_bytes(self) -> [u8; HEAD] {
        FORMAT.head([self.ranks, self.helpers, self.width])
    }

    pub fn parse(bytes: &[u8; HEAD]) -> Result<Self, HeadError> {
        let [ranks, helpers, width] = FORMAT.parse_head(bytes)?;
        let head = Self { ranks, helpers, width };
        let lines = u64::from(head.ranks) + u64::from(head.helpers);
        let is_sound = lines <= u64::from(MOST_RANKS) && head.width > 0 && bytes[28..] == [0; 4];
        if is_sound { Ok(head) } else { Err(HeadError::Damaged) }
    }

    /// Returns the number of ranks and helpers.
    pub fn lines(self) -> u32 {
        self.ranks + self.helpers
    }

    /// Returns the length of the shortest file with this many ranks and helpers, in bytes: one for
    /// each beyond [`LINES_OF_ANY_FILE`]. Readers have memory for each of them, and refuse shorter
    /// files: a few bytes could take all memory. A rank with a few states takes more than a byte,
    /// so only timelines in which most ranks do nothing are filled up.
    pub fn least_bytes(self) -> u64 {
        u64::from(self.lines()).saturating_sub(LINES_OF_ANY_FILE)
    }

    /// Returns the ranks and helpers of a band; none if there is no such band.
    pub fn band(self, band: u32) -> Option<std::ops::Range<u32>> {
        let first = band.checked_mul(self.width).filter(|first| *first < self.lines())?;
        Some(first..first.saturating_add(self.width).min(self.lines()))
    }
}
