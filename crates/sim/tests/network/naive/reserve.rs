//! Circuit and wormhole switching.

use panto_machine::Network;
use panto_sim::network::Transfer;

use super::{Policy, route, width};

pub struct Reserve<'a> {
    network: &'a Network,
    /// The links of every message so far, and when it released them.
    taken: Vec<(Vec<u64>, u64)>,
    known: Vec<(u64, usize, u64)>,
}

impl<'a> Reserve<'a> {
    pub fn new(network: &'a Network) -> Self {
        Self { network, taken: Vec::new(), known: Vec::new() }
    }

    /// The earlier messages that still hold a link.
    fn taken(&self, link: u64, time: u64) -> usize {
        self.taken.iter().filter(|(links, end)| links.contains(&link) && *end > time).count()
    }
}

impl Policy for Reserve<'_> {
    fn enter(&mut self, now: u64, message: usize, load: Transfer) {
        let links = route(self.network, load);
        let free = |time: u64| links.iter().all(|link| self.taken(*link, time) < width(self.network, *link));
        let ends = self.taken.iter().map(|(_, end)| *end).filter(|end| *end > now);
        let start = std::iter::once(now).chain(ends).filter(|time| free(*time)).min().unwrap();
        let end = start + self.network.time(load.bytes, links.len() as u32).as_picos();
        self.taken.push((links, end));
        self.known.push((now, message, end));
    }

    fn next(&self) -> Option<u64> {
        self.known.first().map(|(time, ..)| *time)
    }

    fn step(&mut self) -> Vec<(usize, u64, u64)> {
        self.known.drain(..).map(|(_, message, end)| (message, end, end)).collect()
    }
}
