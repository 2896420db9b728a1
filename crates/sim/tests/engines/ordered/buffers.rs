//! Programs on machines with finite buffers, by closed forms.

use panto_machine::{BufferSide, Machine, Protocol, SendBuffer};
use panto_sim::observe::Cause;
use panto_sim::program::{Op, Program, SendMode};
use panto_sim::{Awaited, BlockedRank, Deadlock, RunError, Sharing, SpaceWait};

use super::wildcards::{channel, plain, program, send};
use crate::log::run;
use crate::machines::ps;

/// Room for two messages of up to 10 bytes. A message of 10 bytes takes 20 ps, an empty one 10 ps.
fn machine(side: BufferSide) -> Machine {
    let buffer = SendBuffer { side, space: 20, unit: 10 };
    Machine { protocol: Protocol::Eager { limit: 10 }, buffer: Some(buffer), ..plain(2) }
}

/// Rank 0 sends three messages; rank 1 receives them from 1,000 ps on.
fn three_messages(sends: Vec<Op>) -> Program {
    let receives = [Op::Compute(ps(1_000))].into_iter().chain([Op::Receive { channel: 0 }; 3]).collect();
    program(vec![channel(0, 1, 0), channel(1, 0, 0)], Vec::new(), vec![sends, receives])
}

#[test]
fn a_send_waits_until_the_receiver_has_room() {
    let start = |slot| Op::StartSend { mode: SendMode::Standard, slot, channel: 0, bytes: 10 };
    let started = vec![start(0), start(1), start(2), Op::Wait { slot: 0 }, Op::Wait { slot: 2 }];
    for sends in [vec![send(0, 10); 3], started] {
        for model in Sharing::ALL {
            let (ends, log) = run(&machine(BufferSide::Receiver), model, &three_messages(sends.clone()));
            // The first is received at 1,000; rank 0 learns of it 10 ps later.
            assert_eq!(ends, Ok(vec![ps(1_010), ps(1_030)]), "{model}");
            let (from, to, cause) = log.waits(0)[0];
            assert_eq!((from, to, cause), (ps(0), ps(1_010), Cause { rank: 1, at: ps(1_000) }));
        }
    }
}

#[test]
fn a_buffered_send_does_not_wait_but_its_message_does() {
    let sends = vec![Op::Send { mode: SendMode::Buffered, channel: 0, bytes: 10 }; 3];
    let ends = run(&machine(BufferSide::Receiver), Sharing::None, &three_messages(sends)).0;
    assert_eq!(ends, Ok(vec![ps(0), ps(1_030)]));
}

#[test]
fn a_send_without_room_at_the_sender_waits_for_the_arrival() {
    let sends = vec![send(0, 10), send(0, 10), send(0, 10)];
    let ends = run(&machine(BufferSide::Sender), Sharing::None, &three_messages(sends)).0;
    assert_eq!(ends, Ok(vec![ps(20), ps(1_000)]));
    // At 20 ps the first two have arrived.
    let sends = vec![send(0, 10), send(0, 10), Op::Compute(ps(20)), send(0, 10)];
    let ends = run(&machine(BufferSide::Sender), Sharing::None, &three_messages(sends)).0;
    assert_eq!(ends, Ok(vec![ps(20), ps(1_000)]));
}

#[test]
fn a_deadlock_of_full_buffers_names_them() {
    let both = |first: u32| {
        let call = Op::Call { call: 0, before: ps(0) };
        let sends = [call, send(first, 10)].repeat(3);
        sends.into_iter().chain([Op::Receive { channel: 1 - first }; 3]).collect::<Vec<_>>()
    };
    let program = program(vec![channel(0, 1, 0), channel(1, 0, 0)], Vec::new(), vec![both(0), both(1)]);
    let error = run(&machine(BufferSide::Receiver), Sharing::None, &program).0.unwrap_err();
    let wait = SpaceWait { bytes: 10, space: 20 };
    let blocked = |rank| BlockedRank { rank, calls: 3, awaits: Awaited::Space { channel: rank, wait } };
    assert_eq!(error, RunError::Deadlock(Deadlock { count: 2, blocked: vec![blocked(0), blocked(1)] }));
    assert_eq!(
        error.describe(&program).to_string(),
        "deadlock: rank 0 waits in call 3 for space for 10 bytes in the buffers of rank 1 for rank 0, 20 \
         bytes in all; rank 1 waits in call 3 for space for 10 bytes in the buffers of rank 0 for rank 1, 20 \
         bytes in all (send.buffer of the model limits the space)"
    );
    let ends = run(&machine(BufferSide::Sender), Sharing::None, &program).0;
    assert!(ends.is_ok(), "{ends:?}");
}
