//! Ranks read in parts, on several threads.
//!
//! Each thread reads neighbouring ranks as if there were no others, and numbers what it finds:
//! channels, helpers, functions. The parts are then joined in the order of ranks. What a part finds
//! first gets the next number, as it would in one pass over all ranks; so ranks execute the same
//! operations whatever the number of parts, although loops may be stored differently. Where the
//! parts do not agree, or one of them fails, the ranks are read again in one pass, which gives the
//! warnings and the error.

use std::borrow::Cow;
use std::ops::Range;

use panto_machine::Machine;
use panto_trace::{RankTrace, Trace, World};
use panto_units::Time;

use super::agreement::CollectiveLog;
use super::channels::MergedNumbers;
use super::context::Context;
use super::cut::{Cut, Dependencies};
use super::error::Result;
use super::rank_reader::{MAX_CHANNELS, MAX_OPERATIONS, RankReader};
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
            && let Some(joined) = Self::read_apart(input, threads)
        {
            return Ok(joined);
        }
        Self::read(input, 0..ranks)
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

    /// Reads ranks in parts; `None` if they have to be read in one pass.
    fn read_apart(input: Input<'a>, threads: usize) -> Option<Self> {
        let ranges = ranges(input.trace, threads);
        let parts =
            panto_parallel::map(ranges.len(), threads, |part| Self::read(input, ranges[part].clone()));
        let mut parts = parts.into_iter();
        let mut all = parts.next()?.ok()?;
        for part in parts {
            all.join(part.ok()?)?;
        }
        Some(all)
    }

    /// Adds a part with higher ranks; `None` if they have to be read in one pass.
    fn join(&mut self, part: Part<'_>) -> Option<()> {
        let (context, other) = (&mut self.context, part.context);
        if !context.collectives.merge(&other.collectives) {
            return None;
        }
        let ranks = context.helpers.ranks();
        let helpers = context.helpers.merge(&other.helpers);
        let code = |number: u32| number.checked_sub(ranks).map_or(number, |helper| helpers[helper as usize]);
        let numbers = context.channels.merge(&other.channels, code);
        let calls = context.calls.merge(&other.calls);
        context.notes.merge(other.notes);
        context.operations += other.operations;
        if context.operations > MAX_OPERATIONS || context.channels.len() > MAX_CHANNELS {
            return None;
        }
        let helper_codes = part.helper_codes.into_iter().map(|(number, helper)| (code(number), helper));
        self.helper_codes
            .extend(helper_codes.map(|(number, code)| (number, renumber(code, &numbers, &calls))));
        self.codes.extend(part.codes.into_iter().map(|code| renumber(code, &numbers, &calls)));
        self.computation.extend(part.computation);
        Some(())
    }
}

fn renumber(mut code: Code, numbers: &MergedNumbers, calls: &[u32]) -> Code {
    for op in &mut code.ops {
        *op = op.renumbered(
            |channel| numbers.channels[channel as usize],
            |wildcard| numbers.wildcards[wildcard as usize],
            |call| calls[call as usize],
        );
    }
    code
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
