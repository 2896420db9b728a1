//! Blocks: what is written at once, checked at once, and lost at once.
//!
//! ```text
//! byte  0  mark, "PANb"
//!       4  kind: 0 facts, 1 events, 2 end, 3 index
//!       5  flags: 1 what came before is dropped (except definitions)
//!       6  check of the header: the lower half of its CRC-32, counting this and the other checksum as zero (2 bytes)
//!       8  number of events (4)
//!      12  CRC-32 of the whole block, counting these four bytes as zero (4)
//!      16  wall clock at the beginning, nanoseconds (8)
//!      24  six sections, each: length (4), length as stored (4); equal if it is not packed
//!      72  the sections' bytes, one after the other; packed ones by LZ4
//! ```
//!
//! All numbers are little-endian.

/// The length of a block's header.
pub const HEADER: usize = 72;

const MARK: [u8; 4] = *b"PANb";
const HEADER_CHECK: std::ops::Range<usize> = 6..8;
const CHECKSUM: std::ops::Range<usize> = 12..16;
const SECTIONS: usize = 6;

/// No section is longer, and so no file makes a reader take more memory.
pub const MOST_BYTES: usize = 1 << 26;

/// Below this length packing is not worth its time.
const WORTH_PACKING: usize = 64;

/// What a block holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockKind {
    Facts,
    Events,
    End,
    Index,
}

/// Names for the sections of a block of events.
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
    /// Events of earlier blocks do not count any more.
    pub drops: bool,
    pub events: u32,
    pub wall: u64,
    checksum: u32,
    lengths: [(u32, u32); SECTIONS],
}

/// What is written into a block.
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
            let stored = pack(bytes, out);
            let at = 24 + 8 * place;
            header[at..at + 4].copy_from_slice(&(bytes.len() as u32).to_le_bytes());
            header[at + 4..at + 8].copy_from_slice(&(stored as u32).to_le_bytes());
        }
        let check = header_check(&header);
        header[HEADER_CHECK].copy_from_slice(&check);
        out[start..start + HEADER].copy_from_slice(&header);
        let checksum = crc32fast::hash(&out[start..]);
        out[start..][CHECKSUM].copy_from_slice(&checksum.to_le_bytes());
    }
}

/// Appends bytes, packed if that makes them fewer; answers how many.
fn pack(bytes: &[u8], out: &mut Vec<u8>) -> usize {
    let start = out.len();
    if bytes.len() >= WORTH_PACKING {
        out.resize(start + lz4_flex::block::get_maximum_output_size(bytes.len()), 0);
        match lz4_flex::block::compress_into(bytes, &mut out[start..]) {
            Ok(length) if length < bytes.len() => {
                out.truncate(start + length);
                return length;
            }
            _ => out.truncate(start),
        }
    }
    out.extend_from_slice(bytes);
    bytes.len()
}

/// Lengths lead from block to block before anything else is read, so they have a check of their own.
fn header_check(bytes: &[u8; HEADER]) -> [u8; 2] {
    let mut bytes = *bytes;
    bytes[HEADER_CHECK].fill(0);
    bytes[CHECKSUM].fill(0);
    (crc32fast::hash(&bytes) as u16).to_le_bytes()
}

impl BlockHeader {
    /// Reads a header; what is wrong with it otherwise.
    pub fn parse(bytes: &[u8; HEADER]) -> Result<Self, &'static str> {
        if bytes[..4] != MARK {
            return Err("no block begins here");
        }
        if bytes[HEADER_CHECK] != header_check(bytes) {
            return Err("the check of a block's header does not fit");
        }
        let kind = match bytes[4] {
            0 => BlockKind::Facts,
            1 => BlockKind::Events,
            2 => BlockKind::End,
            3 => BlockKind::Index,
            _ => return Err("a block of an unknown kind"),
        };
        let number = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let lengths = std::array::from_fn(|place| (number(24 + 8 * place), number(28 + 8 * place)));
        let header = Self {
            kind,
            drops: bytes[5] & 1 != 0,
            events: number(8),
            wall: u64::from(number(16)) | u64::from(number(20)) << 32,
            checksum: number(CHECKSUM.start),
            lengths,
        };
        let sound = |(full, stored): &(u32, u32)| *full as usize <= MOST_BYTES && stored <= full;
        if lengths.iter().all(sound) { Ok(header) } else { Err("a block with impossible lengths") }
    }

    /// The length of what follows the header.
    pub fn stored(&self) -> usize {
        self.lengths.iter().map(|(_, stored)| *stored as usize).sum()
    }

    /// The length of a section, unpacked.
    pub fn length(&self, place: usize) -> usize {
        self.lengths[place].0 as usize
    }

    /// Compares the checksum of the header and what follows it.
    pub fn check(&self, header: &[u8; HEADER], stored: &[u8]) -> Result<(), &'static str> {
        let mut header = *header;
        header[CHECKSUM].fill(0);
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(&header);
        hasher.update(stored);
        if hasher.finalize() == self.checksum { Ok(()) } else { Err("the checksum does not fit") }
    }

    /// Unpacks one section into a buffer.
    pub fn unpack(&self, stored: &[u8], place: usize, into: &mut Vec<u8>) -> Result<(), &'static str> {
        let start: usize = self.lengths[..place].iter().map(|(_, stored)| *stored as usize).sum();
        let (full, length) = self.lengths[place];
        let bytes = stored.get(start..start + length as usize).ok_or("a section is missing")?;
        into.clear();
        if full == length {
            into.extend_from_slice(bytes);
            return Ok(());
        }
        into.resize(full as usize, 0);
        match lz4_flex::block::decompress_into(bytes, into) {
            Ok(unpacked) if unpacked == full as usize => Ok(()),
            _ => Err("a section cannot be unpacked"),
        }
    }
}
