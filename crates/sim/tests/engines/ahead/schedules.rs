//! Collectives as programs take as long as their schedules.

use panto_machine::{CollectiveSend, Cost, Machine, Model, Nodes, Protocol, builtin};
use panto_schedule::{Collective, Problem, Schedule, Step, algorithms, schedule, steps};
use panto_sim::program::{Channel, ChannelKind, Code, Op, PackedOp, Program, SendMode};
use panto_sim::{Expansion, Sharing};

use super::{costly, plain, run};
use crate::machines::{per_byte, ps};

const ELEMENT: u64 = 8;

/// A schedule as a program, with a slot for each request. Channels are not in the order of their
/// receivers.
fn program(schedule: &dyn Schedule, collective: Collective) -> Program {
    let ranks = schedule.ranks() as u32;
    let kind = ChannelKind::Collective(collective);
    let pairs = (0..ranks).flat_map(|from| (0..ranks).map(move |to| (from, to)));
    Program {
        codes: (0..ranks).map(|rank| code(schedule, rank)).collect(),
        ranks,
        channels: pairs.map(|(from, to)| Channel { from, to, match_key: 0, kind }).collect(),
        ..Program::default()
    }
}

fn code(schedule: &dyn Schedule, rank: u32) -> Code {
    let ranks = schedule.ranks() as u32;
    let channel = |from: u32, to: u32| from * ranks + to;
    let bytes = |len: usize| len as u64 * ELEMENT;
    let mode = SendMode::Standard;
    let mut ops: Vec<PackedOp> = Vec::new();
    let (mut started, mut slots) = (0, 0);
    for step in steps(schedule, rank as usize) {
        let op = match step {
            Step::Send { to, span } => {
                Op::Send { mode, channel: channel(rank, to as u32), bytes: bytes(span.len) }
            }
            Step::Receive { from, .. } => Op::Receive { channel: channel(from as u32, rank) },
            Step::StartSend { to, span } => {
                let channel = channel(rank, to as u32);
                Op::StartSend { mode, slot: started, channel, bytes: bytes(span.len) }
            }
            Step::StartReceive { from, .. } => {
                Op::StartReceive { slot: started, channel: channel(from as u32, rank) }
            }
            Step::Copy { from, .. } => Op::Copy { bytes: bytes(from.len) },
            Step::Reduce { from, .. } => Op::Reduce { bytes: bytes(from.len) },
            Step::WaitAll => {
                ops.extend((0..started).map(|slot| PackedOp::from(Op::Wait { slot })));
                started = 0;
                continue;
            }
        };
        started += u32::from(matches!(op, Op::StartSend { .. } | Op::StartReceive { .. }));
        slots = slots.max(started);
        ops.push(op.into());
    }
    ops.push(Op::End.into());
    Code { ops, times: Vec::new(), slots }
}

/// Compares all algorithms of all collectives on a machine.
fn compare(machine: &Machine) {
    for collective in Collective::ALL {
        for &algorithm in algorithms(collective) {
            for (ranks, count) in [(1, 3), (2, 0), (5, 7), (8, 60), (16, 1_000)] {
                let count = if collective == Collective::Barrier { 0 } else { count };
                let problem = Problem { collective, ranks, root: ranks / 2, count };
                let schedule = schedule(&problem, algorithm).unwrap();
                let expansion = Expansion { machine, sharing: Sharing::None, collective, element: ELEMENT };
                let expected = expansion.run(&*schedule).expect("no deadlock");
                let ends = run(machine, &program(&*schedule, collective));
                let name = &machine.name;
                assert_eq!(ends, Ok(expected), "{collective} by {algorithm} on {ranks} of {name}");
            }
        }
    }
}

#[test]
fn programs_equal_schedules_under_each_protocol() {
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
fn programs_equal_schedules_with_collective_sends() {
    for send in [CollectiveSend::Buffered, CollectiveSend::Synchronous, CollectiveSend::NoSpace] {
        let mut machine = costly(16);
        machine.collectives.send = send;
        machine.collectives.barrier_bytes = 16;
        compare(&machine);
    }
}

#[test]
fn programs_equal_schedules_on_nodes_and_separate_networks() {
    let mut machine = costly(8);
    let (interface, inside) = (Cost::line(ps(70), per_byte(1)), Cost::line(ps(90), per_byte(2)));
    machine.network.nodes = Some(Nodes { size: 2, interface, inside });
    machine.networks.insert(Collective::Allreduce, costly(16).network);
    machine.protocol = Protocol::Eager { limit: 100 };
    compare(&machine);
}

#[test]
fn programs_equal_schedules_on_builtin_machines() {
    for known in builtin::all() {
        let model = Model::load(known.name, &[]).unwrap();
        let model = model.with_processors(16).unwrap();
        compare(model.machine());
    }
}
