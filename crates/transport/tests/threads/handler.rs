//! Message handlers on threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use panto_transport::threads::{Pin, Threads};
use panto_transport::{Error, MAX_TAG, SendMode, Transport, World};

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
                }),
            )?;
            assert!(
                t.on_message(5, Box::new(|_, _, _| ())).is_err(),
                "the second would take the first one's place"
            );
            t.send(SendMode::Standard, &[], 0, 5)?;
            drop(first);
            assert_eq!(counter.load(Ordering::SeqCst), 1);
            // The tag is free again.
            t.on_message(5, Box::new(|_, _, _| ())).map(drop)
        })
        .unwrap();
    assert_eq!(Arc::strong_count(&counter), 1, "the handler and what it owned were dropped");
}

#[test]
fn a_handler_for_an_invalid_tag_is_rejected() {
    let outcome = Threads::default().run(1, |t| t.on_message(MAX_TAG + 1, Box::new(|_, _, _| ())).map(drop));
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
            let listening =
                t.on_message(5, Box::new(move |_, _, _| *cores.lock().unwrap() = allowed_cores()))?;
            t.send(SendMode::Standard, &[], 0, 5)?;
            drop(listening);
            Ok::<_, Error>(())
        })
        .unwrap();
    let cores = cores.lock().unwrap();
    cores.clone()
}
