//! The time-ordered engine equals the reference simulator, with wildcards and on shared processors.

use std::collections::BTreeMap;

use panto_machine::{CollectiveSend, Machine, Protocol};
use panto_schedule::Collective;
use panto_sim::program::{Channel, ChannelKind, Code, Op, PackedOp, Program, SendMode, Wildcard};
use panto_sim::{RunError, SendProtocol, Sharing};
use proptest::prelude::*;

use crate::log::{Log, run};
use crate::machines::{Grain, Placement, machines};
use crate::program::{Observation, Op as AbstractOp, Program as AbstractProgram, Run};
use crate::programs::{Features, broken_programs, programs, settings};
use crate::reference::{RESERVED, simulate};

const WILDCARDS: Features = Features { wildcards: true, any_tag: true, tests: false, overtaking: false };

/// Returns the kind of channel whose sends use this protocol on the machine of [`with_protocol`].
fn kind(protocol: SendProtocol) -> ChannelKind {
    if protocol == SendProtocol::NoSpace {
        ChannelKind::Collective(Collective::Barrier)
    } else {
        ChannelKind::PointToPoint
    }
}

/// Rewrites an abstract program to what a program can express: one protocol of standard sends per
/// machine, a rendezvous for synchronous sends that are not empty, and non-blocking wildcard
/// receives only.
fn expressible(machine: &Machine, source_program: &AbstractProgram) -> AbstractProgram {
    let rendezvous = |bytes: u64| match machine.protocol {
        _ if bytes == 0 => SendProtocol::Buffered,
        Protocol::Handshake { .. } => SendProtocol::Handshake,
        _ => SendProtocol::Rendezvous,
    };
    let op = |(index, op): (usize, &AbstractOp)| match *op {
        AbstractOp::Send {
            protocol: SendProtocol::Handshake | SendProtocol::Rendezvous,
            to,
            tag,
            bytes,
            key,
        } => {
            vec![AbstractOp::Send { protocol: rendezvous(bytes), to, tag, bytes, key }]
        }
        AbstractOp::Send {
            protocol: SendProtocol::Buffered | SendProtocol::BufferedHandshake,
            to,
            tag,
            bytes,
            key,
        } => {
            let is_handshake = bytes > 0 && matches!(machine.protocol, Protocol::Handshake { .. });
            let protocol =
                if is_handshake { SendProtocol::BufferedHandshake } else { SendProtocol::Buffered };
            vec![AbstractOp::Send { protocol, to, tag, bytes, key }]
        }
        AbstractOp::Send { protocol: SendProtocol::Synchronous, to, tag, bytes, key } if bytes > 0 => {
            vec![AbstractOp::Send { protocol: SendProtocol::Rendezvous, to, tag, bytes, key }]
        }
        AbstractOp::Receive { source, tag, key: None } if source.is_none() || tag.is_none() => {
            let key = 1_000 + index as u32;
            vec![AbstractOp::Receive { source, tag, key: Some(key) }, AbstractOp::Wait(key)]
        }
        op => vec![op],
    };
    source_program.iter().map(|ops| ops.iter().enumerate().flat_map(op).collect()).collect()
}

/// The state of a translation: the program with the channels and wildcards found so far.
struct Translation {
    program: Program,
    /// The kind of the channels between two ranks.
    kinds: BTreeMap<(u32, u32), ChannelKind>,
}

/// Returns an abstract program as a program.
fn translate(source_program: &AbstractProgram) -> Program {
    let mut kinds = BTreeMap::new();
    for (from, ops) in source_program.iter().enumerate() {
        for op in ops {
            if let &AbstractOp::Send { protocol, to, .. } = op {
                kinds.insert((from as u32, to), kind(protocol));
            }
        }
    }
    let ranks = source_program.len() as u32;
    let mut translation = Translation { program: Program { ranks, ..Program::default() }, kinds };
    for (rank, ops) in source_program.iter().enumerate() {
        let code = translation.code(rank as u32, ops);
        translation.program.codes.push(code);
    }
    translation.program
}

impl Translation {
    fn channel(&mut self, from: u32, to: u32, match_key: u32) -> u32 {
        let kind = self.kinds.get(&(from, to)).copied().unwrap_or(ChannelKind::PointToPoint);
        let channel = Channel { from, to, match_key, kind };
        let channels = &mut self.program.channels;
        let existing = channels.iter().position(|other| *other == channel);
        existing.unwrap_or_else(|| {
            channels.push(channel);
            channels.len() - 1
        }) as u32
    }

    fn wildcard(&mut self, from: Option<u32>, tag: Option<u32>) -> u32 {
        self.program
            .wildcards
            .push(Wildcard { from, match_keys: tag.map_or(0..RESERVED, |tag| tag..tag + 1) });
        self.program.wildcards.len() as u32 - 1
    }

