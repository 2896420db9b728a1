//! The container under traces and timelines.
//!
//! Both formats are a sequence of checksummed *blocks* between a *head* and a *tail*:
//!
//! ```text
//! +------+-------+-------+-- ... --+-------+-------+------+
//! | head | block | block |         | block | index | tail |
//! | 32 B |       |       |         |       |       | 16 B |
//! +------+-------+-------+-- ... --+-------+-------+------+
//! ```
//!
//! The head names the format and its version ([`Format`]). A block is written at once, checked at
//! once and lost at once: its header has a checksum of its own, because lengths lead from block to
//! block before anything else is read, and its sections are packed by LZ4 where that makes them
//! shorter ([`section`]). The tail holds the offset of the index, which is a block too. A file
//! without a tail was not written to its end; its blocks are found one after the other.
//!
//! What a block's header holds differs between the formats and is defined by them; this crate has
//! what they share: the head and tail, packing, checksums, variable-length numbers ([`varint`]),
//! the file as readers see it ([`Source`]), output files that are complete or absent
//! ([`OutputFile`], [`OutputFolder`]) and the report of damage ([`Damage`]).
//!
//! Files of JSON Lines (results, sweeps) share the checksum of a [`mod@line`].
//!
//! Invariants: all numbers are little-endian, no section is longer than [`section::MAX_BYTES`], and
//! nothing that a file says makes a reader allocate more than that or panic.

#![forbid(unsafe_code)]

pub mod bytes;
mod damage;
mod format;
pub mod line;
mod output;
pub mod section;
mod source;
mod temporary;
pub mod varint;

pub use damage::{Damage, Sound};
pub use format::{Format, HEAD, HeadError, TAIL};
pub use output::{
    CompleteFile, OutputFile, UNFINISHED_EXTENSION, remove_unfinished_and_exit, replace, replace_name,
};
pub use source::Source;
pub use temporary::{OutputFolder, TemporaryFolder};

/// Returns the CRC-32 (IEEE) of the parts, one after the other.
#[inline]
pub fn checksum(parts: &[&[u8]]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    for part in parts {
        hasher.update(part);
    }
    hasher.finalize()
}
