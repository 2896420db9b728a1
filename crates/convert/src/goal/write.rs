//! From a program to a schedule.

mod rank;

use std::io::Write;
use std::path::Path;

use rustc_hash::FxHashMap;

use panto_machine::Machine;
use panto_sim::program::{Act, Lane, Program};

use super::unroll::Unrolled;
use crate::Exported;
use crate::error::{Error, Result};
use rank::Writing;

/// A schedule of more operations would not fit on a disk.
const MOST: u64 = 1 << 34;

/// Writes a program as a schedule, with loops unrolled and collectives as the program has them. What processors copy, combine, look for
/// and do with files becomes computation, by the figures of the machine. Helpers of a rank are further processors (`cpu`) of it.
pub fn write(program: &Program, machine: &Machine, out: &mut dyn Write) -> Result<Exported> {
    let plan = Plan::new(program, machine)?;
    let ranks = program.ranks;
    let mut exported = Exported { ranks, ..Exported::default() };
    put(out, format_args!("num_ranks {ranks}\n"))?;
    let (mut probes, mut remote, mut modes) = (0, 0, 0);
    for rank in 0..ranks {
        put(out, format_args!("\nrank {rank} {{\n"))?;
        let mut writing = Writing::new(&plan, rank, out);
        let helpers = plan.helpers.get(&rank).into_iter().flatten().copied();
        for (cpu, code) in (0..).zip(std::iter::once(rank).chain(helpers)) {
            writing.code(code, cpu)?;
        }
        writing.finish()?;
        exported.operations += writing.operations;
        (probes, remote) = (probes + writing.probes, remote + writing.remote);
        modes += writing.modes;
        put(out, format_args!("}}\n"))?;
    }
    out.flush().map_err(|error| Error::file(Path::new("the schedule"), error))?;
    let notes = [
        (probes, "probes were left out: GOAL has none"),
        (modes, "buffered, synchronous and ready sends became standard ones"),
        (remote, "one-sided operations became computation: GOAL has none"),
    ];
    let said = notes.into_iter().filter(|(count, _)| *count > 0);
    exported.notes = said.map(|(count, what)| format!("{count} {what}")).collect();
    Ok(exported)
}

fn put(out: &mut dyn Write, text: std::fmt::Arguments<'_>) -> Result<()> {
    out.write_fmt(text).map_err(|error| Error::file(Path::new("the schedule"), error))
}

/// What must be known before anything is written.
struct Plan<'a> {
    program: &'a Program,
    machine: &'a Machine,
    /// The helpers of each rank that has some.
    helpers: FxHashMap<u32, Vec<u32>>,
    /// For each channel a tag that no other one between these two ranks has,
    tags: Vec<u32>,
    /// and the lengths of its messages, in their order: how many of each.
    lengths: Vec<Vec<(u64, u64)>>,
}

impl<'a> Plan<'a> {
    fn new(program: &'a Program, machine: &'a Machine) -> Result<Self> {
        if program.has_picks() {
            let text = "receives with wild cards take what comes first, which a schedule without a machine does not know; make \
                        the program with what they got in the traced run (--wildcards recorded)";
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
        for (helper, home) in (program.ranks..).zip(&program.helps) {
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
            if count > MOST {
                let text = format!(
                    "the program has more than {MOST} operations when its loops are unrolled; GOAL has no loops"
                );
                return Err(Error::Usage(text));
            }
            if let Act::Send { channel, bytes, .. } | Act::StartSend { channel, bytes, .. } = act {
                let lengths = &mut self.lengths[channel as usize];
                match lengths.last_mut() {
                    Some((last, times)) if *last == bytes => *times += 1,
                    _ => lengths.push((bytes, 1)),
                }
            }
        }
        Ok(())
    }

    fn is_aside(&self, channel: u32) -> bool {
        self.program.channels[channel as usize].lane == Lane::Aside
    }
}
