//! The anchor file of an archive.

use std::path::{Path, PathBuf};

use super::super::decode::Fields;
use super::super::kinds::{ByteOrder, CHUNK_BYTES, COMPRESSION_NONE, MAGIC, SUBSTRATE_POSIX};
use super::super::{ANCHOR, recognises};
use crate::error::{Error, Result};

/// What the anchor file says about the other files.
#[derive(Debug)]
pub struct Anchor {
    /// The file without its extension: the folder of the locations' files.
    stem: PathBuf,
    pub event_chunk: usize,
    pub definition_chunk: usize,
}

impl Anchor {
    /// Reads the anchor of an archive that is named by its anchor file or by its folder.
    pub fn find(path: &Path) -> Result<Self> {
        let file = if path.is_dir() { path.join(ANCHOR) } else { path.to_owned() };
        let bytes = std::fs::read(&file).map_err(|error| Error::file(&file, error))?;
        let invalid = |text: &str| Error::Usage(format!("{}: {text}", file.display()));
        if !recognises(&bytes) {
            return Err(invalid("not the anchor file of an OTF2 archive, which is named traces.otf2"));
        }
        let order = ByteOrder::of(bytes[1]).unwrap_or(ByteOrder::Little);
        let head = Head::take(Fields::new(&bytes[2 + MAGIC.len()..], order));
        let head = head.ok_or_else(|| invalid("the anchor file is incomplete; copy the archive again"))?;
        if head.substrate != SUBSTRATE_POSIX {
            return Err(invalid(
                "the archive is in a SION container; write it again with one file for each location",
            ));
        }
        if head.compression != COMPRESSION_NONE {
            return Err(invalid("the archive is compressed; write it again without compression"));
        }
        let chunk = |bytes: u64| {
            let bytes = CHUNK_BYTES.contains(&bytes).then_some(bytes as usize);
            bytes.ok_or_else(|| invalid("the anchor file has an impossible size of chunks"))
        };
        let (event_chunk, definition_chunk) = (chunk(head.event_chunk)?, chunk(head.definition_chunk)?);
        Ok(Self { stem: file.with_extension(""), event_chunk, definition_chunk })
    }

    /// Returns the file of the global definitions.
    pub fn definitions(&self) -> PathBuf {
        self.stem.with_extension("def")
    }

    /// Returns a location's file of events or local definitions.
    pub fn location(&self, location: u64, extension: &str) -> PathBuf {
        self.stem.join(format!("{location}.{extension}"))
    }
}

struct Head {
    event_chunk: u64,
    definition_chunk: u64,
    substrate: u8,
    compression: u8,
}

impl Head {
    fn take(mut fields: Fields<'_>) -> Option<Self> {
        // Versions of the anchor, of the trace format, and of the library (three numbers). All
        // later ones append.
        for _ in 0..5 {
            fields.u8()?;
        }
        Some(Self {
            event_chunk: fields.full_u64()?,
            definition_chunk: fields.full_u64()?,
            substrate: fields.u8()?,
            compression: fields.u8()?,
        })
    }
}
