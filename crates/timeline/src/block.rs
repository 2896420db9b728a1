//! Blocks: the unit that is written at once, checked at once and lost at once.
//!
//! ```text
//! byte  0  magic, "PTLb"
//!       4  kind: 0 info, 1 states, 2 messages, 3 index (1)
//!       5  zero (3)
//!       8  the band (4)
//!      12  the number of states, messages or blocks (4)
//!      16  the first moment, picoseconds (8)
//!      24  the last moment, picoseconds (8)
//!      32  the length of the payload, unpacked (4)
//!      36  its length as stored (4)
//!      40  CRC-32 of the payload as stored (4)
//!      44  CRC-32 of bytes 0 to 43 (4)
//!      48  the payload, packed by LZ4 if its two lengths differ
//! ```

use panto_container::bytes::{u32_at, u64_at};
use panto_container::{Sound, checksum, section};

/// The length of a block's header, in bytes.
pub const HEADER: usize = 48;

const MARK: [u8; 4] = *b"PTLb";

/// The most states or messages of a block.
pub const MOST_RECORDS: u32 = 1 << 16;

/// The shortest payload, in bytes, for which packing is worth its time.
const WORTH_PACKING: usize = 32;

/// What a block holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Info,
    States,
    Messages,
    Index,
}

impl Kind {
    pub fn from_number(number: u64) -> Option<Self> {
        [Self::Info, Self::States, Self::Messages, Self::Index].get(usize::try_from(number).ok()?).copied()
    }
}

/// What a block's header says of its content: all that does not follow from the payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outline {
    pub kind: Kind,
    pub band: u32,
    pub count: u32,
    pub first: u64,
    pub last: u64,
}

impl Outline {
    /// Returns the outline of a block without ranks and times.
    pub fn of(kind: Kind, count: u32) -> Self {
        Self { kind, band: 0, count, first: 0, last: 0 }
    }
}

/// A block's header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    pub outline: Outline,
    full: u32,
    stored: u32,
    checksum: u32,
}

/// Appends a block; none if its payload is too long.
pub fn seal(outline: &Outline, payload: &[u8], out: &mut Vec<u8>) -> Option<()> {
    if payload.len() > section::MAX_BYTES {
        return None;
    }
    let start = out.len();
    out.resize(start + HEADER, 0);
    section::pack(payload, WORTH_PACKING, out);
    let stored = &out[start + HEADER..];
    let header = Header {
        outline: *outline,
        full: payload.len() as u32,
        stored: stored.len() as u32,
        checksum: checksum(&[stored]),
    };
    out[start..start + HEADER].copy_from_slice(&header.to_bytes());
    Some(())
}

impl Header {
    fn to_bytes(self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..4].copy_from_slice(&MARK);
        bytes[4] = self.outline.kind as u8;
        bytes[8..12].copy_from_slice(&self.outline.band.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.outline.count.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.outline.first.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.outline.last.to_le_bytes());
        bytes[32..36].copy_from_slice(&self.full.to_le_bytes());
        bytes[36..40].copy_from_slice(&self.stored.to_le_bytes());
        bytes[40..44].copy_from_slice(&self.checksum.to_le_bytes());
        let check = checksum(&[&bytes[..44]]);
        bytes[44..].copy_from_slice(&check.to_le_bytes());
        bytes
    }

    /// Reads a header; returns what is wrong with it otherwise.
    pub fn parse(bytes: &[u8; HEADER]) -> Sound<Self> {
        if bytes[..4] != MARK {
            return Err("no block begins here");
        }
        if u32_at(bytes, 44) != checksum(&[&bytes[..44]]) {
            return Err("the checksum of a block's header does not match");
        }
        let kind = Kind::from_number(u64::from(bytes[4])).filter(|_| bytes[5..8] == [0; 3]);
        let outline = Outline {
            kind: kind.ok_or("a block of an unknown kind")?,
            band: u32_at(bytes, 8),
            count: u32_at(bytes, 12),
            first: u64_at(bytes, 16),
            last: u64_at(bytes, 24),
        };
        let header =
            Self { outline, full: u32_at(bytes, 32), stored: u32_at(bytes, 36), checksum: u32_at(bytes, 40) };
        let is_sound = section::is_possible(header.full, header.stored);
        if is_sound { Ok(header) } else { Err("a block with impossible lengths") }
    }

    /// Returns the length of the whole block, in bytes.
    pub fn length(&self) -> u64 {
        HEADER as u64 + u64::from(self.stored)
    }

    /// Checks the payload and unpacks it into a buffer.
    pub fn unpack(&self, stored: &[u8], into: &mut Vec<u8>) -> Sound<()> {
        if checksum(&[stored]) != self.checksum || stored.len() != self.stored as usize {
            return Err("the checksum of a block does not match");
        }
        section::unpack(stored, self.full as usize, into)
    }
}
