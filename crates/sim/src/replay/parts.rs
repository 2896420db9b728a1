//! Ranks read in parts, on several threads.
//!
//! Each thread reads neighbouring ranks as if there were no others, and numbers what it finds:
//! channels, helpers, functions. The parts are then joined in the order of ranks. A helper or
//! function that a part finds first gets the next number, as it would in one pass over all ranks,
//! and channels are numbered by their receivers; so ranks execute the same operations whatever the
//! number of parts, although loops may be stored differently. Where the parts do not agree, or one
//! of them fails, the ranks are read again in one pass, which gives the warnings and the error.

use std::borrow::Cow;
use std::ops::Range;

use panto_machine::Machine;
use panto_trace::{RankTrace, Trace, World};
use panto_units::Time;

use super::agreement::CollectiveLog;
use super::channel_join::{JoinedNumbers, PartChannels, join as join_channels};
use super::context::Context;
use super::cut::{Cut, Dependencies};
use super::error::{Error, Result};
use super::rank_reader::RankReader;
use super::{Options, Wildcards};
use crate::program::Code;

/// What all parts share.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    pub trace: &'a Trace,
    pub machine: &'a Machine,
    pub options: Options,
    pub world: &'a World,
    /// How far ranks are read, if some of them end too early.
    pub cut: Option<&'a Cut>,
}

impl Input<'_> {
    /// Returns the last consistent cut of a trace, of which rank `incomplete` is the first that
    /// ends too early. What receives with wildcards matched in the traced run determines it.
    pub fn find_cut(mut self, incomplete: u32) -> Result<Cut> {
        self.options.wildcards = Wildcards::Recorded;
        let mut part = Part::new(self);
        part.context.dependencies = Some(Dependencies::default());
        part.context.collectives = CollectiveLog::of_incomplete();
        part.add(self.trace.ranks())?;
        let dependencies = part.context.dependencies.unwrap_or_default();
        Ok(dependencies.cut(self.trace, self.world, incomplete))
    }
}

/// Neighbouring ranks that have been read.
pub struct Part<'a> {
    pub context: Context<'a>,
    /// The code of each rank.
    pub codes: Vec<Code>,
    /// The number and code of each helper.
    pub helper_codes: Vec<(u32, Code)>,
    /// The computation of each rank.
    pub computation: Vec<Time>,
}

impl<'a> Part<'a> {
    /// Reads all ranks on up to `threads` threads.
    pub fn read_all(input: Input<'a>, threads: usize) -> Result<Self> {
        let ranks = input.trace.ranks().len();
        if threads > 1
            && ranks > 1
            && let Some(parts) = Self::read_apart(input, threads)
            && let Some(whole) = Self::join(parts, threads)
        {
            return Ok(whole);
        }
        let whole = Self::read(input, 0..ranks)?;
        let last = input.trace.ranks().last().map_or(0, RankTrace::rank);
        Self::join(vec![whole], 1).ok_or(Error::TooLong { rank: last })
    }

    /// Reads ranks one after the other.
    fn read(input: Input<'a>, ranks: Range<usize>) -> Result<Self> {
        let mut part = Self::new(input);
        part.add(&input.trace.ranks()[ranks])?;
        Ok(part)
    }

    /// No ranks yet.
    fn new(input: Input<'a>) -> Self {
        let Input { trace, machine, options, world, cut } = input;
        let context = Context { cut, ..Context::new(machine, options, Cow::Borrowed(world), trace.size()) };
        let (codes, helper_codes, computation) = (Vec::new(), Vec::new(), Vec::new());
        Self { context, codes, helper_codes, computation }
    }

    fn add(&mut self, ranks: &[RankTrace]) -> Result<()> {
        for rank in ranks {
            let read = RankReader::read(&mut self.context, rank)?;
            self.codes.push(read.code);
            self.helper_codes.extend(read.helpers);
            self.computation.push(read.computation);
        }
        Ok(())
    }

