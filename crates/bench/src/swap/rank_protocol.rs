//! The operations of one rank in one swap.

use panto_results::swap::{Loop, Order, Protocol, Special};
use panto_transport::{Request, RequestBuffer, Result, Scope, Selector, SendMode, Transport, scope};

use super::tag;

/// The peers of a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Peers {
    /// Destination of its sends.
    pub(super) to: usize,
    /// Source of its receives; the same as `to` in a pair.
    pub(super) from: usize,
    /// Whether it sends first where ranks alternate.
    pub(super) is_first: bool,
}

impl Peers {
    /// Returns the peers of a rank in one of these pairs, if it is in one.
    pub(super) fn in_pairs(rank: usize, pairs: &[(usize, usize)]) -> Option<Self> {
        pairs.iter().find_map(|&(first, second)| match rank {
            _ if rank == first => Some(Self { to: second, from: second, is_first: true }),
            _ if rank == second => Some(Self { to: first, from: first, is_first: false }),
            _ => None,
        })
    }

    /// Returns the peers of a rank in a ring of all ranks, in which every other one sends first.
    pub(super) fn in_ring(rank: usize, ranks: usize) -> Self {
        Self { to: (rank + 1) % ranks, from: (rank + ranks - 1) % ranks, is_first: rank.is_multiple_of(2) }
    }

    fn is_pair(&self) -> bool {
        self.to == self.from
    }
}

/// A protocol from one rank's side.
#[expect(clippy::struct_excessive_bools, reason = "each is a step that the rank takes or not")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RankProtocol {
    pub(super) peers: Peers,
    pub(super) mode: SendMode,
    pub(super) is_native: bool,
    pub(super) starts_send: bool,
    pub(super) posts_receive: bool,
    /// Whether it receives before it sends.
    pub(super) receives_first: bool,
    /// Whether it announces, in each swap, that it is ready to receive.
    pub(super) announces: bool,
    /// Whether it waits, before each send, for that announcement of the peer.
    pub(super) awaits: bool,
    /// Whether it announces readiness once before the clock starts, for receives that are posted by
    /// then.
    pub(super) announces_before: bool,
    pub(super) awaits_before: bool,
}

impl RankProtocol {
    pub(super) fn new(protocol: &Protocol, order: Loop, peers: Peers) -> Self {
        let is_ready = protocol.mode == SendMode::Ready;
        let answers = protocol.order == Order::Ordered && !peers.is_first;
        let (announces, awaits) = handshake(protocol, order, peers);
        let before = is_ready && order == Loop::Prepost;
        Self {
            peers,
            mode: protocol.mode,
            is_native: protocol.special == Some(Special::Native),
            starts_send: protocol.starts_send && !answers,
            // A ready send needs a receive that is already posted.
            posts_receive: if answers { is_ready } else { protocol.posts_receive },
            receives_first: answers,
            announces,
            awaits,
            announces_before: before,
            // In a ring the first message needs an announcement like all others.
            awaits_before: before && peers.is_pair(),
        }
    }

    fn want(&self) -> Selector {
        Selector::new(self.peers.from, tag::DATA)
    }

    /// Announces that this rank is ready to receive.
    pub(super) fn announce<T: Transport>(&self, transport: &T) -> Result<()> {
        transport.send(SendMode::Standard, &[], self.peers.from, tag::HANDSHAKE)
    }

    /// Waits for the announcement of the peer.
    pub(super) fn await_ready<T: Transport>(&self, transport: &T) -> Result<()> {
        transport.receive(&mut [], Selector::new(self.peers.to, tag::HANDSHAKE)).map(drop)
    }
}

/// Returns who announces and who waits in each swap. A ready send is correct only if its receive is
/// posted, so its sender must know that:
///
/// - in a pair that alternates the second announces, and the first, whose receive was posted before
///   it sent, need not;
/// - in a pair that preposts, the receiver of message n knows that its sender had posted the
///   receive of message n + 1 before;
/// - in a ring nothing follows from messages of the other side, so all ranks announce and all wait.
fn handshake(protocol: &Protocol, order: Loop, peers: Peers) -> (bool, bool) {
    if protocol.special == Some(Special::Handshake) {
        return (true, true);
    }
    match (protocol.mode, order) {
        (SendMode::Ready, Loop::Prepost) => (!peers.is_pair(), !peers.is_pair()),
        (SendMode::Ready, Loop::Basic) if peers.is_pair() && protocol.order == Order::Ordered => {
            (!peers.is_first, peers.is_first)
        }
        (SendMode::Ready, Loop::Basic) => (true, true),
        _ => (false, false),
    }
}

