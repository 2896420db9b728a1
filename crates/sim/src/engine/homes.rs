//! Where ranks are.

use panto_machine::{Machine, Map, Network};
use rustc_hash::FxHashMap;

/// Ranks, and helpers beside some of them: on the same processor, but without work of their own.
#[derive(Debug, Clone, Copy)]
pub struct Homes<'a> {
    /// How many ranks there are.
    pub ranks: usize,
    /// The rank beside which each helper is.
    pub helps: &'a [u32],
}

impl Homes<'_> {
    /// With helpers.
    pub(super) fn count(&self) -> usize {
        self.ranks + self.helps.len()
    }

    /// The processor of each, on a network.
    pub(super) fn places(&self, network: &Network) -> impl Iterator<Item = u32> {
        let processors = network.processors();
        let helps = self.helps.iter().map(|&home| home as usize);
        (0..self.ranks).chain(helps).map(move |rank| network.map.processor(rank, processors))
    }

    /// The processor of each that shares it with others. Helpers compute nothing, so that it does not matter where they are.
    pub(super) fn shares(&self, machine: &Machine) -> impl Iterator<Item = Option<u32>> {
        let mut on: FxHashMap<u32, u32> = FxHashMap::default();
        let network = &machine.network;
        // Without a map, each rank has a processor of its own as long as there are enough.
        if self.ranks > machine.processors() || network.map != Map::All {
            for place in self.places(network).take(self.ranks) {
                *on.entry(place).or_default() += 1;
            }
        }
        let ranks = self.places(network).take(self.ranks);
        let shared = ranks.map(move |place| on.get(&place).is_some_and(|&ranks| ranks > 1).then_some(place));
        shared.chain(self.helps.iter().map(|_| None))
    }
}

/// Do some of so many ranks share a processor (P13)?
pub fn share_processors(machine: &Machine, ranks: usize) -> bool {
    Homes { ranks, helps: &[] }.shares(machine).any(|shared| shared.is_some())
}