    /// Reads ranks in parts; `None` if one of them fails.
    fn read_apart(input: Input<'a>, threads: usize) -> Option<Vec<Self>> {
        let ranges = ranges(input.trace, threads);
        let parts =
            panto_parallel::map(ranges.len(), threads, |part| Self::read(input, ranges[part].clone()));
        parts.into_iter().map(Result::ok).collect()
    }

    /// Joins parts that follow each other, on up to `threads` threads; `None` if the ranks have to
    /// be read in one pass.
    fn join(parts: Vec<Self>, threads: usize) -> Option<Self> {
        let mut parts = parts.into_iter();
        let mut all = parts.next()?;
        let ranks = all.context.helpers.ranks();
        let helpers = (ranks..).take(all.context.helpers.homes().len()).collect();
        let calls = (0..all.context.calls.len()).collect();
        let (mut channels, mut codes) = (Vec::new(), Vec::new());
        all.take_found(helpers, calls, &mut channels, &mut codes);
        for mut part in parts {
            let helpers = all.context.helpers.merge(&part.context.helpers);
            let calls = all.context.calls.merge(&part.context.calls);
            all.context.merge(&mut part.context)?;
            part.take_found(helpers, calls, &mut channels, &mut codes);
            all.computation.append(&mut part.computation);
        }
        let (joined, numbers) = join_channels(&channels, ranks, all.context.helpers.homes());
        all.context.channels = joined;
        for (part, numbers) in codes.iter_mut().zip(&numbers) {
            part.renumber(numbers, threads);
            all.codes.append(&mut part.codes);
            all.helper_codes.append(&mut part.helper_codes);
        }
        Some(all)
    }

    /// Takes what is renumbered when all parts are joined, with the numbers there of the part's
    /// helpers and functions.
    fn take_found(
        &mut self,
        helpers: Vec<u32>,
        calls: Vec<u32>,
        channels: &mut Vec<PartChannels>,
        codes: &mut Vec<PartCodes>,
    ) {
        let ranks = self.context.helpers.ranks();
        let mut helper_codes = std::mem::take(&mut self.helper_codes);
        for (number, _) in &mut helper_codes {
            *number = helpers[(*number - ranks) as usize];
        }
        codes.push(PartCodes { codes: std::mem::take(&mut self.codes), helper_codes, calls });
        channels.push(PartChannels { channels: std::mem::take(&mut self.context.channels), helpers });
    }
}

/// The code of the ranks of a part.
struct PartCodes {
    codes: Vec<Code>,
    /// The number and code of each helper.
    helper_codes: Vec<(u32, Code)>,
    /// The number in the whole program of each function of the part.
    calls: Vec<u32>,
}

impl PartCodes {
    /// Changes the part's numbers of channels, wildcards and functions to those of the whole
    /// program.
    fn renumber(&mut self, numbers: &JoinedNumbers, threads: usize) {
        let Self { codes, helper_codes, calls } = self;
        panto_parallel::for_each_mut(codes, threads, |code| renumber(code, numbers, calls));
        panto_parallel::for_each_mut(helper_codes, threads, |(_, code)| renumber(code, numbers, calls));
    }
}

fn renumber(code: &mut Code, numbers: &JoinedNumbers, calls: &[u32]) {
    for op in &mut code.ops {
        *op = op.renumbered(
            |channel| numbers.channels[channel as usize],
            |wildcard| numbers.wildcards[wildcard as usize],
            |call| calls[call as usize],
        );
    }
}

/// Divides ranks into ranges with about as many events each.
fn ranges(trace: &Trace, count: usize) -> Vec<Range<usize>> {
    let events: Vec<u64> = trace.ranks().iter().map(RankTrace::events_count).collect();
    let all: u64 = events.iter().sum();
    let (mut ranges, mut start, mut seen) = (Vec::new(), 0, 0);
    for (rank, events) in events.iter().enumerate() {
        seen += events;
        let is_last = rank + 1 == trace.ranks().len();
        if is_last || seen * count as u64 >= all * (ranges.len() as u64 + 1) {
            ranges.push(start..rank + 1);
            start = rank + 1;
        }
    }
    ranges
}
