//! The file that is read. Not mapped into memory: a file that shrinks meanwhile would kill the reader.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::block::{HEADER, Header};
use crate::error::{Error, Result};

/// The file that is read.
#[derive(Debug)]
pub struct Source {
    path: PathBuf,
    file: File,
    length: u64,
}

impl Source {
    /// Opens a file; one that cannot be read at any place is none.
    pub fn open(path: &Path) -> Result<Self> {
        let about = std::fs::metadata(path).map_err(|error| Error::io(path, error))?;
        if !about.is_file() {
            // Before it is opened: a named pipe would wait for a writer.
            return Err(Error::NotATimeline { path: path.to_owned() });
        }
        let file = File::open(path).map_err(|error| Error::io(path, error))?;
        Ok(Self { path: path.to_owned(), file, length: about.len() })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How long the file was when it was opened.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Fills a buffer; false if the file ends before.
    pub fn read(&self, buffer: &mut [u8], place: u64) -> Result<bool> {
        if self.length.checked_sub(place).is_none_or(|left| left < buffer.len() as u64) {
            return Ok(false);
        }
        match self.file.read_exact_at(buffer, place) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(false),
            Err(error) => Err(Error::io(&self.path, error)),
        }
    }

    /// The header of the block at this place, if all of the block is there.
    pub fn header(&self, place: u64) -> Result<Header> {
        let mut bytes = [0; HEADER];
        if !self.read(&mut bytes, place)? {
            return Err(self.incomplete(place));
        }
        let header = Header::parse(&bytes).map_err(|what| self.damaged(place, what))?;
        let end = place.checked_add(header.length());
        if end.is_some_and(|end| end <= self.length) { Ok(header) } else { Err(self.incomplete(place)) }
    }

    /// Reads the payload of a block.
    pub fn payload(&self, place: u64, header: &Header, buffers: &mut Buffers) -> Result<()> {
        let Buffers { stored, payload } = buffers;
        stored.resize((header.length() - HEADER as u64) as usize, 0);
        if !self.read(stored, place + HEADER as u64)? {
            return Err(self.incomplete(place));
        }
        header.unpack(stored, payload).map_err(|what| self.damaged(place, what))
    }

    pub fn damaged(&self, place: u64, what: &'static str) -> Error {
        Error::Damaged { path: self.path.clone(), place, what }
    }

    pub fn incomplete(&self, place: u64) -> Error {
        Error::Incomplete { path: self.path.clone(), place }
    }
}

/// What blocks are read into, one after the other.
#[derive(Debug, Default)]
pub struct Buffers {
    stored: Vec<u8>,
    /// The payload of the last block.
    pub payload: Vec<u8>,
}
