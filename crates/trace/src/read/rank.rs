//! The stream of one rank.

use super::Source;
use super::events::Events;
use crate::block::{BlockHeader, BlockKind, HEADER, section};
use crate::error::{Error, Result};
use crate::facts::{Facts, key};
use crate::stream::{HEAD, Head};
use crate::table::Tables;

/// Where a block is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub at: u64,
    pub header: BlockHeader,
}

impl Place {
    /// The block at this place of a file; none if the file, or the part that counts, ends before it does.
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

    /// Where it ends.
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

/// Something sound, or what is wrong with it.
pub(crate) type Sound<T> = std::result::Result<T, &'static str>;

/// What one rank did.
#[derive(Debug, Clone)]
pub struct RankTrace {
    source: Source,
    head: Head,
    start: u64,
    end: u64,
    facts: Facts,
    blocks: Vec<Place>,
    damage: Option<(u64, &'static str)>,
    is_complete: bool,
}

impl RankTrace {
    /// Looks at the stream between two places of a file. A block that the file ends in was not written to its end, so it does not count;
    /// from a damaged one on, all is left out.
    pub(crate) fn open(source: &Source, head: Head, start: u64, end: u64) -> Result<Self> {
        let mut rank = Self {
            source: source.clone(),
            head,
            start,
            end,
            facts: Facts::default(),
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

    /// Keeps what a block says; what is wrong with it otherwise.
    fn take(&mut self, place: Place) -> Result<Sound<()>> {
        match place.header.kind {
            BlockKind::Facts => self.add_facts(place),
            BlockKind::Events => {
                self.blocks.push(place);
                Ok(Ok(()))
            }
            BlockKind::End => {
                let sound = self.add_facts(place)?;
                self.is_complete = sound.is_ok();
                Ok(sound)
            }
            BlockKind::Index => Ok(Err("an index inside a stream")),
        }
    }

    fn add_facts(&mut self, place: Place) -> Result<Sound<()>> {
        let mut stored = Vec::new();
        let mut text = Vec::new();
        let sound = self.load(place, &mut stored)?.and_then(|()| place.header.unpack(&stored, 0, &mut text));
        Ok(sound.map(|()| self.facts.extend(&Facts::from_text(&String::from_utf8_lossy(&text)))))
    }

    /// Reads and checks what follows a block's header.
    pub(crate) fn load(&self, place: Place, stored: &mut Vec<u8>) -> Result<Sound<()>> {
        place.load(&self.source, &mut [0; HEADER], stored)
    }

    /// The rank.
    pub fn rank(&self) -> u32 {
        self.head.rank
    }

    /// How many ranks the program had.
    pub fn ranks(&self) -> u32 {
        self.head.ranks
    }

    /// What is known of it beside its calls.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Did the rank come to its end, and is all of it here?
    pub fn is_complete(&self) -> bool {
        self.is_complete && self.damage.is_none() && self.facts.get(key::STOPPED).is_none()
    }

    /// What is wrong with the stream, as far as its outline tells.
    pub fn damage(&self) -> Option<Error> {
        self.damage.map(|(place, what)| self.damaged(place, what))
    }

    /// How many events it has.
    pub fn events_count(&self) -> u64 {
        self.blocks().iter().map(|place| u64::from(place.header.events)).sum()
    }

    /// Its events, one after the other.
    pub fn events(&self) -> Events {
        Events::new(self.clone())
    }

    /// All that its events refer to, without the events: blocks that define nothing are not read.
    pub fn tables(&self) -> Result<Tables> {
        let mut tables = Tables::default();
        let (mut stored, mut definitions) = (Vec::new(), Vec::new());
        let defines = |place: &&Place| place.header.length(section::DEFINITIONS) > 0;
        for place in self.blocks.iter().filter(defines) {
            let loaded = self.load(*place, &mut stored)?;
            let unpacked =
                loaded.and_then(|()| place.header.unpack(&stored, section::DEFINITIONS, &mut definitions));
            let sound =
                unpacked.and_then(|()| tables.extend(&definitions).ok_or("definitions that make no sense"));
            sound.map_err(|what| self.damaged(place.at, what))?;
        }
        Ok(tables)
    }

    /// Does it have the wall clock of each call?
    pub fn has_stamps(&self) -> bool {
        self.blocks().iter().any(|place| place.header.length(section::INSIDE) > 0)
    }

    /// The part of the file that counts.
    pub(crate) fn range(&self) -> std::ops::Range<u64> {
        self.start..self.end
    }

    /// Its first bytes.
    pub(crate) fn head(&self) -> Head {
        self.head
    }

    pub(crate) fn source(&self) -> &Source {
        &self.source
    }

    /// Blocks with definitions alone: their events were dropped by a later one.
    pub(crate) fn dropped(&self) -> &[Place] {
        &self.blocks[..self.first_kept()]
    }

    /// Blocks whose events count.
    pub(crate) fn blocks(&self) -> &[Place] {
        &self.blocks[self.first_kept()..]
    }

    fn first_kept(&self) -> usize {
        self.blocks.iter().rposition(|place| place.header.drops).unwrap_or(0)
    }

    pub(crate) fn damaged(&self, place: u64, what: impl Into<String>) -> Error {
        self.source.damaged(Some(self.rank()), place, what)
    }
}
