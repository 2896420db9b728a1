//! Programs that run ahead: against closed forms and schedules, on one thread and several.

mod closed;
#[path = "../ordered/log.rs"]
#[allow(dead_code, reason = "shared; not all of it is used here")]
mod log;
#[path = "../engine/machines.rs"]
#[allow(dead_code, reason = "shared; not all of it is used here")]
mod machines;
#[path = "../../benches/ahead/patterns.rs"]
mod patterns;
#[path = "../ordered/random/mod.rs"]
#[allow(dead_code, reason = "shared; not all of it is used here")]
mod random;
mod schedules;
mod stuck;
mod tape;
mod threads;

use panto_machine::{Cost, Machine, Network, Overheads, Switching, Topology};
use panto_sim::observe::Unseen;
use panto_sim::program::Program;
use panto_sim::{Halted, Model, Setting, ahead};
use panto_units::Time;

use machines::{per_byte, ps};

/// A link takes so long for a message of nothing, and this for each byte.
const LATENCY: u64 = 1_000;
const BYTE: u64 = 10;

/// Nothing takes time but links, and everybody has one to everybody.
fn plain(processors: u32) -> Machine {
    let link = Cost::line(ps(LATENCY), per_byte(BYTE));
    let topology = Topology::complete(processors.into()).unwrap();
    Machine::plain("plain", Network::plain(topology, Switching::Packet, link))
}

/// Everything takes time.
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

fn setting(machine: &Machine) -> Setting<'_> {
    Setting { machine, model: Model::Fast, paces: &[], noise: None }
}

fn run(machine: &Machine, program: &Program) -> Result<Vec<Time>, Halted> {
    ahead::run(program, &setting(machine), &mut Unseen)
}
