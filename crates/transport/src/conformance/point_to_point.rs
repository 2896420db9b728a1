//! Messages between two ranks.

use super::pattern::pattern;
use super::violation::{Outcome, equal, same_bytes};
use super::{TAG, partner};
use crate::error::Result;
use crate::message::{Selector, SendMode, Status, Tag};
use crate::scope::scope;
use crate::transport::Transport;

/// Lengths around the limits of protocols: in a cache line, in a page, by rendezvous.
const SIZES: [usize; 9] = [0, 1, 39, 40, 4095, 4096, 4097, 65_536, 1 << 20];

/// The tag that tells a ready sender that the receive is posted.
const GO: Tag = 8;

pub(super) fn blocking<T: Transport>(t: &T) -> Outcome {
    let Some(partner) = partner(t) else { return Ok(()) };
    each_mode_and_size(|mode, len| {
        if t.rank() < partner {
            give(t, mode, len, partner)?;
            take(t, mode, len, partner)
        } else {
            take(t, mode, len, partner)?;
            give(t, mode, len, partner)
        }
    })
}

fn each_mode_and_size(mut act: impl FnMut(SendMode, usize) -> Outcome) -> Outcome {
    SendMode::ALL.into_iter().try_for_each(|mode| SIZES.into_iter().try_for_each(|len| act(mode, len)))
}

fn give<T: Transport>(t: &T, mode: SendMode, len: usize, to: usize) -> Outcome {
    if mode == SendMode::Ready {
        t.receive(&mut [], Selector::new(to, GO))?;
    }
    Ok(t.send(mode, &pattern(t.rank() + len, len), to, TAG)?)
}

fn take<T: Transport>(t: &T, mode: SendMode, len: usize, from: usize) -> Outcome {
    let mut buffer = vec![0; len];
    let status = if mode == SendMode::Ready {
        take_posted(t, &mut buffer, from)?
    } else {
        t.receive(&mut buffer, Selector::new(from, TAG))?
    };
    verify(t, mode, status, &buffer, from)
}

fn take_posted<T: Transport>(t: &T, buffer: &mut [u8], from: usize) -> Result<Status> {
    scope(t, |s| {
        let request = s.receive(buffer, Selector::new(from, TAG))?;
        t.send(SendMode::Buffered, &[], from, GO)?;
        Ok(s.wait(request)?.status)
    })
}

fn verify<T: Transport>(t: &T, mode: SendMode, status: Status, buffer: &[u8], from: usize) -> Outcome {
    let len = buffer.len();
    let what = format!("{mode}, {len} bytes from rank {from}");
    equal(t, &what, status, Status { source: from, tag: TAG, len })?;
    same_bytes(t, &what, buffer, &pattern(from + len, len))
}

pub(super) fn non_blocking<T: Transport>(t: &T) -> Outcome {
    let Some(partner) = partner(t) else { return Ok(()) };
    each_mode_and_size(|mode, len| {
        let (data, mut buffer) = (pattern(t.rank() + len, len), vec![0; len]);
        let (sent, got) = scope(t, |s| {
            let receive = s.receive(&mut buffer, Selector::new(partner, TAG))?;
            if mode == SendMode::Ready {
                t.send(SendMode::Buffered, &[], partner, GO)?;
                t.receive(&mut [], Selector::new(partner, GO))?;
            }
            let send = s.send(mode, &data, partner, TAG)?;
            let got = s.wait(receive)?.status;
            Ok::<_, crate::Error>((s.wait(send)?.status.len, got))
        })?;
        equal(t, "length of what was sent", sent, len)?;
        verify(t, mode, got, &buffer, partner)
    })
}

pub(super) fn to_oneself<T: Transport>(t: &T) -> Outcome {
    let me = t.rank();
    for len in SIZES {
        let data = pattern(me + len, len);
        let mut buffer = vec![0; len];
        t.send(SendMode::Buffered, &data, me, TAG)?;
        let status = t.receive(&mut buffer, Selector::new(me, TAG))?;
        verify(t, SendMode::Buffered, status, &buffer, me)?;
        for mode in SendMode::ALL {
            let mut buffer = vec![0; len];
            let status = scope(t, |s| {
                let request = s.receive(&mut buffer, Selector::new(me, TAG))?;
                t.send(mode, &data, me, TAG)?;
                s.wait(request).map(|done| done.status)
            })?;
            verify(t, mode, status, &buffer, me)?;
        }
    }
    Ok(())
}

/// The receive is posted long before the send, so that a backend may use a faster protocol.
pub(super) fn ready_after_handshake<T: Transport>(t: &T) -> Outcome {
    let Some(partner) = partner(t) else { return Ok(()) };
    for round in 0..50 {
        let len = SIZES[round % SIZES.len()];
        if (t.rank() < partner) == (round % 2 == 0) {
            give(t, SendMode::Ready, len, partner)?;
        } else {
            take(t, SendMode::Ready, len, partner)?;
        }
    }
    Ok(())
}
