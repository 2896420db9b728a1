//! Message-driven receive (C19), where the backend has it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use panto_units::Time;

use super::flaw::{Outcome, equal, flaw, same_bytes};
use super::pattern::pattern;
use super::{TAG, barrier};
use crate::error::{Error, Result};
use crate::handler::{Handler, Listening};
use crate::message::{Mode, Status, Tag, Want};
use crate::transport::Transport;

/// The tag that handlers listen for.
const CALL: Tag = 21;

/// Messages of each rank.
const EACH: usize = 20;

/// A handler that has not run by then, on the rank's clock, never will.
const PATIENCE: Time = Time::from_nanos(30_000_000_000);

/// How long the rank computes before it looks whether the handler has run.
const SLICE: Time = Time::from_nanos(10_000);

/// `None` where the backend has no handlers.
fn listen<T: Transport>(t: &T, handler: Handler) -> Result<Option<Listening>> {
    match t.on_message(CALL, handler) {
        Ok(listening) => Ok(Some(listening)),
        Err(Error::Unsupported(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

fn bytes(rank: usize, i: usize) -> Vec<u8> {
    pattern(rank * EACH + i, [0, 30, 4_000, 30_000][i % 4])
}

fn call_rank_0<T: Transport>(t: &T) -> Result<()> {
    let modes = [Mode::Standard, Mode::Buffered, Mode::Synchronous];
    (0..EACH).try_for_each(|i| t.send(modes[i % 3], &bytes(t.rank(), i), 0, CALL))
}

fn lock<D>(shared: &Mutex<D>) -> MutexGuard<'_, D> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Rank 0 hears of the messages although it does not call the message layer, and when: on its own clock.
pub(super) fn while_computing<T: Transport>(t: &T) -> Outcome {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let times = Arc::clone(&heard);
    let handler: Handler = Box::new(move |_, _, now| lock(&times).push(now));
    let Some(listening) = listen(t, handler)? else { return Ok(()) };
    let start = t.now();
    barrier(t)?;
    if t.rank() > 0 {
        call_rank_0(t)?;
    } else {
        compute_until(t, || lock(&heard).len() == EACH * (t.size() - 1))?;
        let times = lock(&heard).clone();
        check_times(t, start, &times)?;
    }
    barrier(t)?;
    drop(listening);
    Ok(())
}

/// The handler ran after this rank came to the barrier, one time after the other, and not in the future.
fn check_times<T: Transport>(t: &T, start: Time, times: &[Time]) -> Outcome {
    let end = t.now();
    let ordered = times.is_sorted();
    let within = times.iter().all(|&time| start <= time && time <= end);
    if ordered && within {
        Ok(())
    } else {
        Err(flaw(t, "the times of the handler are not on the clock of its rank"))
    }
}

fn compute_until<T: Transport>(t: &T, over: impl Fn() -> bool) -> Outcome {
    let start = t.now();
    while !over() {
        if t.now().since(start) > PATIENCE {
            return Err(flaw(t, "the handler did not run while its rank computed"));
        }
        t.compute(SLICE);
    }
    Ok(())
}

/// All messages that were sent are handled, whole and in order, before the listening ends; those with other tags and
/// those that come later are received as ever.
pub(super) fn others_unaffected<T: Transport>(t: &T) -> Outcome {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let list = Arc::clone(&heard);
    let handler: Handler = Box::new(move |status, data, _| lock(&list).push((status, data.to_vec())));
    let Some(listening) = listen(t, handler)? else { return Ok(()) };
    barrier(t)?;
    if t.rank() > 0 {
        call_rank_0(t)?;
        t.send(Mode::Buffered, &[1], 0, TAG)?;
    } else {
        // A barrier does not say that long messages have come.
        compute_until(t, || lock(&heard).len() == EACH * (t.size() - 1))?;
    }
    barrier_then_drop(t, listening)?;
    if t.rank() > 0 {
        return Ok(t.send(Mode::Standard, &[2], 0, CALL)?);
    }
    receive_from_all(t, TAG, 1)?;
    receive_from_all(t, CALL, 2)?;
    verify(t, &lock(&heard))
}

fn barrier_then_drop<T: Transport>(t: &T, listening: Listening) -> Result<()> {
    barrier(t)?;
    drop(listening);
    barrier(t)
}

fn receive_from_all<T: Transport>(t: &T, tag: Tag, content: u8) -> Outcome {
    (1..t.size()).try_for_each(|from| {
        let mut byte = [0];
        t.receive(&mut byte, Want::new(from, tag))?;
        equal(t, "an ordinary message", byte, [content])
    })
}

fn verify<T: Transport>(t: &T, heard: &[(Status, Vec<u8>)]) -> Outcome {
    equal(t, "messages handled", heard.len(), EACH * (t.size() - 1))?;
    let mut seen = vec![0; t.size()];
    for (status, data) in heard {
        let nth = seen[status.source];
        seen[status.source] += 1;
        equal(t, "the envelope", (status.tag, status.len), (CALL, data.len()))?;
        same_bytes(t, "the handled message", data, &bytes(status.source, nth))?;
    }
    Ok(())
}
