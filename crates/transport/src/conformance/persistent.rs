//! Persistent sends and receives.

use super::pattern::pattern;
use super::violation::{Outcome, equal, fails, same_bytes, too_long, violation};
use super::{TAG, barrier, neighbours, partner};
use crate::error::{Error, Result};
use crate::message::{MAX_TAG, Selector, SendMode, Status, Tag};
use crate::persistent::{PersistentReceive, PersistentSend};
use crate::scope::scope;
use crate::transport::Transport;

/// In a cache line, in a page, and by rendezvous.
const SIZES: [usize; 4] = [0, 39, 4_096, 70_000];

/// The tag that tells a ready sender that the receive is posted.
const GO: Tag = 8;

/// Starts per operation.
const TIMES: usize = 8;

fn fill(buffer: Option<&mut [u8]>, seed: usize) -> Result<()> {
    let buffer = buffer.ok_or(Error::AlreadyStarted)?;
    buffer.copy_from_slice(&pattern(seed, buffer.len()));
    Ok(())
}

fn received<'a, T: Transport>(receive: &'a PersistentReceive<'_, T>) -> Result<&'a [u8]> {
    receive.buffer().ok_or(Error::AlreadyStarted)
}

/// The data changes from start to start; every other time operations are tested instead of waited
/// for.
pub(super) fn every_mode<T: Transport>(t: &T) -> Outcome {
    let Some(partner) = partner(t) else { return Ok(()) };
    for mode in SendMode::ALL {
        for len in SIZES {
            let mut send = PersistentSend::new(t, mode, vec![0; len], partner, TAG)?;
            let mut receive = PersistentReceive::new(t, vec![0; len], Selector::new(partner, TAG))?;
            for time in 0..TIMES {
                receive.start()?;
                if mode == SendMode::Ready {
                    t.send(SendMode::Buffered, &[], partner, GO)?;
                    t.receive(&mut [], Selector::new(partner, GO))?;
                }
                fill(send.buffer_mut(), t.rank() + 2 * time)?;
                send.start()?;
                let (given, got) = complete(&mut send, &mut receive, time % 2 == 1)?;
                equal(t, "length of what was sent", given.len, len)?;
                equal(t, &format!("{mode}"), got, Status { source: partner, tag: TAG, len })?;
                let what = format!("{mode}, start {time} of {len} bytes");
                same_bytes(t, &what, received(&receive)?, &pattern(partner + 2 * time, len))?;
            }
        }
    }
    Ok(())
}

fn complete<T: Transport>(
    send: &mut PersistentSend<'_, T>,
    receive: &mut PersistentReceive<'_, T>,
    tested: bool,
) -> Result<(Status, Status)> {
    if !tested {
        let got = receive.wait()?;
        return Ok((send.wait()?, got));
    }
    let (mut given, mut got) = (None, None);
    loop {
        got = if got.is_none() { receive.test()? } else { got };
        given = if given.is_none() { send.test()? } else { given };
        if let (Some(given), Some(got)) = (given, got) {
            return Ok((given, got));
        }
    }
}

/// Persistent operations keep their order among ordinary ones of the same tag.
pub(super) fn among_others<T: Transport>(t: &T) -> Outcome {
    const LEN: usize = 6_000;
    let (next, before) = neighbours(t);
    let mut send = PersistentSend::new(t, SendMode::Standard, vec![0; LEN], next, TAG)?;
    let mut receive = PersistentReceive::new(t, vec![0; LEN], Selector::any())?;
    for time in 0..TIMES {
        let (data, mut buffer) = (pattern(2 * time + 1, LEN), vec![0; LEN]);
        fill(send.buffer_mut(), 2 * time)?;
        let (sends_first, receives_first) = (time % 2 == 0, time % 4 < 2);
        scope(t, |s| {
            if receives_first {
                receive.start()?;
            }
            let _ = s.receive(&mut buffer, Selector::new(before, TAG))?;
            if !receives_first {
                receive.start()?;
            }
            // No rank sends before all have posted.
            barrier(t)?;
            if sends_first {
                send.start()?;
            }
            let _ = s.send(SendMode::Standard, &data, next, TAG)?;
            if !sends_first {
                send.start()?;
            }
            receive.wait()?;
            send.wait().map(drop)
        })?;
        let (mut first, mut second) = (2 * time, 2 * time + 1);
        if sends_first != receives_first {
            (first, second) = (second, first);
        }
        same_bytes(t, "the persistent receive", received(&receive)?, &pattern(first, LEN))?;
        same_bytes(t, "the ordinary receive", &buffer, &pattern(second, LEN))?;
    }
    Ok(())
}

