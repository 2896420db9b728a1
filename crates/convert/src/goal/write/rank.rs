//! The schedule of one rank and its helpers.

use std::fmt::Write as _;
use std::io::Write;

use rustc_hash::FxHashMap;

use panto_machine::Machine;
use panto_sim::program::{Act, Sending, Way};
use panto_units::Time;

use super::super::unroll::Unrolled;
use super::{Plan, put};
use crate::error::Result;

/// A label, and whether what follows needs it complete.
type After = (u64, bool);

/// What is in a place for requests.
#[derive(Debug, Clone, Copy)]
enum Started {
    /// A message, by its label.
    Message(u64),
    /// The word of a helper, or for it: a channel, and the how manieth on it.
    Aside(u32, u64),
}

/// The schedule of one rank, as it is written.
pub struct Writing<'a, 'o> {
    plan: &'a Plan<'a>,
    rank: u32,
    out: &'o mut dyn Write,
    /// Operations so far: the next label.
    pub operations: u64,
    /// Probes that were left out.
    pub probes: u64,
    /// One-sided operations.
    pub remote: u64,
    /// Sends that were not standard ones.
    pub modes: u64,
    /// What comes after something that a helper does, and what that is: it may be written later.
    waiting: Vec<(u64, (u32, u64))>,
    /// The operations that say something to or for a helper.
    said: FxHashMap<(u32, u64), u64>,
    /// Messages so far of each channel.
    sent: FxHashMap<u32, u64>,
    received: FxHashMap<u32, Received>,
}

/// How far a channel was read.
#[derive(Debug, Clone, Copy, Default)]
struct Received {
    count: u64,
    run: usize,
    in_run: u64,
}

/// Where a code is.
struct Thread {
    cpu: u32,
    /// Computation that was not written, in picoseconds.
    owed: u64,
    after: Vec<After>,
    slots: Vec<Option<Started>>,
}

impl<'a, 'o> Writing<'a, 'o> {
    pub fn new(plan: &'a Plan<'a>, rank: u32, out: &'o mut dyn Write) -> Self {
        Self {
            plan,
            rank,
            out,
            operations: 0,
            probes: 0,
            remote: 0,
            modes: 0,
            waiting: Vec::new(),
            said: FxHashMap::default(),
            sent: FxHashMap::default(),
            received: FxHashMap::default(),
        }
    }

    /// Writes what a rank or a helper does, on a processor of its own.
    pub fn code(&mut self, number: u32, cpu: u32) -> Result<()> {
        let code = &self.plan.program.codes[number as usize];
        let slots = vec![None; code.slots as usize];
        let mut thread = Thread { cpu, owed: 0, after: Vec::new(), slots };
        for act in Unrolled::new(code) {
            self.act(&mut thread, act)?;
        }
        self.calc(&mut thread, false)
    }

    /// Writes what was left until all labels are known.
    pub fn finish(&mut self) -> Result<()> {
        for (label, on) in std::mem::take(&mut self.waiting) {
            if let Some(said) = self.said.get(&on) {
                put(self.out, format_args!("l{label} requires l{said}\n"))?;
            }
        }
        Ok(())
    }

    fn act(&mut self, thread: &mut Thread, act: Act) -> Result<()> {
        match act {
            Act::Compute(time) | Act::Call { before: time, .. } => thread.owe(time),
            Act::Copy { .. } | Act::Reduce { .. } | Act::Poll { .. } | Act::File { .. } => {
                thread.owe(work(self.plan.machine, act));
            }
            Act::Remote { way, channel, bytes } => {
                self.remote += 1;
                thread.owe(self.moved(way, channel, bytes));
            }
            Act::Send { channel, .. } | Act::StartSend { channel, .. } if self.plan.is_aside(channel) => {
                let label = self.calc_now(thread)?;
                let count = count(&mut self.sent, channel);
                self.said.insert((channel, count), label);
            }
            Act::Send { sending, channel, bytes } => {
                self.modes += u64::from(sending != Sending::Standard);
                self.message(thread, channel, bytes, true, true)?;
            }
            Act::StartSend { sending, slot, channel, bytes } => {
                self.modes += u64::from(sending != Sending::Standard);
                let label = self.message(thread, channel, bytes, true, false)?;
                thread.place(slot, Some(Started::Message(label)));
            }
            Act::Receive { channel } if self.plan.is_aside(channel) => {
                let (count, _) = self.next_length(channel);
                self.hear(thread, (channel, count))?;
            }
            Act::Receive { channel } => {
                let (_, bytes) = self.next_length(channel);
                self.message(thread, channel, bytes, false, true)?;
            }
            Act::StartReceive { slot, channel } => {
                let (count, bytes) = self.next_length(channel);
                let started = if self.plan.is_aside(channel) {
                    Started::Aside(channel, count)
                } else {
                    Started::Message(self.message(thread, channel, bytes, false, false)?)
                };
                thread.place(slot, Some(started));
            }
            Act::Wait { slot } => return self.wait(thread, slot),
            Act::Free { slot } => {
                thread.place(slot, None);
            }
            Act::Probe { .. } => self.probes += 1,
            // There are no picks, by the plan; the others are unrolled.
            Act::StartPick { .. }
            | Act::ProbePick { .. }
            | Act::ComputeListed
            | Act::CallListed { .. }
            | Act::Repeat { .. }
            | Act::End => {}
        }
        Ok(())
    }

