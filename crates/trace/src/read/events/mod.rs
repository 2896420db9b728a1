//! The events of a rank, one after the other.

mod event;
mod repetition;

pub use event::{Event, Stamps};
pub use repetition::{Repetitions, Sequence};

use std::ops::Range;

use super::column::Column;
use super::rank::{Place, RankTrace};
use crate::action::Kind;
use crate::block::{BlockHeader, GROUP, section};
use crate::error::{Error, Result};
use crate::table::Tables;
use panto_container::varint;

/// The events of a rank. This is not an `Iterator`, because an event borrows from it until the next
/// one.
pub struct Events {
    rank: RankTrace,
    tables: Tables,
    /// For each signature, where its last varying parts are.
    last: Vec<Last>,
    /// The last varying parts of signatures. They are cleared with each block, so a file cannot
    /// make them grow without bound.
    parts: Vec<i64>,
    next_block: usize,
    place: u64,
    wall: u64,
    number: u32,
    left: u32,
    position: u64,
    stored: Vec<u8>,
    definitions: Vec<u8>,
    columns: Columns,
    now: Now,
}

/// The event that was read last.
#[derive(Default)]
struct Now {
    number: usize,
    /// Whether varying parts differ from those of the last event with this signature.
    is_changed: bool,
    before: u64,
    stamps: Stamps,
}

#[derive(Default)]
struct Columns {
    has_stamps: bool,
    ids: Column,
    values: Column,
    before: Column,
    gaps: Column,
    inside: Column,
}

/// Where the last varying parts of a signature are.
#[derive(Clone, Copy)]
struct Last {
    block: u32,
    at: u32,
    length: u32,
}

/// The most varying parts of a block, so that no file makes a reader allocate without bound.
const MOST_PARTS: usize = 1 << 25;

/// A signature that no block has used.
const NEVER: Last = Last { block: 0, at: 0, length: 0 };

impl Events {
    pub(super) fn new(rank: RankTrace) -> Self {
        Self {
            rank,
            tables: Tables::default(),
            last: Vec::new(),
            parts: Vec::new(),
            next_block: 0,
            place: 0,
            wall: 0,
            number: NEVER.block,
            left: 0,
            position: 0,
            stored: Vec::new(),
            definitions: Vec::new(),
            columns: Columns::default(),
            now: Now::default(),
        }
    }

