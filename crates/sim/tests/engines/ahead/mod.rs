//! Run-ahead runs against closed forms and schedules, on one thread and on several.

mod batch;
mod closed;
mod deadlocks;
mod schedules;
mod threads;

use panto_machine::{Cost, Machine, Network, Overheads, Switching, Topology};
use panto_sim::observe::NoObserver;
use panto_sim::program::Program;
use panto_sim::{RunConfig, RunError, Sharing, ahead};
use panto_units::Time;

use crate::machines::{per_byte, ps};

/// Latency of a link, in picoseconds.
const LATENCY: u64 = 1_000;
/// Time of a byte on a link, in picoseconds.
const BYTE: u64 = 10;

/// A fully connected machine on which only links take time.
fn plain(processors: u32) -> Machine {
    let link = Cost::line(ps(LATENCY), per_byte(BYTE));
    let topology = Topology::complete(processors.into()).unwrap();
    Machine::plain("plain", Network::plain(topology, Switching::Packet, link))
}

/// A machine on which everything takes time.
fn costly(processors: u32) -> Machine {
    let mut machine = plain(processors);
    machine.network.overheads = Overheads {
        send: Cost::line(ps(100), per_byte(1)),
        receive: Cost::line(ps(200), per_byte(2)),
        immediate: ps(30),
        gap: ps(250),
        control: ps(400),
    };
    machine.processor.copy = per_byte(3);
    machine.processor.reduce = per_byte(4);
    machine.processor.copies_unexpected = true;
    machine
}

fn config(machine: &Machine) -> RunConfig<'_> {
    RunConfig { machine, sharing: Sharing::None, compute_scales: &[], noise: None }
}

fn run(machine: &Machine, program: &Program) -> Result<Vec<Time>, RunError> {
    ahead::run(program, &config(machine), &mut NoObserver)
}
