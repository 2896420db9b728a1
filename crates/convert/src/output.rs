//! Output files that appear under their name only when complete, with the errors of this crate.

use std::fmt;
use std::io::Write;
use std::path::Path;

use panto_container::{CompleteFile, OutputFile};

use crate::error::{Error, Result};

/// A file that replaces another one when it is complete.
#[derive(Debug)]
pub struct Output(OutputFile);

impl Output {
    pub fn create(target: &Path) -> Result<Self> {
        OutputFile::create(target).map(Self).map_err(|error| Error::file(target, error))
    }

    pub fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.0.write_all(bytes).map_err(|error| Error::file(self.0.target(), error))
    }

    pub fn text(&mut self, text: fmt::Arguments<'_>) -> Result<()> {
        self.0.write_fmt(text).map_err(|error| Error::file(self.0.target(), error))
    }

    /// Writes the file down to the disk; it keeps its temporary name.
    pub fn complete(self) -> Result<CompleteFile> {
        let target = self.0.target().to_owned();
        self.0.complete().map_err(|error| Error::file(&target, error))
    }

    /// Renames a set of files after all of them have been written completely.
    pub fn finish(outputs: impl IntoIterator<Item = Self>) -> Result<()> {
        rename(outputs.into_iter().map(Self::complete).collect::<Result<Vec<_>>>()?)
    }
}

/// Gives complete files their final names.
pub fn rename(files: impl IntoIterator<Item = CompleteFile>) -> Result<()> {
    for file in files {
        let target = file.target().to_owned();
        file.rename().map_err(|error| Error::file(&target, error))?;
    }
    Ok(())
}
