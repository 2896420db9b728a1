//! Messages between two ranks do not overtake each other.

use super::pattern::pattern;
use super::violation::{Outcome, equal, same_bytes};
use super::{TAG, neighbours};
use crate::error::{Error, Result};
use crate::message::{Selector, SendMode, Status, Tag};
use crate::scope::scope;
use crate::transport::Transport;

/// Small lengths next to large ones: an eager message must not overtake a rendezvous.
const LENGTHS: [usize; 8] = [100_000, 0, 5_000, 1, 65_536, 39, 4_097, 4_096];
const MODES: [SendMode; 3] = [SendMode::Standard, SendMode::Synchronous, SendMode::Buffered];

pub(super) fn sizes_and_modes<T: Transport>(t: &T) -> Outcome {
    let lengths: Vec<_> = (0..48).map(|i| LENGTHS[i % LENGTHS.len()]).collect();
    stream(t, &lengths, |i| MODES[i % MODES.len()])
}

/// More messages than any inbox has room for.
pub(super) fn many_outstanding<T: Transport>(t: &T) -> Outcome {
    let lengths: Vec<_> = (0..300).map(|i| [3, 700, 40][i % 3]).collect();
    stream(t, &lengths, |_| SendMode::Buffered)?;
    let lengths: Vec<_> = (0..300).map(|i| if i % 40 == 5 { 20_000 } else { i }).collect();
    stream(t, &lengths, |i| MODES[i % MODES.len()])
}

/// Every rank starts all sends to the next rank before its first receive.
fn stream<T: Transport>(t: &T, lengths: &[usize], mode: impl Fn(usize) -> SendMode) -> Outcome {
    let (next, before) = neighbours(t);
    let messages: Vec<_> = lengths.iter().enumerate().map(|(i, &len)| pattern(i, len)).collect();
    scope(t, |s| {
        for (i, data) in messages.iter().enumerate() {
            let _ = s.send(mode(i), data, next, TAG)?;
        }
        messages.iter().enumerate().try_for_each(|(i, data)| {
            let mut buffer = vec![0; 1 << 17];
            let status = t.receive(&mut buffer, Selector::new(before, TAG))?;
            same_bytes(t, &format!("message {i}"), &buffer[..status.len], data)
        })
    })
}

pub(super) fn tags_backwards<T: Transport>(t: &T) -> Outcome {
    const TAGS: Tag = 100;
    let (next, before) = neighbours(t);
    let data: Vec<_> = (0..TAGS).map(|tag| pattern(tag as usize, 60 * tag as usize)).collect();
    scope(t, |s| {
        for (tag, data) in (0..).zip(&data) {
            let _ = s.send(SendMode::Standard, data, next, tag)?;
        }
        (0..TAGS).rev().try_for_each(|tag| {
            let mut buffer = vec![0; 6_000];
            let status = t.receive(&mut buffer, Selector::new(before, tag))?;
            equal(t, "tag", status.tag, tag)?;
            same_bytes(t, &format!("tag {tag}"), &buffer[..status.len], &data[tag as usize])
        })
    })
}

pub(super) fn posted<T: Transport>(t: &T) -> Outcome {
    // Each of the three selectors accepts all messages: they match in the order of posting.
    check_posted_order(
        t,
        [Selector::any(), Selector::source(1), Selector::tag(1)],
        [(1, 10), (1, 9_000), (1, 30)],
        [0, 1, 2],
    )?;
    // The first selector accepts only the last message, the second all of them.
    check_posted_order(
        t,
        [Selector::tag(3), Selector::any(), Selector::new(1, 2)],
        [(1, 10), (2, 20), (3, 30)],
        [2, 0, 1],
    )
}

/// Rank 0 posts receives and rank 1 sends messages with these tags and lengths; each receive must
/// get the message of the given index.
fn check_posted_order<T: Transport>(
    t: &T,
    selectors: [Selector; 3],
    messages: [(Tag, usize); 3],
    numbers: [usize; 3],
) -> Outcome {
    const GO: Tag = 20;
    match t.rank() {
        0 => {
            let expected = numbers.map(|number| messages[number]);
            let got = posted_get(t, selectors, || t.send(SendMode::Standard, &[], 1, GO))?;
            equal(t, "what each receive got", got, expected.to_vec())
        }
        1 => {
            t.receive(&mut [], Selector::new(0, GO))?;
            messages
                .iter()
                .try_for_each(|&(tag, len)| Ok(t.send(SendMode::Standard, &pattern(len, len), 0, tag)?))
        }
        _ => Ok(()),
    }
}

fn posted_get<T: Transport>(
    t: &T,
    selectors: [Selector; 3],
    then: impl FnOnce() -> Result<()>,
) -> Result<Vec<(Tag, usize)>> {
    let mut buffers = selectors.map(|_| vec![0; 10_000]);
    scope(t, |s| {
        let posted: Result<Vec<_>> =
            buffers.iter_mut().zip(selectors).map(|(buffer, selector)| s.receive(buffer, selector)).collect();
        then()?;
        let envelope = |Status { tag, len, .. }| (tag, len);
        Ok::<_, Error>(s.wait_all(posted?)?.iter().map(|done| envelope(done.status)).collect())
    })
}
