//! The order of channels in memory.

use super::prepared::RankOrder;
use crate::program::Program;

/// Number of ranks whose channels are interleaved: one channel of each fills a page of 4 KiB.
const GROUP: usize = 128;
/// Number of ranks from which on channels are interleaved.
pub(super) const MIN_GROUPED: usize = 64 * GROUP;

/// Returns the program's number of each channel, in the order of memory.
///
/// Channels of one receiver are consecutive. With many ranks, those of a group of 128 receivers are
/// interleaved: the first channel of each, then the second of each, and so on. What many ranks do
/// one after the other, such as a round of a collective, then touches few pages.
pub(super) fn channel_order(program: &Program, rank_order: &RankOrder) -> Vec<u32> {
    let position = |number: u32| rank_order.position(program.channels[number as usize].to) as usize;
    let mut numbers: Vec<u32> = (0..program.channels.len() as u32).collect();
    if !numbers.is_sorted_by_key(|&number| position(number)) {
        numbers.sort_by_key(|&number| position(number));
    }
    let positions = program.codes.len();
    if granularity(positions) == 1 {
        return numbers;
    }
    let firsts = firsts(positions, numbers.iter().map(|&number| position(number)));
    let mut order = Vec::with_capacity(numbers.len());
    for group in (0..positions).step_by(GROUP) {
        let group = group..(group + GROUP).min(positions);
        let max_channels =
            group.clone().map(|position| firsts[position + 1] - firsts[position]).max().unwrap_or(0);
        for nth in 0..max_channels {
            let has = |position: &usize| firsts[*position] + nth < firsts[*position + 1];
            order.extend(group.clone().filter(has).map(|position| numbers[firsts[position] + nth]));
        }
    }
    order
}

/// Returns the number of which the bounds of a partition must be multiples, so that its channels
/// are a range.
pub(super) fn granularity(positions: usize) -> usize {
    if positions < MIN_GROUPED { 1 } else { GROUP }
}

/// Returns, for values sorted by position, the index of the first of each position, and their
/// number at the end. `things` yields the positions.
fn firsts(positions: usize, things: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut firsts = vec![0; positions + 1];
    for position in things {
        firsts[position + 1] += 1;
    }
    for position in 0..positions {
        firsts[position + 1] += firsts[position];
    }
    firsts
}
