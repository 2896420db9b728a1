//! Writes the schedule of one rank and its helpers.

use std::fmt::Write as _;
use std::io::Write;

use rustc_hash::FxHashMap;

use panto_machine::Machine;
use panto_sim::program::{Op, RemoteAccess, SendMode};
use panto_units::Time;

use super::super::unroll::Unrolled;
use super::{Plan, put};
use crate::error::Result;

/// Label of a predecessor, and whether it must be complete.
type Predecessor = (u64, bool);

/// What a request slot holds.
#[derive(Debug, Clone, Copy)]
enum Started {
    /// A message, by its label.
    Message(u64),
    /// A start or end signal between a rank and its helper: channel, and sequence number on it.
    Signal(u32, u64),
}

/// Writer of one rank's schedule.
pub struct RankWriter<'a, 'o> {
    plan: &'a Plan<'a>,
    rank: u32,
    out: &'o mut dyn Write,
    /// Number of operations written, which is the next label.
    pub operations: u64,
    /// Number of probes omitted.
    pub probes: u64,
    /// Number of one-sided operations.
    pub remote: u64,
    /// Number of sends in another mode than standard.
    pub modes: u64,
    /// Dependencies on helper signals that may be written later: label of the successor, and the
    /// signal.
    waiting: Vec<(u64, (u32, u64))>,
    /// Labels of the operations that send helper signals.
    signals: FxHashMap<(u32, u64), u64>,
    /// Number of messages sent on each channel.
    sent: FxHashMap<u32, u64>,
    received: FxHashMap<u32, Received>,
}

/// Read position in a channel's run-length encoded message sizes.
#[derive(Debug, Clone, Copy, Default)]
struct Received {
    count: u64,
    run: usize,
    in_run: u64,
}

/// State of one code (the rank or one of its helpers) while it is written.
struct Thread {
    cpu: u32,
    /// Computation not written yet, in picoseconds.
    uncharged: u64,
    after: Vec<Predecessor>,
    slots: Vec<Option<Started>>,
}

