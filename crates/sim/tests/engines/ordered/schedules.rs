//! Collectives as programs take as long as their schedules.

use panto_machine::{CollectiveSend, Cost, Machine, Network, Overheads, Protocol, Switching, Topology};
use panto_schedule::{Collective, Problem, Schedule, Step, algorithms, schedule, steps};
use panto_sim::program::{Channel, ChannelKind, Code, Op, PackedOp, Program, SendMode};
use panto_sim::{Expansion, Sharing};

use crate::log::run;
use crate::machines::{per_byte, ps};

const ELEMENT: u64 = 8;

/// A ring with shared links, on which everything takes time.
fn costly(processors: u64, protocol: Protocol) -> Machine {
    let link = Cost::line(ps(1_000), per_byte(10));
    let overheads = Overheads {
        send: Cost::line(ps(100), per_byte(1)),
        receive: Cost::line(ps(200), per_byte(2)),
        immediate: ps(30),
        gap: ps(250),
        control: ps(400),
    };
    let topology = Topology::ring(processors).unwrap();
    let network = Network {
        setup: Cost::constant(ps(70)),
        overheads,
        local: Cost::constant(ps(50)),
        ..Network::plain(topology, Switching::CutThrough { header: 4 }, link)
    };
    let mut machine = Machine { protocol, ..Machine::plain("costly", network) };
    machine.processor.copy = per_byte(3);
    machine.processor.reduce = per_byte(4);
    machine.processor.copies_unexpected = true;
    machine.collectives.barrier_bytes = 16;
    machine
}

/// Returns a schedule as a program, with a slot for each request.
fn program(schedule: &dyn Schedule, collective: Collective) -> Program {
    let ranks = schedule.ranks() as u32;
    let all = (0..ranks).flat_map(|from| (0..ranks).map(move |to| (from, to)));
    let kind = ChannelKind::Collective(collective);
    let channels = all.map(|(from, to)| Channel { from, to, match_key: 0, kind }).collect();
    let codes = (0..ranks).map(|rank| code(schedule, rank)).collect();
    Program { codes, ranks, channels, ..Program::default() }
}

fn code(schedule: &dyn Schedule, rank: u32) -> Code {
    let ranks = schedule.ranks() as u32;
    let (to, from) = (|to: usize| rank * ranks + to as u32, |from: usize| from as u32 * ranks + rank);
    let mode = SendMode::Standard;
    let (mut ops, mut started, mut slots) = (Vec::new(), 0, 0);
    for step in steps(schedule, rank as usize) {
        let bytes = |len: usize| len as u64 * ELEMENT;
        let slot = started;
        let op = match step {
            Step::Send { to: other, span } => Op::Send { mode, channel: to(other), bytes: bytes(span.len) },
            Step::Receive { from: other, .. } => Op::Receive { channel: from(other) },
            Step::StartSend { to: other, span } => {
                started += 1;
                Op::StartSend { mode, slot, channel: to(other), bytes: bytes(span.len) }
            }
            Step::StartReceive { from: other, .. } => {
                started += 1;
                Op::StartReceive { slot, channel: from(other) }
            }
            Step::Copy { from, .. } => Op::Copy { bytes: bytes(from.len) },
            Step::Reduce { from, .. } => Op::Reduce { bytes: bytes(from.len) },
            Step::WaitAll => {
                ops.extend((0..started).map(|slot| PackedOp::from(Op::Wait { slot })));
                started = 0;
                continue;
            }
        };
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
            for (ranks, count) in [(1, 3), (2, 0), (5, 7), (8, 60)] {
                let count = if collective == Collective::Barrier { 0 } else { count };
                let problem = Problem { collective, ranks, root: ranks / 2, count };
                let schedule = schedule(&problem, algorithm).unwrap();
                let program = program(&*schedule, collective);
                for model in [Sharing::None, Sharing::Links] {
                    let expansion = Expansion { machine, sharing: model, collective, element: ELEMENT };
                    let expected = expansion.run(&*schedule).expect("no deadlock");
                    let ends = run(machine, model, &program).0;
                    assert_eq!(
                        ends,
                        Ok(expected),
                        "{collective} by {algorithm} on {ranks}, {machine:?}, {model:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn programs_equal_schedules_under_each_protocol() {
    let protocols = [
        Protocol::Buffered,
        Protocol::Synchronous,
        Protocol::Handshake { above: 100 },
        Protocol::Eager { limit: 100 },
    ];
    for protocol in protocols {
        compare(&costly(8, protocol));
    }
}

#[test]
fn programs_equal_schedules_with_collective_sends() {
    for send in [CollectiveSend::Synchronous, CollectiveSend::NoSpace] {
        let mut machine = costly(8, Protocol::Buffered);
        machine.collectives.send = send;
        compare(&machine);
    }
}

#[test]
fn programs_equal_schedules_on_shared_processors() {
    let mut machine = costly(3, Protocol::Eager { limit: 100 });
    machine.multitasking = true;
    compare(&machine);
}
