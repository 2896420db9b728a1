//! The threads backend: the conformance test, and what only threads promise.

#[path = "threads/beside.rs"]
mod beside;
#[path = "threads/deadlock.rs"]
mod deadlock;
#[path = "threads/handler.rs"]
mod handler;
#[path = "threads/matching.rs"]
mod matching;
#[path = "threads/native.rs"]
mod native;
#[path = "threads/persistent.rs"]
mod persistent;
#[path = "threads/process.rs"]
mod process;

use std::sync::Mutex;

use panto_schedule::{Collective, Problem};
use panto_transport::conformance::{self, Failures, Flaw};
use panto_transport::threads::Threads;
use panto_transport::{Buffers, Choice, Error, Mode, NO_COMBINE, Prepared, Result, Transport, Want, World};

fn all_pass(outcome: std::result::Result<usize, Failures>) {
    let count = outcome.unwrap_or_else(|failures| panic!("{failures}"));
    assert!(count > 0);
}

fn barrier(t: &impl Transport) -> Result<()> {
    let problem = Problem { collective: Collective::Barrier, ranks: t.size(), root: 0, count: 0 };
    let buffers = Buffers { input: &[], output: &mut [], element: 1, combine: NO_COMBINE };
    Prepared::new(t, problem, 1, Choice::Library)?.run(t, buffers)
}

#[test]
fn conforms() {
    for ranks in [1, 2, 3, 4, 8] {
        all_pass(conformance::run(&Threads::default(), ranks));
    }
}

#[test]
fn conforms_when_ranks_outnumber_cores() {
    all_pass(conformance::run(&Threads::default(), 33));
}

#[test]
fn conforms_when_pinned() {
    all_pass(conformance::run(&Threads { pin: true, ..Threads::default() }, 4));
}

/// Everything by rendezvous, and everything by copy.
#[test]
fn conforms_with_other_limits() {
    for eager_limit in [0, 64, 1 << 20] {
        all_pass(conformance::run(&Threads { eager_limit, ..Threads::default() }, 3));
    }
}

#[test]
fn failures_stop_everybody() {
    for ranks in [2, 3, 8, 33] {
        all_pass(conformance::run_failures(&Threads::default(), ranks));
    }
}

/// When several ranks fail at once, the run answers the error that the others heard of.
#[test]
fn the_first_cause_counts() {
    for _ in 0..300 {
        let heard = Mutex::new(None);
        let outcome = Threads::default().run(4, |t| {
            if t.rank() == 3 {
                let error = t.receive(&mut [], Want::any()).unwrap_err();
                *heard.lock().unwrap() = Some(error.clone());
                return Err::<(), _>(error.into());
            }
            barrier_of_three(t)?;
            Err(Flaw(format!("rank {}", t.rank())))
        });
        let Err(Flaw(words)) = outcome else { panic!("no rank failed") };
        let Some(Error::Aborted { rank, .. }) = heard.into_inner().unwrap() else { panic!("nobody heard") };
        assert_eq!(words, format!("rank {rank}"));
    }
}

/// Ranks 0, 1 and 2 meet.
fn barrier_of_three(t: &impl Transport) -> Result<()> {
    for to in (0..3).filter(|&to| to != t.rank()) {
        t.send(Mode::Buffered, &[], to, 1)?;
    }
    (0..2).try_for_each(|_| t.receive(&mut [], Want::tag(1)).map(drop))
}

#[test]
fn no_ranks_and_too_many_are_refused() {
    for ranks in [0, 1_000_000] {
        let outcome: Result<Vec<()>> = Threads::default().run(ranks, |_| Ok(()));
        assert!(matches!(outcome, Err(Error::Start(_))));
    }
}

#[test]
fn a_thousand_ranks_pass_a_barrier() {
    let ranks = Threads::default().run(1_000, |t| barrier(t).map(|()| t.rank())).unwrap();
    assert_eq!(ranks, (0..1_000).collect::<Vec<_>>());
}

/// A plan belongs to its rank: on another one its spans could lie outside of the buffers.
#[test]
fn a_collective_prepared_by_another_rank_is_refused() {
    let problem = Problem { collective: Collective::Scatter, ranks: 2, root: 0, count: 1_000 };
    let prepared = Mutex::new(None);
    Threads::default()
        .run(2, |t| {
            if t.rank() == 0 {
                *prepared.lock().unwrap() = Some(Prepared::new(t, problem, 8, Choice::Library)?);
            }
            barrier(t)?;
            if t.rank() == 1 {
                let mut output = [0; 8_000];
                let buffers = Buffers { input: &[], output: &mut output, element: 8, combine: NO_COMBINE };
                let outcome = prepared.lock().unwrap().as_mut().unwrap().run(t, buffers);
                assert!(matches!(outcome, Err(Error::Buffers(_))), "{outcome:?}");
            }
            Ok::<_, Error>(())
        })
        .unwrap();
}
