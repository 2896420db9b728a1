//! The preposting loop: each receive is posted one swap ahead, and each send waited for one swap
//! later (T3).

use std::slice::ChunksMut;

use panto_transport::{Result, Scope, Transport, scope};

use super::rank_protocol::{Incoming, RankProtocol, finish, send};
use crate::measure::BatchOutcome;

/// Receive buffers: two banks, because the receives of two messages are pending at once, and those
/// of one repeated message go to one place in each.
struct ReceiveBuffers<'env> {
    banks: [ChunksMut<'env, u8>; 2],
    messages: usize,
    repeats: usize,
    /// Buffer of the message before the last.
    spare: Option<&'env mut [u8]>,
}

impl<'env> ReceiveBuffers<'env> {
    /// Returns the buffer of the n-th message; `None` after the last.
    fn next(&mut self, message: usize) -> Option<&'env mut [u8]> {
        if message >= self.messages {
            return None;
        }
        let again = message % self.repeats;
        self.banks.get_mut(again).map_or_else(|| self.spare.take(), Iterator::next)
    }

    /// Posts the receive of the n-th message, if there is one.
    fn post<'scope, T: Transport>(
        &mut self,
        scope: &'scope Scope<'scope, 'env, T>,
        conduct: &RankProtocol,
        message: usize,
    ) -> Result<Option<Incoming<'scope, 'env>>> {
        self.next(message).map(|buffer| Incoming::new(scope, conduct, buffer)).transpose()
    }
}

/// The buffers of a run.
pub(super) struct Buffers<'env> {
    pub(super) sent: &'env [u8],
    /// The second is empty where no message is repeated.
    pub(super) received: [&'env mut [u8]; 2],
    /// Message size in bytes.
    pub(super) bytes: usize,
    /// How often each message is sent.
    pub(super) repeats: usize,
}

/// Runs once. The first receive is posted before the ranks start together.
pub(super) fn run_batch<T: Transport>(
    transport: &T,
    conduct: &RankProtocol,
    cargo: Buffers<'_>,
    together: impl FnOnce() -> Result<bool>,
) -> Result<BatchOutcome> {
    let Buffers { sent, received, bytes, repeats } = cargo;
    let messages = sent.len() / bytes * repeats;
    let banks = received.map(|bank| bank.chunks_mut(bytes));
    let mut places = ReceiveBuffers { banks, messages, repeats, spare: None };
    scope(transport, |scope| {
        let mut current = places.post(scope, conduct, 0)?;
        announce_receives(transport, conduct)?;
        let late = together()?;
        let start = transport.now();
        let mut sending = None;
        for message in 0..messages {
            let next = places.post(scope, conduct, message + 1)?;
            if conduct.announces && next.is_some() {
                conduct.announce(transport)?;
            }
            let receive = || current.map(|incoming| incoming.complete(transport, scope, conduct)).transpose();
            let send = || {
                if conduct.awaits {
                    conduct.await_ready(transport)?;
                }
                send(transport, scope, conduct, &sent[message / repeats * bytes..][..bytes])
            };
            let (received, begun) = if conduct.receives_first {
                (receive()?, send()?)
            } else {
                let begun = send()?;
                (receive()?, begun)
            };
            places.spare = received;
            finish(scope, std::mem::replace(&mut sending, begun))?;
            current = next;
        }
        finish(scope, sending)?;
        Ok(BatchOutcome { late, span: Some((start, transport.now())) })
    })
}

/// Announces posted receives before the clock starts, for ready sends.
fn announce_receives<T: Transport>(transport: &T, conduct: &RankProtocol) -> Result<()> {
    transport.set_out_of_band(true);
    let announced = if conduct.announces_before { conduct.announce(transport) } else { Ok(()) };
    let done =
        announced.and_then(|()| if conduct.awaits_before { conduct.await_ready(transport) } else { Ok(()) });
    transport.set_out_of_band(false);
    done
}
