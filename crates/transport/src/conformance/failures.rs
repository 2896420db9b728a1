//! Failures: when one rank fails, all are aborted (C1).

use std::sync::{Mutex, PoisonError};

use panto_schedule::{Collective, Problem};

use super::violation::{Outcome, Violation};
use super::{Failure, Failures, TAG};
use crate::collective::{AlgorithmChoice, CollectiveTag, PreparedCollective, Progress};
use crate::error::{Error, Result};
use crate::handler::Handler;
use crate::message::{Selector, SendMode};
use crate::persistent::PersistentReceive;
use crate::reduce_op::NO_REDUCTION;
use crate::scope::scope;
use crate::transport::{Buffers, Transport};
use crate::world::World;

/// What the other ranks do when one rank aborts.
type Body<T> = fn(&T) -> Result<()>;

fn bodies<T: Transport>() -> Vec<(&'static str, Body<T>)> {
    vec![
        ("a receive ends when a rank aborts", |t| t.receive(&mut [], Selector::new(0, TAG)).map(drop)),
        ("a probe ends when a rank aborts", |t| t.probe(Selector::any()).map(drop)),
        ("a polling loop ends when a rank aborts", |t| {
            while t.try_probe(Selector::any())?.is_none() {}
            Ok(())
        }),
        ("a synchronous send ends when a rank aborts", |t| t.send(SendMode::Synchronous, &[1], 0, TAG)),
        ("a large send ends when a rank aborts", |t| {
            t.send(SendMode::Standard, &vec![1; 1 << 20], 0, TAG)?;
            t.receive(&mut [], Selector::any()).map(drop)
        }),
        ("a wait ends when a rank aborts", |t| {
            let mut buffer = [0];
            scope(t, |s| {
                let request = s.receive(&mut buffer, Selector::new(0, TAG))?;
                s.wait(request).map(drop)
            })
        }),
        ("a wait for any ends when a rank aborts", |t| {
            let mut buffer = [0];
            scope(t, |s| s.wait_any(&mut vec![s.receive(&mut buffer, Selector::any())?]).map(drop))
        }),
        ("the end of a scope ends when a rank aborts", |t| {
            let mut buffer = [0];
            scope(t, |s| s.receive(&mut buffer, Selector::any()).map(drop))
        }),
        ("a persistent receive ends when a rank aborts", |t| {
            let mut receive = PersistentReceive::new(t, vec![0], Selector::any())?;
            receive.start()?;
            receive.wait().map(drop)
        }),
        ("a test of a persistent receive ends when a rank aborts", |t| {
            let mut receive = PersistentReceive::new(t, vec![0], Selector::any())?;
            receive.start()?;
            while receive.test()?.is_none() {}
            Ok(())
        }),
        ("a collective ends when a rank aborts", |t| super::barrier(t)),
        ("a collective beside work ends when a rank aborts", |t| barrier_beside(t, |_| Ok(()))),
        ("asking about a collective ends when a rank aborts", |t| {
            barrier_beside(t, |progress| {
                while !progress.poll()? {}
                Ok(())
            })
        }),
        ("a wait for a moment ends when a rank aborts", |t| {
            loop {
                t.check()?;
                std::thread::yield_now();
            }
        }),
    ]
}

