//! A program that is carried out takes exactly as long as the simulator says.

use std::sync::Barrier;

use panto_sim::observe::Unseen;
use panto_sim::program::{Act, Channel, Code, Lane, Op, Program, Sending};
use panto_sim::{Setting, run};
use panto_transport::perform::{Computation, Performance};
use panto_transport::simulated::Model;
use panto_transport::threads::Threads;
use panto_transport::{Error, Time, Transport, World};

use crate::machines::{PROTOCOLS, busy, world};
use crate::patterns::{Form, Pattern, program};

/// With time in it: every rank computes for a time of its own before anything else, and then before each round.
fn with_computation(mut program: Program) -> Program {
    for (rank, code) in program.codes.iter_mut().enumerate() {
        code.times =
            (0..40).map(|round| Time::from_nanos(100 + (rank as u64 * 37 + round * 11) % 900)).collect();
        let mut ops = vec![Op::from(Act::ComputeListed)];
        for op in &code.ops {
            match op.act() {
                // Places move by the one that was put before them.
                Act::Repeat { at, times } => ops.push(Act::Repeat { at: at + 1, times }.into()),
                _ => ops.push(*op),
            }
        }
        code.ops = ops;
    }
    program
}

#[test]
fn to_the_picosecond() {
    const RANKS: u32 = 8;
    for protocol in PROTOCOLS {
        let machine = busy(RANKS.into(), protocol);
        for pattern in [Pattern::Halo3, Pattern::Broadcast, Pattern::Dissemination, Pattern::Doubling] {
            for form in [Form::Flat, Form::Looped] {
                let program = with_computation(program(pattern, RANKS, 3, 700, form).0);
                let setting = Setting { machine: &machine, model: Model::Fast, paces: &[], noise: None };
                let predicted = run(&program, &setting, &mut Unseen);
                let performance = Performance::new(&program).expect("plain messages");
                let ends = world(machine.clone(), Model::Fast).run(performance.ranks(), |transport| {
                    performance.run(transport, Computation::Sleep)?;
                    Ok::<_, Error>(transport.now())
                });
                assert_eq!(ends.ok(), predicted.ok(), "{} {form:?} {protocol:?}", pattern.name());
            }
        }
    }
}

#[test]
fn again_it_takes_as_long_as_another_one() {
    const RANKS: u32 = 4;
    let machine = busy(RANKS.into(), PROTOCOLS[0]);
    let program = with_computation(program(Pattern::Halo3, RANKS, 3, 700, Form::Looped).0);
    let performance = Performance::new(&program).expect("plain messages");
    let ends = |again: bool| {
        world(machine.clone(), Model::Fast).run(performance.ranks(), |transport| {
            let mut performer = performance.performer(transport, Computation::Sleep);
            performer.perform()?;
            if again {
                performer.prepare();
                performer.perform()?;
            } else {
                performance.run(transport, Computation::Sleep)?;
            }
            Ok::<_, Error>(transport.now())
        })
    };
    assert_eq!(ends(true).expect("no deadlock"), ends(false).expect("no deadlock"));
}

/// Rank 0 to rank 1 on two channels, the second of which is received first; and something that nobody waits for.
fn two_channels() -> Program {
    let channel = |class| Channel { from: 0, to: 1, class, lane: Lane::Message };
    let code = |acts: &[Act], slots| Code {
        ops: acts.iter().copied().map(Op::from).collect(),
        slots,
        times: Vec::new(),
    };
    let send = |channel, bytes| Act::Send { sending: Sending::Buffered, channel, bytes };
    let sender = [
        Act::StartSend { sending: Sending::Standard, slot: 0, channel: 0, bytes: 5000 },
        Act::Free { slot: 0 },
        send(1, 3),
        Act::End,
    ];
    let receiver = [
        Act::StartReceive { slot: 1, channel: 0 },
        Act::Receive { channel: 1 },
        Act::Poll { times: 2 },
        Act::Copy { bytes: 10 },
        Act::Reduce { bytes: 10 },
        Act::Wait { slot: 1 },
        Act::StartReceive { slot: 0, channel: 1 },
        Act::End,
    ];
    Program {
        codes: vec![code(&sender, 1), code(&receiver, 2)],
        ranks: 2,
        channels: vec![channel(0), channel(1)],
        ..Program::default()
    }
}

#[test]
fn on_real_ranks() {
    let program = two_channels();
    let performance = Performance::new(&program).unwrap();
    // A message of the next time would meet the receive that never gets anything in this one.
    let ended = Barrier::new(performance.ranks());
    for computation in [Computation::Busy, Computation::Sleep, Computation::None] {
        Threads::default()
            .run(2, |transport| {
                let mut performer = performance.performer(transport, computation);
                (0..3).try_for_each(|_| {
                    let result = performer.perform();
                    ended.wait();
                    result
                })
            })
            .expect("a receive that never gets anything is no reason to wait");
    }
}

#[test]
fn what_cannot_be_carried_out_is_said() {
    let mut files = two_channels();
    files.codes[0].ops.insert(0, Act::File { bytes: 3 }.into());
    assert!(Performance::new(&files).unwrap_err().contains("files"));
    let helped = Program { helps: vec![0], ..two_channels() };
    assert!(Performance::new(&helped).unwrap_err().contains("non-blocking collectives"));
}
