//! What ranks do, side by side, as in a conductor's score.
//!
//! Ranks that are neighbours are usually about as far. So a page of memory holds operations of several ranks, a *bar* of each: whoever
//! looks at one rank after the other stays on the page. If each rank had pages of its own, nearly every turn would begin with finding out
//! where a page is, and with tens of thousands of ranks that takes longer than the turn.

use super::order::MANY;
use crate::program::{Act, Code, Op};

/// Operations of a bar: two lines of the cache.
const LENGTH: usize = 8;
/// Binary digits of the number of ranks whose bars lie together: a page of 4 KiB.
const SIDE_BY_SIDE: u32 = 5;
/// The score is at most so many times as long as what is in it; where neighbours differ more in what they do, each has its bars for itself.
const LONGER: usize = 2;

/// Some operations of one rank.
#[derive(Debug, Clone, Copy)]
#[repr(align(128))]
pub(crate) struct Bar([Op; LENGTH]);

const _: () = assert!(size_of::<Bar>() == 128);

/// What all ranks do.
#[derive(Debug, Clone)]
pub(super) struct Score {
    bars: Vec<Bar>,
    /// Where each seat begins.
    starts: Vec<usize>,
    reader: Reader,
}

/// Finds operations of a rank.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reader {
    /// Binary digits of the distance between a rank's bars.
    digits: u32,
}

impl Score {
    /// Copies what ranks do, in the order of their seats, with a change to each operation.
    pub(super) fn new<'c>(codes: impl Iterator<Item = &'c Code> + Clone, change: impl Fn(Op) -> Op) -> Self {
        // An end behind each, also where the program has none.
        let lengths: Vec<usize> = codes.clone().map(|code| code.ops.len() / LENGTH + 1).collect();
        let digits = if is_even(&lengths) { SIDE_BY_SIDE } else { 0 };
        let (starts, all) = starts(&lengths, digits);
        let mut bars = vec![Bar([Act::End.into(); LENGTH]); all];
        for (code, &start) in codes.zip(&starts) {
            for (nth, ops) in code.ops.chunks(LENGTH).enumerate() {
                let bar = &mut bars[start + (nth << digits)].0;
                bar.iter_mut().zip(ops).for_each(|(place, &op)| *place = change(op));
            }
        }
        Self { bars, starts, reader: Reader { digits } }
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
    /// The operation at a place of a rank.
    #[inline]
    pub(super) fn find(self, bars: &[Bar], place: u32) -> Option<&Op> {
        let bar = bars.get((place as usize / LENGTH) << self.digits)?;
        Some(&bar.0[place as usize % LENGTH])
    }
}

/// Are there many ranks, which do about as much as their neighbours?
fn is_even(lengths: &[usize]) -> bool {
    let written: usize = lengths.iter().sum();
    lengths.len() >= MANY && starts(lengths, SIDE_BY_SIDE).1 <= written * LONGER
}

/// Where each begins, and how many bars there are.
fn starts(lengths: &[usize], digits: u32) -> (Vec<usize>, usize) {
    let mut starts = Vec::with_capacity(lengths.len());
    let mut page = 0;
    for group in lengths.chunks(1 << digits) {
        starts.extend((0..group.len()).map(|nth| page + nth));
        page += group.iter().copied().max().unwrap_or(0) << digits;
    }
    (starts, page)
}

#[cfg(test)]
mod tests {
    use panto_units::Time;

    use super::*;

    fn code(length: usize) -> Code {
        let op = |nth: usize| Act::Compute(Time::from_picos(nth as u64)).into();
        Code { ops: (0..length).map(op).collect(), times: Vec::new(), slots: 0 }
    }

    fn is_whole(lengths: &[usize], digits: u32) {
        let codes: Vec<Code> = lengths.iter().map(|&length| code(length)).collect();
        let score = Score::new(codes.iter(), |op| op);
        assert_eq!(score.reader.digits, digits);
        for (seat, code) in codes.iter().enumerate() {
            let found = |place: usize| score.reader.find(score.of(seat as u32), place as u32).copied();
            for (place, &op) in code.ops.iter().enumerate() {
                assert_eq!(found(place), Some(op), "{seat} at {place}");
            }
            assert_eq!(found(code.ops.len()), Some(Act::End.into()), "{seat} ends");
        }
    }

    #[test]
    fn neighbours_that_do_as_much_lie_side_by_side() {
        let lengths: Vec<usize> = (0..MANY + 7).map(|seat| 40 + seat % 9).collect();
        is_whole(&lengths, SIDE_BY_SIDE);
        is_whole(&lengths[..MANY - 1], 0);
    }

    #[test]
    fn whoever_does_much_more_has_its_own_pages() {
        let mut lengths = vec![3; MANY];
        lengths[5] = 100_000;
        is_whole(&lengths, 0);
    }

    #[test]
    fn nobody_and_nothing() {
        is_whole(&[], 0);
        is_whole(&[0, 0, LENGTH, LENGTH - 1], 0);
    }
}