fn barrier_beside<T: Transport>(t: &T, work: fn(&mut Progress<'_, T>) -> Result<()>) -> Result<()> {
    let problem = Problem { collective: Collective::Barrier, ranks: t.size(), root: 0, count: 0 };
    let nothing = Buffers { input: &[], output: &mut [], element: 1, combine: NO_REDUCTION };
    PreparedCollective::new(t, problem, 1, AlgorithmChoice::Library)?.run_overlapped(
        t,
        nothing,
        CollectiveTag::ALL[0],
        work,
    )
}

/// Runs the cases in which a rank fails, for worlds that survive it, and returns the number of
/// cases. At least two ranks are needed.
pub fn run_failures<W: World>(world: &W, ranks: usize) -> std::result::Result<usize, Failures> {
    let bodies = bodies::<W::Endpoint>();
    let aborts = bodies.iter().map(|&(name, body)| (name, abort_during(world, ranks, body)));
    let others = [
        ("an error of a rank is the error of the run", own_error(world, ranks)),
        ("a rank that panics is named", panic_is_named(world, ranks)),
        ("an ignored abort fails the run", ignored_abort(world, ranks)),
        ("a handler that panics fails its rank", handler_panic_is_named(world, ranks)),
    ];
    let outcomes =
        aborts.chain(others).filter_map(|(name, outcome)| Some(Failure { name, violation: outcome.err()? }));
    Failures::none_of(ranks, bodies.len() + 4, outcomes)
}

/// Rank 0 aborts; every other rank must get an error that names it and the cause, whatever it does.
fn abort_during<W: World>(world: &W, ranks: usize, body: Body<W::Endpoint>) -> Outcome {
    let cause = Error::Aborted { rank: 0, message: "enough".into() };
    let errors = Mutex::new(Vec::new());
    let outcome: Result<Vec<()>> = world.run(ranks, |t| {
        if t.rank() == 0 {
            // Late enough that most of the others are waiting, early enough that some may not be.
            std::thread::sleep(std::time::Duration::from_millis(3));
            return Err(t.abort("enough"));
        }
        let outcome = body(t);
        errors.lock().unwrap_or_else(PoisonError::into_inner).push(outcome.clone());
        outcome
    });
    // Where ranks do not share memory, each process sees the errors of its own ranks.
    let errors = errors.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(wrong) = errors.iter().find(|errors| **errors != Err(cause.clone())) {
        return Err(Violation(format!("a rank got {wrong:?}")));
    }
    same_error(&outcome, &cause)
}

fn same_error(outcome: &Result<Vec<()>>, cause: &Error) -> Outcome {
    match outcome {
        Err(error) if error == cause => Ok(()),
        other => Err(Violation(format!("the run ended with {other:?}, expected {cause:?}"))),
    }
}

fn own_error<W: World>(world: &W, ranks: usize) -> Outcome {
    let last = ranks - 1;
    let outcome = world.run(ranks, |t| match t.rank() {
        rank if rank == last => Err(Violation("an error of its own".into())),
        _ => Ok(t.receive(&mut [], Selector::any()).map(drop)?),
    });
    match outcome {
        Err(Violation(words)) if words == "an error of its own" => Ok(()),
        other => Err(Violation(format!("the run ended with {other:?}"))),
    }
}

fn panic_is_named<W: World>(world: &W, ranks: usize) -> Outcome {
    let outcome = world.run(ranks, |t| {
        assert!(t.rank() != 1, "on purpose, for the conformance test");
        t.receive(&mut [], Selector::any()).map(drop)
    });
    match outcome {
        Err(Error::Aborted { rank: 1, message }) if message.contains("on purpose") => Ok(()),
        other => Err(Violation(format!("the run ended with {other:?}"))),
    }
}

/// The rank waits for something else meanwhile. Rank 0 must stay awake, or the world would be right
/// to report a deadlock first.
fn handler_panic_is_named<W: World>(world: &W, ranks: usize) -> Outcome {
    let outcome: Result<Vec<()>> = world.run(ranks, |t| {
        let handler: Handler = Box::new(|_, _, _| panic!("on purpose, for the conformance test"));
        let _listening = if t.rank() == 1 { Some(t.on_message(TAG, handler)?) } else { None };
        super::barrier(t)?;
        if t.rank() > 0 {
            return t.receive(&mut [0; 8], Selector::new(0, TAG + 1)).map(drop);
        }
        t.send(SendMode::Buffered, &[], 1, TAG)?;
        while t.try_probe(Selector::any())?.is_none() {}
        Ok(())
    });
    match outcome {
        Err(Error::Aborted { rank: 1, message }) if message.contains("on purpose") => Ok(()),
        Err(Error::Unsupported(_)) => Ok(()),
        other => Err(Violation(format!("the run ended with {other:?}"))),
    }
}

/// A program that ignores the error of its abort has still failed.
fn ignored_abort<W: World>(world: &W, ranks: usize) -> Outcome {
    let outcome: Result<Vec<()>> = world.run(ranks, |t| {
        if t.rank() == 1 {
            let _ = t.abort("enough");
        }
        Ok(())
    });
    same_error(&outcome, &Error::Aborted { rank: 1, message: "enough".into() })
}
