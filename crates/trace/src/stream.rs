//! The beginning and the end of a stream or file.
//!
//! ```text
//! byte  0  "PANTO-TR"
//!       8  version: 1, or 2 with call sites (4)
//!      12  0 the stream of a rank, 1 a file of all ranks (4)
//!      16  the rank; 0 in a file of all ranks (4)
//!      20  the number of ranks (4)
//!      24  CRC-32 of bytes 0 to 23 (4)
//!      28  zero (4)
//! ```
//!
//! The head of a stream is followed by a block of metadata, blocks of events, and a block that ends
//! it, with the metadata that are known only then. The head of a file of all ranks is followed by a
//! block of metadata, the streams of its ranks as they are, a block with the index (the offset and
//! the length of each stream, as varints), the offset of that block (8 bytes) and "PANTOEND".

pub use panto_container::{HEAD, HeadError, TAIL};

use panto_container::Format;

use crate::block::{BlockKind, Content};
use crate::metadata::Metadata;

/// The newest version of the format.
pub const VERSION: u32 = 2;

/// The version of files without call sites, which earlier versions of Panto read.
const WITHOUT_CALL_SITES: u32 = 1;

/// The format of traces.
pub const FORMAT: Format = Format { magic: *b"PANTO-TR", tail_magic: *b"PANTOEND", version: VERSION };

/// The head of a stream or file: what it says beside the magic number, the version and the
/// checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// Whether the file holds the streams of all ranks.
    pub is_whole: bool,
    /// The rank whose stream it is; 0 in a file of all ranks.
    pub rank: u32,
    /// The number of ranks of the program.
    pub ranks: u32,
    /// Whether it may have call sites, which version 2 of the format has.
    pub has_call_sites: bool,
}

impl Head {
    pub(crate) fn to_bytes(self) -> [u8; HEAD] {
        let version = if self.has_call_sites { VERSION } else { WITHOUT_CALL_SITES };
        Format { version, ..FORMAT }.head([u32::from(self.is_whole), self.rank, self.ranks])
    }

    pub(crate) fn parse(bytes: &[u8; HEAD]) -> Result<Self, HeadError> {
        let earlier = Format { version: WITHOUT_CALL_SITES, ..FORMAT };
        let has_call_sites = earlier.parse_head(bytes) == Err(HeadError::Version(VERSION));
        match FORMAT.parse_head(bytes)? {
            [kind @ (0 | 1), rank, ranks] => Ok(Self { is_whole: kind == 1, rank, ranks, has_call_sites }),
            _ => Err(HeadError::Damaged),
        }
    }
}

/// Returns the first bytes of a stream or file.
pub fn stream_start(head: Head, facts: &Metadata) -> Vec<u8> {
    let mut out = head.to_bytes().to_vec();
    Content::single(BlockKind::Metadata, facts.to_text().as_bytes()).seal(&mut out);
    out
}

/// Returns the last bytes of a stream.
pub fn stream_end(facts: &Metadata) -> Vec<u8> {
    let mut out = Vec::new();
    Content::single(BlockKind::End, facts.to_text().as_bytes()).seal(&mut out);
    out
}
