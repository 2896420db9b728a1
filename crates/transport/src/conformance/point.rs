//! From one rank to one other.

use super::flaw::{Outcome, equal, same_bytes};
use super::pattern::pattern;
use super::{TAG, partner};
use crate::error::Result;
use crate::message::{Mode, Status, Tag, Want};
use crate::scope::scope;
use crate::transport::Transport;

/// Around the limits of the backends' ways to carry a message: in a cache line, in a page, by rendezvous.
const SIZES: [usize; 9] = [0, 1, 39, 40, 4095, 4096, 4097, 65_536, 1 << 20];

/// "The receive is posted": what a ready send needs to know.
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

fn each_mode_and_size(mut act: impl FnMut(Mode, usize) -> Outcome) -> Outcome {
    Mode::ALL.into_iter().try_for_each(|mode| SIZES.into_iter().try_for_each(|len| act(mode, len)))
}

fn give<T: Transport>(t: &T, mode: Mode, len: usize, to: usize) -> Outcome {
    if mode == Mode::Ready {
        t.receive(&mut [], Want::new(to, GO))?;
    }
    Ok(t.send(mode, &pattern(t.rank() + len, len), to, TAG)?)
}

fn take<T: Transport>(t: &T, mode: Mode, len: usize, from: usize) -> Outcome {
    let mut buffer = vec![0; len];
    let status = if mode == Mode::Ready {
        take_posted(t, &mut buffer, from)?
    } else {
        t.receive(&mut buffer, Want::new(from, TAG))?
    };
    verify(t, mode, status, &buffer, from)
}

fn take_posted<T: Transport>(t: &T, buffer: &mut [u8], from: usize) -> Result<Status> {
    scope(t, |s| {
        let request = s.receive(buffer, Want::new(from, TAG))?;
        t.send(Mode::Buffered, &[], from, GO)?;
        Ok(s.wait(request)?.status)
    })
}

fn verify<T: Transport>(t: &T, mode: Mode, status: Status, buffer: &[u8], from: usize) -> Outcome {
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
            let receive = s.receive(&mut buffer, Want::new(partner, TAG))?;
            if mode == Mode::Ready {
                t.send(Mode::Buffered, &[], partner, GO)?;
                t.receive(&mut [], Want::new(partner, GO))?;
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
        t.send(Mode::Buffered, &data, me, TAG)?;
        let status = t.receive(&mut buffer, Want::new(me, TAG))?;
        verify(t, Mode::Buffered, status, &buffer, me)?;
        for mode in Mode::ALL {
            let mut buffer = vec![0; len];
            let status = scope(t, |s| {
                let request = s.receive(&mut buffer, Want::new(me, TAG))?;
                t.send(mode, &data, me, TAG)?;
                s.wait(request).map(|done| done.status)
            })?;
            verify(t, mode, status, &buffer, me)?;
        }
    }
    Ok(())
}

/// The receive is posted long before the send, so that a backend may take its short cut.
pub(super) fn ready_after_handshake<T: Transport>(t: &T) -> Outcome {
    let Some(partner) = partner(t) else { return Ok(()) };
    for round in 0..50 {
        let len = SIZES[round % SIZES.len()];
        if (t.rank() < partner) == (round % 2 == 0) {
            give(t, Mode::Ready, len, partner)?;
        } else {
            take(t, Mode::Ready, len, partner)?;
        }
    }
    Ok(())
}
