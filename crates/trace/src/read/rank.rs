//! The stream of one rank.

use std::borrow::Cow;

use panto_container::Sound;

use super::Source;
use super::events::Events;
use crate::block::{BlockHeader, BlockKind, HEADER, section};
use crate::error::{Error, Result};
use crate::metadata::{Metadata, key, stopped};
use crate::stream::{HEAD, Head};
use crate::table::Tables;

/// A block of a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub at: u64,
    pub header: BlockHeader,
}

impl Place {
    /// Returns the block at an offset; none if the file, or the part up to `end`, ends before the
    /// block does.
    pub fn at(source: &Source, at: u64, end: u64) -> Result<Sound<Option<Self>>> {
        let mut bytes = [0; HEADER];
        let is_outside = at.checked_add(HEADER as u64).is_none_or(|header_end| header_end > end);
        if is_outside || !source.read(&mut bytes, at)? {
            return Ok(Ok(None));
        }
        Ok(BlockHeader::parse(&bytes).map(|header| {
            let place = Self { at, header };
            (place.end() <= end).then_some(place)
        }))
    }

    /// Returns the offset of its end.
    pub fn end(&self) -> u64 {
        self.at + (HEADER + self.header.stored()) as u64
    }

    /// Reads and checks the header and what follows it.
    pub fn load(
        &self,
        source: &Source,
        header: &mut [u8; HEADER],
        stored: &mut Vec<u8>,
    ) -> Result<Sound<()>> {
        stored.resize(self.header.stored(), 0);
        let is_there = source.read(header, self.at)? && source.read(stored, self.at + HEADER as u64)?;
        Ok(if is_there { self.header.check(header, stored) } else { Err("the file became shorter") })
    }
}

/// The stream of one rank.
#[derive(Debug, Clone)]
pub struct RankTrace {
    source: Source,
    head: Head,
    start: u64,
    end: u64,
    metadata: Metadata,
    blocks: Vec<Place>,
    damage: Option<(u64, &'static str)>,
    is_complete: bool,
}

impl RankTrace {
    /// Finds the blocks between two offsets of a file. An incomplete block at the end was being
    /// written and is ignored; from a damaged block on, all is ignored.
    pub(crate) fn open(source: &Source, head: Head, start: u64, end: u64) -> Result<Self> {
        let mut rank = Self {
            source: source.clone(),
            head,
            start,
            end,
            metadata: Metadata::default(),
            blocks: Vec::new(),
            damage: None,
            is_complete: false,
        };
        rank.scan()?;
        Ok(rank)
    }

    fn scan(&mut self) -> Result<()> {
        let mut at = self.start + HEAD as u64;
        while !self.is_complete {
            let sound = match Place::at(&self.source, at, self.end)? {
                Ok(Some(place)) => self.take(place)?.map(|()| place.end()),
                Ok(None) => break,
                Err(what) => Err(what),
            };
            match sound {
                Ok(end) => at = end,
                Err(what) => {
                    self.damage = Some((at, what));
                    break;
                }
            }
        }
        self.end = at;
        Ok(())
    }

    /// Adds a block; returns what is wrong with it otherwise.
    fn take(&mut self, place: Place) -> Result<Sound<()>> {
        match place.header.kind {
            BlockKind::Metadata => self.add_metadata(place),
            BlockKind::Events => {
                self.blocks.push(place);
                Ok(Ok(()))
            }
            BlockKind::End => {
                let sound = self.add_metadata(place)?;
                self.is_complete = sound.is_ok();
                Ok(sound)
            }
            BlockKind::Index => Ok(Err("an index inside a stream")),
        }
    }

    fn add_metadata(&mut self, place: Place) -> Result<Sound<()>> {
        let mut stored = Vec::new();
        let mut text = Vec::new();
        let sound = self.load(place, &mut stored)?.and_then(|()| place.header.unpack(&stored, 0, &mut text));
        Ok(sound.map(|()| self.metadata.extend(&Metadata::from_text(&String::from_utf8_lossy(&text)))))
    }

