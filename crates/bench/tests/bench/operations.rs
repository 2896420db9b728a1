//! Every collective with every implementation and all options of its call.

use std::sync::Arc;

use panto_bench::scenario::operation::{
    CallOptions, Implementation, Progress, Ready, Task, compute_beside, ready, work_beside,
};
use panto_bench::{Error, Result};
use panto_machine::Machine;
use panto_results::scenario::CollectiveCall;
use panto_schedule::{Collective, algorithms};
use panto_transport::simulated::{Sharing, Simulated};
use panto_transport::threads::Threads;
use panto_transport::{Time, Transport, World};

/// Returns the implementations of a collective.
fn implementations(call: CollectiveCall) -> Vec<Implementation> {
    let own = match call {
        CollectiveCall::Plain(collective) => algorithms(collective),
        CollectiveCall::Blocks(collective) => collective.algorithms(),
    };
    let own = own.iter().map(|&algorithm| Implementation::Algorithm(algorithm));
    own.chain([Implementation::Library]).collect()
}

fn call_options() -> [CallOptions; 4] {
    let non_blocking = CallOptions { non_blocking: true, copies: 2, ..CallOptions::default() };
    [
        CallOptions { copies: 3, ..CallOptions::default() },
        non_blocking,
        CallOptions { progress: Progress::Poll, tag_index: 3, ..non_blocking },
        CallOptions { progress: Progress::Helper, tag_index: CallOptions::TAGS - 1, ..non_blocking },
    ]
}

/// Issues the operation with these options, and computes meanwhile.
fn exercise<T: Transport>(transport: &T, one: &mut Ready<'_, T>, how: CallOptions) -> Result<()> {
    one.issue()?;
    match how.progress {
        Progress::None => {}
        Progress::Poll => while !one.poll()? {},
        Progress::Helper if transport.is_virtual() => {
            compute_beside(transport, std::slice::from_mut(one), Time::from_nanos(500))?;
        }
        Progress::Helper => {
            let mut sum = 0;
            one.work_beside(|| sum = (0..1_000).sum::<u64>())?;
            assert_eq!(sum, 499_500);
        }
    }
    Ok(one.sync()?)
}

/// Runs and verifies several rounds of all implementations on one rank.
fn run_all<T: Transport>(transport: &T, call: CollectiveCall, bytes: &[u64]) -> Result<()> {
    let root = transport.size() - 1;
    for who in implementations(call) {
        who.for_call(call, transport.size())?;
        for how in call_options() {
            for &bytes in bytes {
                let mut one = ready(transport, &Task { call, bytes, root }, &who, how)?;
                for round in 1..=4 {
                    one.prepare(round);
                    exercise(transport, &mut one, how)?;
                    let wrong =
                        |what| Error::usage(format!("{call} by {who}, {how:?}, {bytes} bytes: {what}"));
                    one.verify().map_err(wrong)?;
                }
            }
        }
    }
    Ok(())
}

#[test]
fn every_collective_with_all_options_on_threads() {
    for ranks in [1, 3] {
        for call in CollectiveCall::ALL {
            Threads::default().run(ranks, |transport| run_all(transport, call, &[13, 6_000])).unwrap();
        }
    }
}

fn simulated() -> Simulated {
    Simulated::new(Arc::new(Machine::load("cm5", &[]).expect("a built-in machine")), Sharing::None)
}

#[test]
fn every_collective_with_all_options_on_a_simulated_machine() {
    for call in CollectiveCall::ALL {
        simulated().run(5, |transport| run_all(transport, call, &[8, 1_003])).unwrap();
    }
}

fn sum(bytes: u64) -> Task {
    Task { call: CollectiveCall::Plain(Collective::Allreduce), bytes, root: 0 }
}

/// Two operations in flight progress together while a helper runs.
#[test]
fn a_helper_leaves_time_for_all_that_is_in_flight() {
    let ring = "ring".parse().unwrap();
    Threads::default()
        .run(3, |transport| {
            let how = |tag_index| CallOptions {
                non_blocking: true,
                progress: Progress::Helper,
                tag_index,
                ..CallOptions::default()
            };
            let make = |tag_index| ready(transport, &sum(60_000), &ring, how(tag_index));
            let mut both = [make(0)?, make(1)?];
            for round in 1..10 {
                for one in &mut both {
                    one.prepare(round);
                    one.issue()?;
                }
                let mut worked = false;
                work_beside(&mut both, || worked = true)?;
                assert!(worked);
                for one in &mut both {
                    one.sync()?;
                    one.verify().map_err(Error::usage)?;
                }
            }
            Ok::<_, Error>(())
        })
        .unwrap();
}

/// Returns the time of an allreduce that is overlapped with a computation, in nanoseconds.
fn both(progress: Progress, computation: u64) -> f64 {
    let times = simulated().run(4, |transport| {
        let how = CallOptions { non_blocking: true, progress, ..CallOptions::default() };
        let mut one = ready(transport, &sum(8_000), &Implementation::Library, how)?;
        one.prepare(1);
        one.issue()?;
        let start = transport.now();
        compute_beside(transport, std::slice::from_mut(&mut one), Time::from_nanos(computation))?;
        one.sync()?;
        one.verify().map_err(Error::usage)?;
        Ok::<_, Error>(transport.now().since(start).as_nanos())
    });
    times.unwrap().into_iter().fold(0.0, f64::max)
}

/// A helper on its own processor hides the shorter of the two; without a helper, a schedule that is
/// not polled makes no progress.
#[test]
fn a_simulated_helper_hides_what_can_be_hidden() {
    let alone = both(Progress::Helper, 0);
    assert!(alone > 1_000.0, "{alone}");
    let long = (4.0 * alone) as u64;
    assert!((both(Progress::Helper, long) - long as f64).abs() < 1.0);
    let short = both(Progress::Helper, (alone / 4.0) as u64);
    assert!((short - alone).abs() < 1.0, "{short} and {alone}");
    assert!(both(Progress::None, long) > long as f64 + 0.5 * alone);
}

/// The number of operations in flight is limited.
#[test]
fn operations_in_flight_are_limited() {
    let error = Threads::default().run(1, |transport| {
        let how = CallOptions { non_blocking: true, tag_index: CallOptions::TAGS, ..CallOptions::default() };
        ready(transport, &sum(8), &Implementation::Library, how).map(drop)
    });
    assert!(error.unwrap_err().to_string().contains("15 collectives can be in flight"));
}
