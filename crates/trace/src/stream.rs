//! The beginning and the end of a stream or file.
//!
//! ```text
//! byte  0  "PANTO-TR"
//!       8  version (4)
//!      12  0 the stream of a rank, 1 a whole trace (4)
//!      16  the rank, or 0 (4)
//!      20  the number of ranks (4)
//!      24  CRC-32 of bytes 0 to 23 (4)
//!      28  zero (4)
//! ```
//!
//! A stream goes on with a block of facts, blocks of events, and a block that ends it, with the facts that are known only then. A whole
//! trace goes on with a block of facts, the streams of its ranks as they are, a block with the index (for each rank: its number, the place
//! of its stream and its length), the place of that block (8 bytes) and "PANTOEND".

use crate::block::{BlockKind, Content};
use crate::facts::Facts;

/// The version of the format.
pub const VERSION: u32 = 1;

/// The length of the beginning.
pub const HEAD: usize = 32;

/// The length of what comes after the index.
pub const TAIL: usize = 16;

const MARK: [u8; 8] = *b"PANTO-TR";
const END_MARK: [u8; 8] = *b"PANTOEND";

/// The beginning of a stream or file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// All ranks in one file?
    pub is_whole: bool,
    /// The rank whose stream it is.
    pub rank: u32,
    /// The ranks of the program.
    pub ranks: u32,
}

/// Why a beginning is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoHead {
    NotATrace,
    Version(u32),
    Damaged,
}

impl Head {
    pub(crate) fn to_bytes(self) -> [u8; HEAD] {
        let mut bytes = [0; HEAD];
        bytes[..8].copy_from_slice(&MARK);
        let numbers = [VERSION, u32::from(self.is_whole), self.rank, self.ranks];
        for (place, number) in numbers.into_iter().enumerate() {
            bytes[8 + 4 * place..12 + 4 * place].copy_from_slice(&number.to_le_bytes());
        }
        let checksum = crc32fast::hash(&bytes[..24]);
        bytes[24..28].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    pub(crate) fn parse(bytes: &[u8; HEAD]) -> Result<Self, NoHead> {
        let number = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        if bytes[..8] != MARK {
            return Err(NoHead::NotATrace);
        }
        if number(24) != crc32fast::hash(&bytes[..24]) || number(12) > 1 {
            return Err(NoHead::Damaged);
        }
        if number(8) > VERSION {
            return Err(NoHead::Version(number(8)));
        }
        Ok(Self { is_whole: number(12) == 1, rank: number(16), ranks: number(20) })
    }
}

/// The first bytes of a stream or file.
pub fn stream_start(head: Head, facts: &Facts) -> Vec<u8> {
    let mut out = head.to_bytes().to_vec();
    Content::single(BlockKind::Facts, facts.to_text().as_bytes()).seal(&mut out);
    out
}

/// The last bytes of a stream.
pub fn stream_end(facts: &Facts) -> Vec<u8> {
    let mut out = Vec::new();
    Content::single(BlockKind::End, facts.to_text().as_bytes()).seal(&mut out);
    out
}

/// The last bytes of a whole trace: what follows its index.
pub fn tail(index_at: u64) -> [u8; TAIL] {
    let mut bytes = [0; TAIL];
    bytes[..8].copy_from_slice(&index_at.to_le_bytes());
    bytes[8..].copy_from_slice(&END_MARK);
    bytes
}

/// Where the index is, if these are the last bytes of a whole trace.
pub fn parse_tail(bytes: &[u8; TAIL]) -> Option<u64> {
    let (place, mark) = bytes.split_at(8);
    (mark == END_MARK).then(|| place.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}
