//! Message-driven receive (C19), where the backend supports it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use panto_units::Time;

use super::pattern::pattern;
use super::violation::{Outcome, equal, same_bytes, violation};
use super::{TAG, barrier};
use crate::error::{Error, Result};
use crate::handler::{Handler, HandlerGuard, HandlerMessage};
use crate::message::{Selector, SendMode, Status, Tag};
use crate::transport::Transport;

/// The tag of handled messages.
const CALL: Tag = 21;

/// Messages per rank.
const EACH: usize = 20;

/// Time limit of a handler call, on the rank's clock.
const TIME_LIMIT: Time = Time::from_nanos(30_000_000_000);

/// How long the rank computes between two checks for handler calls.
const SLICE: Time = Time::from_nanos(10_000);

/// Registers a handler; `None` where the backend does not support them.
fn listen<T: Transport>(t: &T, handler: Handler) -> Result<Option<HandlerGuard>> {
    match t.on_message(CALL, handler) {
        Ok(guard) => Ok(Some(guard)),
        Err(Error::Unsupported(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

fn bytes(rank: usize, i: usize) -> Vec<u8> {
    pattern(rank * EACH + i, [0, 30, 4_000, 30_000][i % 4])
}

fn call_rank_0<T: Transport>(t: &T) -> Result<()> {
    let modes = [SendMode::Standard, SendMode::Buffered, SendMode::Synchronous];
    (0..EACH).try_for_each(|i| t.send(modes[i % 3], &bytes(t.rank(), i), 0, CALL))
}

fn lock<D>(shared: &Mutex<D>) -> MutexGuard<'_, D> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Rank 0's handler runs although the rank does not call the message layer, and gets times on the
/// rank's clock.
pub(super) fn while_computing<T: Transport>(t: &T) -> Outcome {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let times = Arc::clone(&heard);
    let handler: Handler = Box::new(move |_, _, now| {
        lock(&times).push(now);
        None
    });
    let Some(guard) = listen(t, handler)? else { return Ok(()) };
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
    drop(guard);
    Ok(())
}

/// Handler calls are after the start, in order, and not in the future.
fn check_times<T: Transport>(t: &T, start: Time, times: &[Time]) -> Outcome {
    let end = t.now();
    let ordered = times.is_sorted();
    let within = times.iter().all(|&time| start <= time && time <= end);
    if ordered && within {
        Ok(())
    } else {
        Err(violation(t, "the times of the handler are not on the clock of its rank"))
    }
}

fn compute_until<T: Transport>(t: &T, over: impl Fn() -> bool) -> Outcome {
    let start = t.now();
    while !over() {
        if t.now().since(start) > TIME_LIMIT {
            return Err(violation(t, "the handler did not run while its rank computed"));
        }
        t.compute(SLICE);
    }
    Ok(())
}

/// All messages are handled, complete and in order, before the handler is removed; those with other
/// tags and later ones are received as usual.
pub(super) fn others_unaffected<T: Transport>(t: &T) -> Outcome {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let list = Arc::clone(&heard);
    let handler: Handler = Box::new(move |status, data, _| {
        lock(&list).push((status, data.to_vec()));
        None
    });
    let Some(guard) = listen(t, handler)? else { return Ok(()) };
    barrier(t)?;
    if t.rank() > 0 {
        call_rank_0(t)?;
        t.send(SendMode::Buffered, &[1], 0, TAG)?;
    } else {
        // A barrier does not imply that long messages have arrived.
        compute_until(t, || lock(&heard).len() == EACH * (t.size() - 1))?;
    }
    barrier_then_drop(t, guard)?;
    if t.rank() > 0 {
        return Ok(t.send(SendMode::Standard, &[2], 0, CALL)?);
    }
    receive_from_all(t, TAG, 1)?;
    receive_from_all(t, CALL, 2)?;
    verify(t, &lock(&heard))
}

/// What a handler returns is sent, while its rank computes: all others get their messages back, and
/// a handler may send to a handler.
pub(super) fn replies<T: Transport>(t: &T) -> Outcome {
    let heard = Arc::new(Mutex::new(0));
    let (count, rank) = (Arc::clone(&heard), t.rank());
    let handler: Handler = Box::new(move |status, data, _| {
        *lock(&count) += 1;
        let tag = if data.len().is_multiple_of(2) { TAG } else { CALL };
        (rank == 0).then(|| HandlerMessage { to: status.source, tag, data: data.to_vec() })
    });
    let Some(guard) = listen(t, handler)? else { return Ok(()) };
    barrier(t)?;
    let lens = [0, 31, 4_000, 30_001];
    if t.rank() > 0 {
        for (nth, len) in lens.into_iter().enumerate() {
            let data = pattern(t.rank() + nth, len);
            t.send(SendMode::Standard, &data, 0, CALL)?;
            if len % 2 == 0 {
                let mut back = vec![0; len];
                t.receive(&mut back, Selector::new(0, TAG))?;
                same_bytes(t, "the reply of a handler", &back, &data)?;
            }
        }
        compute_until(t, || *lock(&heard) == lens.len() / 2)?;
    } else {
        compute_until(t, || *lock(&heard) == lens.len() * (t.size() - 1))?;
    }
    Ok(barrier_then_drop(t, guard)?)
}

fn barrier_then_drop<T: Transport>(t: &T, guard: HandlerGuard) -> Result<()> {
    barrier(t)?;
    drop(guard);
    barrier(t)
}

fn receive_from_all<T: Transport>(t: &T, tag: Tag, content: u8) -> Outcome {
    (1..t.size()).try_for_each(|from| {
        let mut byte = [0];
        t.receive(&mut byte, Selector::new(from, tag))?;
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
