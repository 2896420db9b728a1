//! From states and messages to the payload of a block, and back.
//!
//! A block holds the records of a *band*: some ranks with neighbouring numbers, so that a million
//! ranks need not have a million blocks in memory. The records of a rank follow each other as a
//! *run*; runs are in the order of ranks. Each part of a record is a column of its own, as a
//! difference from what the records before it predict: a repetition is a zero, and zeros pack well.

mod column;
mod messages;
mod states;

pub use column::Columns;
pub use states::Interval;

use std::ops::{Range, RangeInclusive};

use crate::block::Kind;
use panto_container::varint;

/// What a block's header says beside its columns.
#[derive(Debug, Clone)]
pub struct Frame {
    /// The ranks of its band.
    pub ranks: Range<u32>,
    pub count: u32,
    pub first: u64,
    pub last: u64,
}

/// Exclusive upper bounds of the numbers in records.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Ranks and helpers.
    pub lines: u32,
    pub calls: u32,
    pub message_kinds: u32,
}

/// What a reader selects.
#[derive(Debug, Clone)]
pub struct Selection {
    pub ranks: Range<u32>,
    /// The time window, in picoseconds.
    pub window: RangeInclusive<u64>,
}

impl Selection {
    /// Returns whether this interval of this rank is selected.
    pub fn has(&self, rank: u32, first: u64, last: u64) -> bool {
        self.ranks.contains(&rank) && self.touches(first, last)
    }

    /// Returns whether any of this interval is selected.
    pub fn touches(&self, first: u64, last: u64) -> bool {
        first <= *self.window.end() && last >= *self.window.start()
    }
}

/// A record: what blocks are made of.
pub trait Record: Copy {
    /// The kind of its blocks.
    const KIND: Kind;

    /// What a reader gets.
    type Seen: Copy;

    /// Returns the rank to which it belongs.
    fn rank(&self) -> u32;

    /// Returns its first and last moment, in picoseconds.
    fn span(&self) -> (u64, u64);

    /// Fills columns with records, which are in the order of ranks.
    fn encode(records: &[Self], frame: &Frame, columns: &mut Columns);

    /// Appends the selected records of a block; none if its payload is invalid.
    fn decode(
        payload: &[u8],
        frame: &Frame,
        limits: &Limits,
        selection: &Selection,
        out: &mut Vec<Self::Seen>,
    ) -> Option<()>;
}

/// Writes which rank has how many records. Returns the runs of records.
fn put_runs<'a, R: Record>(
    records: &'a [R],
    frame: &Frame,
    columns: &mut Columns,
) -> impl Iterator<Item = &'a [R]> + use<'a, R> {
    let runs = || records.chunk_by(|one, next| one.rank() == next.rank());
    let mut next = frame.ranks.start;
    for run in runs() {
        let rank = run[0].rank();
        varint::put(&mut columns[column::RUNS], u64::from(rank - next));
        varint::put(&mut columns[column::RUNS], run.len() as u64);
        next = rank + 1;
    }
    runs()
}

/// Reads which rank has how many records.
struct Runs<'a> {
    column: &'a [u8],
    /// Ranks that can still follow.
    ranks: Range<u32>,
    left: u32,
}

impl<'a> Runs<'a> {
    fn new(column: &'a [u8], frame: &Frame) -> Self {
        Self { column, ranks: frame.ranks.clone(), left: frame.count }
    }

    /// Returns whether all records of the block have their rank, and the column is used up.
    fn are_over(&self) -> bool {
        self.left == 0 && self.column.is_empty()
    }

    /// Returns the next rank and the number of its records; none if it is invalid.
    fn take(&mut self) -> Option<(u32, u32)> {
        let skipped = u32::try_from(varint::take(&mut self.column)?).ok()?;
        let rank = self.ranks.start.checked_add(skipped).filter(|rank| *rank < self.ranks.end)?;
        let count = u32::try_from(varint::take(&mut self.column)?).ok()?;
        self.left = self.left.checked_sub(count).filter(|_| count > 0)?;
        self.ranks.start = rank + 1;
        Some((rank, count))
    }
}

/// The first and last moment of what was read.
struct Span(u64, u64);

impl Span {
    fn new() -> Self {
        Self(u64::MAX, 0)
    }

    #[inline]
    fn include(&mut self, first: u64, last: u64) {
        self.0 = self.0.min(first);
        self.1 = self.1.max(last);
    }

    /// Returns whether it equals what the block's header says. A wrong one would hide records from
    /// windows.
    fn fits(&self, frame: &Frame) -> bool {
        (self.0, self.1) == (frame.first, frame.last)
    }
}

/// The last number at each of a few positions. Keys with equal lowest bits share a position: a
/// wrong guess costs bytes, nothing else.
struct Last<const N: usize>([u64; N]);

impl<const N: usize> Last<N> {
    fn new() -> Self {
        Self([0; N])
    }

    #[inline]
    fn put(&mut self, key: u32, number: u64, column: &mut Vec<u8>) {
        let last = &mut self.0[key as usize % N];
        varint::put_change(column, *last, number);
        *last = number;
    }

    #[inline]
    fn take(&mut self, key: u32, column: &mut &[u8]) -> Option<u64> {
        let last = &mut self.0[key as usize % N];
        *last = varint::take_change(column, *last)?;
        Some(*last)
    }
}
