//! The loop in which each receive is posted one swap ahead, and each send waited for one swap later (T3).

use std::slice::ChunksMut;

use panto_transport::{Result, Scope, Transport, scope};

use super::conduct::{Conduct, Incoming, finish, send};
use crate::measure::Passage;

/// Where messages go: two banks, because the receives of two messages are pending at once, and those of one message that is
/// repeated go to one place in each.
struct Places<'env> {
    banks: [ChunksMut<'env, u8>; 2],
    messages: usize,
    repeats: usize,
    /// Where the message before the last came to.
    spare: Option<&'env mut [u8]>,
}

impl<'env> Places<'env> {
    /// The place of the n-th message; none behind the last.
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
        conduct: &Conduct,
        message: usize,
    ) -> Result<Option<Incoming<'scope, 'env>>> {
        self.next(message).map(|buffer| Incoming::new(scope, conduct, buffer)).transpose()
    }
}

/// What is moved.
pub(super) struct Cargo<'env> {
    pub(super) sent: &'env [u8],
    /// The second is empty where no message is repeated.
    pub(super) received: [&'env mut [u8]; 2],
    /// Bytes of a message.
    pub(super) bytes: usize,
    /// How often each is sent.
    pub(super) repeats: usize,
}

/// One run. The first receive is posted before the ranks start together.
pub(super) fn pass<T: Transport>(
    transport: &T,
    conduct: &Conduct,
    cargo: Cargo<'_>,
    together: impl FnOnce() -> Result<bool>,
) -> Result<Passage> {
    let Cargo { sent, received, bytes, repeats } = cargo;
    let messages = sent.len() / bytes * repeats;
    let banks = received.map(|bank| bank.chunks_mut(bytes));
    let mut places = Places { banks, messages, repeats, spare: None };
    scope(transport, |scope| {
        let mut current = places.post(scope, conduct, 0)?;
        shake_hands(transport, conduct)?;
        let late = together()?;
        let start = transport.now();
        let mut sending = None;
        for message in 0..messages {
            let next = places.post(scope, conduct, message + 1)?;
            if conduct.tells && next.is_some() {
                conduct.tell(transport)?;
            }
            let receive = || current.map(|incoming| incoming.complete(transport, scope, conduct)).transpose();
            let send = || {
                if conduct.asks {
                    conduct.ask(transport)?;
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
        Ok(Passage { late, span: Some((start, transport.now())) })
    })
}

/// Before the clock starts: ready sends need to know of the receives that are posted now.
fn shake_hands<T: Transport>(transport: &T, conduct: &Conduct) -> Result<()> {
    transport.set_aside(true);
    let told = if conduct.tells_before { conduct.tell(transport) } else { Ok(()) };
    let done = told.and_then(|()| if conduct.asks_before { conduct.ask(transport) } else { Ok(()) });
    transport.set_aside(false);
    done
}
