//! Times that can be computed by hand.

use panto_machine::Protocol;
use panto_sim::program::{Channel, ChannelKind, Code, Op, Program, SendMode};
use panto_units::Time;

use super::{BYTE, LATENCY, costly, plain, run};
use crate::machines::ps;
use panto_testkit::patterns::{Form, Pattern, program};

const BYTES: u64 = 100;
/// The time of a message over a link, in picoseconds.
const MESSAGE: u64 = LATENCY + BYTES * BYTE;

fn ends(pattern: Pattern, ranks: u32, rounds: u64) -> Vec<Time> {
    run(&plain(ranks), &program(pattern, ranks, rounds, BYTES, Form::Looped).0).unwrap()
}

/// Asserts that each rank ends after `hops` messages in sequence.
fn assert_hops(ends: &[Time], hops: impl Fn(u32) -> u64) {
    let expected: Vec<Time> = (0..ends.len() as u32).map(|rank| ps(hops(rank) * MESSAGE)).collect();
    assert_eq!(ends, expected);
}

#[test]
fn rings_and_halos_take_one_message_per_round() {
    for pattern in [Pattern::Ring, Pattern::Halo2, Pattern::Halo3, Pattern::Alltoall] {
        for ranks in [8, 64] {
            assert_hops(&ends(pattern, ranks, 7), |_| 7);
        }
    }
}

#[test]
fn a_broadcast_takes_one_message_per_set_bit_of_the_rank() {
    assert_hops(&ends(Pattern::Broadcast, 64, 1), |rank| rank.count_ones().into());
}

#[test]
fn doubling_and_dissemination_take_log2_ranks_messages() {
    for pattern in [Pattern::Doubling, Pattern::Dissemination] {
        assert_hops(&ends(pattern, 64, 3), |_| 3 * 6);
        assert_hops(&ends(pattern, 16_384, 2), |_| 2 * 14);
    }
}

#[test]
fn a_wavefront_takes_one_message_per_diagonal() {
    assert_hops(&ends(Pattern::Wavefront, 64, 1), |rank| u64::from(rank / 8 + rank % 8));
    assert_hops(&ends(Pattern::Wavefront, 16_384, 1), |rank| u64::from(rank / 128 + rank % 128));
}

#[test]
fn overheads_occupy_the_processor() {
    let machine = costly(8);
    let program = program(Pattern::Ring, 8, 5, BYTES, Form::Flat).0;
    // Sending, the link, receiving: no message is unexpected, so nothing is copied.
    let round = (100 + BYTES) + MESSAGE + (200 + 2 * BYTES);
    assert_eq!(run(&machine, &program), Ok(vec![ps(5 * round); 8]));
}

/// Rank 0 sends at once; rank 1 receives after a computation.
fn late(mode: SendMode, computes: u64) -> Program {
    let main = |ops: [Op; 3]| Code { ops: ops.map(Into::into).to_vec(), ..Code::default() };
    Program {
        codes: vec![
            main([Op::Send { mode, channel: 0, bytes: BYTES }, Op::Compute(ps(0)), Op::End]),
            main([Op::Compute(ps(computes)), Op::Receive { channel: 0 }, Op::End]),
        ],
        ranks: 2,
        channels: vec![Channel { from: 0, to: 1, match_key: 0, kind: ChannelKind::PointToPoint }],
        ..Program::default()
    }
}

#[test]
fn send_protocols() {
    let (early, receiving, copy) = (100 + BYTES, 200 + 2 * BYTES, 3 * BYTES);
    let rts = early + 400 + LATENCY;
    let both = |protocol, computes, sender: u64, receiver: u64| {
        let mut machine = costly(2);
        machine.protocol = protocol;
        let expected = Ok(vec![ps(sender), ps(receiver)]);
        assert_eq!(run(&machine, &late(SendMode::Standard, computes)), expected, "{protocol:?} {computes}");
    };
    both(Protocol::Buffered, 0, early, early + MESSAGE + receiving);
    both(Protocol::Buffered, 90_000, early, 90_000 + receiving + copy);
    both(Protocol::Synchronous, 0, early + MESSAGE, early + MESSAGE + receiving);
    both(Protocol::Synchronous, 90_000, 90_000, 90_000 + receiving + copy);
    let cleared = |from: u64| from + 400 + LATENCY;
    let rendezvous = Protocol::Eager { limit: BYTES - 1 };
    both(rendezvous, 0, cleared(rts) + MESSAGE, cleared(rts) + MESSAGE + receiving);
    both(rendezvous, 90_000, cleared(90_000) + MESSAGE, cleared(90_000) + MESSAGE + receiving);
    let handshake = Protocol::Handshake { above: BYTES - 1 };
    both(handshake, 0, cleared(rts) + MESSAGE, cleared(rts) + MESSAGE + receiving);
    both(handshake, 90_000, cleared(rts) + MESSAGE, 90_000 + receiving + copy);
}

#[test]
fn loops_equal_unrolled_code() {
    for pattern in [Pattern::Ring, Pattern::Halo3, Pattern::Wavefront, Pattern::Application] {
        let [looped, flat] =
            [Form::Looped, Form::Flat].map(|form| run(&costly(64), &program(pattern, 64, 9, BYTES, form).0));
        assert!(looped.is_ok());
        assert_eq!(looped, flat);
    }
}

#[test]
fn loops_nest() {
    let compute = |time: u64| Op::Compute(ps(time)).into();
    let repeat = |at: u32, times: u64| Op::Repeat { at, times }.into();
    let end = Op::End.into();
    let outer = vec![repeat(5, 3), compute(10_000), repeat(9, 2), end, end];
    let inner = [compute(100), repeat(9, 4), compute(1_000), end, compute(1), end];
    let code = Code { ops: outer.into_iter().chain(inner).collect(), ..Code::default() };
    let program = Program { codes: vec![code], ranks: 1, ..Program::default() };
    assert_eq!(run(&plain(1), &program), Ok(vec![ps(3 * (100 + 4 + 1_000) + 10_000 + 2)]));
}
