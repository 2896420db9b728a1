//! The order of channels in memory.

use super::prepared::Seating;
use crate::program::Program;

/// Seats whose channels lie together: so many channels are a page of memory.
const TOGETHER: usize = 128;
/// With fewer seats everything is near enough as it is.
pub(super) const MANY: usize = 64 * TOGETHER;

/// The program's number of each channel, in the order of memory.
///
/// Channels of one receiver follow each other. With many ranks, those of 128 receivers lie together, first the first of each, then the
/// second of each, and so on: what many ranks do one after the other, like a round of a collective, is on few pages.
pub(super) fn order(program: &Program, seating: &Seating) -> Vec<u32> {
    let seat = |name: u32| seating.seat(program.channels[name as usize].to) as usize;
    let mut names: Vec<u32> = (0..program.channels.len() as u32).collect();
    if !names.is_sorted_by_key(|&name| seat(name)) {
        names.sort_by_key(|&name| seat(name));
    }
    let seats = program.codes.len();
    if unit(seats) == 1 {
        return names;
    }
    let firsts = firsts(seats, names.iter().map(|&name| seat(name)));
    let mut order = Vec::with_capacity(names.len());
    for group in (0..seats).step_by(TOGETHER) {
        let group = group..(group + TOGETHER).min(seats);
        let most = group.clone().map(|seat| firsts[seat + 1] - firsts[seat]).max().unwrap_or(0);
        for nth in 0..most {
            let has = |seat: &usize| firsts[*seat] + nth < firsts[*seat + 1];
            order.extend(group.clone().filter(has).map(|seat| names[firsts[seat] + nth]));
        }
    }
    order
}

/// A range of channels belongs to a range of seats whose bounds are multiples of this.
pub(super) fn unit(seats: usize) -> usize {
    if seats < MANY { 1 } else { TOGETHER }
}

/// Where each seat begins among things in the order of their seats, and the end.
fn firsts(seats: usize, things: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut firsts = vec![0; seats + 1];
    for seat in things {
        firsts[seat + 1] += 1;
    }
    for seat in 0..seats {
        firsts[seat + 1] += firsts[seat];
    }
    firsts
}
