//! Finite buffers of receivers and senders, in closed form.

use panto_machine::{BufferSide, Machine, Protocol, SendBuffer};
use panto_transport::simulated::{Endpoint, Sharing};
use panto_transport::{Error, Result, Selector, SendMode, Time, Transport, World};

use crate::machines::{simple, world};
use crate::times::{MODELS, run};

/// Room for two messages of up to 100 bytes.
fn limited(side: BufferSide) -> Machine {
    let buffer = SendBuffer { side, space: 200, unit: 100 };
    Machine { buffer: Some(buffer), ..simple(2, Protocol::Handshake { above: 100 }) }
}

/// Rank 0 sends three messages of 100 bytes, rank 1 receives them from 9 us on.
fn three_messages(t: &Endpoint) -> Result<Time> {
    if t.rank() == 0 {
        for value in 0..3 {
            t.send(SendMode::Standard, &[value; 100], 1, 1)?;
        }
    } else {
        t.compute(Time::from_nanos(9_000));
        for value in 0..3 {
            let mut data = [9; 100];
            t.receive(&mut data, Selector::new(0, 1))?;
            assert_eq!(data, [value; 100]);
        }
    }
    Ok(t.now())
}

/// Overheads of 100 and 200 ns, 1 us and 1 ns per byte in the network.
#[test]
fn a_send_waits_for_room_at_the_receiver() {
    for model in MODELS {
        // The first is received at 9 us, which rank 0 knows an empty message later.
        let sent = 9_000 + 1_000;
        let ends = run(&limited(BufferSide::Receiver), model, 2, three_messages);
        assert_eq!(ends, [sent, sent + 1_100 + 200]);
    }
}

#[test]
fn a_send_without_room_at_the_sender_waits_for_its_arrival() {
    let ends = run(&limited(BufferSide::Sender), Sharing::None, 2, three_messages);
    assert_eq!(ends, [300 + 1_100, 9_000 + 3 * 200]);
}

#[test]
fn a_deadlock_of_full_buffers_names_them() {
    let world = world(limited(BufferSide::Receiver), Sharing::None);
    let head_to_head = |t: &Endpoint| -> Result<()> {
        let other = 1 - t.rank();
        for _ in 0..3 {
            t.send(SendMode::Standard, &[1; 100], other, 1)?;
        }
        for _ in 0..3 {
            t.receive(&mut [0; 100], Selector::new(other, 1))?;
        }
        Ok(())
    };
    let error = world.run(2, head_to_head).unwrap_err();
    let Error::Deadlock(report) = &error else { panic!("{error}") };
    for rank in 0..2 {
        let expected = format!(
            "rank {rank} waits for space for 100 bytes in the buffers of rank {}, which has 200 bytes for each \
             sender",
            1 - rank
        );
        assert!(report.contains(&expected), "{report}");
    }
}