    /// Returns the definitions up to the current block.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// Returns the next event; none at the end, and after an error.
    #[inline]
    #[allow(clippy::should_implement_trait, reason = "an event borrows from the block that it stands in")]
    pub fn next(&mut self) -> Result<Option<Event<'_>>> {
        while self.left == 0 {
            if !self.load()? {
                return Ok(None);
            }
        }
        self.left -= 1;
        let Some(now) = self.decode() else {
            return Err(self.senseless());
        };
        self.now = now;
        self.position += 1;
        Ok(Some(Event(self)))
    }

    /// Returns the event that [`next`](Self::next) returned last. There must be one.
    #[inline]
    pub fn current(&self) -> Event<'_> {
        Event(self)
    }

    #[inline]
    fn take_times(&mut self) -> Option<(u64, Stamps)> {
        let before = self.columns.before.take()?;
        let mut stamps = Stamps::default();
        if self.columns.has_stamps {
            stamps = Stamps { gap: self.columns.gaps.take()?, inside: self.columns.inside.take()? };
        }
        Some((before, stamps))
    }

    #[inline]
    fn decode(&mut self) -> Option<Now> {
        let word = self.columns.ids.take_small()?;
        let number = usize::try_from(word >> 1).ok()?;
        if word & 1 == 0 {
            // The parts are unchanged since the last event with this signature in this block, so
            // there must be one.
            if self.last.get(number)?.block != self.number {
                return None;
            }
        } else {
            self.take_values(number)?;
        }
        let (before, stamps) = self.take_times()?;
        Some(Now { number, is_changed: word & 1 != 0, before, stamps })
    }

    fn take_values(&mut self, number: usize) -> Option<()> {
        let kind = self.tables.signature(number)?.kind;
        let column = &mut self.columns.values;
        let count = if kind.lists() > 0 { usize::try_from(column.take()?).ok()? } else { kind.varying() };
        if count.div_ceil(GROUP) > column.left() || self.parts.len() + count > MOST_PARTS {
            return None;
        }
        let parts = self.make_room(number, count);
        for group in self.parts[parts.clone()].chunks_mut(GROUP) {
            let mut differing = self.columns.values.take_small()?;
            if differing >> group.len() != 0 {
                return None;
            }
            while differing != 0 {
                let part = &mut group[differing.trailing_zeros() as usize];
                *part = part.wrapping_add(varint::unfold(self.columns.values.take()?));
                differing &= differing - 1;
            }
        }
        has_its_parts(kind, &self.parts[parts]).then_some(())
    }

    /// Reserves room for the varying parts of a signature, filled with those of its last event in
    /// this block.
    #[inline]
    fn make_room(&mut self, number: usize, count: usize) -> Range<usize> {
        let last = &mut self.last[number];
        let is_known = last.block == self.number;
        if !is_known || count > last.length as usize {
            let known = if is_known { last.at as usize..(last.at + last.length) as usize } else { 0..0 };
            let at = self.parts.len();
            self.parts.extend_from_within(known);
            self.parts.resize(at + count, 0);
            last.at = at as u32;
        }
        last.block = self.number;
        last.length = count as u32;
        let start = last.at as usize;
        start..start + count
    }

    /// Loads the next block; returns false if there is none.
    fn load(&mut self) -> Result<bool> {
        if self.next_block == 0 {
            self.define_dropped()?;
        } else if self.next_block != usize::MAX && !self.columns.are_used_up() {
            return Err(self.senseless());
        }
        let Some(place) = self.rank.blocks().get(self.next_block).copied() else {
            let is_first_time = std::mem::replace(&mut self.next_block, usize::MAX) != usize::MAX;
            return self.rank.damage().filter(|_| is_first_time).map_or(Ok(false), Err);
        };
        self.next_block += 1;
        self.fill(place)?;
        self.number += 1;
        self.parts.clear();
        self.left = place.header.events;
        Ok(true)
    }

    fn define_dropped(&mut self) -> Result<()> {
        for place in self.rank.dropped().to_vec() {
            self.fill(place)?;
        }
        Ok(())
    }

    fn fill(&mut self, place: Place) -> Result<()> {
        self.place = place.at;
        self.wall = place.header.wall;
        let sound = self.rank.load(place, &mut self.stored)?.and_then(|()| self.unpack(place));
        sound.map_err(|what| {
            self.next_block = usize::MAX;
            self.rank.damaged(place.at, what)
        })
    }

    fn unpack(&mut self, place: Place) -> std::result::Result<(), &'static str> {
        let header = &place.header;
        self.columns.fill(header, &self.stored)?;
        header.unpack(&self.stored, section::DEFINITIONS, &mut self.definitions)?;
        self.tables.extend(&self.definitions).ok_or("definitions that make no sense")?;
        self.last.resize(self.tables.signatures(), NEVER);
        Ok(())
    }

    /// Returns the error for bytes with the right checksum and an invalid meaning.
    #[cold]
    fn senseless(&mut self) -> Error {
        self.left = 0;
        self.next_block = usize::MAX;
        self.rank.damaged(self.place, format!("call {} makes no sense", self.position))
    }
}

impl Columns {
    fn fill(&mut self, header: &BlockHeader, stored: &[u8]) -> std::result::Result<(), &'static str> {
        self.ids.fill(header, stored, section::IDS)?;
        self.values.fill(header, stored, section::VALUES)?;
        self.before.fill(header, stored, section::BEFORE)?;
        self.gaps.fill(header, stored, section::GAPS)?;
        self.inside.fill(header, stored, section::INSIDE)?;
        self.has_stamps = !self.inside.is_empty();
        Ok(())
    }

    fn are_used_up(&self) -> bool {
        [&self.ids, &self.values, &self.before, &self.gaps, &self.inside]
            .iter()
            .all(|column| column.left() == 0)
    }
}

/// Returns whether lists have the lengths that they claim.
fn has_its_parts(kind: Kind, values: &[i64]) -> bool {
    let Some(mut rest) = values.get(kind.varying()..) else { return false };
    for _ in 0..kind.lists() {
        let Some((length, items)) = rest.split_first() else { return false };
        let Some(after) = usize::try_from(*length).ok().and_then(|length| items.get(length..)) else {
            return false;
        };
        rest = after;
    }
    rest.is_empty()
}
