//! Writing numbers, records and chunks.
//!
//! A chunk begins with a header and is filled with zeros, except for the last one. Files of events
//! are written piece by piece: thousands of locations are open at once, and what has not been
//! written yet is all that is in memory.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use super::kinds::{
    CHUNK_HEADER, END_OF_BUFFER, END_OF_CHUNK, END_OF_FILE, HEADER_BYTES, LITTLE_ENDIAN, TIMESTAMP,
};
use crate::error::{Error, Result};

/// Bytes of a timestamp with its kind.
const TIMESTAMP_BYTES: usize = 9;

/// Offset of the number of the last event in a header.
const LAST_EVENT: u64 = 10;

/// Appends a number without its leading zero bytes: their count, then the lowest byte first. Zero
/// and an undefined number are one byte.
pub fn put_u64(out: &mut Vec<u8>, value: u64) {
    if value == u64::MAX {
        out.push(0xff);
        return;
    }
    let length = 8 - value.leading_zeros() as usize / 8;
    out.push(length as u8);
    out.extend(&value.to_le_bytes()[..length]);
}

/// Appends a number of 32 bits, likewise.
pub fn put_u32(out: &mut Vec<u8>, value: u32) {
    put_u64(out, if value == u32::MAX { u64::MAX } else { value.into() });
}

/// Appends a text that ends with a zero; zeros in it are left out.
pub fn put_text(out: &mut Vec<u8>, text: &str) {
    out.extend(text.bytes().filter(|byte| *byte != 0));
    out.push(0);
}

/// Appends a record: its kind, its length, and its content.
pub fn put_record(out: &mut Vec<u8>, kind: u8, content: &[u8]) {
    out.push(kind);
    match u8::try_from(content.len()) {
        Ok(length) if length < u8::MAX => out.push(length),
        _ => {
            out.push(u8::MAX);
            out.extend((content.len() as u64).to_le_bytes());
        }
    }
    out.extend(content);
}

/// A file of chunks that is being written.
#[derive(Debug)]
pub struct ChunkFile {
    path: PathBuf,
    /// Bytes of a chunk.
    chunk: usize,
    /// What is not in the file yet.
    buffer: Vec<u8>,
    /// Bytes in the file.
    written: u64,
    /// Offset of the current chunk.
    start: u64,
    /// Events so far.
    events: u64,
    /// The time of the last event in the current chunk.
    time: Option<u64>,
    /// Numbers of last events to write into headers that are in the file: offset and number.
    late: Vec<(u64, u64)>,
}

impl ChunkFile {
    /// Begins a file. Nothing is written before [`write_buffer`](Self::write_buffer).
    pub fn new(path: PathBuf, chunk: usize) -> Self {
        let mut file = Self {
            path,
            chunk,
            buffer: Vec::new(),
            written: 0,
            start: 0,
            events: 0,
            time: None,
            late: Vec::new(),
        };
        file.header();
        file
    }

    /// Returns the number of bytes in memory.
    pub fn buffered(&self) -> usize {
        self.buffer.len()
    }

    /// Adds a definition. Fails if it is longer than a chunk.
    pub fn definition(&mut self, record: &[u8]) -> Result<()> {
        self.make_room(record.len())?;
        self.buffer.extend(record);
        Ok(())
    }

    /// Adds an event at a time that is not before that of the last one.
    pub fn event(&mut self, time: u64, record: &[u8]) -> Result<()> {
        self.make_room(TIMESTAMP_BYTES + record.len())?;
        if self.time != Some(time) {
            self.buffer.push(TIMESTAMP);
            self.buffer.extend(time.to_le_bytes());
            self.time = Some(time);
        }
        self.buffer.extend(record);
        self.events += 1;
        Ok(())
    }

    /// Writes what is in memory.
    pub fn write_buffer(&mut self) -> Result<()> {
        let failed = |error| Error::file(&self.path, error);
        let file = File::options().create(true).append(false).write(true).truncate(false).open(&self.path);
        let file = file.map_err(failed)?;
        file.write_all_at(&self.buffer, self.written).map_err(failed)?;
        self.written += self.buffer.len() as u64;
        for (offset, number) in self.late.drain(..) {
            file.write_all_at(&number.to_le_bytes(), offset).map_err(failed)?;
        }
        self.buffer.clear();
        Ok(())
    }

    /// Ends the file; returns the number of events.
    pub fn finish(mut self) -> Result<u64> {
        self.end_chunk();
        self.buffer.extend([END_OF_FILE, END_OF_BUFFER]);
        self.write_buffer()?;
        Ok(self.events)
    }

    fn make_room(&mut self, bytes: usize) -> Result<()> {
        // Each chunk keeps room for what ends it.
        let most = self.chunk - 2;
        if self.in_chunk() + bytes > most {
            if HEADER_BYTES + bytes > most {
                let text = format!("a record of {bytes} bytes does not fit into a chunk of {}", self.chunk);
                return Err(Error::Usage(format!("{}: {text}; export fewer ranks", self.path.display())));
            }
            self.end_chunk();
            let rest = self.chunk - self.in_chunk();
            self.buffer.resize(self.buffer.len() + rest, END_OF_CHUNK);
            self.start += self.chunk as u64;
            self.time = None;
            self.header();
        }
        Ok(())
    }

    fn in_chunk(&self) -> usize {
        (self.written + self.buffer.len() as u64 - self.start) as usize
    }

    fn header(&mut self) {
        self.buffer.extend([CHUNK_HEADER, LITTLE_ENDIAN]);
        self.buffer.extend((self.events + 1).to_le_bytes());
        self.buffer.extend(0_u64.to_le_bytes());
    }

    /// Writes the number of the last event into the header of the chunk.
    fn end_chunk(&mut self) {
        let offset = self.start + LAST_EVENT;
        match offset.checked_sub(self.written) {
            None => self.late.push((offset, self.events)),
            Some(place) => {
                let place = place as usize;
                self.buffer[place..place + 8].copy_from_slice(&self.events.to_le_bytes());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(value: u64) -> Vec<u8> {
        let mut out = Vec::new();
        put_u64(&mut out, value);
        out
    }

    #[test]
    fn numbers_have_no_leading_zeros() {
        assert_eq!(number(0), [0]);
        assert_eq!(number(255), [1, 255]);
        assert_eq!(number(256), [2, 0, 1]);
        assert_eq!(number(u64::MAX - 1), [8, 254, 255, 255, 255, 255, 255, 255, 255]);
        assert_eq!(number(u64::MAX), [255]);
        let mut out = Vec::new();
        put_u32(&mut out, u32::MAX);
        assert_eq!(out, [255]);
    }

    #[test]
    fn long_records_have_long_lengths() {
        let mut out = Vec::new();
        put_record(&mut out, 10, &[7; 254]);
        assert_eq!((out[1], out.len()), (254, 256));
        out.clear();
        put_record(&mut out, 10, &[7; 255]);
        assert_eq!((&out[1..10], out.len()), (&[255, 255, 0, 0, 0, 0, 0, 0, 0][..], 265));
    }
}
