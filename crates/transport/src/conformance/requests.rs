//! Non-blocking operations and their buffers.

use super::pattern::pattern;
use super::violation::{Outcome, Violation, equal, same_bytes, violation};
use super::{TAG, barrier, neighbours, partner};
use crate::error::Error;
use crate::message::{Selector, SendMode, Tag};
use crate::scope::scope;
use crate::transport::Transport;

/// Returns the length of message i.
fn length(i: usize) -> usize {
    [10, 0, 6_000, 40, 80_000][i % 5]
}

pub(super) fn wait_all<T: Transport>(t: &T) -> Outcome {
    const COUNT: usize = 20;
    let (next, before) = neighbours(t);
    let data: Vec<_> = (0..COUNT).map(|i| pattern(i, length(i))).collect();
    let mut buffers: Vec<_> = (0..COUNT).map(|i| vec![0; length(i)]).collect();
    scope(t, |s| {
        let receives: Result<Vec<_>, Error> = (0..)
            .zip(&mut buffers)
            .map(|(tag, buffer)| s.receive(buffer, Selector::new(before, tag)))
            .collect();
        let sends: Result<Vec<_>, Error> = (0..COUNT as Tag)
            .zip(&data)
            .rev()
            .map(|(tag, data)| s.send(SendMode::Standard, data, next, tag))
            .collect();
        s.wait_all(sends?)?;
        let done = s.wait_all(receives?)?;
        equal(t, "how many completed", done.len(), COUNT)?;
        done.iter().enumerate().try_for_each(|(i, done)| {
            equal(t, "order of the completions", done.status.tag, i as Tag)?;
            same_bytes(t, "wait_all", done.buffer, &data[i])
        })
    })
}

/// Every rank waits for messages of all ranks, in the order of completion.
pub(super) fn wait_any<T: Transport>(t: &T) -> Outcome {
    let (me, size) = (t.rank(), t.size());
    let data = pattern(me, length(me));
    let mut buffers: Vec<_> = (0..size).map(|from| vec![0; length(from)]).collect();
    scope(t, |s| {
        let mut receives = Vec::new();
        for (from, buffer) in buffers.iter_mut().enumerate() {
            receives.push(s.receive(buffer, Selector::new(from, TAG))?);
        }
        for to in (0..size).map(|i| (me + i) % size) {
            let _ = s.send(SendMode::Standard, &data, to, TAG)?;
        }
        let mut left: Vec<_> = (0..size).collect();
        while !receives.is_empty() {
            let (place, done) = s.wait_any(&mut receives)?;
            equal(t, "who was at that place", left.remove(place), done.status.source)?;
            same_bytes(t, "wait_any", done.buffer, &pattern(done.status.source, done.buffer.len()))?;
        }
        Ok::<_, Violation>(())
    })
}

pub(super) fn test_loop<T: Transport>(t: &T) -> Outcome {
    let Some(partner) = partner(t) else { return Ok(()) };
    let data = pattern(t.rank(), 100_000);
    let mut buffer = vec![0; data.len()];
    scope(t, |s| {
        let mut receive = s.receive(&mut buffer, Selector::new(partner, TAG))?;
        let mut send = s.send(SendMode::Synchronous, &data, partner, TAG)?;
        let received = loop {
            match s.test(receive)? {
                Ok(done) => break done,
                Err(pending) => receive = pending,
            }
        };
        while let Err(pending) = s.test(send)? {
            send = pending;
        }
        same_bytes(t, "test", received.buffer, &pattern(partner, received.status.len))
    })
}

pub(super) fn dropped<T: Transport>(t: &T) -> Outcome {
    let (next, before) = neighbours(t);
    for len in [0, 20, 4_096, 300_000] {
        let data = pattern(t.rank(), len);
        let mut buffer = vec![0; len];
        scope(t, |s| {
            let _ = s.receive(&mut buffer, Selector::new(before, TAG))?;
            let _ = s.send(SendMode::Synchronous, &data, next, TAG)?;
            Ok::<_, Error>(())
        })?;
        same_bytes(t, "received by the end of the scope", &buffer, &pattern(before, len))?;
    }
    Ok(())
}

pub(super) fn reused<T: Transport>(t: &T) -> Outcome {
    const TIMES: usize = 30;
    let Some(partner) = partner(t) else { return Ok(()) };
    let len = 10_000;
    let mine = pattern(t.rank(), len);
    let mut buffer = vec![0; len];
    scope(t, |s| {
        let (mut data, mut room) = (mine.as_slice(), buffer.as_mut_slice());
        for _ in 0..TIMES {
            let receive = s.receive(room, Selector::new(partner, TAG))?;
            let send = s.send(SendMode::Standard, data, partner, TAG)?;
            room = s.wait(receive)?.buffer;
            same_bytes(t, "into a buffer that came back", room, &pattern(partner, len))?;
            room.fill(0);
            data = s.wait(send)?.buffer;
        }
        Ok(())
    })
}

pub(super) fn cancelled<T: Transport>(t: &T) -> Outcome {
    let (next, before) = neighbours(t);
    let mut buffer = [9; 4];
    scope(t, |s| {
        let never = s.receive(&mut buffer, Selector::new(before, TAG))?;
        let Err(room) = s.cancel(never) else {
            return Err(violation(t, "a receive got a message that was not sent"));
        };
        equal(t, "a cancelled buffer", &*room, &[9; 4])?;
        // No rank sends before all have cancelled.
        barrier(t)?;
        t.send(SendMode::Buffered, &[1, 2, 3, 4], next, TAG)?;
        t.receive(room, Selector::new(before, TAG))?;
        equal(t, "after a cancelled receive", &*room, &[1, 2, 3, 4])
    })
}

pub(super) fn failed_scope<T: Transport>(t: &T) -> Outcome {
    let (next, before) = neighbours(t);
    let mut buffer = [9; 4];
    let outcome = scope(t, |s| {
        let _ = s.receive(&mut buffer, Selector::new(before, TAG))?;
        Err::<(), _>(Violation("the body's own".into()))
    });
    equal(t, "the error of the body", outcome, Err(Violation("the body's own".into())))?;
    barrier(t)?;
    t.send(SendMode::Buffered, &[1, 2, 3, 4], next, TAG)?;
    let mut room = [0; 4];
    t.receive(&mut room, Selector::new(before, TAG))?;
    equal(t, "the buffer of a failed scope", buffer, [9; 4])?;
    equal(t, "after a failed scope", room, [1, 2, 3, 4])
}
