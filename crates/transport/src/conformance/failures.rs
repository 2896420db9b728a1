//! One rank fails, and all stop (C1).

use std::sync::{Mutex, PoisonError};

use panto_schedule::{Collective, Problem};

use super::flaw::{Flaw, Outcome};
use super::{Failure, Failures, TAG};
use crate::collective::{Choice, Lane, Prepared, Progress};
use crate::combine::NO_COMBINE;
use crate::error::{Error, Result};
use crate::handler::Handler;
use crate::message::{Mode, Want};
use crate::persistent::PersistentReceive;
use crate::scope::scope;
use crate::transport::{Buffers, Transport};
use crate::world::World;

/// What the others do when one rank gives up.
type Act<T> = fn(&T) -> Result<()>;

fn acts<T: Transport>() -> Vec<(&'static str, Act<T>)> {
    vec![
        ("a receive ends when a rank aborts", |t| t.receive(&mut [], Want::new(0, TAG)).map(drop)),
        ("a probe ends when a rank aborts", |t| t.probe(Want::any()).map(drop)),
        ("a polling loop ends when a rank aborts", |t| {
            while t.try_probe(Want::any())?.is_none() {}
            Ok(())
        }),
        ("a synchronous send ends when a rank aborts", |t| t.send(Mode::Synchronous, &[1], 0, TAG)),
        ("a large send ends when a rank aborts", |t| {
            t.send(Mode::Standard, &vec![1; 1 << 20], 0, TAG)?;
            t.receive(&mut [], Want::any()).map(drop)
        }),
        ("a wait ends when a rank aborts", |t| {
            let mut buffer = [0];
            scope(t, |s| {
                let request = s.receive(&mut buffer, Want::new(0, TAG))?;
                s.wait(request).map(drop)
            })
        }),
        ("a wait for any ends when a rank aborts", |t| {
            let mut buffer = [0];
            scope(t, |s| s.wait_any(&mut vec![s.receive(&mut buffer, Want::any())?]).map(drop))
        }),
        ("the end of a scope ends when a rank aborts", |t| {
            let mut buffer = [0];
            scope(t, |s| s.receive(&mut buffer, Want::any()).map(drop))
        }),
        ("a persistent receive ends when a rank aborts", |t| {
            let mut receive = PersistentReceive::new(t, vec![0], Want::any())?;
            receive.start()?;
            receive.wait().map(drop)
        }),
        ("a test of a persistent receive ends when a rank aborts", |t| {
            let mut receive = PersistentReceive::new(t, vec![0], Want::any())?;
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
    let nothing = Buffers { input: &[], output: &mut [], element: 1, combine: NO_COMBINE };
    Prepared::new(t, problem, 1, Choice::Library)?.run_beside(t, nothing, Lane::ALL[0], work)
}

/// Runs the cases in which a rank fails, for worlds that outlive it, and answers how many there were. They need two
/// ranks.
pub fn run_failures<W: World>(world: &W, ranks: usize) -> std::result::Result<usize, Failures> {
    let acts = acts::<W::Endpoint>();
    let aborts = acts.iter().map(|&(name, act)| (name, abort_during(world, ranks, act)));
    let others = [
        ("an error of a rank is the error of the run", own_error(world, ranks)),
        ("a rank that panics is named", panic_is_named(world, ranks)),
        ("an abort that is kept secret fails the run", secret_abort(world, ranks)),
        ("a handler that panics fails its rank", handler_panic_is_named(world, ranks)),
    ];
    let outcomes =
        aborts.chain(others).filter_map(|(name, outcome)| Some(Failure { name, flaw: outcome.err()? }));
    Failures::none_of(ranks, acts.len() + 4, outcomes)
}

/// Rank 0 gives up; everybody else, in whatever it does, must learn who and why.
fn abort_during<W: World>(world: &W, ranks: usize, act: Act<W::Endpoint>) -> Outcome {
    let cause = Error::Aborted { rank: 0, message: "enough".into() };
    let heard = Mutex::new(Vec::new());
    let outcome: Result<Vec<()>> = world.run(ranks, |t| {
        if t.rank() == 0 {
            // Late enough that most of the others are in their wait, early enough that some may not be.
            std::thread::sleep(std::time::Duration::from_millis(3));
            return Err(t.abort("enough"));
        }
        let outcome = act(t);
        heard.lock().unwrap_or_else(PoisonError::into_inner).push(outcome.clone());
        outcome
    });
    // Where ranks do not share memory, each process sees what its own ranks heard.
    let heard = heard.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(wrong) = heard.iter().find(|heard| **heard != Err(cause.clone())) {
        return Err(Flaw(format!("a rank heard {wrong:?}")));
    }
    same_error(&outcome, &cause)
}

fn same_error(outcome: &Result<Vec<()>>, cause: &Error) -> Outcome {
    match outcome {
        Err(error) if error == cause => Ok(()),
        other => Err(Flaw(format!("the run ended with {other:?}, want {cause:?}"))),
    }
}

fn own_error<W: World>(world: &W, ranks: usize) -> Outcome {
    let last = ranks - 1;
    let outcome = world.run(ranks, |t| match t.rank() {
        rank if rank == last => Err(Flaw("my own words".into())),
        _ => Ok(t.receive(&mut [], Want::any()).map(drop)?),
    });
    match outcome {
        Err(Flaw(words)) if words == "my own words" => Ok(()),
        other => Err(Flaw(format!("the run ended with {other:?}"))),
    }
}

fn panic_is_named<W: World>(world: &W, ranks: usize) -> Outcome {
    let outcome = world.run(ranks, |t| {
        assert!(t.rank() != 1, "on purpose, for the conformance test");
        t.receive(&mut [], Want::any()).map(drop)
    });
    match outcome {
        Err(Error::Aborted { rank: 1, message }) if message.contains("on purpose") => Ok(()),
        other => Err(Flaw(format!("the run ended with {other:?}"))),
    }
}

/// The rank waits for something else meanwhile. Somebody must be awake, or the world is right to call it a deadlock first.
fn handler_panic_is_named<W: World>(world: &W, ranks: usize) -> Outcome {
    let outcome: Result<Vec<()>> = world.run(ranks, |t| {
        let handler: Handler = Box::new(|_, _, _| panic!("on purpose, for the conformance test"));
        let _listening = if t.rank() == 1 { Some(t.on_message(TAG, handler)?) } else { None };
        super::barrier(t)?;
        if t.rank() > 0 {
            return t.receive(&mut [0; 8], Want::new(0, TAG + 1)).map(drop);
        }
        t.send(Mode::Buffered, &[], 1, TAG)?;
        while t.try_probe(Want::any())?.is_none() {}
        Ok(())
    });
    match outcome {
        Err(Error::Aborted { rank: 1, message }) if message.contains("on purpose") => Ok(()),
        Err(Error::Unsupported(_)) => Ok(()),
        other => Err(Flaw(format!("the run ended with {other:?}"))),
    }
}

/// A program that drops the error of its abort has still failed.
fn secret_abort<W: World>(world: &W, ranks: usize) -> Outcome {
    let outcome: Result<Vec<()>> = world.run(ranks, |t| {
        if t.rank() == 1 {
            let _ = t.abort("enough");
        }
        Ok(())
    });
    same_error(&outcome, &Error::Aborted { rank: 1, message: "enough".into() })
}
