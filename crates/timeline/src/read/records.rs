//! States and messages, one after the other, block by block.

use super::Timeline;
use super::source::Buffers;
use crate::codec::{Frame, Interval, Record, Selection};
use crate::error::Result;
use crate::index::Entry;
use crate::record::State;

/// The selected records of a kind. After an error there are no more.
pub struct Records<'a, R: Record> {
    timeline: &'a Timeline,
    selection: Selection,
    /// Blocks that are not yet read.
    blocks: &'a [Entry],
    /// The offset of the block that was read last.
    place: u64,
    buffers: Buffers,
    found: Vec<R::Seen>,
    next: usize,
}

impl<'a, R: Record> Records<'a, R> {
    pub fn new(timeline: &'a Timeline, selection: Selection) -> Self {
        let blocks = timeline.blocks(R::KIND, &selection.ranks);
        Self {
            timeline,
            selection,
            blocks,
            place: 0,
            buffers: Buffers::default(),
            found: Vec::new(),
            next: 0,
        }
    }

    /// Reads the next block of the window; returns false if there is none.
    fn load(&mut self) -> Result<bool> {
        let touches = |entry: &Entry| self.selection.touches(entry.outline.first, entry.outline.last);
        let Some(skipped) = self.blocks.iter().position(touches) else {
            self.stop();
            return Ok(false);
        };
        let entry = self.blocks[skipped];
        self.blocks = &self.blocks[skipped + 1..];
        self.place = entry.place;
        self.found.clear();
        self.next = 0;
        self.read(&entry).inspect_err(|_| self.stop())?;
        Ok(true)
    }

    fn read(&mut self, entry: &Entry) -> Result<()> {
        let source = &self.timeline.source;
        let header = source.header(entry.place)?;
        if header.outline != entry.outline || header.length() != entry.length {
            return Err(source.damaged(entry.place, "a block is not what the index says"));
        }
        source.payload(entry.place, &header, &mut self.buffers)?;
        let nonsense = || source.damaged(entry.place, "a block makes no sense");
        let ranks = self.timeline.head.band(entry.outline.band).ok_or_else(nonsense)?;
        let frame =
            Frame { ranks, count: entry.outline.count, first: entry.outline.first, last: entry.outline.last };
        let limits = &self.timeline.limits;
        R::decode(&self.buffers.payload, &frame, limits, &self.selection, &mut self.found)
            .ok_or_else(nonsense)
    }

    fn stop(&mut self) {
        self.blocks = &[];
        self.found.clear();
        self.next = 0;
    }
}

impl<R: Record> Iterator for Records<'_, R> {
    type Item = Result<R::Seen>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(record) = self.found.get(self.next) {
                self.next += 1;
                return Some(Ok(*record));
            }
            match self.load() {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// States, those of each rank in their order.
pub struct States<'a> {
    records: Records<'a, Interval>,
    first: u32,
    /// The end of the last state of each rank, in picoseconds. Pages of zeros take no memory until
    /// they are written: only ranks with states do.
    ends: Vec<u64>,
}

impl<'a> States<'a> {
    pub fn new(timeline: &'a Timeline, selection: Selection) -> Self {
        let (first, ranks) = (selection.ranks.start, selection.ranks.len());
        Self { records: Records::new(timeline, selection), first, ends: vec![0; ranks] }
    }
}

impl Iterator for States<'_> {
    type Item = Result<(u32, State)>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (rank, state) = match self.records.next()? {
            Ok(found) => found,
            Err(error) => return Some(Err(error)),
        };
        let end = &mut self.ends[(rank - self.first) as usize];
        if state.from.as_picos() < *end {
            self.records.stop();
            let source = &self.records.timeline.source;
            return Some(Err(source.damaged(self.records.place, "the states of a rank overlap")));
        }
        *end = state.to.as_picos();
        Some(Ok((rank, state)))
    }
}
