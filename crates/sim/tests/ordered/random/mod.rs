//! Random programs that come to their end: each message is sent and received at one place of a common order.

mod writer;

use panto_machine::{CollectiveSend, Cost, Machine, Protocol};
use panto_schedule::Collective;
use panto_sim::program::{Act, Channel, Code, Lane, Op, Program, Sending};
use panto_units::Time;
use proptest::prelude::*;

use crate::machines::{Grain, Room, machines, per_byte, ps};
use writer::Writer;

pub const RANKS: u32 = 6;
const SENDINGS: [Sending; 4] = [Sending::Standard, Sending::Buffered, Sending::Synchronous, Sending::Ready];

/// A message, and what both sides do about it.
#[derive(Debug, Clone)]
struct Exchange {
    from: u32,
    to: u32,
    class: u32,
    lane: Lane,
    bytes: u64,
    sending: Sending,
    send: Side,
    receive: Side,
    /// Between helpers, while the ranks go on.
    beside: bool,
}

#[derive(Debug, Clone)]
struct Side {
    before: Before,
    time: u64,
    /// Started, and waited for after so many more of the rank's messages.
    later: Option<usize>,
    /// Looked for before it is received.
    probed: bool,
    /// Never waited for.
    freed: bool,
}

/// What a rank does before a message.
#[derive(Debug, Clone, Copy)]
enum Before {
    Nothing,
    Compute,
    Listed,
    Call,
    CallListed,
    Copy,
    Reduce,
    Poll,
    Put,
    Get,
    File,
}

/// Messages that are repeated.
#[derive(Debug, Clone)]
struct Segment {
    exchanges: Vec<Exchange>,
    times: u64,
    /// The ranks that repeat it by a loop; the others have it written out.
    looped: u8,
}

fn sides() -> impl Strategy<Value = Side> {
    use Before::{Call, CallListed, Compute, Copy, File, Get, Listed, Nothing, Poll, Put, Reduce};
    let all = vec![
        Nothing, Nothing, Compute, Compute, Listed, Call, CallListed, Copy, Reduce, Poll, Put, Get, File,
    ];
    let later = prop_oneof![Just(None), (0..4_usize).prop_map(Some)];
    (prop::sample::select(all), 0..100_u64, later, prop::bool::weighted(0.2), prop::bool::weighted(0.1))
        .prop_map(|(before, time, later, probed, freed)| Side { before, time, later, probed, freed })
}

fn exchanges() -> impl Strategy<Value = Exchange> {
    let lane = prop_oneof![
        3 => Just(Lane::Message),
        1 => Just(Lane::Collective(Collective::Barrier)),
        1 => Just(Lane::Collective(Collective::Allreduce)),
    ];
    let who = (0..RANKS, 1..RANKS, 0..3_u32, lane);
    let what =
        (prop_oneof![0..4_u64, 0..200_u64], prop::sample::select(&SENDINGS[..]), prop::bool::weighted(0.1));
    (who, what, sides(), sides()).prop_map(
        |((from, step, class, lane), (bytes, sending, beside), send, receive)| Exchange {
            from,
            to: (from + step) % RANKS,
            class,
            lane,
            bytes,
            sending,
            send,
            receive,
            beside,
        },
    )
}

fn segments() -> impl Strategy<Value = Segment> {
    (prop::collection::vec(exchanges(), 1..8), 1..4_u64, any::<u8>())
        .prop_map(|(exchanges, times, looped)| Segment { exchanges, times, looped })
}

/// Programs of which all is repeated once or several times.
pub fn programs() -> impl Strategy<Value = Program> {
    (prop::collection::vec(segments(), 1..4), 1..3_u64).prop_map(|(segments, times)| build(&segments, times))
}

