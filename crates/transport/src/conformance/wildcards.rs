//! Wildcard receives.

use super::pattern::pattern;
use super::violation::{Outcome, equal, same_bytes};
use super::{TAG, barrier, neighbours};
use crate::message::{Selector, SendMode, Status, Tag};
use crate::scope::scope;
use crate::transport::Transport;

/// Messages per rank.
const EACH: usize = 12;

pub(super) fn any_source<T: Transport>(t: &T) -> Outcome {
    to_rank_0(t, |_| TAG, |_| Selector::tag(TAG))
}

/// The last rank sends with many tags to rank 0, which may be itself.
pub(super) fn any_tag<T: Transport>(t: &T) -> Outcome {
    let (from, to) = (t.size() - 1, 0);
    if t.rank() == from {
        (0..EACH).try_for_each(|i| t.send(SendMode::Buffered, &bytes(from, i), to, i as Tag))?;
    }
    if t.rank() == to {
        for i in 0..EACH {
            let mut buffer = vec![0; LONGEST];
            let status = t.receive(&mut buffer, Selector::source(from))?;
            equal(t, "tag", status.tag, i as Tag)?;
            same_bytes(t, "any tag", &buffer[..status.len], &bytes(from, i))?;
        }
    }
    Ok(())
}

pub(super) fn any_source_and_tag<T: Transport>(t: &T) -> Outcome {
    to_rank_0(t, |i| i as Tag, |_| Selector::any())
}

/// The selector changes from message to message; each accepts some message to come.
pub(super) fn many_to_one<T: Transport>(t: &T) -> Outcome {
    let size = t.size();
    let selectors = move |i: usize| {
        // The first messages are received from each rank in turn, the rest by wildcards.
        if i < size - 1 { Selector::source(i + 1) } else { [Selector::any(), Selector::tag(TAG)][i % 2] }
    };
    to_rank_0(t, |_| TAG, selectors)
}

const LONGEST: usize = 9_000;

fn bytes(rank: usize, i: usize) -> Vec<u8> {
    pattern(rank * EACH + i, [5, 600, 0, LONGEST][i % 4])
}

/// All others send to rank 0, which receives by `selector` and checks that the messages of each
/// source are in order.
fn to_rank_0<T: Transport>(t: &T, tag: fn(usize) -> Tag, selector: impl Fn(usize) -> Selector) -> Outcome {
    let me = t.rank();
    if me > 0 {
        return (0..EACH).try_for_each(|i| Ok(t.send(SendMode::Standard, &bytes(me, i), 0, tag(i))?));
    }
    let mut seen = vec![0; t.size()];
    for i in 0..EACH * (t.size() - 1) {
        let mut buffer = vec![0; LONGEST];
        let status = t.receive(&mut buffer, selector(i))?;
        let nth = seen[status.source];
        seen[status.source] += 1;
        let what = format!("message {nth} of rank {}", status.source);
        equal(t, &what, status.tag, tag(nth))?;
        same_bytes(t, &what, &buffer[..status.len], &bytes(status.source, nth))?;
    }
    Ok(())
}

/// A wildcard receive is posted, and does not match messages of collectives.
pub(super) fn not_for_collectives<T: Transport>(t: &T) -> Outcome {
    let (next, before) = neighbours(t);
    let mut buffer = [0; 8];
    scope(t, |s| {
        let request = s.receive(&mut buffer, Selector::any())?;
        barrier(t)?;
        equal(t, "a probe after a collective", t.try_probe(Selector::any())?, None)?;
        barrier(t)?;
        t.send(SendMode::Buffered, &[1, 2, 3], next, TAG)?;
        let status = s.wait(request)?.status;
        equal(t, "what the receive got", status, Status { source: before, tag: TAG, len: 3 })
    })
}
