//! What ranks do, side by side, as in a conductor's score.
//!
//! Ranks that are neighbours are usually about as far. So a page of memory holds operations of several ranks, a *bar* of each: whoever
//! looks at one rank after the other stays on the page. If each rank had pages of its own, nearly every turn would begin with finding out
//! where a page is, and with tens of thousands of ranks that takes longer than the turn.

use super::order::MANY;
use crate::large::Large;
use crate::program::{Act, Code, Op};

/// Operations of a bar: two lines of the cache.
const LENGTH: usize = 8;
/// Binary digits of the number of bars of a page of 4 KiB.
const PAGE: u32 = 5;
/// Binary digits of the number of bars of a rank that follow each other: with many ranks one,
const ONE: u32 = 0;
/// with some four, since they go on for longer,
const FOUR: u32 = 2;
/// and with few, or where neighbours differ in how much they do, all.
const ALL: u32 = 31;
/// From so many ranks on, each on pages of its own would be too many pages.
const SOME: usize = MANY / 4;
/// The score is at most so many times as long as what is in it; where neighbours differ more in what they do, each has its bars for itself.
const LONGER: usize = 2;

/// Some operations of one rank.
#[derive(Debug, Clone, Copy)]
#[repr(align(128))]
pub(crate) struct Bar([Op; LENGTH]);

const _: () = assert!(size_of::<Bar>() == 128);

impl Bar {
    /// What is in it from a place of its rank on.
    #[inline]
    pub(super) fn from(&self, place: u32) -> &[Op] {
        &self.0[place as usize % LENGTH..]
    }
}

/// What all ranks do.
#[derive(Debug)]
pub(super) struct Score {
    bars: Large<Bar>,
    /// Where each seat begins.
    starts: Vec<usize>,
    reader: Reader,
}

/// Finds operations of a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reader {
    /// Binary digits of the number of a rank's bars that follow each other.
    together: u32,
}

impl Score {
    /// Copies what ranks do, in the order of their seats, with a change to each operation.
    pub(super) fn new<'c>(codes: impl Iterator<Item = &'c Code> + Clone, change: impl Fn(Op) -> Op) -> Self {
        // An end behind each, also where the program has none.
        let lengths: Vec<usize> = codes.clone().map(|code| code.ops.len() / LENGTH + 1).collect();
        let reader = Reader::of(&lengths);
        let (starts, all) = reader.starts(&lengths);
        let mut bars = Large::filled(Bar([Act::End.into(); LENGTH]), all);
        for (code, &start) in codes.zip(&starts) {
            for (nth, ops) in code.ops.chunks(LENGTH).enumerate() {
                let bar = &mut bars[start + reader.place(nth)].0;
                bar.iter_mut().zip(ops).for_each(|(place, &op)| *place = change(op));
            }
        }
        Self { bars, starts, reader }
    }

    /// What a seat does, among others.
    pub(super) fn of(&self, seat: u32) -> &[Bar] {
        &self.bars[self.starts[seat as usize]..]
    }

    pub(super) fn reader(&self) -> Reader {
        self.reader
    }
}

impl Reader {
    /// The best way for ranks with so many bars.
    fn of(lengths: &[usize]) -> Self {
        let written: usize = lengths.iter().sum();
        let together = match lengths.len() {
            MANY.. => ONE,
            SOME.. => FOUR,
            _ => ALL,
        };
        let reader = Self { together };
        if reader.starts(lengths).1 <= written * LONGER { reader } else { Self { together: ALL } }
    }

    /// Where each rank begins, and how many bars there are.
    fn starts(self, lengths: &[usize]) -> (Vec<usize>, usize) {
        let mut starts = Vec::with_capacity(lengths.len());
        let mut page = 0;
        if self.together == ALL {
            for length in lengths {
                starts.push(page);
                page += length;
            }
            return (starts, page);
        }
        for group in lengths.chunks(1 << (PAGE - self.together)) {
            starts.extend((0..group.len()).map(|nth| page + (nth << self.together)));
            let longest = group.iter().copied().max().unwrap_or(0);
            page += longest.div_ceil(1 << self.together) << PAGE;
        }
        (starts, page)
    }

    /// How far a bar is from the first of its rank.
    #[inline]
    fn place(self, bar: usize) -> usize {
        (bar >> self.together << PAGE) + (bar & ((1 << self.together) - 1))
    }

    /// The bar of a rank with the operation at a place.
    #[inline]
    pub(super) fn bar(self, bars: &[Bar], place: u32) -> Option<&Bar> {
        bars.get(self.place(place as usize / LENGTH))
    }

    /// The operation at a place of a rank.
    pub(super) fn find(self, bars: &[Bar], place: u32) -> Option<Op> {
        self.bar(bars, place).map(|bar| bar.0[place as usize % LENGTH])
    }
}

#[cfg(test)]
mod tests {
    use panto_units::Time;

    use super::*;

    fn code(length: usize) -> Code {
        let op = |nth: usize| Act::Compute(Time::from_picos(nth as u64)).into();
        Code { ops: (0..length).map(op).collect(), times: Vec::new(), slots: 0 }
    }

    fn is_whole(lengths: &[usize], together: u32) {
        let codes: Vec<Code> = lengths.iter().map(|&length| code(length)).collect();
        let score = Score::new(codes.iter(), |op| op);
        assert_eq!(score.reader, Reader { together });
        for (seat, code) in codes.iter().enumerate() {
            let found = |place: usize| score.reader.find(score.of(seat as u32), place as u32);
            for (place, &op) in code.ops.iter().enumerate() {
                assert_eq!(found(place), Some(op), "{seat} at {place}");
            }
            assert_eq!(found(code.ops.len()), Some(Act::End.into()), "{seat} ends");
        }
    }

    #[test]
    fn neighbours_that_do_as_much_lie_side_by_side() {
        let lengths: Vec<usize> = (0..MANY + 7).map(|seat| 40 + seat % 9).collect();
        is_whole(&lengths, ONE);
        is_whole(&lengths[..MANY - 1], FOUR);
        is_whole(&lengths[..SOME - 1], ALL);
    }

    #[test]
    fn whoever_does_much_more_has_its_own_pages() {
        let mut lengths = vec![3; MANY];
        lengths[5] = 100_000;
        is_whole(&lengths, ALL);
    }

    #[test]
    fn nobody_and_nothing() {
        is_whole(&[], ALL);
        is_whole(&[0, 0, LENGTH, LENGTH - 1], ALL);
    }
}
