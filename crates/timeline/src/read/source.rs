//! The file that is read, block by block.

use std::path::Path;

use panto_container::Damage;

use crate::block::{HEADER, Header};
use crate::error::{Error, Result};

/// The file that is read.
#[derive(Debug)]
pub struct Source(panto_container::Source);

impl Source {
    /// Opens a file that can be read at any offset.
    pub fn open(path: &Path) -> Result<Self> {
        let metadata = std::fs::metadata(path).map_err(|error| Error::io(path, error))?;
        if !metadata.is_file() {
            // Checked before it is opened: opening a named pipe blocks until there is a writer.
            return Err(Error::NotATimeline { path: path.to_owned() });
        }
        panto_container::Source::open(path).map(Self).map_err(|error| Error::io(path, error))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Returns the length that the file had when it was opened.
    pub fn length(&self) -> u64 {
        self.0.length()
    }

    /// Fills a buffer; returns false if the file ends before it is full.
    pub fn read(&self, buffer: &mut [u8], place: u64) -> Result<bool> {
        self.0.read(buffer, place).map_err(|error| Error::io(self.path(), error))
    }

    /// Returns the header of the block at an offset, if all of the block is there.
    pub fn header(&self, place: u64) -> Result<Header> {
        let mut bytes = [0; HEADER];
        if !self.read(&mut bytes, place)? {
            return Err(self.incomplete(place));
        }
        let header = Header::parse(&bytes).map_err(|what| self.damaged(place, what))?;
        let end = place.checked_add(header.length());
        if end.is_some_and(|end| end <= self.length()) { Ok(header) } else { Err(self.incomplete(place)) }
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

    pub fn damaged(&self, place: u64, reason: &'static str) -> Error {
        let (path, reason) = (self.path().to_owned(), reason.into());
        Error::Damaged(Damage { path, rank: None, offset: place, reason })
    }

    pub fn incomplete(&self, place: u64) -> Error {
        Error::Incomplete { path: self.path().to_owned(), place }
    }
}

/// Buffers into which blocks are read, one after the other.
#[derive(Debug, Default)]
pub struct Buffers {
    stored: Vec<u8>,
    /// The payload of the last block.
    pub payload: Vec<u8>,
}