/// Many persistent operations are in flight at once and complete in any order.
pub(super) fn many_at_once<T: Transport>(t: &T) -> Outcome {
    const COUNT: usize = 12;
    let (next, before) = neighbours(t);
    let len = |i: usize| SIZES[i % SIZES.len()] + i;
    let tags = || (0..COUNT).zip(0..);
    let mut sends: Vec<_> = tags()
        .map(|(i, tag)| PersistentSend::new(t, SendMode::Standard, vec![0; len(i)], next, tag))
        .collect::<Result<_>>()?;
    let mut receives: Vec<_> = tags()
        .map(|(i, tag)| PersistentReceive::new(t, vec![0; len(i)], Selector::new(before, tag)))
        .collect::<Result<_>>()?;
    for time in 0..TIMES {
        for (i, send) in sends.iter_mut().enumerate() {
            fill(send.buffer_mut(), i + COUNT * time)?;
        }
        receives.iter_mut().try_for_each(PersistentReceive::start)?;
        sends.iter_mut().rev().try_for_each(PersistentSend::start)?;
        for (i, receive) in receives.iter_mut().enumerate().rev() {
            receive.wait()?;
            same_bytes(t, "one of many", received(receive)?, &pattern(i + COUNT * time, len(i)))?;
        }
        sends.iter_mut().try_for_each(|send| send.wait().map(drop))?;
    }
    Ok(())
}

/// A receive that is dropped takes no message, whether or not it was started, or started again.
pub(super) fn retired<T: Transport>(t: &T) -> Outcome {
    let (next, before) = neighbours(t);
    for starts in 0..3 {
        let mut receive = PersistentReceive::new(t, vec![9; 4], Selector::new(before, TAG))?;
        for start in 0..starts {
            receive.start()?;
            if start + 1 < starts {
                t.send(SendMode::Buffered, &[4, 3, 2, 1], next, TAG)?;
                receive.wait()?;
            }
        }
        drop(receive);
        drop(PersistentSend::new(t, SendMode::Synchronous, vec![1], next, TAG)?);
        // No rank sends before all have cancelled.
        barrier(t)?;
        t.send(SendMode::Buffered, &[1, 2, 3, 4], next, TAG)?;
        let mut room = [0; 4];
        t.receive(&mut room, Selector::new(before, TAG))?;
        equal(t, "after a receive that was given up", room, [1, 2, 3, 4])?;
    }
    Ok(())
}

/// An operation cannot be started twice, nor its buffer accessed meanwhile; one that is not started
/// cannot be waited for.
pub(super) fn started_once<T: Transport>(t: &T) -> Outcome {
    let (next, before) = neighbours(t);
    let mut send = PersistentSend::new(t, SendMode::Synchronous, vec![1, 2], next, TAG)?;
    let mut receive = PersistentReceive::new(t, vec![0; 2], Selector::new(before, TAG))?;
    for _ in 0..2 {
        fails(t, "wait for what is not started", receive.wait(), Error::NoRequest)?;
        fails(t, "test of what is not started", receive.test(), Error::NoRequest)?;
        fails(t, "wait for a send that is not started", send.wait(), Error::NoRequest)?;
        receive.buffer_mut().ok_or_else(|| violation(t, "no buffer, although nothing is started"))?.fill(0);
        receive.start()?;
        fails(t, "a second start", receive.start(), Error::AlreadyStarted)?;
        equal(t, "test before anything was sent", receive.test()?, None)?;
        fails(t, "a second start after a test", receive.start(), Error::AlreadyStarted)?;
        equal(t, "the buffer of a started receive", receive.buffer(), None)?;
        equal(t, "the mutable buffer of a started receive", receive.buffer_mut(), None)?;
        barrier(t)?;
        send.start()?;
        fails(t, "a second start of a send", send.start(), Error::AlreadyStarted)?;
        equal(t, "the buffer of a started send, to change it", send.buffer_mut(), None)?;
        equal(t, "the buffer of a started send", send.buffer(), &[1, 2])?;
        receive.wait()?;
        send.wait()?;
        equal(t, "what came", receive.buffer(), Some(&[1, 2][..]))?;
        // No rank sends again before all have checked.
        barrier(t)?;
    }
    Ok(())
}

/// Arguments are checked when an operation is made; a message that is too long ends the start that
/// it matched.
pub(super) fn refused<T: Transport>(t: &T) -> Outcome {
    let (next, before) = neighbours(t);
    let (ranks, tag) = (t.size(), MAX_TAG + 1);
    let no_rank = Error::NoSuchRank { rank: ranks, ranks };
    for mode in SendMode::ALL {
        let send = |to, tag| PersistentSend::new(t, mode, vec![], to, tag).map(drop);
        fails(t, "a send to an invalid rank", send(ranks, TAG), no_rank.clone())?;
        fails(t, "a send with a large tag", send(next, tag), Error::TagTooLarge(tag))?;
    }
    let receive = |selector| PersistentReceive::new(t, vec![], selector).map(drop);
    fails(t, "a receive from an invalid rank", receive(Selector::source(ranks)), no_rank)?;
    fails(t, "a receive with a large tag", receive(Selector::tag(tag)), Error::TagTooLarge(tag))?;

    let mut receive = PersistentReceive::new(t, vec![0; 3], Selector::new(before, TAG))?;
    let message = Status { source: before, tag: TAG, len: 5 };
    for _ in 0..2 {
        t.send(SendMode::Buffered, &[1; 5], next, TAG)?;
        let outcome = receive.start().and_then(|()| receive.wait());
        too_long(t, "a long message", outcome, (message, 3))?;
        t.send(SendMode::Buffered, &[7; 3], next, TAG)?;
        receive.start()?;
        receive.wait()?;
        equal(t, "the message after", received(&receive)?, &[7; 3])?;
    }
    Ok(())
}
