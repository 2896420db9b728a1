//! Records that are not yet written, by band.
//!
//! Memory is bounded for all bands together, because the order in which ranks report is unknown: a
//! simulator may run one rank to its end, or all of them side by side.

use std::ops::Range;

use super::out::Out;
use crate::codec::Record;
use crate::error::Result;
use crate::head::Head;

/// The most bands, so that each can gather enough records for a block.
const MOST_BANDS: u32 = 1 << 10;

/// Records of a full block: about 40 KiB in the file, which is read in a millisecond.
const BLOCK: usize = 1 << 14;

/// The initial capacity of a buffer, in records.
const FEWEST: usize = 8;

/// Returns the number of ranks that share a band. It is a power of two, because every record is
/// divided by it.
pub fn width(lines: u32) -> u32 {
    lines.div_ceil(MOST_BANDS).max(1).next_power_of_two()
}

/// Records that are not yet written.
#[derive(Debug)]
pub struct Buffers<R> {
    head: Head,
    shift: u32,
    bands: Vec<Vec<R>>,
    /// The capacity of all buffers together, in records, and its limit.
    held: usize,
    most: usize,
    /// The length of a full block, in records.
    block: usize,
}

impl<R: Record> Buffers<R> {
    pub fn new(head: Head, memory: usize) -> Self {
        let most = (memory / size_of::<R>()).max(4 * FEWEST);
        let bands = head.lines().div_ceil(head.width) as usize;
        Self {
            head,
            shift: head.width.trailing_zeros(),
            bands: std::iter::repeat_with(Vec::new).take(bands).collect(),
            held: 0,
            most,
            block: BLOCK.min(most / 4),
        }
    }

    /// Keeps a record of an existing rank.
    #[inline]
    pub fn push(&mut self, record: R, out: &mut Out) -> Result<()> {
        let band = (record.rank() >> self.shift) as usize;
        let buffer = &mut self.bands[band];
        if buffer.len() == buffer.capacity() {
            self.make_room(band, out)?;
        }
        self.bands[band].push(record);
        Ok(())
    }

    /// Writes all records that are left.
    pub fn flush(&mut self, out: &mut Out) -> Result<()> {
        self.release(out, 1)
    }

    /// Discards all records.
    pub fn forget(&mut self) {
        self.bands.iter_mut().for_each(|buffer| *buffer = Vec::new());
        self.held = 0;
    }

    #[cold]
    fn make_room(&mut self, band: usize, out: &mut Out) -> Result<()> {
        if self.bands[band].len() >= self.block {
            return self.write(band, out);
        }
        if self.held + self.growth(band) > self.most {
            let used = self.bands.iter().filter(|buffer| buffer.capacity() > 0).count();
            // Buffers with at least half of the mean capacity hold at least half of all records, so
            // this happens rarely.
            self.release(out, (self.held / used.max(1) / 2).max(1))?;
        }
        let growth = self.growth(band);
        let buffer = &mut self.bands[band];
        let before = buffer.capacity();
        buffer.reserve_exact(before + growth - buffer.len());
        self.held += buffer.capacity() - before;
        Ok(())
    }

    fn growth(&self, band: usize) -> usize {
        let room = self.bands[band].capacity();
        room.max(FEWEST).min(self.block.saturating_sub(room)).max(1)
    }

    /// Writes the buffers with at least this capacity, and frees their memory.
    fn release(&mut self, out: &mut Out, least: usize) -> Result<()> {
        for band in 0..self.bands.len() {
            let room = self.bands[band].capacity();
            if room >= least {
                self.write(band, out)?;
                self.bands[band] = Vec::new();
                self.held -= room;
            }
        }
        Ok(())
    }

    fn write(&mut self, band: usize, out: &mut Out) -> Result<()> {
        let ranks = self.ranks(band);
        let buffer = &mut self.bands[band];
        if buffer.is_empty() {
            return Ok(());
        }
        if ranks.len() > 1 {
            buffer.sort_by_key(Record::rank);
        }
        out.append(band as u32, ranks, buffer)?;
        buffer.clear();
        Ok(())
    }

    fn ranks(&self, band: usize) -> Range<u32> {
        self.head.band(band as u32).expect("a band of this timeline")
    }
}

#[cfg(test)]
mod tests {
    use panto_units::Time;

    use super::*;
    use crate::codec::Interval;
    use crate::info::TimelineInfo;
    use crate::record::{State, StateKind};

    /// Keeps states of these ranks, one after the other, and returns the largest capacity.
    fn most_room(ranks: impl Iterator<Item = u32>, memory: usize) -> usize {
        let about = TimelineInfo { ranks: 10_000, ..TimelineInfo::default() };
        let head = Head { ranks: about.ranks, helpers: 0, width: width(about.ranks) };
        let file = tempfile::NamedTempFile::new().expect("a file");
        let mut out = Out::create(file.path(), head, &about).expect("it can be written");
        let mut buffers = Buffers::<Interval>::new(head, memory);
        let mut most = 0;
        for rank in ranks {
            let state = State { kind: StateKind::Compute, call: None, from: Time::ZERO, to: Time::ZERO };
            buffers.push(Interval::new(rank, &state), &mut out).expect("it can be written");
            most = most.max(buffers.held);
        }
        assert_eq!(buffers.held, buffers.bands.iter().map(Vec::capacity).sum::<usize>());
        most
    }

    #[test]
    fn memory_is_bounded_whatever_the_order() {
        for memory in [0, 1 << 16, 1 << 20] {
            let allowed = (memory / size_of::<Interval>()).max(4 * FEWEST);
            let side_by_side = (0..300_000).map(|number| number % 10_000);
            let one_by_one = (0..300_000).map(|number| number / 30);
            let uneven =
                (0..300_000_u32).map(|number| if number % 3 == 0 { number / 3 % 10_000 } else { 77 });
            for most in
                [most_room(side_by_side, memory), most_room(one_by_one, memory), most_room(uneven, memory)]
            {
                assert!(most <= allowed, "room for {most}, and {allowed} were allowed");
            }
        }
    }

    #[test]
    fn bands_are_few() {
        assert_eq!((width(0), width(1), width(1024), width(1025), width(1 << 20)), (1, 1, 1, 2, 1024));
    }
}