impl<'a, 'o> RankWriter<'a, 'o> {
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
            signals: FxHashMap::default(),
            sent: FxHashMap::default(),
            received: FxHashMap::default(),
        }
    }

    /// Writes the operations of a rank or a helper, on a CPU of its own.
    pub fn code(&mut self, number: u32, cpu: u32) -> Result<()> {
        let code = &self.plan.program.codes[number as usize];
        let slots = vec![None; code.slots as usize];
        let mut thread = Thread { cpu, uncharged: 0, after: Vec::new(), slots };
        for act in Unrolled::new(code) {
            self.act(&mut thread, act)?;
        }
        self.calc(&mut thread, false)
    }

    /// Writes the dependencies whose predecessors were not known before.
    pub fn finish(&mut self) -> Result<()> {
        for (label, on) in std::mem::take(&mut self.waiting) {
            if let Some(signal) = self.signals.get(&on) {
                put(self.out, format_args!("l{label} requires l{signal}\n"))?;
            }
        }
        Ok(())
    }

    fn act(&mut self, thread: &mut Thread, act: Op) -> Result<()> {
        match act {
            Op::Compute(time) | Op::Call { before: time, .. } => thread.charge(time),
            Op::Copy { .. } | Op::Reduce { .. } | Op::Poll { .. } | Op::File { .. } => {
                thread.charge(processor_time(self.plan.machine, act));
            }
            Op::Remote { access, channel, bytes } => {
                self.remote += 1;
                thread.charge(self.transfer_time(access, channel, bytes));
            }
            Op::Send { channel, .. } | Op::StartSend { channel, .. }
                if self.plan.carries_signals(channel) =>
            {
                let label = self.calc_now(thread)?;
                let count = count(&mut self.sent, channel);
                self.signals.insert((channel, count), label);
            }
            Op::Send { mode, channel, bytes } => {
                self.modes += u64::from(mode != SendMode::Standard);
                self.message(thread, channel, bytes, true, true)?;
            }
            Op::StartSend { mode, slot, channel, bytes } => {
                self.modes += u64::from(mode != SendMode::Standard);
                let label = self.message(thread, channel, bytes, true, false)?;
                thread.set_slot(slot, Some(Started::Message(label)));
            }
            Op::Receive { channel } if self.plan.carries_signals(channel) => {
                let (count, _) = self.next_length(channel);
                self.await_signal(thread, (channel, count))?;
            }
            Op::Receive { channel } => {
                let (_, bytes) = self.next_length(channel);
                self.message(thread, channel, bytes, false, true)?;
            }
            Op::StartReceive { slot, channel } => {
                let (count, bytes) = self.next_length(channel);
                let started = if self.plan.carries_signals(channel) {
                    Started::Signal(channel, count)
                } else {
                    Started::Message(self.message(thread, channel, bytes, false, false)?)
                };
                thread.set_slot(slot, Some(started));
            }
            Op::Wait { slot } => return self.wait(thread, slot),
            Op::Free { slot } => {
                thread.set_slot(slot, None);
            }
            Op::Probe { .. } => self.probes += 1,
            // `Plan::new` rejects picks; the iterator resolves the others.
            Op::StartWildcard { .. }
            | Op::ProbeWildcard { .. }
            | Op::ComputeListed
            | Op::CallListed { .. }
            | Op::Repeat { .. }
            | Op::End => {}
        }
        Ok(())
    }

    fn wait(&mut self, thread: &mut Thread, slot: u32) -> Result<()> {
        match thread.set_slot(slot, None) {
            Some(Started::Message(label)) => {
                self.calc(thread, false)?;
                thread.need(label);
                Ok(())
            }
            Some(Started::Signal(channel, count)) => self.await_signal(thread, (channel, count)),
            None => Ok(()),
        }
    }

    /// Makes the following operations depend on a helper signal.
    fn await_signal(&mut self, thread: &mut Thread, what: (u32, u64)) -> Result<()> {
        // Computation before the wait does not depend on the signal.
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
        let route = &self.plan.program.channels[channel as usize];
        let other = self.plan.program.home(if sends { route.to } else { route.from });
        let (verb, preposition) = if sends { ("send", "to") } else { ("recv", "from") };
        let mut text =
            format!("{verb} {bytes}b {preposition} {other} tag {}", self.plan.tags[channel as usize]);
        if thread.cpu > 0 {
            let _ = write!(text, " cpu {}", thread.cpu);
        }
        self.operation(thread, &text, blocks)
    }

    /// Writes the pending computation if it is a nanosecond or more, or if `always` because its
    /// label is needed.
    fn calc(&mut self, thread: &mut Thread, always: bool) -> Result<()> {
        let nanos = thread.uncharged / 1_000;
        thread.uncharged %= 1_000;
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

    /// Returns sequence number and size of the next message of a channel.
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

    /// Returns the time of a one-sided transfer.
    fn transfer_time(&self, access: RemoteAccess, channel: u32, bytes: u64) -> Time {
        let network = &self.plan.machine.network;
        let program = self.plan.program;
        let place = |rank: u32| network.map.processor(program.home(rank) as usize, network.processors());
        let (here, there) = (place(self.rank), place(program.channels[channel as usize].to));
        match access {
            RemoteAccess::Put => network.between(here, there, bytes),
            RemoteAccess::Get => {
                network.between(here, there, 0).saturating_add(network.between(there, here, bytes))
            }
        }
    }
}

impl Thread {
    fn charge(&mut self, time: Time) {
        self.uncharged = self.uncharged.saturating_add(time.as_picos());
    }

    /// Makes the next operation require `label` to be complete.
    fn need(&mut self, label: u64) {
        match self.after.iter_mut().find(|(after, _)| *after == label) {
            Some(after) => after.1 = true,
            None => self.after.push((label, true)),
        }
    }

    /// Sets a request slot; returns its previous content.
    fn set_slot(&mut self, slot: u32, started: Option<Started>) -> Option<Started> {
        self.slots.get_mut(slot as usize).and_then(|place| std::mem::replace(place, started))
    }
}

fn count(counts: &mut FxHashMap<u32, u64>, channel: u32) -> u64 {
    let next = counts.entry(channel).or_default();
    *next += 1;
    *next - 1
}

/// Returns the processor time of a local operation.
fn processor_time(machine: &Machine, act: Op) -> Time {
    match act {
        Op::Copy { bytes } => machine.processor.copy.of(bytes),
        Op::Reduce { bytes } => machine.processor.reduce.of(bytes),
        Op::Poll { times } => Time::from_picos(machine.processor.poll.as_picos().saturating_mul(times)),
        Op::File { bytes } => machine.storage.of(bytes),
        _ => Time::ZERO,
    }
}
