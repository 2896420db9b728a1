//! Blocks: the unit that is written at once, checked at once and lost at once.
//!
//! ```text
//! byte  0  magic, "PANb"
//!       4  kind: 0 metadata, 1 events, 2 end, 3 index
//!       5  flags: 1 events of earlier blocks are dropped (definitions stay)
//!       6  checksum of the header: the lower half of the CRC-32 of its 72 bytes,
//!          with both checksums as zero (2)
//!       8  the number of events (4)
//!      12  CRC-32 of the whole block, with these four bytes as zero (4)
//!      16  wall clock at the beginning, nanoseconds (8)
//!      24  six sections, each: length (4), length as stored (4); equal if it is not packed
//!      72  the bytes of the sections, one after the other, packed by LZ4
//! ```
//!
//! All numbers are little-endian. The sections of a block of events are definitions, signatures,
//! varying parts, computation, and with stamps the wall clock between and inside calls.

use panto_container::bytes::{u32_at, u64_at};
use panto_container::{Sound, checksum};

/// The length of a block's header, in bytes.
pub const HEADER: usize = 72;

const MARK: [u8; 4] = *b"PANb";
const HEADER_CHECK: std::ops::Range<usize> = 6..8;
const CHECKSUM: std::ops::Range<usize> = 12..16;
const SECTIONS: usize = 6;

/// The number of varying parts that share a mask of those that differ: as many as fit a varint of
/// one byte.
pub const GROUP: usize = 7;

/// The shortest section, in bytes, for which packing is worth its time.
const WORTH_PACKING: usize = 64;

/// What a block holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockKind {
    Metadata,
    Events,
    End,
    Index,
}

/// Positions of the sections of a block of events.
pub mod section {
    pub const DEFINITIONS: usize = 0;
    pub const IDS: usize = 1;
    pub const VALUES: usize = 2;
    pub const BEFORE: usize = 3;
    pub const GAPS: usize = 4;
    pub const INSIDE: usize = 5;
}

/// A block's header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockHeader {
    pub kind: BlockKind,
    /// Whether the events of earlier blocks are dropped.
    pub drops: bool,
    pub events: u32,
    pub wall: u64,
    checksum: u32,
    lengths: [(u32, u32); SECTIONS],
}

/// The content of a block that is written.
pub struct Content<'a> {
    pub kind: BlockKind,
    pub drops: bool,
    pub events: u32,
    pub wall: u64,
    pub sections: [&'a [u8]; SECTIONS],
}

impl<'a> Content<'a> {
    /// A block with one section.
    pub fn single(kind: BlockKind, bytes: &'a [u8]) -> Self {
        Self { kind, drops: false, events: 0, wall: 0, sections: [bytes, &[], &[], &[], &[], &[]] }
    }

    /// Appends the block.
    pub fn seal(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.resize(start + HEADER, 0);
        let mut header = [0; HEADER];
        header[..4].copy_from_slice(&MARK);
        header[4] = self.kind as u8;
        header[5] = u8::from(self.drops);
        header[8..12].copy_from_slice(&self.events.to_le_bytes());
        header[16..24].copy_from_slice(&self.wall.to_le_bytes());
        for (place, bytes) in self.sections.iter().enumerate() {
            let stored = panto_container::section::pack(bytes, WORTH_PACKING, out);
            let at = 24 + 8 * place;
            header[at..at + 4].copy_from_slice(&(bytes.len() as u32).to_le_bytes());
            header[at + 4..at + 8].copy_from_slice(&(stored as u32).to_le_bytes());
        }
        let check = header_check(&header);
        header[HEADER_CHECK].copy_from_slice(&check);
        out[start..start + HEADER].copy_from_slice(&header);
        let check = checksum(&[&out[start..]]);
        out[start..][CHECKSUM].copy_from_slice(&check.to_le_bytes());
    }
}

/// Returns the header's checksum of 16 bits. Lengths lead from block to block before anything else
/// is read, so the header is checked by itself.
fn header_check(bytes: &[u8; HEADER]) -> [u8; 2] {
    let mut bytes = *bytes;
    bytes[HEADER_CHECK].fill(0);
    bytes[CHECKSUM].fill(0);
    (checksum(&[&bytes]) as u16).to_le_bytes()
}

impl BlockHeader {
    /// Reads a header; returns what is wrong with it otherwise.
    pub fn parse(bytes: &[u8; HEADER]) -> Sound<Self> {
        if bytes[..4] != MARK {
            return Err("no block begins here");
        }
        if bytes[HEADER_CHECK] != header_check(bytes) {
            return Err("the checksum of a block's header does not match");
        }
        let kind = match bytes[4] {
            0 => BlockKind::Metadata,
            1 => BlockKind::Events,
            2 => BlockKind::End,
            3 => BlockKind::Index,
            _ => return Err("a block of an unknown kind"),
        };
        let lengths =
            std::array::from_fn(|place| (u32_at(bytes, 24 + 8 * place), u32_at(bytes, 28 + 8 * place)));
        let header = Self {
            kind,
            drops: bytes[5] & 1 != 0,
            events: u32_at(bytes, 8),
            wall: u64_at(bytes, 16),
            checksum: u32_at(bytes, CHECKSUM.start),
            lengths,
        };
        let is_possible = |(full, stored): &(u32, u32)| panto_container::section::is_possible(*full, *stored);
        if lengths.iter().all(is_possible) { Ok(header) } else { Err("a block with impossible lengths") }
    }

    /// Returns the length of what follows the header, in bytes.
    pub fn stored(&self) -> usize {
        self.lengths.iter().map(|(_, stored)| *stored as usize).sum()
    }

    /// Returns the length of a section, unpacked, in bytes.
    pub fn length(&self, place: usize) -> usize {
        self.lengths[place].0 as usize
    }

    /// Compares the checksum of the header and what follows it.
    pub fn check(&self, header: &[u8; HEADER], stored: &[u8]) -> Sound<()> {
        let mut header = *header;
        header[CHECKSUM].fill(0);
        if checksum(&[&header, stored]) == self.checksum {
            Ok(())
        } else {
            Err("the checksum does not match")
        }
    }

    /// Unpacks one section into a buffer, whose content is replaced.
    pub fn unpack(&self, stored: &[u8], place: usize, into: &mut Vec<u8>) -> Sound<()> {
        let start: usize = self.lengths[..place].iter().map(|(_, stored)| *stored as usize).sum();
        let (full, length) = self.lengths[place];
        let bytes = stored.get(start..start + length as usize).ok_or("a section is missing")?;
        panto_container::section::unpack(bytes, full as usize, into)
    }
}
