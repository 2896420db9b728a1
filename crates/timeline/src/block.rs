//! Blocks: what is written at once, checked at once, and lost at once.
//!
//! ```text
//! byte  0  mark, "PTLb"
//!       4  kind: 0 about, 1 states, 2 messages, 3 index (1)
//!       5  zero (3)
//!       8  the band (4)
//!      12  how many states, messages or blocks (4)
//!      16  the first moment, picoseconds (8)
//!      24  the last moment (8)
//!      32  the length of the payload, unpacked (4)
//!      36  its length as stored (4)
//!      40  CRC-32 of the payload as stored (4)
//!      44  CRC-32 of bytes 0 to 43 (4)
//!      48  the payload, packed by LZ4 if its two lengths differ
//! ```

/// The length of a block's header.
pub const HEADER: usize = 48;

const MARK: [u8; 4] = *b"PTLb";

/// No payload is longer, and so no file makes a reader take more memory.
pub const MOST_BYTES: usize = 1 << 26;

/// No block holds more states or messages.
pub const MOST_RECORDS: u32 = 1 << 16;

/// Below this length packing is not worth its time.
const WORTH_PACKING: usize = 32;

/// What a block holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    About,
    States,
    Messages,
    Index,
}

impl Kind {
    pub fn from_number(number: u64) -> Option<Self> {
        [Self::About, Self::States, Self::Messages, Self::Index].get(usize::try_from(number).ok()?).copied()
    }
}

/// What a block is of: all of its header that does not follow from its payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outline {
    pub kind: Kind,
    pub band: u32,
    pub count: u32,
    pub first: u64,
    pub last: u64,
}

impl Outline {
    /// That of a block without ranks and times.
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
    if payload.len() > MOST_BYTES {
        return None;
    }
    let start = out.len();
    out.resize(start + HEADER, 0);
    pack(payload, out);
    let stored = &out[start + HEADER..];
    let header = Header {
        outline: *outline,
        full: payload.len() as u32,
        stored: stored.len() as u32,
        checksum: crc32fast::hash(stored),
    };
    out[start..start + HEADER].copy_from_slice(&header.to_bytes());
    Some(())
}

/// Appends bytes, packed if that makes them fewer.
fn pack(bytes: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    if bytes.len() >= WORTH_PACKING {
        out.resize(start + lz4_flex::block::get_maximum_output_size(bytes.len()), 0);
        match lz4_flex::block::compress_into(bytes, &mut out[start..]) {
            Ok(length) if length < bytes.len() => return out.truncate(start + length),
            _ => out.truncate(start),
        }
    }
    out.extend_from_slice(bytes);
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
        let check = crc32fast::hash(&bytes[..44]);
        bytes[44..].copy_from_slice(&check.to_le_bytes());
        bytes
    }

    /// Reads a header; what is wrong with it otherwise.
    pub fn parse(bytes: &[u8; HEADER]) -> Result<Self, &'static str> {
        let number = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let long = |at: usize| u64::from(number(at)) | u64::from(number(at + 4)) << 32;
        if bytes[..4] != MARK {
            return Err("no block begins here");
        }
        if number(44) != crc32fast::hash(&bytes[..44]) {
            return Err("the checksum of a block's header does not fit");
        }
        let kind = Kind::from_number(u64::from(bytes[4])).filter(|_| bytes[5..8] == [0; 3]);
        let outline = Outline {
            kind: kind.ok_or("a block of an unknown kind")?,
            band: number(8),
            count: number(12),
            first: long(16),
            last: long(24),
        };
        let header = Self { outline, full: number(32), stored: number(36), checksum: number(40) };
        let is_sound = header.full as usize <= MOST_BYTES && header.stored <= header.full;
        if is_sound { Ok(header) } else { Err("a block with impossible lengths") }
    }

    /// The length of the whole block.
    pub fn length(&self) -> u64 {
        HEADER as u64 + u64::from(self.stored)
    }

    /// Checks and unpacks the payload into a buffer.
    pub fn unpack(&self, stored: &[u8], into: &mut Vec<u8>) -> Result<(), &'static str> {
        if crc32fast::hash(stored) != self.checksum || stored.len() != self.stored as usize {
            return Err("the checksum of a block does not fit");
        }
        into.clear();
        if self.full == self.stored {
            into.extend_from_slice(stored);
            return Ok(());
        }
        into.resize(self.full as usize, 0);
        match lz4_flex::block::decompress_into(stored, into) {
            Ok(unpacked) if unpacked == self.full as usize => Ok(()),
            _ => Err("a block cannot be unpacked"),
        }
    }
}
