//! The file as readers see it.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file that several readers share. It is not mapped into memory: a file that shrinks while it is
/// mapped kills the reader by SIGBUS.
#[derive(Debug, Clone)]
pub struct Source(Arc<Opened>);

#[derive(Debug)]
struct Opened {
    path: PathBuf,
    file: File,
    length: u64,
}

impl Source {
    /// Opens a file.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        Ok(Self(Arc::new(Opened { path: path.to_owned(), file, length })))
    }

    /// Returns the path by which the file was opened.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Returns the length that the file had when it was opened, in bytes.
    pub fn length(&self) -> u64 {
        self.0.length
    }

    /// Fills a buffer from an offset; returns false if the file ends before the buffer is full.
    pub fn read(&self, buffer: &mut [u8], offset: u64) -> io::Result<bool> {
        if self.length().checked_sub(offset).is_none_or(|left| left < buffer.len() as u64) {
            return Ok(false);
        }
        match self.0.file.read_exact_at(buffer, offset) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
            Err(error) => Err(error),
        }
    }
}
