//! Executing a program takes exactly as long as the simulator predicts.

use std::sync::Barrier;

use panto_sim::observe::NoObserver;
use panto_sim::program::{Channel, ChannelKind, Code, Op, PackedOp, Program, SendMode};
use panto_sim::{RunConfig, run};
use panto_transport::execute::{Computation, Execution};
use panto_transport::simulated::Sharing;
use panto_transport::threads::Threads;
use panto_transport::{Error, Time, Transport, World};

use crate::machines::{PROTOCOLS, busy, world};
use crate::patterns::{Form, Pattern, program};

/// Adds computation: each rank computes for its own times, before anything else and before each
/// round.
fn with_computation(mut program: Program) -> Program {
    for (rank, code) in program.codes.iter_mut().enumerate() {
        code.times =
            (0..40).map(|round| Time::from_nanos(100 + (rank as u64 * 37 + round * 11) % 900)).collect();
        let mut ops = vec![PackedOp::from(Op::ComputeListed)];
        for op in &code.ops {
            match op.unpack() {
                // Indices move by the one operation that was inserted.
                Op::Repeat { at, times } => ops.push(Op::Repeat { at: at + 1, times }.into()),
                _ => ops.push(*op),
            }
        }
        code.ops = ops;
    }
    program
}

#[test]
fn execution_equals_prediction_to_the_picosecond() {
    const RANKS: u32 = 8;
    for protocol in PROTOCOLS {
        let machine = busy(RANKS.into(), protocol);
        for pattern in [Pattern::Halo3, Pattern::Broadcast, Pattern::Dissemination, Pattern::Doubling] {
            for form in [Form::Flat, Form::Looped] {
                let program = with_computation(program(pattern, RANKS, 3, 700, form).0);
                let setting =
                    RunConfig { machine: &machine, sharing: Sharing::None, compute_scales: &[], noise: None };
                let predicted = run(&program, &setting, &mut NoObserver);
                let execution = Execution::new(&program).expect("plain messages");
                let ends = world(machine.clone(), Sharing::None).run(execution.ranks(), |transport| {
                    execution.run(transport, Computation::Sleep)?;
                    Ok::<_, Error>(transport.now())
                });
                assert_eq!(ends.ok(), predicted.ok(), "{} {form:?} {protocol:?}", pattern.name());
            }
        }
    }
}

#[test]
fn a_second_execution_takes_as_long_as_a_new_one() {
    const RANKS: u32 = 4;
    let machine = busy(RANKS.into(), PROTOCOLS[0]);
    let program = with_computation(program(Pattern::Halo3, RANKS, 3, 700, Form::Looped).0);
    let execution = Execution::new(&program).expect("plain messages");
    let ends = |again: bool| {
        world(machine.clone(), Sharing::None).run(execution.ranks(), |transport| {
            let mut executor = execution.executor(transport, Computation::Sleep);
            executor.run()?;
            if again {
                executor.prepare();
                executor.run()?;
            } else {
                execution.run(transport, Computation::Sleep)?;
            }
            Ok::<_, Error>(transport.now())
        })
    };
    assert_eq!(ends(true).expect("no deadlock"), ends(false).expect("no deadlock"));
}

/// Rank 0 sends to rank 1 on two channels, the second of which is received first; one operation is
/// never waited for.
fn two_channels() -> Program {
    let channel = |match_key| Channel { from: 0, to: 1, match_key, kind: ChannelKind::PointToPoint };
    let code = |acts: &[Op], slots| Code {
        ops: acts.iter().copied().map(PackedOp::from).collect(),
        slots,
        times: Vec::new(),
    };
    let send = |channel, bytes| Op::Send { mode: SendMode::Buffered, channel, bytes };
    let sender = [
        Op::StartSend { mode: SendMode::Standard, slot: 0, channel: 0, bytes: 5000 },
        Op::Free { slot: 0 },
        send(1, 3),
        Op::End,
    ];
    let receiver = [
        Op::StartReceive { slot: 1, channel: 0 },
        Op::Receive { channel: 1 },
        Op::Poll { times: 2 },
        Op::Copy { bytes: 10 },
        Op::Reduce { bytes: 10 },
        Op::Wait { slot: 1 },
        Op::StartReceive { slot: 0, channel: 1 },
        Op::End,
    ];
    Program {
        codes: vec![code(&sender, 1), code(&receiver, 2)],
        ranks: 2,
        channels: vec![channel(0), channel(1)],
        ..Program::default()
    }
}

#[test]
fn programs_execute_on_threads() {
    let program = two_channels();
    let execution = Execution::new(&program).unwrap();
    // A message of the next execution would match the receive that stays unmatched in this one.
    let ended = Barrier::new(execution.ranks());
    for computation in [Computation::Busy, Computation::Sleep, Computation::None] {
        Threads::default()
            .run(2, |transport| {
                let mut executor = execution.executor(transport, computation);
                (0..3).try_for_each(|_| {
                    let result = executor.run();
                    ended.wait();
                    result
                })
            })
            .expect("an unmatched receive does not block");
    }
}

#[test]
fn unsupported_operations_are_reported() {
    let mut files = two_channels();
    files.codes[0].ops.insert(0, Op::File { bytes: 3 }.into());
    assert!(Execution::new(&files).unwrap_err().contains("files"));
    let helped = Program { helper_homes: vec![0], ..two_channels() };
    assert!(Execution::new(&helped).unwrap_err().contains("non-blocking collectives"));
}
