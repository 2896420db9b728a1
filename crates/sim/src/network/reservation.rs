//! Circuit and wormhole switching (Dally and Seitz 1987): a message reserves its whole route or
//! none of it.
//!
//! A message starts when a channel of each directed link of its route is free, and holds all of
//! them for its uncontended time (circuit: d t0(c) + t(s); wormhole: (d - 1 + ceil(s / f)) t(f),
//! until the tail flit has passed). Messages are served in the order of injection. On a hypercube
//! the routes are e-cube, as on the iPSC/860.
//!
//! This is a simplification: a message that waits for the last link of its route blocks the others
//! for later messages, as a half-built circuit does, and no later message overtakes it on links
//! that it could have used before. In return, the times of a message are final when it is injected,
//! at the cost of visiting its links once, and circuits cannot deadlock.

use panto_machine::{LinkId, Network};

use super::availability::LinkAvailability;
use super::{Injected, Passage, Transfer};

/// A network whose messages reserve whole routes.
#[derive(Debug)]
pub(super) struct RouteReservation {
    pub(super) links_free: LinkAvailability,
    /// Scratch, kept for its allocation.
    route: Vec<LinkId>,
}

impl RouteReservation {
    pub(super) fn new(network: &Network) -> Self {
        Self { links_free: LinkAvailability::new(&network.topology), route: Vec::new() }
    }

    #[inline]
    pub(super) fn inject(&mut self, network: &Network, now: u64, transfer: Transfer) -> Injected {
        let Self { links_free, route } = self;
        route.clear();
        let mut start = now;
        network.topology.route(transfer.from, transfer.to, |link| {
            start = start.max(links_free.earliest_free(link));
            route.push(link);
        });
        let end = start.saturating_add(network.time(transfer.bytes, route.len() as u32).as_picos());
        for link in route {
            links_free.occupy(*link, now, end);
        }
        Injected::Scheduled(Passage::at(end))
    }
}
