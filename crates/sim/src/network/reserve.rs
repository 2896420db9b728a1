//! Circuits and worms: a message takes its whole route, or none of it.
//!
//! A message starts when a channel of each directed link of its route is free, holds all of them for the time that it takes alone
//! (circuit: d t0(c) + t(s); wormhole: (d - 1 + ceil(s / f)) t(f), until the tail has passed), and is served in the order in which
//! messages are put on the network. On a hypercube the routes are e-cube, as on the iPSC/860.
//!
//! What is simplified: a message that waits for the last link of its route keeps later messages off the others until it has
//! passed, as a half-built circuit does, but is never overtaken on them by one that could have gone before. In return a message is
//! certain when it is put on the network, for the price of visiting its links, and circuits cannot deadlock.

use panto_machine::{LinkId, Network};

use super::channels::Channels;
use super::{Carried, Load, Passage};

/// A network whose messages hold whole routes.
#[derive(Debug)]
pub(super) struct Reserve {
    pub(super) channels: Channels,
    route: Vec<LinkId>,
}

impl Reserve {
    pub(super) fn new(network: &Network) -> Self {
        Self { channels: Channels::new(&network.topology), route: Vec::new() }
    }

    #[inline]
    pub(super) fn inject(&mut self, network: &Network, now: u64, load: Load) -> Carried {
        let Self { channels, route } = self;
        route.clear();
        let mut start = now;
        network.topology.route(load.from, load.to, |link| {
            start = start.max(channels.earliest(link));
            route.push(link);
        });
        let end = start.saturating_add(network.time(load.bytes, route.len() as u32).as_picos());
        for link in route {
            channels.take(*link, now, end);
        }
        Carried::At(Passage::together(end))
    }
}
