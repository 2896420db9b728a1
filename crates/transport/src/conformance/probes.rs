//! Probes.

use super::pattern::pattern;
use super::violation::{Outcome, equal, same_bytes, violation};
use super::{TAG, neighbours};
use crate::message::{Selector, SendMode, Status};
use crate::scope::scope;
use crate::transport::Transport;

pub(super) fn leaves_message<T: Transport>(t: &T) -> Outcome {
    let (next, before) = neighbours(t);
    for len in [0, 39, 4_096, 70_000] {
        let data = pattern(len, len);
        scope(t, |s| {
            let _ = s.send(SendMode::Standard, &data, next, TAG)?;
            let _ = s.send(SendMode::Standard, &data, next, TAG + 1)?;
            let first = Status { source: before, tag: TAG, len };
            for selector in
                [Selector::any(), Selector::source(before), Selector::tag(TAG), Selector::new(before, TAG)]
            {
                equal(t, "probe", t.probe(selector)?, first)?;
                equal(t, "try_probe after probe", t.try_probe(selector)?, Some(first))?;
            }
            equal(t, "probe of the second", t.probe(Selector::tag(TAG + 1))?.tag, TAG + 1)?;
            for tag in [TAG, TAG + 1] {
                let mut buffer = vec![0; len];
                t.receive(&mut buffer, Selector::new(before, tag))?;
                same_bytes(t, "received after a probe", &buffer, &data)?;
            }
            equal(t, "probe when all is received", t.try_probe(Selector::new(before, TAG))?, None)
        })?;
        // The first message of the next round must not arrive before the last probe of this one.
        super::barrier(t)?;
    }
    Ok(())
}

pub(super) fn returns_length<T: Transport>(t: &T) -> Outcome {
    let lengths = [3, 0, 4_096, 50_000, 17];
    match t.rank() {
        0 => {
            lengths.iter().try_for_each(|&len| Ok(t.send(SendMode::Standard, &pattern(len, len), 1, TAG)?))
        }
        1 => lengths.iter().try_for_each(|&len| {
            let seen = t.probe(Selector::any())?;
            equal(t, "probed length", seen.len, len)?;
            let mut buffer = vec![0; seen.len];
            let got = t.receive(&mut buffer, Selector::new(seen.source, seen.tag))?;
            equal(t, "received what was probed", got, seen)?;
            same_bytes(t, "received after a probe", &buffer, &pattern(len, len))
        }),
        _ => Ok(()),
    }
}

pub(super) fn returns_at_once<T: Transport>(t: &T) -> Outcome {
    let (next, before) = neighbours(t);
    equal(t, "nothing was sent", t.try_probe(Selector::source(before))?, None)?;
    super::barrier(t)?;
    t.send(SendMode::Buffered, &[1, 2, 3], next, TAG)?;
    let seen = loop {
        if let Some(seen) = t.try_probe(Selector::new(before, TAG))? {
            break seen;
        }
    };
    if t.try_probe(Selector::new(before, TAG + 1))?.is_some() {
        return Err(violation(t, "try_probe found a message with a tag that was not sent"));
    }
    equal(t, "received what was probed", t.receive(&mut [0; 3], Selector::any())?, seen)
}
