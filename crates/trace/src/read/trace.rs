//! A trace: a file with all ranks, a rank's own file, or a folder of these.

use std::path::{Path, PathBuf};

use panto_container::{Sound, varint};

use super::Source;
use super::rank::{Place, RankTrace};
use crate::block::{BlockKind, HEADER};
use crate::error::{Error, Result};
use crate::metadata::{Metadata, key};
use crate::ranks::Ranks;
use crate::site::Places;
use crate::stream::{FORMAT, HEAD, Head, HeadError, TAIL};

/// The extension of ranks' own files: `3.rank`.
const RANK_FILE: &str = "rank";

/// A trace of a program: the streams of its ranks.
#[derive(Debug)]
pub struct Trace {
    path: PathBuf,
    metadata: Metadata,
    ranks: Vec<RankTrace>,
    size: u32,
    bytes: u64,
    damage: Vec<Error>,
}

impl Trace {
    /// Opens a trace: a file with all ranks, a rank's own file, or a folder of these. Only headers
    /// of blocks and metadata are read.
    pub fn open(path: &Path) -> Result<Self> {
        Self::open_all(&[path])
    }

    /// Opens a trace in several files or folders.
    pub fn open_all(paths: &[impl AsRef<Path>]) -> Result<Self> {
        let path = paths.first().map(|path| path.as_ref().to_owned()).unwrap_or_default();
        let mut trace = Self {
            path,
            metadata: Metadata::default(),
            ranks: Vec::new(),
            size: 0,
            bytes: 0,
            damage: Vec::new(),
        };
        for path in paths {
            trace.add(path.as_ref())?;
        }
        trace.settle()?;
        Ok(trace)
    }

    /// Returns the trace under another path, by which reports and errors name it: that of the file
    /// from which it was converted.
    #[must_use]
    pub fn with_path(mut self, path: &Path) -> Self {
        path.clone_into(&mut self.path);
        self
    }

    /// Returns whether a path looks like a trace, by its first bytes or its files' names.
    pub fn recognises(path: &Path) -> bool {
        if path.is_dir() {
            return rank_files(path).is_ok();
        }
        let mut start = [0; HEAD];
        let is_regular = std::fs::metadata(path).is_ok_and(|about| about.is_file());
        is_regular
            && Source::open(path).is_ok_and(|source| source.read(&mut start, 0).is_ok_and(|whole| whole))
            && Head::parse(&start) != Err(HeadError::OtherFormat)
    }

    fn add(&mut self, path: &Path) -> Result<()> {
        if !path.is_dir() {
            return self.add_file(path);
        }
        for file in rank_files(path)? {
            match self.add_file(&file) {
                // A rank that was killed before it wrote its head counts as missing.
                Err(Error::NotATrace { .. })
                    if file.metadata().is_ok_and(|about| about.len() < HEAD as u64) => {}
                Err(error @ (Error::NotATrace { .. } | Error::Damaged(_))) => self.damage.push(error),
                outcome => outcome?,
            }
        }
        Ok(())
    }

    /// Returns the path by which it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the metadata of the run.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Returns the file name of the traced program, if it was recorded.
    pub fn program(&self) -> Option<&str> {
        let ranks = self.ranks.first().map(RankTrace::metadata);
        let path =
            [Some(&self.metadata), ranks].into_iter().flatten().find_map(|all| all.get(key::PROGRAM))?;
        Path::new(path).file_name().and_then(|name| name.to_str())
    }

    /// Returns the time of an element of a DAXPY on the traced computer: the median over the ranks
    /// of which it is known.
    pub fn daxpy_picoseconds(&self) -> Option<u64> {
        let own = self.ranks.iter().filter_map(|rank| rank.metadata().number(key::DAXPY));
        let mut all: Vec<u64> =
            own.chain(self.metadata.number(key::DAXPY)).filter(|&time| time > 0).collect();
        all.sort_unstable();
        all.get(all.len() / 2).copied()
    }

    /// Returns the ranks that the trace has, in their order.
    pub fn ranks(&self) -> &[RankTrace] {
        &self.ranks
    }