    /// Reads and checks what follows a block's header.
    pub(crate) fn load(&self, place: Place, stored: &mut Vec<u8>) -> Result<Sound<()>> {
        place.load(&self.source, &mut [0; HEADER], stored)
    }

    /// Returns the rank.
    pub fn rank(&self) -> u32 {
        self.head.rank
    }

    /// Returns the number of ranks of the program.
    pub fn ranks(&self) -> u32 {
        self.head.ranks
    }

    /// Returns its metadata.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Returns whether the stream is complete: the rank ran to its end.
    pub fn is_complete(&self) -> bool {
        self.is_complete && self.damage.is_none() && self.metadata.get(key::STOPPED).is_none()
    }

    /// Returns whether the program ended itself before `MPI_Finalize`, and all its calls until then
    /// are recorded.
    pub fn was_ended_by_program(&self) -> bool {
        let reason = self.metadata.get(key::STOPPED);
        reason.is_some_and(|reason| [stopped::ABORTED, stopped::EXITED].contains(&reason))
    }

    /// Returns the damage of the stream, as far as the headers of blocks show it.
    pub fn damage(&self) -> Option<Error> {
        self.damage.map(|(place, what)| self.damaged(place, what))
    }

    /// Returns the number of events.
    pub fn events_count(&self) -> u64 {
        self.blocks().iter().map(|place| u64::from(place.header.events)).sum()
    }

    /// Returns its events, one after the other.
    pub fn events(&self) -> Events {
        Events::new(self.clone())
    }

    /// Returns all definitions without reading events: blocks without definitions are skipped.
    pub fn tables(&self) -> Result<Tables> {
        self.tables_by(Tables::extend)
    }

    /// Returns all definitions except signatures, like [`tables`](Self::tables).
    pub(crate) fn tables_without_signatures(&self) -> Result<Tables> {
        self.tables_by(Tables::extend_without_signatures)
    }

    fn tables_by(&self, extend: impl Fn(&mut Tables, &[u8]) -> Option<()>) -> Result<Tables> {
        let mut tables = Tables::default();
        let (mut stored, mut definitions) = (Vec::new(), Vec::new());
        let defines = |place: &&Place| place.header.length(section::DEFINITIONS) > 0;
        for place in self.blocks.iter().filter(defines) {
            let loaded = self.load(*place, &mut stored)?;
            let unpacked =
                loaded.and_then(|()| place.header.unpack(&stored, section::DEFINITIONS, &mut definitions));
            let sound = unpacked
                .and_then(|()| extend(&mut tables, &definitions).ok_or("definitions that make no sense"));
            sound.map_err(|what| self.damaged(place.at, what))?;
        }
        Ok(tables)
    }

    /// Returns whether it has the wall clock of each call.
    pub fn has_stamps(&self) -> bool {
        self.blocks().iter().any(|place| place.header.length(section::INSIDE) > 0)
    }

    /// Returns when its events begin, in nanoseconds since the rank started: later than zero where
    /// the program dropped events before.
    pub fn first_moment(&self) -> u64 {
        let first = self.blocks().first().filter(|_| !self.dropped().is_empty());
        first.map_or(0, |place| place.header.wall)
    }

    /// Returns the part of the file that is used.
    pub(crate) fn range(&self) -> std::ops::Range<u64> {
        self.start..self.end
    }

    /// Returns its head.
    pub(crate) fn head(&self) -> Head {
        self.head
    }

    pub(crate) fn source(&self) -> &Source {
        &self.source
    }

    /// Returns blocks of which only definitions count: their events were dropped by a later one.
    pub(crate) fn dropped(&self) -> &[Place] {
        &self.blocks[..self.first_kept()]
    }

    /// Returns the blocks whose events count.
    pub(crate) fn blocks(&self) -> &[Place] {
        &self.blocks[self.first_kept()..]
    }

    fn first_kept(&self) -> usize {
        self.blocks.iter().rposition(|place| place.header.drops).unwrap_or(0)
    }

    pub(crate) fn damaged(&self, place: u64, what: impl Into<Cow<'static, str>>) -> Error {
        self.source.damaged(Some(self.rank()), place, what)
    }
}
