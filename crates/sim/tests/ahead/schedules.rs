//! Collectives as programs take as long as their schedules.

use panto_machine::{CollectiveSend, Cost, Machine, Model as File, Nodes, Protocol, builtin};
use panto_schedule::{Collective, Problem, Schedule, Step, algorithms, schedule, steps};
use panto_sim::program::{Act, Channel, Code, Lane, Op, Program, Sending};
use panto_sim::{Expansion, Model};

use crate::machines::{per_byte, ps};
use crate::{costly, plain, run};

const ELEMENT: u64 = 8;

/// A schedule, with a slot for each thing that is started. Channels are not in the order of their receivers.
fn program(schedule: &dyn Schedule, collective: Collective) -> Program {
    let ranks = schedule.ranks() as u32;
    let lane = Lane::Collective(collective);
    let pairs = (0..ranks).flat_map(|from| (0..ranks).map(move |to| (from, to)));
    Program {
        codes: (0..ranks).map(|rank| code(schedule, rank)).collect(),
        ranks,
        channels: pairs.map(|(from, to)| Channel { from, to, class: 0, lane }).collect(),
        ..Program::default()
    }
}

fn code(schedule: &dyn Schedule, rank: u32) -> Code {
    let ranks = schedule.ranks() as u32;
    let channel = |from: u32, to: u32| from * ranks + to;
    let bytes = |len: usize| len as u64 * ELEMENT;
    let sending = Sending::Standard;
    let mut ops: Vec<Op> = Vec::new();
    let (mut started, mut slots) = (0, 0);
    for step in steps(schedule, rank as usize) {
        let act = match step {
            Step::Send { to, span } => {
                Act::Send { sending, channel: channel(rank, to as u32), bytes: bytes(span.len) }
            }
            Step::Receive { from, .. } => Act::Receive { channel: channel(from as u32, rank) },
            Step::StartSend { to, span } => {
                let channel = channel(rank, to as u32);
                Act::StartSend { sending, slot: started, channel, bytes: bytes(span.len) }
            }
            Step::StartReceive { from, .. } => {
                Act::StartReceive { slot: started, channel: channel(from as u32, rank) }
            }
            Step::Copy { from, .. } => Act::Copy { bytes: bytes(from.len) },
            Step::Reduce { from, .. } => Act::Reduce { bytes: bytes(from.len) },
            Step::WaitAll => {
                ops.extend((0..started).map(|slot| Op::from(Act::Wait { slot })));
                started = 0;
                continue;
            }
        };
        started += u32::from(matches!(act, Act::StartSend { .. } | Act::StartReceive { .. }));
        slots = slots.max(started);
        ops.push(act.into());
    }
    ops.push(Act::End.into());
    Code { ops, times: Vec::new(), slots }
}

/// All algorithms of all collectives.
fn compare(machine: &Machine) {
    for collective in Collective::ALL {
        for &algorithm in algorithms(collective) {
            for (ranks, count) in [(1, 3), (2, 0), (5, 7), (8, 60), (16, 1_000)] {
                let count = if collective == Collective::Barrier { 0 } else { count };
                let problem = Problem { collective, ranks, root: ranks / 2, count };
                let schedule = schedule(&problem, algorithm).unwrap();
                let expansion = Expansion { machine, model: Model::Fast, collective, element: ELEMENT };
                let expected = expansion.run(&*schedule).expect("no deadlock");
                let ends = run(machine, &program(&*schedule, collective));
                let name = &machine.name;
                assert_eq!(ends, Ok(expected), "{collective} by {algorithm} on {ranks} of {name}");
            }
        }
    }
}

#[test]
fn on_plain_and_costly_machines() {
    compare(&plain(16));
    for protocol in [
        Protocol::Buffered,
        Protocol::Synchronous,
        Protocol::Handshake { above: 100 },
        Protocol::Eager { limit: 100 },
    ] {
        compare(&Machine { protocol, ..costly(16) });
    }
}

#[test]
fn sent_as_collectives_are() {
    for send in [CollectiveSend::Buffered, CollectiveSend::Synchronous, CollectiveSend::NoSpace] {
        let mut machine = costly(16);
        machine.collectives.send = send;
        machine.collectives.barrier_bytes = 16;
        compare(&machine);
    }
}

#[test]
fn on_nodes_and_with_a_network_of_their_own() {
    let mut machine = costly(8);
    let (interface, inside) = (Cost::line(ps(70), per_byte(1)), Cost::line(ps(90), per_byte(2)));
    machine.network.nodes = Some(Nodes { size: 2, interface, inside });
    machine.networks.insert(Collective::Allreduce, costly(16).network);
    machine.protocol = Protocol::Eager { limit: 100 };
    compare(&machine);
}

#[test]
fn on_machines_that_panto_knows() {
    for known in builtin::all() {
        let model = File::load(known.name, &[]).unwrap();
        let model = model.with_processors(16).unwrap();
        compare(model.machine());
    }
}
