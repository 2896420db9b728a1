//! What one rank does in one swap.

use panto_transport::{Loan, Mode, Request, Result, Scope, Transport, Want, scope};

use super::experiment::Loop;
use super::protocol::{Order, Protocol, Special};
use super::tag;

/// Whom a rank meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Party {
    /// To whom it sends.
    pub(super) to: usize,
    /// From whom it receives; the same in a pair.
    pub(super) from: usize,
    /// Does it send first where ranks take turns?
    pub(super) is_first: bool,
}

impl Party {
    /// The party of a rank in one of these pairs, if it is in one.
    pub(super) fn in_pairs(rank: usize, pairs: &[(usize, usize)]) -> Option<Self> {
        pairs.iter().find_map(|&(first, second)| match rank {
            _ if rank == first => Some(Self { to: second, from: second, is_first: true }),
            _ if rank == second => Some(Self { to: first, from: first, is_first: false }),
            _ => None,
        })
    }

    /// The party of a rank in a ring of all, in which every other one sends first.
    pub(super) fn in_ring(rank: usize, ranks: usize) -> Self {
        Self { to: (rank + 1) % ranks, from: (rank + ranks - 1) % ranks, is_first: rank.is_multiple_of(2) }
    }

    fn is_pair(&self) -> bool {
        self.to == self.from
    }
}

/// What one rank does in one swap: a protocol from its side.
#[expect(clippy::struct_excessive_bools, reason = "each is a step that the rank takes or not")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Conduct {
    pub(super) party: Party,
    pub(super) mode: Mode,
    pub(super) is_native: bool,
    pub(super) starts_send: bool,
    pub(super) posts_receive: bool,
    /// Does it receive before it sends?
    pub(super) receives_first: bool,
    /// Does it say, in each swap, that it is ready to receive?
    pub(super) tells: bool,
    /// Does it wait, before each send, for the other to say so?
    pub(super) asks: bool,
    /// The same once before the clock starts, for receives that are posted by then.
    pub(super) tells_before: bool,
    pub(super) asks_before: bool,
}

impl Conduct {
    pub(super) fn new(protocol: &Protocol, order: Loop, party: Party) -> Self {
        let is_ready = protocol.mode == Mode::Ready;
        let answers = protocol.order == Order::Ordered && !party.is_first;
        let (tells, asks) = handshake(protocol, order, party);
        let before = is_ready && order == Loop::Prepost;
        Self {
            party,
            mode: protocol.mode,
            is_native: protocol.special == Some(Special::Native),
            starts_send: protocol.starts_send && !answers,
            // A ready send needs a receive that is posted, and not one that is about to be.
            posts_receive: if answers { is_ready } else { protocol.posts_receive },
            receives_first: answers,
            tells,
            asks,
            tells_before: before,
            // In a ring the first message is asked for like all others.
            asks_before: before && party.is_pair(),
        }
    }

    fn want(&self) -> Want {
        Want::new(self.party.from, tag::DATA)
    }

    /// Says that this rank is ready to receive.
    pub(super) fn tell<T: Transport>(&self, transport: &T) -> Result<()> {
        transport.send(Mode::Standard, &[], self.party.from, tag::HANDSHAKE)
    }

    /// Waits for the other to say so.
    pub(super) fn ask<T: Transport>(&self, transport: &T) -> Result<()> {
        transport.receive(&mut [], Want::new(self.party.to, tag::HANDSHAKE)).map(drop)
    }
}

/// Who tells and who asks in each swap. A ready send is right only if the receive is posted, so its sender must know that:
/// - in a pair that takes turns the second tells, and the first, whose receive was posted before it sent, need not;
/// - in a pair that preposts, whoever has message n knows that its sender had posted the receive of message n + 1 before;
/// - in a ring nothing follows from what came from the other side, so all tell and all ask.
fn handshake(protocol: &Protocol, order: Loop, party: Party) -> (bool, bool) {
    if protocol.special == Some(Special::Handshake) {
        return (true, true);
    }
    match (protocol.mode, order) {
        (Mode::Ready, Loop::Prepost) => (!party.is_pair(), !party.is_pair()),
        (Mode::Ready, Loop::Basic) if party.is_pair() && protocol.order == Order::Ordered => {
            (!party.is_first, party.is_first)
        }
        (Mode::Ready, Loop::Basic) => (true, true),
        _ => (false, false),
    }
}

