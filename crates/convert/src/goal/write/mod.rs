//! Export: from a program to a GOAL schedule.

mod rank;

use std::io::Write;
use std::path::Path;

use rustc_hash::FxHashMap;

use panto_machine::Machine;
use panto_sim::program::{ChannelKind, Op, Program};

use super::unroll::Unrolled;
use crate::ExportSummary;
use crate::error::{Error, Result};
use rank::RankWriter;

/// Upper limit of operations. A schedule of more would not fit on a disk.
const MAX_OPERATIONS: u64 = 1 << 34;

/// Writes a program as a schedule, with loops unrolled and collectives as the program has them.
/// Copies, reductions, polls and file accesses become computation, at the machine's rates. Helpers
/// of a rank become further CPUs (`cpu N`) of it.
pub fn write(program: &Program, machine: &Machine, out: &mut dyn Write) -> Result<ExportSummary> {
    let plan = Plan::new(program, machine)?;
    let ranks = program.ranks;
    let mut exported = ExportSummary { ranks, ..ExportSummary::default() };
    put(out, format_args!("num_ranks {ranks}\n"))?;
    let (mut probes, mut remote, mut modes) = (0, 0, 0);
    for rank in 0..ranks {
        put(out, format_args!("\nrank {rank} {{\n"))?;
        let mut writer = RankWriter::new(&plan, rank, out);
        let helpers = plan.helpers.get(&rank).into_iter().flatten().copied();
        for (cpu, code) in (0..).zip(std::iter::once(rank).chain(helpers)) {
            writer.code(code, cpu)?;
        }
        writer.finish()?;
        exported.operations += writer.operations;
        (probes, remote) = (probes + writer.probes, remote + writer.remote);
        modes += writer.modes;
        put(out, format_args!("}}\n"))?;
    }
    out.flush().map_err(|error| Error::file(Path::new("the schedule"), error))?;
    let notes = [
        (probes, "probes omitted: GOAL has none"),
        (modes, "buffered, synchronous or ready sends written as standard sends"),
        (remote, "one-sided operations written as computation: GOAL has none"),
    ];
    let counted = notes.into_iter().filter(|(count, _)| *count > 0);
    exported.notes = counted.map(|(count, what)| format!("{count} {what}")).collect();
    Ok(exported)
}

fn put(out: &mut dyn Write, text: std::fmt::Arguments<'_>) -> Result<()> {
    out.write_fmt(text).map_err(|error| Error::file(Path::new("the schedule"), error))
}

/// What is computed from the program before the first line is written.
struct Plan<'a> {
    program: &'a Program,
    machine: &'a Machine,
    /// Helpers of each rank that has any.
    helpers: FxHashMap<u32, Vec<u32>>,
    /// Tag of each channel, unique between its two ranks.
    tags: Vec<u32>,
    /// Message sizes of each channel in order, run-length encoded: (bytes, count).
    lengths: Vec<Vec<(u64, u64)>>,
}

impl<'a> Plan<'a> {
    fn new(program: &'a Program, machine: &'a Machine) -> Result<Self> {
        if program.has_wildcards() {
            let text = "the program has wildcard receives, and which message each one matches depends on the machine; \
                        rebuild it with the matches of the traced run (--wildcards recorded)";
            return Err(Error::Usage(text.into()));
        }
        let mut next: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        let mut tag = |channel: &panto_sim::program::Channel| {
            let pair = (program.home(channel.from), program.home(channel.to));
            let next = next.entry(pair).or_default();
            *next += 1;
            *next - 1
        };
        let tags = program.channels.iter().map(&mut tag).collect();
        let mut helpers: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for (helper, home) in (program.ranks..).zip(&program.helper_homes) {
            helpers.entry(*home).or_default().push(helper);
        }
        let lengths = vec![Vec::new(); program.channels.len()];
        let mut plan = Self { program, machine, helpers, tags, lengths };
        plan.measure()?;
        Ok(plan)
    }

    fn measure(&mut self) -> Result<()> {
        let mut count = 0;
        for act in self.program.codes.iter().flat_map(Unrolled::new) {
            count += 1;
            if count > MAX_OPERATIONS {
                let text = format!(
                    "the program has more than {MAX_OPERATIONS} operations with its loops unrolled, and GOAL has no loops"
                );
                return Err(Error::Usage(text));
            }
            if let Op::Send { channel, bytes, .. } | Op::StartSend { channel, bytes, .. } = act {
                let lengths = &mut self.lengths[channel as usize];
                match lengths.last_mut() {
                    Some((last, times)) if *last == bytes => *times += 1,
                    _ => lengths.push((bytes, 1)),
                }
            }
        }
        Ok(())
    }

    fn carries_signals(&self, channel: u32) -> bool {
        self.program.channels[channel as usize].kind == ChannelKind::Helper
    }
}
