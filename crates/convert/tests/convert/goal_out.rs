//! Export of programs as `LogGOPSim` schedules.

use panto_convert::goal;
use panto_machine::Machine;
use panto_sim::program::{Channel, ChannelKind, Code, Op, PackedOp, Program, SendMode};
use panto_units::Time;

use crate::support::{ends, folder, from_goal, from_ti, plain, program};

fn machine() -> Machine {
    plain(4, Time::from_nanos(1_000), 1e9)
}

fn written(program: &Program, machine: &Machine) -> String {
    let mut out = Vec::new();
    goal::write(program, machine, &mut out).unwrap_or_else(|error| panic!("{error}"));
    String::from_utf8(out).unwrap()
}

#[test]
fn calls_become_operations_with_dependencies() {
    let folder = folder();
    let text = "0 init\n0 compute 100\n0 isend 1 0 8\n0 compute 50\n0 wait 0 1 0\n0 recv 1 0 4\n0 finalize\n1 init\n1 recv 0 0 8\n\
                1 send 0 0 4\n1 finalize\n";
    let (path, _) = from_ti(folder.path(), text);
    let (machine, expected) = (
        machine(),
        "num_ranks 2

rank 0 {
l0: calc 100
l1: send 8b to 1 tag 0
l1 requires l0
l2: calc 50
l2 irequires l1
l3: recv 4b from 1 tag 0
l3 requires l2
l3 requires l1
}

rank 1 {
l0: recv 8b from 0 tag 0
l1: send 4b to 0 tag 0
l1 requires l0
}
",
    );
    assert_eq!(written(&program(&path, &machine).program, &machine), expected);
}

#[test]
fn loops_are_unrolled_and_receives_have_sizes() {
    let channel = Channel { from: 0, to: 1, match_key: 0, kind: ChannelKind::PointToPoint };
    let send = |bytes| Op::Send { mode: SendMode::Standard, channel: 0, bytes };
    let code = |acts: &[Op]| Code {
        ops: acts.iter().map(|act| PackedOp::from(*act)).collect(),
        times: vec![],
        slots: 0,
    };
    let sends = code(&[Op::Repeat { at: 3, times: 2 }, send(9), Op::End, send(5), Op::End]);
    let takes = code(&[Op::Repeat { at: 2, times: 3 }, Op::End, Op::Receive { channel: 0 }, Op::End]);
    let program =
        Program { codes: vec![sends, takes], ranks: 2, channels: vec![channel], ..Program::default() };
    let text = written(&program, &machine());
    let received: Vec<&str> = text.lines().filter(|line| line.contains("recv")).collect();
    assert_eq!(
        received,
        ["l0: recv 5b from 0 tag 0", "l1: recv 5b from 0 tag 0", "l2: recv 9b from 0 tag 0"]
    );
}

/// A helper is a second CPU; the signals between it and its rank are dependencies.
#[test]
fn helpers_are_cpus_of_their_rank() {
    let aside = |from, to| Channel { from, to, match_key: 0, kind: ChannelKind::Helper };
    let channels = vec![aside(0, 1), aside(1, 0)];
    let tell = |channel| Op::Send { mode: SendMode::Buffered, channel, bytes: 0 };
    let code = |acts: &[Op]| Code {
        ops: acts.iter().map(|act| PackedOp::from(*act)).collect(),
        times: vec![],
        slots: 1,
    };
    let compute = |nanos| Op::Compute(Time::from_nanos(nanos));
    let main = code(&[
        tell(0),
        Op::StartReceive { slot: 0, channel: 1 },
        compute(30),
        Op::Wait { slot: 0 },
        compute(5),
        Op::End,
    ]);
    let helper = code(&[Op::Receive { channel: 0 }, Op::Copy { bytes: 8 }, tell(1), Op::End]);
    let program = Program {
        codes: vec![main, helper],
        ranks: 1,
        helper_homes: vec![0],
        channels,
        ..Program::default()
    };
    let expected = "num_ranks 1

rank 0 {
l0: calc 0
l1: calc 30
l1 requires l0
l2: calc 0
l2 requires l1
l3: calc 5
l3 requires l2
l4: calc 0 cpu 1
l5: calc 0 cpu 1
l5 requires l4
l2 requires l5
l4 requires l0
}
";
    let text = written(&program, &machine());
    assert_eq!(text, expected);
}

/// After export and import a program takes the same time, on a machine where only messages and
/// computation cost time.
#[test]
fn a_round_trip_takes_the_same_time() {
    let folder = folder();
    let ring = |rank: usize| {
        let (next, before) = ((rank + 1) % 4, (rank + 3) % 4);
        let compute = 1_000 * (rank + 1);
        format!(
            "{rank} init\n{rank} compute {compute}\n{rank} irecv {before} 7 500\n{rank} send {next} 7 500\n{rank} compute 300\n\
             {rank} wait {before} {rank} 7\n{rank} bcast 2000 1\n{rank} allreduce 800 0\n{rank} barrier\n{rank} finalize\n"
        )
    };
    let (path, _) = from_ti(folder.path(), &(0..4).map(ring).collect::<String>());
    let machine = machine();
    let first = program(&path, &machine).program;
    let text = written(&first, &machine);
    let (back, _) = from_goal(folder.path(), &text);
    let second = program(&back, &machine).program;
    assert_eq!(ends(&first, &machine), ends(&second, &machine), "{text}");
    // Labels count operations in order, so exporting again reproduces the text.
    assert_eq!(written(&second, &machine), text);
}