    fn wait(&mut self, thread: &mut Thread, slot: u32) -> Result<()> {
        match thread.place(slot, None) {
            Some(Started::Message(label)) => {
                self.calc(thread, false)?;
                thread.need(label);
                Ok(())
            }
            Some(Started::Aside(channel, count)) => self.hear(thread, (channel, count)),
            None => Ok(()),
        }
    }

    /// Goes on when something was said.
    fn hear(&mut self, thread: &mut Thread, what: (u32, u64)) -> Result<()> {
        // What was computed before need not wait.
        self.calc(thread, false)?;
        let label = self.calc_now(thread)?;
        self.waiting.push((label, what));
        Ok(())
    }

    fn message(
        &mut self,
        thread: &mut Thread,
        channel: u32,
        bytes: u64,
        sends: bool,
        blocks: bool,
    ) -> Result<u64> {
        self.calc(thread, false)?;
        let way = &self.plan.program.channels[channel as usize];
        let other = self.plan.program.home(if sends { way.to } else { way.from });
        let (verb, preposition) = if sends { ("send", "to") } else { ("recv", "from") };
        let mut text =
            format!("{verb} {bytes}b {preposition} {other} tag {}", self.plan.tags[channel as usize]);
        if thread.cpu > 0 {
            let _ = write!(text, " cpu {}", thread.cpu);
        }
        self.operation(thread, &text, blocks)
    }

    /// Writes the computation that is owed, if there is any or it is needed as a label.
    fn calc(&mut self, thread: &mut Thread, always: bool) -> Result<()> {
        let nanos = thread.owed / 1_000;
        thread.owed %= 1_000;
        if nanos == 0 && !always {
            return Ok(());
        }
        let mut text = format!("calc {nanos}");
        if thread.cpu > 0 {
            let _ = write!(text, " cpu {}", thread.cpu);
        }
        self.operation(thread, &text, true).map(drop)
    }

    fn calc_now(&mut self, thread: &mut Thread) -> Result<u64> {
        self.calc(thread, true)?;
        Ok(self.operations - 1)
    }

    fn operation(&mut self, thread: &mut Thread, text: &str, blocks: bool) -> Result<u64> {
        let label = self.operations;
        self.operations += 1;
        put(self.out, format_args!("l{label}: {text}\n"))?;
        for (on, complete) in thread.after.drain(..) {
            let word = if complete { "requires" } else { "irequires" };
            put(self.out, format_args!("l{label} {word} l{on}\n"))?;
        }
        thread.after.push((label, blocks));
        Ok(label)
    }

    /// The number and the length of the next message of a channel.
    fn next_length(&mut self, channel: u32) -> (u64, u64) {
        let lengths = &self.plan.lengths[channel as usize];
        let read = self.received.entry(channel).or_default();
        if lengths.get(read.run).is_some_and(|(_, times)| read.in_run == *times) {
            (read.run, read.in_run) = (read.run + 1, 0);
        }
        read.in_run += 1;
        read.count += 1;
        (read.count - 1, lengths.get(read.run).map_or(0, |(bytes, _)| *bytes))
    }

    /// The time of bytes that are moved without the other rank.
    fn moved(&self, way: Way, channel: u32, bytes: u64) -> Time {
        let network = &self.plan.machine.network;
        let program = self.plan.program;
        let place = |rank: u32| network.map.processor(program.home(rank) as usize, network.processors());
        let (here, there) = (place(self.rank), place(program.channels[channel as usize].to));
        match way {
            Way::There => network.between(here, there, bytes),
            Way::Back => network.between(here, there, 0).saturating_add(network.between(there, here, bytes)),
        }
    }
}

impl Thread {
    fn owe(&mut self, time: Time) {
        self.owed = self.owed.saturating_add(time.as_picos());
    }

    /// What follows needs this complete.
    fn need(&mut self, label: u64) {
        match self.after.iter_mut().find(|(after, _)| *after == label) {
            Some(after) => after.1 = true,
            None => self.after.push((label, true)),
        }
    }

    /// Puts something in a place; answers what was there.
    fn place(&mut self, slot: u32, started: Option<Started>) -> Option<Started> {
        self.slots.get_mut(slot as usize).and_then(|place| std::mem::replace(place, started))
    }
}

fn count(counts: &mut FxHashMap<u32, u64>, channel: u32) -> u64 {
    let next = counts.entry(channel).or_default();
    *next += 1;
    *next - 1
}

/// What something takes that a processor does for itself.
fn work(machine: &Machine, act: Act) -> Time {
    match act {
        Act::Copy { bytes } => machine.processor.copy.of(bytes),
        Act::Reduce { bytes } => machine.processor.reduce.of(bytes),
        Act::Poll { times } => Time::from_picos(machine.processor.poll.as_picos().saturating_mul(times)),
        Act::File { bytes } => machine.storage.of(bytes),
        _ => Time::ZERO,
    }
}
