//! Message handlers on threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use panto_transport::threads::{Pin, Threads};
use panto_transport::{Error, HandlerMessage, MAX_TAG, Selector, SendMode, Status, Transport, World};

use super::barrier;
use super::process::allowed_cores;

#[test]
fn one_handler_for_a_tag() {
    let counter = Arc::new(AtomicUsize::new(0));
    Threads::default()
        .run(1, |t| {
            let count = Arc::clone(&counter);
            let first = t.on_message(
                5,
                Box::new(move |_, _, _| {
                    count.fetch_add(1, Ordering::SeqCst);
                    None
                }),
            )?;
            assert!(
                t.on_message(5, Box::new(|_, _, _| None)).is_err(),
                "the second would take the first one's place"
            );
            t.send(SendMode::Standard, &[], 0, 5)?;
            drop(first);
            assert_eq!(counter.load(Ordering::SeqCst), 1);
            // The tag is free again.
            t.on_message(5, Box::new(|_, _, _| None)).map(drop)
        })
        .unwrap();
    assert_eq!(Arc::strong_count(&counter), 1, "the handler and what it owned were dropped");
}

#[test]
fn a_handler_for_an_invalid_tag_is_rejected() {
    let outcome =
        Threads::default().run(1, |t| t.on_message(MAX_TAG + 1, Box::new(|_, _, _| None)).map(drop));
    assert_eq!(outcome, Err(Error::TagTooLarge(MAX_TAG + 1)));
}

/// A handler is part of its rank: its panic fails the rank (C1).
#[test]
fn a_panicking_handler_aborts_the_run() {
    let outcome = Threads::default().run(2, |t| {
        let _listening = t.on_message(5, Box::new(|_, _, _| panic!("on purpose, for a test")))?;
        barrier(t)?;
        if t.rank() == 0 {
            t.send(SendMode::Standard, &[], 1, 5)?;
        }
        barrier(t)?;
        Ok::<_, Error>(())
    });
    let Err(Error::Aborted { rank: 1, message }) = outcome else { panic!("{outcome:?}") };
    assert!(message.contains("on purpose"), "{message}");
}

/// The handler of a pinned rank may use all cores of the process, and no others.
#[test]
fn handlers_may_use_all_cores_of_the_process() {
    let pinned = Threads { pin: Pin::Always, ..Threads::default() };
    let all = allowed_cores();
    assert_eq!(handler_cores(&pinned), all);
    // A world inside a pinned rank has one core.
    let inner = pinned.run(1, |_| Ok::<_, Error>((allowed_cores(), handler_cores(&pinned)))).unwrap();
    assert_eq!(inner[0].0, inner[0].1);
}

fn handler_cores(world: &Threads) -> String {
    let cores = Arc::new(Mutex::new(String::new()));
    world
        .run(1, |t| {
            let cores = Arc::clone(&cores);
            let listening = t.on_message(
                5,
                Box::new(move |_, _, _| {
                    *cores.lock().unwrap() = allowed_cores();
                    None
                }),
            )?;
            t.send(SendMode::Standard, &[], 0, 5)?;
            drop(listening);
            Ok::<_, Error>(())
        })
        .unwrap();
    let cores = cores.lock().unwrap();
    cores.clone()
}

/// A rank that waits for the reply of a slow handler, while all others wait too, is in no deadlock;
/// one that waits for a handler that does not reply is.
#[test]
fn a_reply_to_come_is_no_deadlock() {
    let rounds = |replies: bool| {
        Threads::default().run(2, |t| {
            let slow = move |status: Status, data: &[u8], _| {
                std::thread::sleep(Duration::from_millis(20));
                replies.then(|| HandlerMessage { to: status.source, tag: 7, data: data.to_vec() })
            };
            let _listening = t.on_message(5, Box::new(slow))?;
            barrier(t)?;
            t.send(SendMode::Standard, &[3], 1 - t.rank(), 5)?;
            let mut back = [0];
            t.receive(&mut back, Selector::new(1 - t.rank(), 7))?;
            barrier(t).map(|()| back)
        })
    };
    assert_eq!(rounds(true).unwrap(), [[3], [3]]);
    assert!(matches!(rounds(false).unwrap_err(), Error::Deadlock(_)));
}
