//! The file, as it grows.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::block::{Kind, Outline, seal};
use crate::codec::{Columns, Frame, Record};
use crate::error::{Error, Result};
use crate::head::{FORMAT, Head, TAIL};
use crate::index::{self, Entry};
use crate::info::TimelineInfo;

/// Blocks per index, so that the index does not grow in memory with the file.
const CHAPTER: usize = 1 << 14;

/// The file, as it grows.
#[derive(Debug)]
pub struct Out {
    path: PathBuf,
    file: File,
    place: u64,
    entries: Vec<Entry>,
    /// The length of the shortest file that readers accept, in bytes.
    least_bytes: u64,
    /// The offset of the first entry's block.
    start: u64,
    last_index: Option<u64>,
    columns: Columns,
    payload: Vec<u8>,
    sealed: Vec<u8>,
}

impl Out {
    pub fn create(path: &Path, head: Head, about: &TimelineInfo) -> Result<Self> {
        let written = |error| Error::Write { path: path.to_owned(), error };
        let mut payload = Vec::new();
        about.put(&mut payload);
        let mut start = head.to_bytes().to_vec();
        seal(&Outline::of(Kind::Info, 0), &payload, &mut start).ok_or_else(|| Error::Unfit {
            path: path.to_owned(),
            reason: "facts and names of more than 64 MiB; give it fewer, or shorter ones".into(),
        })?;
        let mut file = File::create(path).map_err(written)?;
        file.write_all(&start).map_err(written)?;
        let place = start.len() as u64;
        Ok(Self {
            path: path.to_owned(),
            file,
            place,
            entries: Vec::new(),
            least_bytes: head.least_bytes(),
            start: place,
            last_index: None,
            columns: Columns::default(),
            payload: Vec::new(),
            sealed: Vec::new(),
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the length of the file, in bytes.
    pub fn place(&self) -> u64 {
        self.place
    }

    /// Appends a block of records, which are in the order of their ranks.
    pub fn append<R: Record>(&mut self, band: u32, ranks: std::ops::Range<u32>, records: &[R]) -> Result<()> {
        let spans = records.iter().map(R::span);
        let (first, last) = spans.fold((u64::MAX, 0), |all, one| (all.0.min(one.0), all.1.max(one.1)));
        let count = records.len() as u32;
        R::encode(records, &Frame { ranks, count, first, last }, &mut self.columns);
        self.payload.clear();
        self.columns.join(&mut self.payload);
        let outline = Outline { kind: R::KIND, band, count, first, last };
        let place = self.place;
        self.write(&outline)?;
        self.entries.push(Entry { outline, place, length: self.place - place });
        if self.entries.len() >= CHAPTER { self.write_index() } else { Ok(()) }
    }

    /// Writes the last index and the tail. If most ranks did nothing, empty indexes make the file
    /// as long as readers require for this number of ranks.
    pub fn end(&mut self) -> Result<()> {
        self.write_index()?;
        while self.place + (TAIL as u64) < self.least_bytes {
            self.write_index()?;
        }
        self.sealed.clear();
        self.sealed.extend(FORMAT.tail(self.last_index.unwrap_or_default()));
        self.write_sealed()
    }

    fn write_index(&mut self) -> Result<()> {
        self.payload.clear();
        index::put(self.last_index, self.start, &self.entries, &mut self.payload);
        self.last_index = Some(self.place);
        self.write(&Outline::of(Kind::Index, self.entries.len() as u32))?;
        self.entries.clear();
        self.start = self.place;
        Ok(())
    }

    /// Writes a block with the content of `payload`.
    fn write(&mut self, outline: &Outline) -> Result<()> {
        self.sealed.clear();
        seal(outline, &self.payload, &mut self.sealed).expect("blocks of records are small");
        self.write_sealed()
    }

    fn write_sealed(&mut self) -> Result<()> {
        let written = self.file.write_all(&self.sealed);
        written.map_err(|error| Error::Write { path: self.path.clone(), error })?;
        self.place += self.sealed.len() as u64;
        Ok(())
    }
}
