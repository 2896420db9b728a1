//! Exchanges in which all ranks send at the same time.

use super::pattern::pattern;
use super::violation::{Outcome, same_bytes};
use super::{TAG, neighbours};
use crate::message::{Selector, SendMode};
use crate::scope::scope;
use crate::transport::{StandardSend, Transport};

const LARGE: usize = 1 << 20;

/// Buffered sends never wait, whatever their size.
pub(super) fn buffered<T: Transport>(t: &T) -> Outcome {
    [0, 5_000, LARGE].into_iter().try_for_each(|len| send_first(t, SendMode::Buffered, len))
}

pub(super) fn standard<T: Transport>(t: &T) -> Outcome {
    match t.standard_send() {
        StandardSend::Buffered => send_first(t, SendMode::Standard, LARGE),
        StandardSend::Eager(limit) => send_first(t, SendMode::Standard, limit.min(LARGE)),
        StandardSend::Synchronous => Ok(()),
    }
}

/// Sends several messages first, so that the inbox is not empty when each rank sends.
fn send_first<T: Transport>(t: &T, mode: SendMode, len: usize) -> Outcome {
    const TIMES: usize = 3;
    let (next, before) = neighbours(t);
    (0..TIMES).try_for_each(|i| t.send(mode, &pattern(t.rank() + i, len), next, TAG))?;
    (0..TIMES).try_for_each(|i| {
        let mut buffer = vec![0; len];
        t.receive(&mut buffer, Selector::new(before, TAG))?;
        same_bytes(t, "both sent first", &buffer, &pattern(before + i, len))
    })
}

/// Blocking sends of any size and mode complete when the receive is posted.
pub(super) fn posted<T: Transport>(t: &T) -> Outcome {
    let (next, before) = neighbours(t);
    for mode in [SendMode::Standard, SendMode::Synchronous, SendMode::Buffered] {
        let mut buffer = vec![0; LARGE];
        scope(t, |s| {
            let request = s.receive(&mut buffer, Selector::new(before, TAG))?;
            t.send(mode, &pattern(t.rank(), LARGE), next, TAG)?;
            s.wait(request).map(drop)
        })?;
        same_bytes(t, "into a posted receive", &buffer, &pattern(before, LARGE))?;
    }
    Ok(())
}
