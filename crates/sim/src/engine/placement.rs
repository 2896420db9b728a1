//! The processors on which ranks and helpers run.

use panto_machine::{Machine, Network, RankMap};
use rustc_hash::FxHashMap;

/// Ranks, and helpers beside some of them: on the same processor, but without computation.
#[derive(Debug, Clone, Copy)]
pub struct Placement<'a> {
    /// The number of ranks.
    pub ranks: usize,
    /// The rank beside which each helper runs.
    pub helpers_of: &'a [u32],
}

impl Placement<'_> {
    /// The number of ranks and helpers.
    pub(super) fn count(&self) -> usize {
        self.ranks + self.helpers_of.len()
    }

    /// The processor of each rank, then of each helper, on a network.
    pub(super) fn processors(&self, network: &Network) -> impl Iterator<Item = u32> {
        let processors = network.processors();
        let helpers = self.helpers_of.iter().map(|&rank| rank as usize);
        (0..self.ranks).chain(helpers).map(move |rank| network.map.processor(rank, processors))
    }

    /// For each rank and helper its processor if several ranks share it, else `None`. Helpers do
    /// not compute, so they never count as sharing.
    pub(super) fn shared_processors(&self, machine: &Machine) -> impl Iterator<Item = Option<u32>> {
        let mut ranks_on: FxHashMap<u32, u32> = FxHashMap::default();
        let network = &machine.network;
        // Without a map, each rank has a processor of its own as long as there are enough.
        if self.ranks > machine.processors() || network.map != RankMap::All {
            for processor in self.processors(network).take(self.ranks) {
                *ranks_on.entry(processor).or_default() += 1;
            }
        }
        let ranks = self.processors(network).take(self.ranks);
        let shared = ranks.map(move |processor| {
            ranks_on.get(&processor).is_some_and(|&ranks| ranks > 1).then_some(processor)
        });
        shared.chain(self.helpers_of.iter().map(|_| None))
    }
}

/// Returns whether some of `ranks` ranks share a processor (P13).
pub fn share_processors(machine: &Machine, ranks: usize) -> bool {
    Placement { ranks, helpers_of: &[] }.shared_processors(machine).any(|shared| shared.is_some())
}

/// Returns whether two of `ranks` ranks share the network interface of a node, and another is on
/// another node.
pub fn share_interfaces(machine: &Machine, ranks: usize) -> bool {
    let placement = Placement { ranks, helpers_of: &[] };
    let shared_on = |network: &Network| {
        let Some(nodes) = &network.nodes else { return false };
        let mut ranks_on: FxHashMap<u32, u32> = FxHashMap::default();
        for processor in placement.processors(network) {
            *ranks_on.entry(processor / nodes.size).or_default() += 1;
        }
        ranks_on.len() > 1 && ranks_on.values().any(|&ranks| ranks > 1)
    };
    std::iter::once(&machine.network).chain(machine.networks.values()).any(shared_on)
}
