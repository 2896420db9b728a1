//! What depends on the program alone, computed once for all machines of a sweep.

use std::borrow::Cow;
use std::ops::Range;

use super::channel_order;
use super::interleaved_ops::InterleavedOps;
use crate::program::{Channel, Op, Program, SendMode};

/// A program laid out for the run-ahead engine.
///
/// Ranks and helpers have *positions*: a helper comes after its rank, so that a range of positions
/// is a part of the program that communicates much with itself. Channels are numbered by the
/// position of their receiver, so that a range of positions has a range of channels, and what a
/// rank receives lies together. Operations are copied with channels by these numbers.
#[derive(Debug)]
pub struct PreparedProgram<'a> {
    program: &'a Program,
    rank_order: RankOrder,
    channels: Cow<'a, [Channel]>,
    /// The program's number of each channel; empty if it is the same.
    program_numbers: Vec<u32>,
    /// The operations of ranks, with channels renumbered.
    ops: InterleavedOps,
    /// What is sent on each channel.
    send_summaries: Vec<SendSummary>,
}

/// What is sent on a channel: log2 of the largest size, and whether a mode is explicit. One byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct SendSummary(u8);

/// A message is sent in synchronous or ready mode.
const EXPLICIT_MODE: u8 = 1 << 7;

impl SendSummary {
    /// Adds a send.
    fn extend(&mut self, mode: SendMode, bytes: u64) {
        let bits = (u64::BITS - bytes.leading_zeros()) as u8;
        let explicit =
            if matches!(mode, SendMode::Synchronous | SendMode::Ready) { EXPLICIT_MODE } else { 0 };
        self.0 = (self.0 & !EXPLICIT_MODE).max(bits) | (self.0 & EXPLICIT_MODE) | explicit;
    }

    /// Returns a size that no message exceeds, less than twice the largest.
    #[inline]
    pub(super) fn max_bytes(self) -> u64 {
        let bits = u32::from(self.0 & !EXPLICIT_MODE);
        if bits == 0 { 0 } else { u64::MAX >> (u64::BITS - bits) }
    }

    /// Returns whether a message is sent in synchronous or ready mode.
    #[inline]
    pub(super) fn has_explicit_mode(self) -> bool {
        self.0 & EXPLICIT_MODE != 0
    }
}

/// The order of ranks and helpers. Without helpers positions are rank numbers, and nothing is
/// stored.
#[derive(Debug, Clone, Default)]
pub(super) struct RankOrder {
    codes: Vec<u32>,
    positions: Vec<u32>,
}

impl RankOrder {
    fn new(program: &Program) -> Self {
        if program.helper_homes.is_empty() {
            return Self::default();
        }
        let mut codes: Vec<u32> = (0..program.codes.len() as u32).collect();
        codes.sort_by_key(|&code| program.home(code));
        let mut positions = vec![0; codes.len()];
        for (position, &code) in codes.iter().enumerate() {
            positions[code as usize] = position as u32;
        }
        Self { codes, positions }
    }

    /// Returns the code number at a position.
    #[inline]
    fn code(&self, position: u32) -> u32 {
        self.codes.get(position as usize).copied().unwrap_or(position)
    }

    #[inline]
    pub(super) fn position(&self, code: u32) -> u32 {
        self.positions.get(code as usize).copied().unwrap_or(code)
    }
}

impl<'a> PreparedProgram<'a> {
    /// Lays out a program.
    pub fn new(program: &'a Program) -> Self {
        let rank_order = RankOrder::new(program);
        let mut program_numbers = channel_order::channel_order(program, &rank_order);
        if program_numbers.is_sorted() {
            program_numbers = Vec::new();
        }
        let numbers = inverse(&program_numbers);
        let number =
            |program_number: u32| numbers.get(program_number as usize).copied().unwrap_or(program_number);
        let positions = (0..program.codes.len() as u32)
            .map(|position| &program.codes[rank_order.code(position) as usize]);
        Self {
            program,
            ops: InterleavedOps::new(positions, |op| op.renumbered(number, unchanged, unchanged)),
            channels: if program_numbers.is_empty() {
                Cow::Borrowed(&program.channels)
            } else {
                program_numbers
                    .iter()
                    .map(|&program_number| program.channels[program_number as usize])
                    .collect()
            },
            send_summaries: send_summaries(program, number),
            program_numbers,
            rank_order,
        }
    }

    pub(super) fn program(&self) -> &'a Program {
        self.program
    }

    /// Returns the code number at a position.
    #[inline]
    pub(super) fn code(&self, position: u32) -> u32 {
        self.rank_order.code(position)
    }

    #[inline]
    pub(super) fn position(&self, code: u32) -> u32 {
        self.rank_order.position(code)
    }

    /// Returns the operations of all positions, with channels renumbered.
    pub(super) fn ops(&self) -> &InterleavedOps {
        &self.ops
    }

    /// Returns all channels, by their numbers here.
    #[inline]
    pub(super) fn channels(&self) -> &[Channel] {
        &self.channels
    }

    /// Returns the program's number of a channel.
    #[inline]
    pub(super) fn program_number(&self, channel: u32) -> u32 {
        self.program_numbers.get(channel as usize).copied().unwrap_or(channel)
    }

    pub(super) fn sends(&self, channel: u32) -> SendSummary {
        self.send_summaries[channel as usize]
    }

    /// Returns the average number of operations of a rank or helper, loops not unrolled.
    pub(super) fn mean_ops(&self) -> usize {
        let codes = &self.program.codes;
        codes.iter().map(|code| code.ops.len()).sum::<usize>() / codes.len().max(1)
    }

    /// Divides the positions into ranges of about equal length.
    pub(super) fn partitions(&self, partitions: usize) -> Vec<Range<u32>> {
        let positions = self.program.codes.len();
        let unit = channel_order::granularity(positions);
        let bound = |nth: usize| match nth {
            _ if nth == partitions => positions as u32,
            _ => (positions * nth / partitions / unit * unit) as u32,
        };
        (0..partitions).map(|partition| bound(partition)..bound(partition + 1)).collect()
    }

    /// Returns the channels that end at a range of positions.
    pub(super) fn channels_to(&self, positions: &Range<u32>) -> Range<u32> {
        let first =
            |bound: u32| self.channels.partition_point(|channel| self.position(channel.to) < bound) as u32;
        first(positions.start)..first(positions.end)
    }
}

/// Returns the number here of each of the program's channels; empty if they are the same.
fn inverse(program_numbers: &[u32]) -> Vec<u32> {
    let mut numbers = vec![0; program_numbers.len()];
    for (number, &program_number) in (0..).zip(program_numbers) {
        numbers[program_number as usize] = number;
    }
    numbers
}

fn unchanged(number: u32) -> u32 {
    number
}

/// Returns what is sent on each channel.
fn send_summaries(program: &Program, number: impl Fn(u32) -> u32) -> Vec<SendSummary> {
    let mut send_summaries = vec![SendSummary::default(); program.channels.len()];
    for op in program.codes.iter().flat_map(|code| &code.ops) {
        if let Op::Send { mode, channel, bytes } | Op::StartSend { mode, channel, bytes, .. } = op.unpack() {
            send_summaries[number(channel) as usize].extend(mode, bytes);
        }
    }
    send_summaries
}