    fn code(&mut self, rank: u32, ops: &[AbstractOp]) -> Code {
        let mut slots = BTreeMap::new();
        let mut slot = |key: u32| {
            let next = slots.len() as u32;
            *slots.entry(key).or_insert(next)
        };
        let mut translated = Vec::new();
        for &op in ops {
            translated.push(match op {
                AbstractOp::Compute(time) => Op::Compute(time),
                AbstractOp::Send { protocol, to, tag, bytes, key } => {
                    let channel = self.channel(rank, to, tag);
                    let mode = match protocol {
                        SendProtocol::Buffered | SendProtocol::BufferedHandshake => SendMode::Buffered,
                        SendProtocol::Synchronous | SendProtocol::Rendezvous => SendMode::Synchronous,
                        _ => SendMode::Standard,
                    };
                    match key {
                        Some(key) => Op::StartSend { mode, slot: slot(key), channel, bytes },
                        None => Op::Send { mode, channel, bytes },
                    }
                }
                AbstractOp::Receive { source: Some(source), tag: Some(tag), key } => {
                    let channel = self.channel(source, rank, tag);
                    match key {
                        Some(key) => Op::StartReceive { slot: slot(key), channel },
                        None => Op::Receive { channel },
                    }
                }
                AbstractOp::Receive { source, tag, key } => {
                    let wildcard = self.wildcard(source, tag);
                    Op::StartWildcard {
                        slot: slot(key.expect("wildcard receives are non-blocking")),
                        wildcard,
                        blocks: false,
                    }
                }
                AbstractOp::Wait(key) => Op::Wait { slot: slot(key) },
                AbstractOp::Test(_) => unreachable!("the program has no tests"),
            });
        }
        let slots = slots.len() as u32;
        Code {
            ops: translated.into_iter().chain([Op::End]).map(PackedOp::from).collect(),
            times: Vec::new(),
            slots,
        }
    }
}

/// Returns source, tag and bytes of the messages that each rank received, in order.
fn observed(run: &Run) -> Vec<Vec<(u32, u32, u64)>> {
    let message = |observation: &Observation| match *observation {
        Observation::Message { source, tag, bytes, .. } => Some((source, tag, bytes)),
        Observation::Test(_) => None,
    };
    run.observations.iter().map(|all| all.iter().filter_map(message).collect()).collect()
}

/// Returns source, match key and bytes of the messages that each rank received, from a log.
fn logged(program: &Program, log: &Log) -> Vec<Vec<(u32, u32, u64)>> {
    let message = |message: panto_sim::observe::ReceivedMessage| {
        let channel = program.channels[message.channel as usize];
        (channel.from, channel.match_key, message.bytes)
    };
    let rank = |rank: u32| log.received(rank as usize).into_iter().map(message).collect();
    (0..program.ranks).map(rank).collect()
}

/// Returns the machine with a handshake or rendezvous for all standard sends of one byte or more.
fn with_protocol(machine: Machine, handshake: bool) -> Machine {
    let protocol = if handshake { Protocol::Handshake { above: 0 } } else { Protocol::Eager { limit: 0 } };
    let mut machine = Machine { protocol, ..machine };
    machine.collectives.send = CollectiveSend::NoSpace;
    machine
}

proptest! {
    #![proptest_config(settings(1_500))]

    #[test]
    fn wildcards(
        machine in machines(Grain::Coarse, Placement::Dedicated),
        source_program in prop_oneof![
            2 => programs(Grain::Coarse, WILDCARDS),
            1 => broken_programs(Grain::Coarse, WILDCARDS),
        ],
        handshake in any::<bool>(),
        traffic in any::<bool>(),
    ) {
        let machine = with_protocol(machine, handshake);
        let model = if traffic { Sharing::Links } else { Sharing::None };
        let source_program = expressible(&machine, &source_program);
        let report = simulate(&machine, model, &source_program);
        prop_assume!(!report.overtaken);
        let program = translate(&source_program);
        let (ends, log) = run(&machine, model, &program);
        let exits: Option<Vec<_>> = report.run.exits.iter().copied().collect();
        let blocked = report.run.exits.iter().filter(|exit| exit.is_none()).count();
        match ends {
            Err(RunError::Deadlock(deadlock)) => prop_assert_eq!(deadlock.count, blocked),
            ends => prop_assert_eq!(ends.ok(), exits),
        }
        prop_assert_eq!(logged(&program, &log), observed(&report.run));
    }

    /// Times agree within 50 ps: shares of a processor are rounded, each by less than a picosecond.
    #[test]
    fn shared_processors(
        machine in machines(Grain::Fine, Placement::Shared),
        source_program in programs(Grain::Fine, WILDCARDS),
        handshake in any::<bool>(),
    ) {
        let machine = with_protocol(machine, handshake);
        let source_program = expressible(&machine, &source_program);
        let report = simulate(&machine, Sharing::None, &source_program);
        prop_assume!(!report.overtaken && !report.tied && report.closest > 50);
        let (ends, _) = run(&machine, Sharing::None, &translate(&source_program));
        prop_assume!(report.run.exits.iter().all(Option::is_some));
        let exits = ends.map(|ends| ends.into_iter().map(Some).collect()).unwrap_or_default();
        let observations = vec![Vec::new(); report.run.observations.len()];
        let actual = Run { exits, observations: observations.clone() };
        let expected = Run { observations, ..report.run };
        prop_assert!(actual.is_near(&expected, 50), "{:?} instead of {:?}", actual, expected);
    }
}