    /// Returns the number of ranks of the program.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// Returns the bytes of its files.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns whether it may have the call sites of calls.
    pub fn has_call_sites(&self) -> bool {
        self.ranks.iter().any(|rank| rank.head().has_call_sites)
    }

    /// Returns the places in the source of its call sites, as far as they are known.
    pub fn places(&self) -> Places {
        Places::of(&self.metadata)
    }

    /// Returns whether the streams of all ranks are complete.
    pub fn is_complete(&self) -> bool {
        self.damage.is_empty()
            && self.ranks.len() == self.size as usize
            && self.ranks.iter().all(RankTrace::is_complete)
    }

    /// Returns the damage that the headers of blocks show.
    pub fn damage(&self) -> impl Iterator<Item = String> {
        let ranks = self.ranks.iter().filter_map(RankTrace::damage);
        self.outline_damage().map(ToString::to_string).chain(ranks.map(|error| error.to_string()))
    }

    /// Returns the damage outside of the streams of ranks.
    pub(crate) fn outline_damage(&self) -> impl Iterator<Item = &Error> {
        self.damage.iter()
    }

    /// Returns the ranks that the trace does not have.
    pub fn missing(&self) -> Ranks {
        let here = self.ranks.iter().map(RankTrace::rank);
        let starts = std::iter::once(0).chain(here.clone().map(|rank| rank + 1));
        Ranks::from_ranges(starts.zip(here.chain([self.size])).map(|(first, end)| first..end))
    }

    fn add_file(&mut self, path: &Path) -> Result<()> {
        let source = Source::open(path)?;
        self.bytes += source.length();
        let head = head_at(&source, 0)?;
        if !head.is_whole {
            let rank = RankTrace::open(&source, head, 0, source.length())?;
            self.ranks.push(rank);
            return Ok(());
        }
        self.size = head.ranks;
        let after_metadata = self.read_metadata(&source)?;
        match index(&source)? {
            Some(places) => self.add_indexed(&source, &places),
            None => self.add_scanned(&source, after_metadata),
        }
    }

    fn read_metadata(&mut self, source: &Source) -> Result<u64> {
        let at = HEAD as u64;
        let (place, text) = block(source, at)?.map_err(|what| source.damaged(None, at, what))?;
        if place.header.kind != BlockKind::Metadata {
            return Err(source.damaged(None, at, "no facts at the beginning"));
        }
        self.metadata = Metadata::from_text(&String::from_utf8_lossy(&text));
        Ok(place.end())
    }

    fn add_indexed(&mut self, source: &Source, places: &[(u64, u64)]) -> Result<()> {
        for (start, length) in places {
            match head_at(source, *start) {
                Ok(head) => self.ranks.push(RankTrace::open(source, head, *start, start + length)?),
                Err(error @ Error::Damaged(_)) => self.damage.push(error),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Finds the streams without an index: one after the other, as far as they are sound.
    fn add_scanned(&mut self, source: &Source, mut at: u64) -> Result<()> {
        self.damage.push(source.damaged(None, source.length(), "the index at the end is missing"));
        while let Ok(head) = head_at(source, at) {
            let end = stream_end(source, at + HEAD as u64)?;
            self.ranks.push(RankTrace::open(source, head, at, end)?);
            at = end;
        }
        let is_index = |place: Option<Place>| place.is_none_or(|place| place.header.kind == BlockKind::Index);
        if !Place::at(source, at, source.length())?.is_ok_and(is_index) {
            self.damage.push(source.damaged(None, at, "a stream should begin here"));
        }
        Ok(())
    }

    /// Orders the ranks and checks that they are of one run.
    fn settle(&mut self) -> Result<()> {
        self.ranks.sort_by_key(RankTrace::rank);
        self.size = self.ranks.iter().map(RankTrace::ranks).fold(self.size, u32::max);
        let shown = self.path.display();
        for pair in self.ranks.windows(2) {
            if pair[0].rank() == pair[1].rank() {
                return Err(Error::Mismatch(format!(
                    "{shown}: rank {} is there twice; use traces of one run",
                    pair[0].rank()
                )));
            }
        }
        if let Some(other) = self.ranks.iter().find(|rank| rank.ranks() != self.size) {
            return Err(Error::Mismatch(format!(
                "{shown}: rank {} belongs to a run of {} ranks, and another one to a run of {}; use traces of one run",
                other.rank(),
                other.ranks(),
                self.size
            )));
        }
        if let Some(beyond) = self.ranks.iter().find(|rank| rank.rank() >= self.size) {
            return Err(Error::Mismatch(format!(
                "{shown}: there is a rank {} among {}",
                beyond.rank(),
                self.size
            )));
        }
        Ok(())
    }
}

/// Returns the ranks' own files in a folder.
fn rank_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).map_err(|error| Error::io(folder, error))?;
    let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let mut files: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|end| end == RANK_FILE)).collect();
    if files.is_empty() {
        return Err(Error::NotATrace { path: folder.to_owned() });
    }
    files.sort();
    Ok(files)
}