/// Machines with all protocols.
pub fn all_machines() -> impl Strategy<Value = Machine> {
    let protocols = prop_oneof![
        Just(Protocol::Buffered),
        Just(Protocol::Synchronous),
        (0..100_u64).prop_map(|above| Protocol::Handshake { above }),
        (0..100_u64).prop_map(|limit| Protocol::Eager { limit }),
    ];
    let sends = prop::sample::select(vec![
        CollectiveSend::Standard,
        CollectiveSend::Buffered,
        CollectiveSend::Synchronous,
        CollectiveSend::NoSpace,
    ]);
    (machines(Grain::Coarse, Room::Enough), protocols, sends, 0..9_u64).prop_map(
        |(machine, protocol, send, own)| {
            let mut machine = machine;
            machine.protocol = protocol;
            machine.collectives.send = send;
            machine.collectives.barrier_bytes = own;
            machine.processor.reduce = per_byte(own);
            machine.storage = Cost::line(ps(own), per_byte(2));
            if own > 5 {
                let mut network = machine.network.clone();
                network.link = Cost::line(ps(own), per_byte(1));
                network.overheads.gap = ps(own);
                machine.networks.insert(Collective::Allreduce, network);
            }
            machine
        },
    )
}

fn build(segments: &[Segment], times: u64) -> Program {
    let mut channels = Vec::new();
    let codes: Vec<(Code, Code)> =
        (0..RANKS).map(|rank| code(rank, segments, times, &mut channels)).collect();
    let (ranks, helpers): (Vec<Code>, Vec<Code>) = codes.into_iter().unzip();
    Program {
        codes: ranks.into_iter().chain(helpers).collect(),
        ranks: RANKS,
        helps: (0..RANKS).collect(),
        channels,
        picks: Vec::new(),
        calls: vec!["call".into()],
    }
}

/// The codes of a rank and of its helper.
fn code(rank: u32, segments: &[Segment], times: u64, channels: &mut Vec<Channel>) -> (Code, Code) {
    let mut writers = [Writer::new(rank, channels), Writer::new(rank, channels)];
    let mut listed = Vec::new();
    let mut bodies = [Vec::new(), Vec::new()];
    for segment in segments {
        for exchange in &segment.exchanges {
            let [main, helper] = &mut writers;
            main.exchange(exchange, helper, channels);
        }
        listed.push(writers[0].listed.len());
        for (writer, body) in writers.iter_mut().zip(&mut bodies) {
            let looped = segment.looped >> rank & 1 == 1;
            body.push((writer.finish(), segment.times, looped));
        }
    }
    let [main, helper] = writers;
    // Times are listed in the order in which they are used.
    let mut all = Vec::new();
    for _ in 0..times {
        let mut start = 0;
        for (segment, &end) in segments.iter().zip(&listed) {
            (0..segment.times).for_each(|_| all.extend_from_slice(&main.listed[start..end]));
            start = end;
        }
    }
    let [of_main, of_helper] = bodies;
    (laid_out(&of_main, times, main.slots, all), laid_out(&of_helper, times, helper.slots, Vec::new()))
}

/// The main part repeats one body, which repeats those of the segments or has them written out.
fn laid_out(bodies: &[(Vec<Act>, u64, bool)], times: u64, slots: u32, listed: Vec<Time>) -> Code {
    let mut acts = vec![Act::Repeat { at: 2, times }, Act::End];
    let outer: u64 =
        bodies.iter().map(|(body, times, looped)| if *looped { 1 } else { body.len() as u64 * times }).sum();
    let mut at = 2 + outer as u32 + 1;
    for (body, times, looped) in bodies {
        if *looped {
            acts.push(Act::Repeat { at, times: *times });
            at += body.len() as u32 + 1;
        } else {
            (0..*times).for_each(|_| acts.extend_from_slice(body));
        }
    }
    acts.push(Act::End);
    for (body, ..) in bodies.iter().filter(|(.., looped)| *looped) {
        acts.extend_from_slice(body);
        acts.push(Act::End);
    }
    Code { ops: acts.into_iter().map(Op::from).collect(), times: listed, slots }
}
