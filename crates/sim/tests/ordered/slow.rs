//! Wild cards and shared processors against the slow simulator of the engine's tests.

use std::collections::BTreeMap;

use panto_machine::{CollectiveSend, Machine, Protocol};
use panto_schedule::Collective;
use panto_sim::program::{Act, Channel, Code, Lane, Op, Pick, Program, Sending};
use panto_sim::{Halted, Manner, Model};
use proptest::prelude::*;

use crate::driver::RESERVED;
use crate::log::{Log, run};
use crate::machines::{Grain, Room, machines};
use crate::program::{Op as Plain, Program as Plains, Run, Saw};
use crate::programs::{Words, broken_programs, programs, settings};
use crate::reference::simulate;

const WILD: Words = Words { wild: true, any_tag: true, tests: false, overtaking: false };

/// Standard sends are of one kind on a machine, those of collectives of another.
fn lane(manner: Manner) -> Lane {
    if manner == Manner::NoSpace { Lane::Collective(Collective::Barrier) } else { Lane::Message }
}

/// Only what a program can say: one kind of request on a machine, and wild cards are waited for later.
fn sayable(machine: &Machine, plains: &Plains) -> Plains {
    let asks = |bytes: u64| match machine.protocol {
        _ if bytes == 0 => Manner::Buffered,
        Protocol::Handshake { .. } => Manner::Handshake,
        _ => Manner::Rendezvous,
    };
    let op = |(place, op): (usize, &Plain)| match *op {
        Plain::Send { manner: Manner::Handshake | Manner::Rendezvous, to, tag, bytes, later } => {
            vec![Plain::Send { manner: asks(bytes), to, tag, bytes, later }]
        }
        Plain::Receive { source, tag, later: None } if source.is_none() || tag.is_none() => {
            let name = 1_000 + place as u32;
            vec![Plain::Receive { source, tag, later: Some(name) }, Plain::Wait(name)]
        }
        op => vec![op],
    };
    plains.iter().map(|ops| ops.iter().enumerate().flat_map(op).collect()).collect()
}

/// The same program, with channels for what is sent.
struct Translation {
    program: Program,
    lanes: BTreeMap<(u32, u32), Lane>,
}

fn translated(plains: &Plains) -> Program {
    let mut lanes = BTreeMap::new();
    for (from, ops) in plains.iter().enumerate() {
        for op in ops {
            if let &Plain::Send { manner, to, .. } = op {
                lanes.insert((from as u32, to), lane(manner));
            }
        }
    }
    let ranks = plains.len() as u32;
    let mut translation = Translation { program: Program { ranks, ..Program::default() }, lanes };
    for (rank, ops) in plains.iter().enumerate() {
        let code = translation.code(rank as u32, ops);
        translation.program.codes.push(code);
    }
    translation.program
}

impl Translation {
    fn channel(&mut self, from: u32, to: u32, class: u32) -> u32 {
        let lane = self.lanes.get(&(from, to)).copied().unwrap_or(Lane::Message);
        let channel = Channel { from, to, class, lane };
        let channels = &mut self.program.channels;
        let known = channels.iter().position(|other| *other == channel);
        known.unwrap_or_else(|| {
            channels.push(channel);
            channels.len() - 1
        }) as u32
    }

    fn pick(&mut self, from: Option<u32>, tag: Option<u32>) -> u32 {
        self.program.picks.push(Pick { from, classes: tag.map_or(0..RESERVED, |tag| tag..tag + 1) });
        self.program.picks.len() as u32 - 1
    }

