//! Persistent operations that end in unusual ways.

use std::sync::{Barrier, Mutex};

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

/// What a wait that failed has left pending is given up, and its memory is the owner's again: nobody can take the message.
#[test]
fn a_wait_that_failed_gives_up() {
    // The world fails: its messages cannot say who is how far, nor its ranks what is wrong.
    let (meet, heard) = (Barrier::new(2), Mutex::new(Vec::new()));
    let cause = Error::Aborted { rank: 0, message: "enough".into() };
    let outcome: Result<Vec<()>> = Threads::default().run(2, |t| {
        if t.rank() == 0 {
            meet.wait();
            let error = t.abort("enough");
            meet.wait();
            heard.lock().unwrap().push(t.receive(&mut vec![0; LARGE], Want::new(1, 1)));
            return Err(error);
        }
        let mut send = PersistentSend::new(t, Mode::Standard, vec![1; LARGE], 0, 1)?;
        send.start()?;
        meet.wait();
        let (first, second) = (send.wait(), send.wait());
        heard.lock().unwrap().extend([first, second]);
        meet.wait();
        Ok(())
    });
    assert_eq!(outcome, Err(cause.clone()));
    let expected = [Err(cause.clone()), Err(Error::NothingToWaitFor), Err(cause)];
    assert_eq!(heard.into_inner().unwrap(), expected);
}
