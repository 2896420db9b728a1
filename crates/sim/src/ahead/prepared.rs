//! What does not depend on the machine: done once for all settings of a sweep.

use std::borrow::Cow;
use std::ops::Range;

use super::order;
use super::score::Score;
use crate::program::{Act, Channel, Op, Program, Sending};

/// A program that is ready to run ahead, on many machines.
///
/// Ranks have *seats*: a helper sits next to its rank, so that a range of seats is a part of the program that has much to do with itself.
/// Channels are numbered by the seat of their receiver: what a rank receives lies together in memory, and a range of seats has a range of
/// channels. What
/// ranks do is copied.
#[derive(Debug)]
pub struct Prepared<'a> {
    program: &'a Program,
    seating: Seating,
    channels: Cow<'a, [Channel]>,
    /// The program's number of each channel; none if they are the same.
    names: Vec<u32>,
    /// What ranks do, with channels by their numbers here.
    score: Score,
    /// What is sent on each channel at most.
    reaches: Vec<Reach>,
}

/// What is sent on a channel at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Reach(u8);

const ASKS: u8 = 1 << 7;

impl Reach {
    fn extend(&mut self, sending: Sending, bytes: u64) {
        let digits = (u64::BITS - bytes.leading_zeros()) as u8;
        let asks = if matches!(sending, Sending::Synchronous | Sending::Ready) { ASKS } else { 0 };
        self.0 = (self.0 & !ASKS).max(digits) | (self.0 & ASKS) | asks;
    }

    /// No standard message is longer.
    #[inline]
    pub(super) fn most(self) -> u64 {
        let digits = u32::from(self.0 & !ASKS);
        if digits == 0 { 0 } else { u64::MAX >> (u64::BITS - digits) }
    }

    /// Is there a send that asks for more than a standard send?
    #[inline]
    pub(super) fn asks(self) -> bool {
        self.0 & ASKS != 0
    }
}

/// Who sits where. Without helpers everybody sits at the place of his number, and nothing is kept.
#[derive(Debug, Clone, Default)]
pub(super) struct Seating {
    codes: Vec<u32>,
    seats: Vec<u32>,
}

impl Seating {
    fn new(program: &Program) -> Self {
        if program.helps.is_empty() {
            return Self::default();
        }
        let mut codes: Vec<u32> = (0..program.codes.len() as u32).collect();
        codes.sort_by_key(|&code| program.home(code));
        let mut seats = vec![0; codes.len()];
        for (seat, &code) in codes.iter().enumerate() {
            seats[code as usize] = seat as u32;
        }
        Self { codes, seats }
    }

    #[inline]
    fn code(&self, seat: u32) -> u32 {
        self.codes.get(seat as usize).copied().unwrap_or(seat)
    }

    #[inline]
    pub(super) fn seat(&self, code: u32) -> u32 {
        self.seats.get(code as usize).copied().unwrap_or(code)
    }
}

impl<'a> Prepared<'a> {
    /// Goes through a program once.
    pub fn new(program: &'a Program) -> Self {
        let seating = Seating::new(program);
        let mut names = order::order(program, &seating);
        if names.is_sorted() {
            names = Vec::new();
        }
        let numbers = inverse(&names);
        let number = |name: u32| numbers.get(name as usize).copied().unwrap_or(name);
        let seats = (0..program.codes.len() as u32).map(|seat| &program.codes[seating.code(seat) as usize]);
        Self {
            program,
            score: Score::new(seats, |op| renumbered(op, number)),
            channels: if names.is_empty() {
                Cow::Borrowed(&program.channels)
            } else {
                names.iter().map(|&name| program.channels[name as usize]).collect()
            },
            reaches: reaches(program, number),
            names,
            seating,
        }
    }

    pub(super) fn program(&self) -> &'a Program {
        self.program
    }

    /// The rank or helper at a seat.
    #[inline]
    pub(super) fn code(&self, seat: u32) -> u32 {
        self.seating.code(seat)
    }

    #[inline]
    pub(super) fn seat(&self, code: u32) -> u32 {
        self.seating.seat(code)
    }

    /// What ranks and helpers do, with channels by their numbers here.
    pub(super) fn score(&self) -> &Score {
        &self.score
    }

    /// All channels, by their numbers here.
    #[inline]
    pub(super) fn channels(&self) -> &[Channel] {
        &self.channels
    }

    /// The program's number of a channel.
    #[inline]
    pub(super) fn name(&self, channel: u32) -> u32 {
        self.names.get(channel as usize).copied().unwrap_or(channel)
    }

    pub(super) fn reach(&self, channel: u32) -> Reach {
        self.reaches[channel as usize]
    }

    /// Operations of a rank or helper as they are written, about.
    pub(super) fn length(&self) -> usize {
        let codes = &self.program.codes;
        codes.iter().map(|code| code.ops.len()).sum::<usize>() / codes.len().max(1)
    }

    /// Seats in so many ranges of about the same length.
    pub(super) fn parts(&self, parts: usize) -> Vec<Range<u32>> {
        let seats = self.program.codes.len();
        let unit = order::unit(seats);
        let bound = |part: usize| match part {
            _ if part == parts => seats as u32,
            _ => (seats * part / parts / unit * unit) as u32,
        };
        (0..parts).map(|part| bound(part)..bound(part + 1)).collect()
    }

    /// The channels that end at a range of seats.
    pub(super) fn channels_to(&self, seats: &Range<u32>) -> Range<u32> {
        let first =
            |bound: u32| self.channels.partition_point(|channel| self.seat(channel.to) < bound) as u32;
        first(seats.start)..first(seats.end)
    }
}

/// The number of each name; none if there are no names.
fn inverse(names: &[u32]) -> Vec<u32> {
    let mut numbers = vec![0; names.len()];
    for (number, &name) in (0..).zip(names) {
        numbers[name as usize] = number;
    }
    numbers
}

fn reaches(program: &Program, number: impl Fn(u32) -> u32) -> Vec<Reach> {
    let mut reaches = vec![Reach::default(); program.channels.len()];
    for op in program.codes.iter().flat_map(|code| &code.ops) {
        if let Act::Send { sending, channel, bytes } | Act::StartSend { sending, channel, bytes, .. } =
            op.act()
        {
            reaches[number(channel) as usize].extend(sending, bytes);
        }
    }
    reaches
}

fn renumbered(op: Op, new: impl Fn(u32) -> u32) -> Op {
    match op.act() {
        Act::Send { sending, channel, bytes } => Act::Send { sending, channel: new(channel), bytes }.into(),
        Act::Receive { channel } => Act::Receive { channel: new(channel) }.into(),
        Act::StartSend { sending, slot, channel, bytes } => {
            Act::StartSend { sending, slot, channel: new(channel), bytes }.into()
        }
        Act::StartReceive { slot, channel } => Act::StartReceive { slot, channel: new(channel) }.into(),
        Act::Probe { channel } => Act::Probe { channel: new(channel) }.into(),
        Act::Remote { way, channel, bytes } => Act::Remote { way, channel: new(channel), bytes }.into(),
        _ => op,
    }
}
