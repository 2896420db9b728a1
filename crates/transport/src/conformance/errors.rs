//! Operations that must fail, and the clock.

use panto_schedule::{Collective, Problem};

use super::pattern::pattern;
use super::violation::{Outcome, equal, fails, too_long, violation};
use super::{TAG, neighbours};
use crate::collective::{AlgorithmChoice, CollectiveTag, PreparedCollective};
use crate::error::{Error, Result};
use crate::message::{MAX_TAG, Selector, SendMode, Status};
use crate::reduce_op::NO_REDUCTION;
use crate::scope::scope;
use crate::transport::{Buffers, Transport};
use panto_units::Time;

/// The receiver gets an error, the sender completes, and the next message is intact.
pub(super) fn truncated<T: Transport>(t: &T) -> Outcome {
    let (next, before) = neighbours(t);
    let sizes = [(2, 1), (1_000, 999), (4_096, 4_095), (100_000, 0), (100_000, 50_000)];
    let sizes = if t.keeps_bounds() { &sizes[..] } else { &sizes[..2] };
    for &(len, capacity) in sizes {
        let long = (Status { source: before, tag: TAG, len }, capacity);
        let data = pattern(len, len);
        let mut room = vec![0; capacity];
        scope(t, |s| {
            let _ = s.send(SendMode::Standard, &data, next, TAG)?;
            too_long(t, "receive", t.receive(&mut room, Selector::new(before, TAG)), long)
        })?;
        scope(t, |s| {
            let _ = s.send(SendMode::Standard, &data, next, TAG)?;
            too_long(t, "wait", receive_later(t, capacity, Selector::new(before, TAG)), long)
        })?;
        t.send(SendMode::Buffered, &[5], next, TAG)?;
        let mut byte = [0];
        t.receive(&mut byte, Selector::new(before, TAG))?;
        equal(t, "the message after", byte, [5])?;
    }
    Ok(())
}

/// A receive whose message has arrived already may fail at once, or when it is waited for.
fn receive_later<T: Transport>(t: &T, capacity: usize, selector: Selector) -> Result<Status> {
    let mut room = vec![0; capacity];
    scope(t, |s| {
        let request = s.receive(&mut room, selector)?;
        s.wait(request).map(|done| done.status)
    })
}

pub(super) fn no_such_rank<T: Transport>(t: &T) -> Outcome {
    let (rank, ranks) = (t.size(), t.size());
    let error = Error::NoSuchRank { rank, ranks };
    for mode in SendMode::ALL {
        fails(t, "send", t.send(mode, &[], rank, TAG), error.clone())?;
    }
    fails(t, "receive", t.receive(&mut [], Selector::source(rank)), error.clone())?;
    fails(t, "probe", t.probe(Selector::source(rank)), error.clone())?;
    fails(t, "try_probe", t.try_probe(Selector::source(rank)), error.clone())?;
    fails(t, "start of a receive", receive_later(t, 0, Selector::source(rank)), error.clone())?;
    fails(t, "start of a send", send_later(t, rank, TAG), error)
}

fn send_later<T: Transport>(t: &T, to: usize, tag: u32) -> Result<()> {
    scope(t, |s| s.send(SendMode::Standard, &[], to, tag).map(drop))
}

pub(super) fn tag_too_large<T: Transport>(t: &T) -> Outcome {
    let (tag, me) = (MAX_TAG + 1, t.rank());
    for mode in SendMode::ALL {
        fails(t, "send", t.send(mode, &[], me, tag), Error::TagTooLarge(tag))?;
    }
    fails(t, "start of a send", send_later(t, me, tag), Error::TagTooLarge(tag))?;
    fails(t, "receive", t.receive(&mut [], Selector::tag(tag)), Error::TagTooLarge(tag))?;
    fails(t, "probe", t.probe(Selector::tag(tag)), Error::TagTooLarge(tag))?;
    fails(t, "try_probe", t.try_probe(Selector::tag(tag)), Error::TagTooLarge(tag))?;
    fails(t, "start of a receive", receive_later(t, 0, Selector::tag(tag)), Error::TagTooLarge(tag))
}

pub(super) fn wrong_buffers<T: Transport>(t: &T) -> Outcome {
    let problem = Problem { collective: Collective::Allreduce, ranks: t.size(), root: 0, count: 3 };
    let mut prepared = PreparedCollective::new(t, problem, 8, AlgorithmChoice::Library)?;
    for (input, output, element) in [(2, 3, 8), (3, 2, 8), (4, 3, 8), (6, 6, 4)] {
        for beside in [false, true] {
            let (input, mut output) = (vec![0; input * element], vec![0; output * element]);
            let buffers = Buffers { input: &input, output: &mut output, element, combine: NO_REDUCTION };
            let outcome = if beside {
                prepared.run_overlapped(t, buffers, CollectiveTag::ALL[0], |_| Ok(()))
            } else {
                prepared.run(t, buffers)
            };
            let Err(Error::Buffers(_)) = outcome else {
                return Err(violation(t, "a collective ran with buffers that do not fit"));
            };
        }
    }
    Ok(())
}

pub(super) fn clock<T: Transport>(t: &T) -> Outcome {
    let mut last = Time::ZERO;
    for _ in 0..10_000 {
        let now = t.now();
        if now < last {
            return Err(violation(t, &format!("the clock went back from {last} to {now}")));
        }
        last = now;
    }
    if t.shares_clock() { clock_across_ranks(t) } else { Ok(()) }
}

/// No message arrives before it was sent, within the error of the clocks before and after.
fn clock_across_ranks<T: Transport>(t: &T) -> Outcome {
    let (next, before) = neighbours(t);
    let mut error = t.clock_error()?.unwrap_or_default();
    let mut earliest = (Time::ZERO, Time::ZERO, i128::MIN);
    for _ in 0..100 {
        t.send(SendMode::Buffered, &t.now().as_picos().to_le_bytes(), next, TAG)?;
        let mut sent = [0; 8];
        t.receive(&mut sent, Selector::new(before, TAG))?;
        let (sent, now) = (Time::from_picos(u64::from_le_bytes(sent)), t.now());
        let early = i128::from(sent.as_picos()) - i128::from(now.as_picos());
        if early > earliest.2 {
            earliest = (sent, now, early);
        }
    }
    error = error.max(t.clock_error()?.unwrap_or_default());
    let (sent, now, early) = earliest;
    // Two ranks may each differ by that much from the first.
    if early > 2 * i128::from(error.as_picos()) {
        return Err(violation(
            t,
            &format!("a message sent at {sent} arrived at {now}; clocks agree within {error}"),
        ));
    }
    Ok(())
}