/// A receive: posted, or still to be made into this buffer.
pub(super) enum Incoming<'scope, 'env> {
    Posted(Request<'scope, &'env mut [u8]>),
    Open(&'env mut [u8]),
}

impl<'scope, 'env> Incoming<'scope, 'env> {
    /// Posts the receive, if the protocol does.
    pub(super) fn new<T: Transport>(
        scope: &'scope Scope<'scope, 'env, T>,
        conduct: &RankProtocol,
        buffer: &'env mut [u8],
    ) -> Result<Self> {
        if !conduct.posts_receive {
            return Ok(Self::Open(buffer));
        }
        scope.receive(buffer, conduct.want()).map(Self::Posted)
    }

    /// Waits for the message, and returns the buffer.
    pub(super) fn complete<T: Transport>(
        self,
        transport: &T,
        scope: &'scope Scope<'scope, 'env, T>,
        conduct: &RankProtocol,
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

/// Sends as the protocol defines; an immediate send is still to be waited for.
pub(super) fn send<'scope, 'env, T: Transport>(
    transport: &T,
    scope: &'scope Scope<'scope, 'env, T>,
    conduct: &RankProtocol,
    data: &'env [u8],
) -> Result<Option<Request<'scope, &'env [u8]>>> {
    if conduct.starts_send {
        return scope.send(conduct.mode, data, conduct.peers.to, tag::DATA).map(Some);
    }
    transport.send(conduct.mode, data, conduct.peers.to, tag::DATA)?;
    Ok(None)
}

/// Waits for a send, if there is one.
pub(super) fn finish<'scope, T: Transport, B: RequestBuffer>(
    scope: &'scope Scope<'scope, '_, T>,
    sending: Option<Request<'scope, B>>,
) -> Result<()> {
    sending.map_or(Ok(()), |request| scope.wait(request).map(drop))
}

/// One swap on its own (T1): the basic SWAP and SENDRECV commands.
pub(super) fn swap<T: Transport>(
    transport: &T,
    conduct: &RankProtocol,
    sent: &[u8],
    received: &mut [u8],
) -> Result<()> {
    let RankProtocol { peers, .. } = conduct;
    if conduct.is_native {
        return transport.send_receive((sent, peers.to), (received, peers.from), tag::DATA).map(drop);
    }
    scope(transport, |scope| {
        let incoming = Incoming::new(scope, conduct, received)?;
        // A rank with a posted receive announces it at once, others when they are about to receive.
        let early = conduct.posts_receive || conduct.receives_first;
        if conduct.announces && early {
            conduct.announce(transport)?;
        }
        if conduct.receives_first {
            incoming.complete(transport, scope, conduct)?;
            if conduct.awaits {
                conduct.await_ready(transport)?;
            }
            return send(transport, scope, conduct, sent).and_then(|sending| finish(scope, sending));
        }
        if conduct.awaits {
            conduct.await_ready(transport)?;
        }
        let sending = send(transport, scope, conduct, sent)?;
        if conduct.announces && !early {
            conduct.announce(transport)?;
        }
        incoming.complete(transport, scope, conduct)?;
        finish(scope, sending)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conduct(id: &str, order: Loop, peers: Peers) -> RankProtocol {
        RankProtocol::new(&id.parse().unwrap(), order, peers)
    }

    #[test]
    fn every_ready_send_is_asked_for() {
        let pair = |is_first| Peers { to: 1, from: 1, is_first };
        for id in ["(0,4)", "(0,5)"] {
            for is_first in [true, false] {
                let both = conduct(id, Loop::Basic, pair(is_first));
                assert!(both.posts_receive && both.announces && both.awaits);
            }
        }
        for id in ["(1,4)", "(1,5)"] {
            let (first, second) =
                (conduct(id, Loop::Basic, pair(true)), conduct(id, Loop::Basic, pair(false)));
            assert!(first.awaits && first.posts_receive && !first.announces);
            assert!(second.announces && second.posts_receive && second.receives_first && !second.awaits);
        }
        for id in ["(0,4)", "(1,5)"] {
            let ahead = conduct(id, Loop::Prepost, pair(true));
            assert!(!ahead.announces && !ahead.awaits && ahead.announces_before && ahead.awaits_before);
            let ring = conduct(id, Loop::Prepost, Peers::in_ring(2, 4));
            assert!(ring.announces && ring.awaits && ring.announces_before && !ring.awaits_before);
        }
    }

    #[test]
    fn the_dash_is_a_handshake() {
        let first = conduct("(1,6)", Loop::Basic, Peers::in_pairs(4, &[(0, 1), (4, 2)]).unwrap());
        assert!(first.announces && first.awaits && !first.receives_first && first.peers.to == 2);
        assert_eq!(Peers::in_pairs(3, &[(0, 1), (4, 2)]), None);
    }
}
