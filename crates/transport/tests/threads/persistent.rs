//! Persistent operations that end in unusual ways.

use std::sync::{Barrier, Mutex};

use panto_transport::threads::Threads;
use panto_transport::{
    Error, PersistentReceive, PersistentSend, Result, Selector, SendMode, Transport, World,
};

use crate::barrier;

/// Larger than the eager limit: the bytes stay in the sender's buffer until they are received.
const LARGE: usize = 100_000;

/// A pending rendezvous is withdrawn when its operation is dropped, before its memory is freed.
#[test]
fn a_dropped_send_is_withdrawn() {
    Threads::default()
        .run(2, |t| {
            if t.rank() == 1 {
                barrier(t)?;
                let mut buffer = vec![0; LARGE];
                let status = t.receive(&mut buffer, Selector::source(0))?;
                assert_eq!((status.len, buffer[0]), (3, 7));
                return Ok(());
            }
            for len in [5, LARGE] {
                let mut send = PersistentSend::new(t, SendMode::Synchronous, vec![1; len], 1, 1)?;
                send.start()?;
                assert_eq!(send.test()?, None);
            }
            barrier(t)?;
            t.send(SendMode::Standard, &[7; 3], 1, 1)
        })
        .unwrap();
}

/// Its memory stays valid, and its message arrives.
#[test]
fn a_leaked_receive_is_harmless() {
    Threads::default()
        .run(2, |t| {
            let other = 1 - t.rank();
            let mut receive = PersistentReceive::new(t, vec![0; LARGE], Selector::new(other, 1))?;
            receive.start()?;
            std::mem::forget(receive);
            barrier(t)?;
            t.send(SendMode::Synchronous, &vec![1; LARGE], other, 1)?;
            t.send(SendMode::Buffered, &[2], other, 1)?;
            let mut byte = [0];
            t.receive(&mut byte, Selector::new(other, 1))?;
            assert_eq!(byte, [2]);
            Ok::<_, Error>(())
        })
        .unwrap();
}

/// An operation that a failed wait left pending is cancelled, and its memory belongs to its owner
/// again: the message cannot be received.
#[test]
fn a_failed_wait_cancels_the_operation() {
    // The world fails, so the ranks synchronise and report without messages.
    let (meet, errors) = (Barrier::new(2), Mutex::new(Vec::new()));
    let cause = Error::Aborted { rank: 0, message: "enough".into() };
    let outcome: Result<Vec<()>> = Threads::default().run(2, |t| {
        if t.rank() == 0 {
            meet.wait();
            let error = t.abort("enough");
            meet.wait();
            errors.lock().unwrap().push(t.receive(&mut vec![0; LARGE], Selector::new(1, 1)));
            return Err(error);
        }
        let mut send = PersistentSend::new(t, SendMode::Standard, vec![1; LARGE], 0, 1)?;
        send.start()?;
        meet.wait();
        let (first, second) = (send.wait(), send.wait());
        errors.lock().unwrap().extend([first, second]);
        meet.wait();
        Ok(())
    });
    assert_eq!(outcome, Err(cause.clone()));
    let expected = [Err(cause.clone()), Err(Error::NoRequest), Err(cause)];
    assert_eq!(errors.into_inner().unwrap(), expected);
}