fn head_at(source: &Source, at: u64) -> Result<Head> {
    let mut bytes = [0; HEAD];
    if !source.read(&mut bytes, at)? {
        return Err(if at == 0 {
            Error::NotATrace { path: source.path().to_owned() }
        } else {
            source.damaged(None, at, "a stream should begin here")
        });
    }
    Head::parse(&bytes).map_err(|reason| match reason {
        HeadError::OtherFormat if at == 0 => Error::NotATrace { path: source.path().to_owned() },
        HeadError::Version(found) => Error::Version { path: source.path().to_owned(), found },
        HeadError::OtherFormat | HeadError::Damaged => source.damaged(None, at, "a stream should begin here"),
    })
}

/// Returns the end of a stream: behind its last block, or where no block follows.
fn stream_end(source: &Source, mut at: u64) -> Result<u64> {
    while let Ok(Some(place)) = Place::at(source, at, source.length())? {
        if place.header.kind == BlockKind::Index {
            break;
        }
        at = place.end();
        if place.header.kind == BlockKind::End {
            break;
        }
    }
    Ok(at)
}

/// Returns a block with one section, and that section.
fn block(source: &Source, at: u64) -> Result<Sound<(Place, Vec<u8>)>> {
    let place = match Place::at(source, at, source.length())? {
        Ok(Some(place)) => place,
        Ok(None) => return Ok(Err("the file ends here")),
        Err(what) => return Ok(Err(what)),
    };
    let (mut stored, mut section) = (Vec::new(), Vec::new());
    let sound = place.load(source, &mut [0; HEADER], &mut stored)?;
    Ok(sound.and_then(|()| place.header.unpack(&stored, 0, &mut section)).map(|()| (place, section)))
}

/// Returns the offsets and lengths of streams; none if the file has no valid end.
fn index(source: &Source) -> Result<Option<Vec<(u64, u64)>>> {
    let mut tail = [0; TAIL];
    let Some(at) = source.length().checked_sub(TAIL as u64) else { return Ok(None) };
    if !source.read(&mut tail, at)? {
        return Ok(None);
    }
    let Some(place) = FORMAT.parse_tail(&tail) else { return Ok(None) };
    let Ok((place, bytes)) = block(source, place)? else { return Ok(None) };
    if place.header.kind != BlockKind::Index {
        return Ok(None);
    }
    Ok(parse_index(&bytes, place.at))
}

/// Returns offsets and lengths of streams, which must follow each other and end before the index.
fn parse_index(mut bytes: &[u8], end: u64) -> Option<Vec<(u64, u64)>> {
    let mut places = Vec::new();
    let mut free = HEAD as u64;
    while !bytes.is_empty() {
        let (start, length) = (varint::take(&mut bytes)?, varint::take(&mut bytes)?);
        let stream_end = start.checked_add(length)?;
        if start < free || stream_end > end || length < HEAD as u64 {
            return None;
        }
        free = stream_end;
        places.push((start, length));
    }
    Some(places)
}