/// A receive: posted, or still to be made into this buffer.
pub(super) enum Incoming<'scope, 'env> {
    Posted(Request<'scope, &'env mut [u8]>),
    Open(&'env mut [u8]),
}

impl<'scope, 'env> Incoming<'scope, 'env> {
    /// Posts the receive, if that is what the rank does.
    pub(super) fn new<T: Transport>(
        scope: &'scope Scope<'scope, 'env, T>,
        conduct: &Conduct,
        buffer: &'env mut [u8],
    ) -> Result<Self> {
        if !conduct.posts_receive {
            return Ok(Self::Open(buffer));
        }
        scope.receive(buffer, conduct.want()).map(Self::Posted)
    }

    /// Waits for the message, and gives the buffer back.
    pub(super) fn complete<T: Transport>(
        self,
        transport: &T,
        scope: &'scope Scope<'scope, 'env, T>,
        conduct: &Conduct,
    ) -> Result<&'env mut [u8]> {
        match self {
            Self::Posted(request) => scope.wait(request).map(|done| done.buffer),
            Self::Open(buffer) => {
                transport.receive(buffer, conduct.want())?;
                Ok(buffer)
            }
        }
    }
}

/// Sends as the protocol says; a send that was only started is still to be waited for.
pub(super) fn send<'scope, 'env, T: Transport>(
    transport: &T,
    scope: &'scope Scope<'scope, 'env, T>,
    conduct: &Conduct,
    data: &'env [u8],
) -> Result<Option<Request<'scope, &'env [u8]>>> {
    if conduct.starts_send {
        return scope.send(conduct.mode, data, conduct.party.to, tag::DATA).map(Some);
    }
    transport.send(conduct.mode, data, conduct.party.to, tag::DATA)?;
    Ok(None)
}

/// Waits for a send, if there is one.
pub(super) fn finish<'scope, T: Transport, B: Loan>(
    scope: &'scope Scope<'scope, '_, T>,
    sending: Option<Request<'scope, B>>,
) -> Result<()> {
    sending.map_or(Ok(()), |request| scope.wait(request).map(drop))
}

/// One swap by itself (T1): the basic SWAP and SENDRECV commands.
pub(super) fn swap<T: Transport>(
    transport: &T,
    conduct: &Conduct,
    sent: &[u8],
    received: &mut [u8],
) -> Result<()> {
    let Conduct { party, .. } = conduct;
    if conduct.is_native {
        return transport.send_receive((sent, party.to), (received, party.from), tag::DATA).map(drop);
    }
    scope(transport, |scope| {
        let incoming = Incoming::new(scope, conduct, received)?;
        // Who has posted its receive says so at once, who has not says so when it comes to it.
        let early = conduct.posts_receive || conduct.receives_first;
        if conduct.tells && early {
            conduct.tell(transport)?;
        }
        if conduct.receives_first {
            incoming.complete(transport, scope, conduct)?;
            if conduct.asks {
                conduct.ask(transport)?;
            }
            return send(transport, scope, conduct, sent).and_then(|sending| finish(scope, sending));
        }
        if conduct.asks {
            conduct.ask(transport)?;
        }
        let sending = send(transport, scope, conduct, sent)?;
        if conduct.tells && !early {
            conduct.tell(transport)?;
        }
        incoming.complete(transport, scope, conduct)?;
        finish(scope, sending)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conduct(id: &str, order: Loop, party: Party) -> Conduct {
        Conduct::new(&id.parse().unwrap(), order, party)
    }

    #[test]
    fn every_ready_send_is_asked_for() {
        let pair = |is_first| Party { to: 1, from: 1, is_first };
        for id in ["(0,4)", "(0,5)"] {
            for is_first in [true, false] {
                let both = conduct(id, Loop::Basic, pair(is_first));
                assert!(both.posts_receive && both.tells && both.asks);
            }
        }
        for id in ["(1,4)", "(1,5)"] {
            let (first, second) =
                (conduct(id, Loop::Basic, pair(true)), conduct(id, Loop::Basic, pair(false)));
            assert!(first.asks && first.posts_receive && !first.tells);
            assert!(second.tells && second.posts_receive && second.receives_first && !second.asks);
        }
        for id in ["(0,4)", "(1,5)"] {
            let ahead = conduct(id, Loop::Prepost, pair(true));
            assert!(!ahead.tells && !ahead.asks && ahead.tells_before && ahead.asks_before);
            let ring = conduct(id, Loop::Prepost, Party::in_ring(2, 4));
            assert!(ring.tells && ring.asks && ring.tells_before && !ring.asks_before);
        }
    }

    #[test]
    fn the_dash_is_a_handshake() {
        let first = conduct("(1,6)", Loop::Basic, Party::in_pairs(4, &[(0, 1), (4, 2)]).unwrap());
        assert!(first.tells && first.asks && !first.receives_first && first.party.to == 2);
        assert_eq!(Party::in_pairs(3, &[(0, 1), (4, 2)]), None);
    }
}
