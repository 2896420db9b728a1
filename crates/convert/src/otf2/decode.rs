//! Reading numbers, records and chunks.
//!
//! A file is read chunk by chunk, so that memory does not grow with it. Nothing that a file says
//! makes the reader panic, or allocate more than the largest chunk.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::kinds::{
    ByteOrder, CHUNK_HEADER, END_OF_BUFFER, END_OF_CHUNK, END_OF_FILE, HEADER_BYTES, TIMESTAMP, event,
};
use crate::error::{Error, Result};

/// The content of a record: numbers and texts, one after the other.
#[derive(Debug, Clone, Copy)]
pub struct Fields<'a> {
    bytes: &'a [u8],
    order: ByteOrder,
}

impl<'a> Fields<'a> {
    pub fn new(bytes: &'a [u8], order: ByteOrder) -> Self {
        Self { bytes, order }
    }

    /// Returns whether nothing is left: later versions append fields.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub fn u8(&mut self) -> Option<u8> {
        let (byte, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(*byte)
    }

    /// Takes a number that is stored without its leading zeros.
    pub fn u64(&mut self) -> Option<u64> {
        match self.u8()? {
            0xff => Some(u64::MAX),
            length @ 0..=8 => self.number(usize::from(length)),
            _ => None,
        }
    }

    pub fn u32(&mut self) -> Option<u32> {
        match self.u64()? {
            u64::MAX => Some(u32::MAX),
            number => u32::try_from(number).ok(),
        }
    }

    /// Takes a number of all its eight bytes.
    pub fn full_u64(&mut self) -> Option<u64> {
        self.number(8)
    }

    /// Takes a text up to its zero. Bytes that are not UTF-8 are replaced.
    pub fn text(&mut self) -> Option<String> {
        let end = self.bytes.iter().position(|byte| *byte == 0)?;
        let text = String::from_utf8_lossy(&self.bytes[..end]).into_owned();
        self.bytes = &self.bytes[end + 1..];
        Some(text)
    }

    fn number(&mut self, length: usize) -> Option<u64> {
        let (taken, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        let join = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        Some(match self.order {
            ByteOrder::Little => taken.iter().rev().fold(0, join),
            ByteOrder::Big => taken.iter().fold(0, join),
        })
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        Some(taken)
    }
}

/// A record.
#[derive(Debug, Clone, Copy)]
pub struct Record<'a> {
    pub kind: u8,
    /// The time of an event, by the location's clock.
    pub time: u64,
    /// Where it begins, in bytes from the beginning of the file.
    pub offset: u64,
    pub fields: Fields<'a>,
}

/// A file of records.
#[derive(Debug)]
pub struct RecordFile {
    path: PathBuf,
    file: File,
    /// Bytes of the file.
    bytes: u64,
    /// Whether records are events, which have times.
    has_times: bool,
    chunk_bytes: usize,
    chunk: Vec<u8>,
    order: ByteOrder,
    /// Offset of the chunk in the file.
    start: u64,
    /// Offset of the next record in the chunk.
    place: usize,
    time: u64,
}

impl RecordFile {
    pub fn open(path: &Path, chunk_bytes: usize, has_times: bool) -> Result<Self> {
        let opened = File::open(path).and_then(|file| Ok((file.metadata()?.len(), file)));
        let (bytes, file) = opened.map_err(|error| Error::file(path, error))?;
        let mut file = Self {
            path: path.to_owned(),
            file,
            bytes,
            has_times,
            chunk_bytes,
            chunk: Vec::new(),
            order: ByteOrder::Little,
            start: 0,
            place: 0,
            time: 0,
        };
        file.load()?;
        Ok(file)
    }

    /// Returns an error at an offset of this file.
    pub fn error(&self, offset: u64, text: &str) -> Error {
        let text = format!("{text}; copy the archive again from where it was written");
        Error::Binary { file: self.path.display().to_string(), offset, text }
    }

    /// Returns the next record; `None` at the end of the file.
    pub fn next(&mut self) -> Result<Option<Record<'_>>> {
        let (kind, offset) = loop {
            let offset = self.start + self.place as u64;
            let Some(&kind) = self.chunk.get(self.place) else {
                return Err(self.error(offset, "the file ends inside a chunk"));
            };
            self.place += 1;
            match kind {
                END_OF_FILE | END_OF_BUFFER => {
                    self.place -= 1;
                    return Ok(None);
                }
                END_OF_CHUNK => {
                    self.start += self.chunk_bytes as u64;
                    self.load()?;
                }
                TIMESTAMP if self.has_times => {
                    let mut fields = self.rest();
                    let Some(time) = fields.full_u64() else {
                        return Err(self.error(offset, "a timestamp is incomplete"));
                    };
                    (self.time, self.place) = (time, self.place + 8);
                }
                kind => break (kind, offset),
            }
        };
        let Some((skipped, length)) = self.length(kind) else {
            return Err(self.error(offset, "a record is longer than its chunk"));
        };
        let from = self.place + skipped;
        self.place = from + length;
        let fields = Fields::new(&self.chunk[from..self.place], self.order);
        Ok(Some(Record { kind, time: self.time, offset, fields }))
    }

    fn rest(&self) -> Fields<'_> {
        Fields::new(&self.chunk[self.place..], self.order)
    }

    /// Returns how many bytes the length of the next record takes, and the length.
    fn length(&self, kind: u8) -> Option<(usize, usize)> {
        let mut fields = self.rest();
        let first = fields.u8()?;
        let (skipped, length) = if self.has_times && event::is_one_number(kind) {
            (0, if first == 0xff { 1 } else { 1 + usize::from(first) })
        } else if first == 0xff {
            (9, usize::try_from(fields.full_u64()?).ok()?)
        } else {
            (1, usize::from(first))
        };
        let mut all = self.rest();
        all.take(skipped)?;
        all.take(length)?;
        Some((skipped, length))
    }

    /// Reads the chunk that begins at `start`.
    fn load(&mut self) -> Result<()> {
        let left = self.bytes.saturating_sub(self.start).min(self.chunk_bytes as u64);
        self.chunk.resize(left as usize, 0);
        let mut length = 0;
        while length < self.chunk.len() {
            match self.file.read_at(&mut self.chunk[length..], self.start + length as u64) {
                Ok(0) => break,
                Ok(more) => length += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::file(&self.path, error)),
            }
        }
        self.chunk.truncate(length);
        let order = match self.chunk[..] {
            [CHUNK_HEADER, order, ..] if length >= HEADER_BYTES => ByteOrder::of(order),
            _ => None,
        };
        self.order = order.ok_or_else(|| self.error(self.start, "no chunk begins here"))?;
        self.place = HEADER_BYTES;
        Ok(())
    }
}
