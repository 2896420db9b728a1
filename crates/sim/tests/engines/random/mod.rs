//! Random programs without deadlocks: each message is sent and received at one position of a total
//! order of messages. They have loops, listed times, helpers and all operations but wildcards.

mod writer;

use panto_machine::{CollectiveSend, Cost, Machine, Protocol};
use panto_schedule::Collective;
use panto_sim::program::{Channel, ChannelKind, Code, Op, PackedOp, Program, SendMode};
use panto_units::Time;
use proptest::prelude::*;

use crate::machines::{Grain, Placement, machines, per_byte, ps};
use writer::Writer;

pub const RANKS: u32 = 6;
const SEND_MODES: [SendMode; 4] =
    [SendMode::Standard, SendMode::Buffered, SendMode::Synchronous, SendMode::Ready];

/// A message, with the operations of its sender and its receiver.
#[derive(Debug, Clone)]
struct Exchange {
    from: u32,
    to: u32,
    match_key: u32,
    kind: ChannelKind,
    bytes: u64,
    mode: SendMode,
    send: Side,
    receive: Side,
    /// Whether the message passes between the helpers of both ranks.
    by_helpers: bool,
}

/// How one rank sends or receives a message.
#[derive(Debug, Clone)]
struct Side {
    /// The operation before the message.
    local_op: LocalOp,
    /// The duration of `local_op` in picoseconds, or its bytes.
    amount: u64,
    /// Makes the operation non-blocking; the rank waits for it after this number of further
    /// messages.
    wait_after: Option<usize>,
    /// Whether the rank probes for the message before it receives it.
    probed: bool,
    /// Whether the request is freed instead of waited for.
    freed: bool,
}

/// A local or one-sided operation of a rank before a message.
#[derive(Debug, Clone, Copy)]
enum LocalOp {
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

/// A sequence of messages that is repeated.
#[derive(Debug, Clone)]
struct Segment {
    exchanges: Vec<Exchange>,
    times: u64,
    /// One bit for each rank: set if its code has a loop, clear if the repetitions are unrolled.
    looped: u8,
}

fn sides() -> impl Strategy<Value = Side> {
    use LocalOp::{Call, CallListed, Compute, Copy, File, Get, Listed, Nothing, Poll, Put, Reduce};
    let all = vec![
        Nothing, Nothing, Compute, Compute, Listed, Call, CallListed, Copy, Reduce, Poll, Put, Get, File,
    ];
    let wait_after = prop_oneof![Just(None), (0..4_usize).prop_map(Some)];
    let flags = (prop::bool::weighted(0.2), prop::bool::weighted(0.1));
    (prop::sample::select(all), 0..100_u64, wait_after, flags).prop_map(
        |(local_op, amount, wait_after, (probed, freed))| Side {
            local_op,
            amount,
            wait_after,
            probed,
            freed,
        },
    )
}

fn exchanges() -> impl Strategy<Value = Exchange> {
    let kind = prop_oneof![
        3 => Just(ChannelKind::PointToPoint),
        1 => Just(ChannelKind::Collective(Collective::Barrier)),
        1 => Just(ChannelKind::Collective(Collective::Allreduce)),
    ];
    let channel = (0..RANKS, 1..RANKS, 0..3_u32, kind);
    let message =
        (prop_oneof![0..4_u64, 0..200_u64], prop::sample::select(&SEND_MODES[..]), prop::bool::weighted(0.1));
    (channel, message, sides(), sides()).prop_map(
        |((from, step, match_key, kind), (bytes, mode, by_helpers), send, receive)| Exchange {
            from,
            to: (from + step) % RANKS,
            match_key,
            kind,
            bytes,
            mode,
            send,
            receive,
            by_helpers,
        },
    )
}

fn segments() -> impl Strategy<Value = Segment> {
    (prop::collection::vec(exchanges(), 1..8), 1..4_u64, any::<u8>())
        .prop_map(|(exchanges, times, looped)| Segment { exchanges, times, looped })
}

/// Generates programs whose whole body runs once or twice.
pub fn programs() -> impl Strategy<Value = Program> {
    (prop::collection::vec(segments(), 1..4), 1..3_u64).prop_map(|(segments, times)| build(&segments, times))
}

/// Generates machines with every protocol and, for some, a separate network for `MPI_Allreduce`.
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
    (machines(Grain::Coarse, Placement::Dedicated), protocols, sends, 0..9_u64).prop_map(
        |(machine, protocol, send, size)| {
            let mut machine = machine;
            machine.protocol = protocol;
            machine.collectives.send = send;
            machine.collectives.barrier_bytes = size;
            machine.processor.reduce = per_byte(size);
            machine.storage = Cost::line(ps(size), per_byte(2));
            if size > 5 {
                let mut network = machine.network.clone();
                network.link = Cost::line(ps(size), per_byte(1));
                network.overheads.gap = ps(size);
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
        helper_homes: (0..RANKS).collect(),
        channels,
        wildcards: Vec::new(),
        calls: vec!["call".into()],
        call_sites: Vec::new(),
    }
}

/// Returns the code of a rank and that of its helper.
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
    // Listed times are consumed in order, so repetitions list them again.
    let mut all = Vec::new();
    for _ in 0..times {
        let mut start = 0;
        for (segment, &end) in segments.iter().zip(&listed) {
            (0..segment.times).for_each(|_| all.extend_from_slice(&main.listed[start..end]));
            start = end;
        }
    }
    let [main_bodies, helper_bodies] = bodies;
    (lay_out(&main_bodies, times, main.slots, all), lay_out(&helper_bodies, times, helper.slots, Vec::new()))
}

/// Lays out the code: an outer loop over one body, which holds the loops or the unrolled
/// repetitions of the segments, then the bodies of those loops.
fn lay_out(bodies: &[(Vec<Op>, u64, bool)], times: u64, slots: u32, listed: Vec<Time>) -> Code {
    let mut ops = vec![Op::Repeat { at: 2, times }, Op::End];
    let outer: u64 =
        bodies.iter().map(|(body, times, looped)| if *looped { 1 } else { body.len() as u64 * times }).sum();
    let mut at = 2 + outer as u32 + 1;
    for (body, times, looped) in bodies {
        if *looped {
            ops.push(Op::Repeat { at, times: *times });
            at += body.len() as u32 + 1;
        } else {
            (0..*times).for_each(|_| ops.extend_from_slice(body));
        }
    }
    ops.push(Op::End);
    for (body, ..) in bodies.iter().filter(|(.., looped)| *looped) {
        ops.extend_from_slice(body);
        ops.push(Op::End);
    }
    Code { ops: ops.into_iter().map(PackedOp::from).collect(), times: listed, slots }
}
