//! The threads backend: the conformance test, and what only threads guarantee.

mod deadlock;
mod handler;
mod matching;
mod native;
mod overlap;
mod persistent;
mod process;

use std::sync::Mutex;

use panto_schedule::{Collective, Problem};
use panto_transport::conformance::{self, Failures, Violation};
use panto_transport::threads::{Pin, Threads};
use panto_transport::{
    AlgorithmChoice, Buffers, Error, NO_REDUCTION, PreparedCollective, Result, Selector, SendMode, Transport,
    World,
};

fn all_pass(outcome: std::result::Result<usize, Failures>) {
    let count = outcome.unwrap_or_else(|failures| panic!("{failures}"));
    assert!(count > 0);
}

fn barrier(t: &impl Transport) -> Result<()> {
    let problem = Problem { collective: Collective::Barrier, ranks: t.size(), root: 0, count: 0 };
    let buffers = Buffers { input: &[], output: &mut [], element: 1, combine: NO_REDUCTION };
    PreparedCollective::new(t, problem, 1, AlgorithmChoice::Library)?.run(t, buffers)
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
    all_pass(conformance::run(&Threads { pin: Pin::Always, ..Threads::default() }, 4));
}

/// Everything by rendezvous, and everything eager.
#[test]
fn conforms_with_other_limits() {
    for eager_limit in [0, 64, 1 << 20] {
        all_pass(conformance::run(&Threads { eager_limit, ..Threads::default() }, 3));
    }
}

#[test]
fn a_failure_aborts_all_ranks() {
    for ranks in [2, 3, 8, 33] {
        all_pass(conformance::run_failures(&Threads::default(), ranks));
    }
}

/// When several ranks fail at once, the run returns the error that the other ranks got.
#[test]
fn the_first_failure_is_returned() {
    for _ in 0..300 {
        let error_of_rank_3 = Mutex::new(None);
        let outcome = Threads::default().run(4, |t| {
            if t.rank() == 3 {
                let error = t.receive(&mut [], Selector::any()).unwrap_err();
                *error_of_rank_3.lock().unwrap() = Some(error.clone());
                return Err::<(), _>(error.into());
            }
            barrier_of_three(t)?;
            Err(Violation(format!("rank {}", t.rank())))
        });
        let Err(Violation(words)) = outcome else { panic!("no rank failed") };
        let Some(Error::Aborted { rank, .. }) = error_of_rank_3.into_inner().unwrap() else {
            panic!("rank 3 got no error")
        };
        assert_eq!(words, format!("rank {rank}"));
    }
}

/// A barrier of ranks 0, 1 and 2.
fn barrier_of_three(t: &impl Transport) -> Result<()> {
    for to in (0..3).filter(|&to| to != t.rank()) {
        t.send(SendMode::Buffered, &[], to, 1)?;
    }
    (0..2).try_for_each(|_| t.receive(&mut [], Selector::tag(1)).map(drop))
}

#[test]
fn invalid_numbers_of_ranks_are_rejected() {
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
fn a_collective_prepared_by_another_rank_is_rejected() {
    let problem = Problem { collective: Collective::Scatter, ranks: 2, root: 0, count: 1_000 };
    let prepared = Mutex::new(None);
    Threads::default()
        .run(2, |t| {
            if t.rank() == 0 {
                *prepared.lock().unwrap() =
                    Some(PreparedCollective::new(t, problem, 8, AlgorithmChoice::Library)?);
            }
            barrier(t)?;
            if t.rank() == 1 {
                let mut output = [0; 8_000];
                let buffers = Buffers { input: &[], output: &mut output, element: 8, combine: NO_REDUCTION };
                let outcome = prepared.lock().unwrap().as_mut().unwrap().run(t, buffers);
                assert!(matches!(outcome, Err(Error::Buffers(_))), "{outcome:?}");
            }
            Ok::<_, Error>(())
        })
        .unwrap();
}
