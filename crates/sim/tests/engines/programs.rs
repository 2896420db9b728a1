//! Random abstract programs.

use panto_sim::SendProtocol;
use panto_units::Time;
use proptest::prelude::*;

use crate::machines::Grain;
use crate::program::{Op, Program, RequestKey};

/// Returns the proptest configuration. Failing cases are printed in full, so they are not
/// persisted.
pub fn settings(cases: u32) -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        max_global_rejects: 100 * cases,
        ..ProptestConfig::with_cases(cases)
    }
}

/// The features that a random program may use.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each feature is independent of the others")]
pub struct Features {
    /// Receives from any source, with a tag that is used for nothing else.
    pub wildcards: bool,
    /// Receives of any tag, which may match a message meant for another receive.
    pub any_tag: bool,
    /// Tests of requests for completion.
    pub tests: bool,
    /// Messages of all sizes and protocols between the same two ranks, so that they overtake each
    /// other.
    pub overtaking: bool,
}

const WILDCARD_TAG: u32 = 7;

/// A message, with the operations of its sender and its receiver.
#[derive(Debug, Clone)]
struct Exchange {
    from: u32,
    to: u32,
    tag: u32,
    bytes: u64,
    protocol: SendProtocol,
    any_source: bool,
    any_tag: bool,
    send: Side,
    receive: Side,
}

/// How one rank sends or receives a message.
#[derive(Debug, Clone)]
struct Side {
    /// Computation before the message, in picoseconds.
    compute: u64,
    /// Makes the operation non-blocking; the rank waits for it after this number of further
    /// messages.
    wait_after: Option<usize>,
    test: bool,
}

fn protocols() -> impl Strategy<Value = SendProtocol> {
    prop::sample::select(vec![
        SendProtocol::Buffered,
        SendProtocol::NoSpace,
        SendProtocol::Synchronous,
        SendProtocol::Handshake,
        SendProtocol::BufferedHandshake,
        SendProtocol::Rendezvous,
    ])
}

fn sides(grain: Grain) -> impl Strategy<Value = Side> {
    let compute = prop_oneof![1 => Just(0), 2 => 1..=4 * grain as u64];
    let wait_after = prop_oneof![Just(None), (0..4_usize).prop_map(Some)];
    (compute, wait_after, any::<bool>()).prop_map(|(compute, wait_after, test)| Side {
        compute,
        wait_after,
        test,
    })
}

fn exchanges(grain: Grain, features: Features) -> impl Strategy<Value = Exchange> {
    let message = (any::<u32>(), any::<u32>(), 0..3_u32, prop_oneof![0..4_u64, 0..200_u64], protocols());
    let wildcards = (any::<bool>(), prop::bool::weighted(0.2));
    (message, wildcards, sides(grain), sides(grain)).prop_map(move |(message, wildcards, send, receive)| {
        let (from, to, tag, bytes, protocol) = message;
        let any_source = features.wildcards && wildcards.0;
        let tag = if any_source { WILDCARD_TAG } else { tag };
        let any_tag = features.any_tag && wildcards.1;
        Exchange { from, to, tag, bytes, protocol, any_source, any_tag, send, receive }
    })
}

/// Generates programs in which each message is sent and received at one position of a total order
/// of messages. No rank waits for a later message of that order, so a program without wildcards has
/// no deadlock.
pub fn programs(grain: Grain, features: Features) -> impl Strategy<Value = Program> {
    let exchanges = prop::collection::vec(exchanges(grain, features), 1..25);
    (2..=8_u32, exchanges, prop::collection::vec((protocols(), 0..100_u64), 64)).prop_map(
        move |(ranks, exchanges, pairs)| {
            let mut writers: Vec<Writer> = (0..ranks).map(|_| Writer::default()).collect();
            for mut exchange in exchanges {
                exchange.from %= ranks;
                // No rank sends to itself.
                exchange.to = (exchange.from + 1 + exchange.to % (ranks - 1)) % ranks;
                if !features.overtaking {
                    let pair = (exchange.from * 8 + exchange.to) as usize;
                    (exchange.protocol, exchange.bytes) = pairs[pair];
                }
                writers[exchange.from as usize].send(&exchange, features);
                writers[exchange.to as usize].receive(&exchange, features);
            }
            writers.into_iter().map(Writer::finish).collect()
        },
    )
}

/// Generates programs with operations removed, swapped or repeated: some ranks may block
/// indefinitely.
pub fn broken_programs(grain: Grain, features: Features) -> impl Strategy<Value = Program> {
    let changes =
        prop::collection::vec((0..3_u8, any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..4);
    (programs(grain, features), changes).prop_map(|(mut program, changes)| {
        for (change, rank, index) in changes {
            let ops = rank.get_mut(&mut program);
            if ops.len() < 2 {
                continue;
            }
            let index = index.index(ops.len() - 1);
            match change {
                0 => drop(ops.remove(index)),
                1 => ops.swap(index, index + 1),
                // A second request with the same key would hide the first.
                _ => {
                    let repeated = ops[index];
                    if !matches!(repeated, Op::Send { key: Some(_), .. } | Op::Receive { key: Some(_), .. }) {
                        ops.insert(index, repeated);
                    }
                }
            }
        }
        program
    })
}

/// Builds the operations of a rank.
#[derive(Default)]
struct Writer {
    ops: Vec<Op>,
    /// The last key that was used.
    last_key: RequestKey,
    /// Requests to wait for: the number of messages before the wait, and the key.
    pending: Vec<(usize, RequestKey)>,
}

impl Writer {
    fn send(&mut self, exchange: &Exchange, features: Features) {
        let &Exchange { to, tag, bytes, protocol, .. } = exchange;
        self.write(&exchange.send, features, |key| Op::Send { protocol, to, tag, bytes, key });
    }

    fn receive(&mut self, exchange: &Exchange, features: Features) {
        let source = (!exchange.any_source).then_some(exchange.from);
        let tag = (!exchange.any_tag).then_some(exchange.tag);
        self.write(&exchange.receive, features, |key| Op::Receive { source, tag, key });
    }

    fn write(&mut self, side: &Side, features: Features, op: impl Fn(Option<RequestKey>) -> Op) {
        if side.compute > 0 {
            self.ops.push(Op::Compute(Time::from_picos(side.compute)));
        }
        let key = side.wait_after.map(|after| {
            self.last_key += 1;
            self.pending.push((after + 1, self.last_key));
            self.last_key
        });
        self.ops.push(op(key));
        if let Some(key) = key.filter(|_| features.tests && side.test) {
            self.ops.push(Op::Test(key));
        }
        self.count_messages(1);
    }

    /// Counts down the pending requests by `messages` and waits for those that are due.
    fn count_messages(&mut self, messages: usize) {
        let ops = &mut self.ops;
        self.pending.retain_mut(|(after, key)| {
            *after = after.saturating_sub(messages);
            if *after == 0 {
                ops.push(Op::Wait(*key));
            }
            *after > 0
        });
    }

    fn finish(mut self) -> Vec<Op> {
        self.count_messages(usize::MAX);
        self.ops
    }
}
