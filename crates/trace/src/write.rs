//! Writing a trace of all ranks: their streams one after the other, then the index.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::block::{BlockKind, Content};
use crate::error::{Error, Result};
use crate::metadata::Metadata;
use crate::read::Trace;
use crate::stream::{FORMAT, Head, stream_start};
use panto_container::{OutputFile, varint};

/// A trace that is being written. It has a temporary name until it is complete; a file of the final
/// name is kept if writing fails.
pub struct TraceWriter {
    target: PathBuf,
    file: OutputFile,
    place: u64,
    stream: u64,
    index: Vec<u8>,
}

impl TraceWriter {
    /// Creates a trace with this number of ranks, without call sites.
    pub fn create(target: &Path, ranks: u32, facts: &Metadata) -> Result<Self> {
        Self::begin(target, Head { is_whole: true, rank: 0, ranks, has_call_sites: false }, facts)
    }

    /// Creates a trace of the ranks of another one, with the same kinds of definitions.
    pub fn create_like(trace: &Trace, target: &Path, facts: &Metadata) -> Result<Self> {
        let (ranks, has_call_sites) = (trace.size(), trace.has_call_sites());
        Self::begin(target, Head { is_whole: true, rank: 0, ranks, has_call_sites }, facts)
    }

    fn begin(target: &Path, head: Head, facts: &Metadata) -> Result<Self> {
        let file =
            OutputFile::create(target).map_err(|error| Error::Write { path: target.to_owned(), error })?;
        let mut writer = Self { target: target.to_owned(), file, place: 0, stream: 0, index: Vec::new() };
        writer.write(&stream_start(head, facts))?;
        Ok(writer)
    }

    /// Appends bytes of the stream of a rank.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.place += bytes.len() as u64;
        self.file.write_all(bytes).map_err(|error| self.failed(error))
    }

    /// Appends the whole stream of a rank.
    pub fn add(&mut self, stream: &[u8]) -> Result<()> {
        self.begin_stream();
        self.write(stream)?;
        self.end_stream();
        Ok(())
    }

    /// The next bytes begin a stream.
    pub fn begin_stream(&mut self) {
        self.stream = self.place;
    }

    /// The stream ends here.
    pub fn end_stream(&mut self) {
        varint::put(&mut self.index, self.stream);
        varint::put(&mut self.index, self.place - self.stream);
    }

    /// Writes the index and renames the file to its final name.
    pub fn finish(mut self) -> Result<()> {
        let mut bytes = Vec::new();
        Content::single(BlockKind::Index, &self.index).seal(&mut bytes);
        bytes.extend(FORMAT.tail(self.place));
        self.write(&bytes)?;
        let Self { target: path, file, .. } = self;
        file.finish().map_err(|error| Error::Write { path, error })
    }

    fn failed(&self, error: io::Error) -> Error {
        Error::Write { path: self.target.clone(), error }
    }
}
