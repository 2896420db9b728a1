//! Receives that leave open who sent and what.

use super::flaw::{Outcome, equal, same_bytes};
use super::pattern::pattern;
use super::{TAG, barrier, neighbours};
use crate::message::{Mode, Status, Tag, Want};
use crate::scope::scope;
use crate::transport::Transport;

/// Messages from each rank.
const EACH: usize = 12;

pub(super) fn any_source<T: Transport>(t: &T) -> Outcome {
    to_rank_0(t, |_| TAG, |_| Want::tag(TAG))
}

/// Rank 1 sends with many tags, or rank 0 to itself.
pub(super) fn any_tag<T: Transport>(t: &T) -> Outcome {
    let (from, to) = (t.size() - 1, 0);
    if t.rank() == from {
        (0..EACH).try_for_each(|i| t.send(Mode::Buffered, &bytes(from, i), to, i as Tag))?;
    }
    if t.rank() == to {
        for i in 0..EACH {
            let mut buffer = vec![0; LONGEST];
            let status = t.receive(&mut buffer, Want::from(from))?;
            equal(t, "tag", status.tag, i as Tag)?;
            same_bytes(t, "any tag", &buffer[..status.len], &bytes(from, i))?;
        }
    }
    Ok(())
}

pub(super) fn any_at_all<T: Transport>(t: &T) -> Outcome {
    to_rank_0(t, |i| i as Tag, |_| Want::any())
}

/// The receiver's wants change from message to message; all of them fit what is still to come.
pub(super) fn many_to_one<T: Transport>(t: &T) -> Outcome {
    let size = t.size();
    let wants = move |i: usize| {
        // The first lap takes one message of each rank by name, the rest come as they like.
        if i < size - 1 { Want::from(i + 1) } else { [Want::any(), Want::tag(TAG)][i % 2] }
    };
    to_rank_0(t, |_| TAG, wants)
}

const LONGEST: usize = 9_000;

fn bytes(rank: usize, i: usize) -> Vec<u8> {
    pattern(rank * EACH + i, [5, 600, 0, LONGEST][i % 4])
}

/// All others send to rank 0, which receives as `want` says and checks that each sender's messages are in order.
fn to_rank_0<T: Transport>(t: &T, tag: fn(usize) -> Tag, want: impl Fn(usize) -> Want) -> Outcome {
    let me = t.rank();
    if me > 0 {
        return (0..EACH).try_for_each(|i| Ok(t.send(Mode::Standard, &bytes(me, i), 0, tag(i))?));
    }
    let mut seen = vec![0; t.size()];
    for i in 0..EACH * (t.size() - 1) {
        let mut buffer = vec![0; LONGEST];
        let status = t.receive(&mut buffer, want(i))?;
        let nth = seen[status.source];
        seen[status.source] += 1;
        let what = format!("message {nth} of rank {}", status.source);
        equal(t, &what, status.tag, tag(nth))?;
        same_bytes(t, &what, &buffer[..status.len], &bytes(status.source, nth))?;
    }
    Ok(())
}

/// A receive for anything is posted, and collectives go by all the same.
pub(super) fn not_for_collectives<T: Transport>(t: &T) -> Outcome {
    let (next, before) = neighbours(t);
    let mut buffer = [0; 8];
    scope(t, |s| {
        let request = s.receive(&mut buffer, Want::any())?;
        barrier(t)?;
        equal(t, "a probe after a collective", t.try_probe(Want::any())?, None)?;
        barrier(t)?;
        t.send(Mode::Buffered, &[1, 2, 3], next, TAG)?;
        let status = s.wait(request)?.status;
        equal(t, "what the receive got", status, Status { source: before, tag: TAG, len: 3 })
    })
}
