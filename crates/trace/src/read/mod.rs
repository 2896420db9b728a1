//! Reading: a trace, its ranks, their events; block by block, so that memory does not grow with the trace.

mod column;
mod events;
mod rank;
mod whole;

pub use events::{Event, Events, Stamps};
pub(crate) use rank::Place;
pub use rank::RankTrace;
pub use whole::Trace;

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::{Error, Result};

/// A file that many readers share. Not mapped into memory: a file that shrinks meanwhile would kill the reader.
#[derive(Debug, Clone)]
pub(crate) struct Source(Arc<(PathBuf, File, u64)>);

impl Source {
    pub fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(|error| Error::io(path, error))?;
        let length = file.metadata().map_err(|error| Error::io(path, error))?.len();
        Ok(Self(Arc::new((path.to_owned(), file, length))))
    }

    pub fn path(&self) -> &Path {
        &self.0.0
    }

    pub fn length(&self) -> u64 {
        self.0.2
    }

    /// Fills a buffer; false if the file ends before.
    pub fn read(&self, buffer: &mut [u8], place: u64) -> Result<bool> {
        if self.length().checked_sub(place).is_none_or(|left| left < buffer.len() as u64) {
            return Ok(false);
        }
        match self.0.1.read_exact_at(buffer, place) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(false),
            Err(error) => Err(Error::io(self.path(), error)),
        }
    }

    pub fn damaged(&self, rank: Option<u32>, place: u64, what: impl Into<String>) -> Error {
        Error::Damaged { path: self.path().to_owned(), rank, place, what: what.into() }
    }
}