    fn code(&mut self, rank: u32, ops: &[Plain]) -> Code {
        let mut names = BTreeMap::new();
        let mut slot = |name: u32| {
            let next = names.len() as u32;
            *names.entry(name).or_insert(next)
        };
        let mut acts = Vec::new();
        for &op in ops {
            acts.push(match op {
                Plain::Compute(time) => Act::Compute(time),
                Plain::Send { manner, to, tag, bytes, later } => {
                    let channel = self.channel(rank, to, tag);
                    let sending = match manner {
                        Manner::Buffered => Sending::Buffered,
                        Manner::Synchronous => Sending::Synchronous,
                        _ => Sending::Standard,
                    };
                    match later {
                        Some(name) => Act::StartSend { sending, slot: slot(name), channel, bytes },
                        None => Act::Send { sending, channel, bytes },
                    }
                }
                Plain::Receive { source: Some(source), tag: Some(tag), later } => {
                    let channel = self.channel(source, rank, tag);
                    match later {
                        Some(name) => Act::StartReceive { slot: slot(name), channel },
                        None => Act::Receive { channel },
                    }
                }
                Plain::Receive { source, tag, later } => {
                    let pick = self.pick(source, tag);
                    Act::StartPick { slot: slot(later.expect("wild cards are waited for later")), pick }
                }
                Plain::Wait(name) => Act::Wait { slot: slot(name) },
                Plain::Test(_) => unreachable!("no tests were asked for"),
            });
        }
        let slots = names.len() as u32;
        Code { ops: acts.into_iter().chain([Act::End]).map(Op::from).collect(), times: Vec::new(), slots }
    }
}

/// Who sent what to each rank, in the order of receiving.
fn senders(run: &Run) -> Vec<Vec<(u32, u32, u64)>> {
    let message = |saw: &Saw| match *saw {
        Saw::Message { source, tag, bytes, .. } => Some((source, tag, bytes)),
        Saw::Test(_) => None,
    };
    run.saw.iter().map(|saw| saw.iter().filter_map(message).collect()).collect()
}

fn logged(program: &Program, log: &Log) -> Vec<Vec<(u32, u32, u64)>> {
    let message = |passed: panto_sim::observe::Passed| {
        let channel = program.channels[passed.channel as usize];
        (channel.from, channel.class, passed.bytes)
    };
    let rank = |rank: u32| log.received(rank as usize).into_iter().map(message).collect();
    (0..program.ranks).map(rank).collect()
}

fn with_protocol(machine: Machine, handshake: bool) -> Machine {
    let protocol = if handshake { Protocol::Handshake { above: 0 } } else { Protocol::Eager { limit: 0 } };
    let mut machine = Machine { protocol, ..machine };
    machine.collectives.send = CollectiveSend::NoSpace;
    machine
}

proptest! {
    #![proptest_config(settings(1_500))]

    #[test]
    fn picks(
        machine in machines(Grain::Coarse, Room::Enough),
        plains in prop_oneof![2 => programs(Grain::Coarse, WILD), 1 => broken_programs(Grain::Coarse, WILD)],
        handshake in any::<bool>(),
        traffic in any::<bool>(),
    ) {
        let machine = with_protocol(machine, handshake);
        let model = if traffic { Model::Traffic } else { Model::Fast };
        let plains = sayable(&machine, &plains);
        let report = simulate(&machine, model, &plains);
        prop_assume!(!report.overtaken);
        let program = translated(&plains);
        let (ends, log) = run(&machine, model, &program);
        let exits: Option<Vec<_>> = report.run.exits.iter().copied().collect();
        let stuck = report.run.exits.iter().filter(|exit| exit.is_none()).count();
        match ends {
            Err(Halted::Stuck { ranks, .. }) => prop_assert_eq!(ranks, stuck),
            ends => prop_assert_eq!(ends.ok(), exits),
        }
        prop_assert_eq!(logged(&program, &log), senders(&report.run));
    }

    /// Shares of a processor are rounded: each time by less than a picosecond.
    #[test]
    fn shared_processors(
        machine in machines(Grain::Fine, Room::Short),
        plains in programs(Grain::Fine, WILD),
        handshake in any::<bool>(),
    ) {
        let machine = with_protocol(machine, handshake);
        let plains = sayable(&machine, &plains);
        let report = simulate(&machine, Model::Fast, &plains);
        prop_assume!(!report.overtaken && !report.tied && report.closest > 50);
        let (ends, _) = run(&machine, Model::Fast, &translated(&plains));
        prop_assume!(report.run.exits.iter().all(Option::is_some));
        let exits = ends.map(|ends| ends.into_iter().map(Some).collect()).unwrap_or_default();
        let saw = vec![Vec::new(); report.run.saw.len()];
        let (ours, theirs) = (Run { exits, saw: saw.clone() }, Run { saw, ..report.run });
        prop_assert!(ours.is_near(&theirs, 50), "{:?} instead of {:?}", ours, theirs);
    }
}
