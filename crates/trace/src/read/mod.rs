//! Reading a trace, its ranks and their events, block by block, so that memory does not grow with
//! the trace.

mod column;
mod events;
mod rank;
mod trace;

pub use events::{Event, Events, Repetitions, Sequence, Stamps};
pub(crate) use rank::Place;
pub use rank::RankTrace;
pub use trace::Trace;

use std::borrow::Cow;
use std::path::Path;

use panto_container::Damage;

use crate::error::{Error, Result};

/// A file that many readers share, with the errors of this crate.
#[derive(Debug, Clone)]
pub(crate) struct Source(panto_container::Source);

impl Source {
    pub fn open(path: &Path) -> Result<Self> {
        panto_container::Source::open(path).map(Self).map_err(|error| Error::io(path, error))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn length(&self) -> u64 {
        self.0.length()
    }

    /// Fills a buffer; returns false if the file ends before it is full.
    pub fn read(&self, buffer: &mut [u8], place: u64) -> Result<bool> {
        self.0.read(buffer, place).map_err(|error| Error::io(self.path(), error))
    }

    pub fn damaged(&self, rank: Option<u32>, place: u64, reason: impl Into<Cow<'static, str>>) -> Error {
        let (path, reason) = (self.path().to_owned(), reason.into());
        Error::Damaged(Damage { path, rank, offset: place, reason })
    }
}
