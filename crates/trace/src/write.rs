//! Writing a whole trace: streams of ranks one after the other, then the index.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::block::{BlockKind, Content};
use crate::error::{Error, Result};
use crate::facts::Facts;
use crate::stream::{self, Head, stream_start};
use crate::varint;

/// A whole trace that is being written, under another name until it is whole. What was there before stays if it fails.
pub struct WholeWriter {
    target: PathBuf,
    temporary: PathBuf,
    file: BufWriter<File>,
    place: u64,
    stream: u64,
    index: Vec<u8>,
}

impl WholeWriter {
    /// Begins one for so many ranks.
    pub fn create(target: &Path, ranks: u32, facts: &Facts) -> Result<Self> {
        let temporary = beside(target);
        let file =
            File::create(&temporary).map_err(|error| Error::Write { path: target.to_owned(), error })?;
        let mut writer = Self {
            target: target.to_owned(),
            temporary,
            file: BufWriter::new(file),
            place: 0,
            stream: 0,
            index: Vec::new(),
        };
        writer.write(&stream_start(Head { is_whole: true, rank: 0, ranks }, facts))?;
        Ok(writer)
    }

    /// Appends bytes of the stream of a rank.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.place += bytes.len() as u64;
        self.file.write_all(bytes).map_err(|error| self.failed(error))
    }

    /// The next bytes begin a stream.
    pub fn begin_stream(&mut self) {
        self.stream = self.place;
    }

    /// The last bytes ended it.
    pub fn end_stream(&mut self) {
        varint::put(&mut self.index, self.stream);
        varint::put(&mut self.index, self.place - self.stream);
    }

    /// Writes the index, and gives the file its name.
    pub fn finish(mut self) -> Result<()> {
        let mut bytes = Vec::new();
        Content::single(BlockKind::Index, &self.index).seal(&mut bytes);
        bytes.extend(stream::tail(self.place));
        self.write(&bytes)?;
        let whole = self.file.flush().and_then(|()| self.file.get_ref().sync_all());
        whole.map_err(|error| self.failed(error))?;
        std::fs::rename(&self.temporary, &self.target).map_err(|error| self.failed(error))
    }

    fn failed(&self, error: io::Error) -> Error {
        Error::Write { path: self.target.clone(), error }
    }
}

impl Drop for WholeWriter {
    /// After a success there is nothing to remove, after a failure nothing to keep.
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.temporary);
    }
}

/// A hidden name in the same folder: renaming cannot cross file systems.
fn beside(target: &Path) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    target.with_file_name(format!(".{name}.{}.part", std::process::id()))
}
