//! Random programs.

use panto_sim::Manner;
use panto_units::Time;
use proptest::prelude::*;

use crate::machines::Grain;
use crate::program::{Op, Program};

/// What fails is printed in full, so no file keeps it.
pub fn settings(cases: u32) -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        max_global_rejects: 100 * cases,
        ..ProptestConfig::with_cases(cases)
    }
}

/// What may be in a program.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is there or not, whatever the others")]
pub struct Words {
    /// Receives from anybody, by these tags: they are for nothing else.
    pub wild: bool,
    /// Receives of any tag, which may take what was meant for another.
    pub any_tag: bool,
    /// Asking whether an operation is complete.
    pub tests: bool,
    /// Messages of all sizes and manners between the same two ranks, so that they overtake each other.
    pub overtaking: bool,
}

const WILD_TAG: u32 = 7;

/// One message, its two sides, and what they do first.
#[derive(Debug, Clone)]
struct Exchange {
    from: u32,
    to: u32,
    tag: u32,
    bytes: u64,
    manner: Manner,
    wild: bool,
    any_tag: bool,
    send: Side,
    receive: Side,
}

#[derive(Debug, Clone)]
struct Side {
    compute: u64,
    /// Started, and waited for after so many more of the rank's messages.
    later: Option<usize>,
    test: bool,
}

fn manners() -> impl Strategy<Value = Manner> {
    prop::sample::select(vec![
        Manner::Buffered,
        Manner::NoSpace,
        Manner::Synchronous,
        Manner::Handshake,
        Manner::Rendezvous,
    ])
}

fn sides(grain: Grain) -> impl Strategy<Value = Side> {
    let compute = prop_oneof![1 => Just(0), 2 => 1..=4 * grain as u64];
    let later = prop_oneof![Just(None), (0..4_usize).prop_map(Some)];
    (compute, later, any::<bool>()).prop_map(|(compute, later, test)| Side { compute, later, test })
}

fn exchanges(grain: Grain, words: Words) -> impl Strategy<Value = Exchange> {
    let who = (any::<u32>(), any::<u32>(), 0..3_u32, prop_oneof![0..4_u64, 0..200_u64], manners());
    let kinds = (any::<bool>(), prop::bool::weighted(0.2));
    (who, kinds, sides(grain), sides(grain)).prop_map(move |(who, kinds, send, receive)| {
        let (from, to, tag, bytes, manner) = who;
        let wild = words.wild && kinds.0;
        let tag = if wild { WILD_TAG } else { tag };
        let any_tag = words.any_tag && kinds.1;
        Exchange { from, to, tag, bytes, manner, wild, any_tag, send, receive }
    })
}

/// Each message is sent and received at one place of a common order, so that nobody waits for what comes later in it: without
/// wild cards no program is stuck.
pub fn programs(grain: Grain, words: Words) -> impl Strategy<Value = Program> {
    let exchanges = prop::collection::vec(exchanges(grain, words), 1..25);
    (2..=8_u32, exchanges, prop::collection::vec((manners(), 0..100_u64), 64)).prop_map(
        move |(ranks, exchanges, habits)| {
            let mut writers: Vec<Writer> = (0..ranks).map(|_| Writer::default()).collect();
            for mut exchange in exchanges {
                exchange.from %= ranks;
                // Not to itself.
                exchange.to = (exchange.from + 1 + exchange.to % (ranks - 1)) % ranks;
                if !words.overtaking {
                    let habit = habits[(exchange.from * 8 + exchange.to) as usize];
                    (exchange.manner, exchange.bytes) = habit;
                }
                writers[exchange.from as usize].send(&exchange, words);
                writers[exchange.to as usize].receive(&exchange, words);
            }
            writers.into_iter().map(Writer::finish).collect()
        },
    )
}

/// Programs of which parts are missing, repeated or exchanged: some ranks wait for ever.
pub fn broken_programs(grain: Grain, words: Words) -> impl Strategy<Value = Program> {
    let changes =
        prop::collection::vec((0..3_u8, any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..4);
    (programs(grain, words), changes).prop_map(|(mut program, changes)| {
        for (change, rank, place) in changes {
            let ops = rank.get_mut(&mut program);
            if ops.len() < 2 {
                continue;
            }
            let place = place.index(ops.len() - 1);
            match change {
                0 => drop(ops.remove(place)),
                1 => ops.swap(place, place + 1),
                // The same name again would hide the first.
                _ => {
                    let again = ops[place];
                    if !matches!(again, Op::Send { later: Some(_), .. } | Op::Receive { later: Some(_), .. })
                    {
                        ops.insert(place, again);
                    }
                }
            }
        }
        program
    })
}

/// Writes the program of a rank.
#[derive(Default)]
struct Writer {
    ops: Vec<Op>,
    names: u32,
    /// What will be waited for, after so many messages.
    open: Vec<(usize, u32)>,
}

impl Writer {
    fn send(&mut self, exchange: &Exchange, words: Words) {
        let &Exchange { to, tag, bytes, manner, .. } = exchange;
        self.write(&exchange.send, words, |later| Op::Send { manner, to, tag, bytes, later });
    }

    fn receive(&mut self, exchange: &Exchange, words: Words) {
        let source = (!exchange.wild).then_some(exchange.from);
        let tag = (!exchange.any_tag).then_some(exchange.tag);
        self.write(&exchange.receive, words, |later| Op::Receive { source, tag, later });
    }

    fn write(&mut self, side: &Side, words: Words, op: impl Fn(Option<u32>) -> Op) {
        if side.compute > 0 {
            self.ops.push(Op::Compute(Time::from_picos(side.compute)));
        }
        let name = side.later.map(|after| {
            self.names += 1;
            self.open.push((after + 1, self.names));
            self.names
        });
        self.ops.push(op(name));
        if let Some(name) = name.filter(|_| words.tests && side.test) {
            self.ops.push(Op::Test(name));
        }
        self.wait(1);
    }

    /// So many messages later.
    fn wait(&mut self, messages: usize) {
        let ops = &mut self.ops;
        self.open.retain_mut(|(after, name)| {
            *after = after.saturating_sub(messages);
            if *after == 0 {
                ops.push(Op::Wait(*name));
            }
            *after > 0
        });
    }

    fn finish(mut self) -> Vec<Op> {
        self.wait(usize::MAX);
        self.ops
    }
}
