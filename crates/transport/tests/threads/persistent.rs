//! Persistent operations that end in unusual ways.

use panto_transport::threads::Threads;
use panto_transport::{Error, Mode, PersistentReceive, PersistentSend, Result, Transport, Want, World};

use crate::barrier;

/// Larger than the eager limit: the bytes stay with the sender until they are taken.
const LARGE: usize = 100_000;

/// A send that waits for its receiver is taken back, and its memory with it.
#[test]
fn a_send_that_is_dropped_is_taken_back() {
    Threads::default()
        .run(2, |t| {
            if t.rank() == 1 {
                barrier(t)?;
                let mut buffer = vec![0; LARGE];
                let status = t.receive(&mut buffer, Want::from(0))?;
                assert_eq!((status.len, buffer[0]), (3, 7));
                return Ok(());
            }
            for len in [5, LARGE] {
                let mut send = PersistentSend::new(t, Mode::Synchronous, vec![1; len], 1, 1)?;
                send.start()?;
                assert_eq!(send.test()?, None);
            }
            barrier(t)?;
            t.send(Mode::Standard, &[7; 3], 1, 1)
        })
        .unwrap();
}

/// Its memory stays where it is, and its message comes.
#[test]
fn a_receive_that_is_leaked_harms_nobody() {
    Threads::default()
        .run(2, |t| {
            let other = 1 - t.rank();
            let mut receive = PersistentReceive::new(t, vec![0; LARGE], Want::new(other, 1))?;
            receive.start()?;
            std::mem::forget(receive);
            barrier(t)?;
            t.send(Mode::Synchronous, &vec![1; LARGE], other, 1)?;
            t.send(Mode::Buffered, &[2], other, 1)?;
            let mut byte = [0];
            t.receive(&mut byte, Want::new(other, 1))?;
            assert_eq!(byte, [2]);
            Ok::<_, Error>(())
        })
        .unwrap();
}

/// What a wait that failed has left pending is given up before its memory goes.
#[test]
fn a_failing_world_gives_up_what_is_started() {
    for _ in 0..50 {
        let outcome: Result<Vec<()>> = Threads::default().run(2, |t| {
            let other = 1 - t.rank();
            let mut send = PersistentSend::new(t, Mode::Standard, vec![1; LARGE], other, 1)?;
            let mut receive = PersistentReceive::new(t, vec![0; LARGE], Want::new(other, 2))?;
            receive.start()?;
            send.start()?;
            if t.rank() == 0 {
                return Err(t.abort("enough"));
            }
            let error = send.wait().unwrap_err();
            assert_eq!(send.wait(), Err(Error::NothingToWaitFor));
            assert!(send.buffer_mut().is_some());
            Err(error)
        });
        assert_eq!(outcome, Err(Error::Aborted { rank: 0, message: "enough".into() }));
    }
}
