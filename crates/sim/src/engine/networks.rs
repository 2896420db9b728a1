//! The networks of a machine during a simulation: one for point-to-point messages, and one for each
//! collective that has a network of its own (P10).

use std::sync::Arc;

use panto_machine::{Machine, Network, Sharing, Transit};
use panto_schedule::Collective;
use panto_units::Time;

use super::placement::Placement;
use crate::network::{PacketCounts, Traffic, Transfer};

/// One network, with the processor of each rank on it.
pub(super) struct ActiveNetwork {
    network: Arc<Network>,
    /// The state of what messages share; `None` under [`Sharing::None`].
    pub(super) traffic: Option<Traffic>,
    sharing: Sharing,
    /// The processor of each rank and helper.
    processors: Vec<u32>,
    /// The gap g: the minimum time between two messages that one rank injects.
    pub(super) gap: Time,
    /// The overhead of each request to send and clear to send.
    pub(super) control: Time,
}

/// All networks of a machine; index 0 carries point-to-point messages.
pub(super) struct Networks {
    all: Vec<ActiveNetwork>,
    /// The network of each collective, as an index into `all`.
    by_collective: [u8; Collective::ALL.len()],
}

impl Networks {
    pub(super) fn new(machine: &Machine, placement: &Placement, sharing: Sharing) -> Self {
        let mut all = vec![ActiveNetwork::new(&machine.network, placement, sharing)];
        let mut by_collective = [0; Collective::ALL.len()];
        for (collective, network) in &machine.networks {
            by_collective[*collective as usize] = all.len() as u8;
            all.push(ActiveNetwork::new(network, placement, sharing));
        }
        Self { all, by_collective }
    }

    /// Adds a helper beside a rank, whose number follows those of all ranks and helpers.
    pub(super) fn add_helper(&mut self, home: u32) {
        for network in &mut self.all {
            network.processors.push(network.processors[home as usize]);
        }
    }

    /// How many packets have arrived on random routes, over all networks.
    pub(super) fn packets(&self) -> PacketCounts {
        let mut counts = PacketCounts::default();
        self.all.iter().flat_map(|network| &network.traffic).for_each(|it| counts.merge(it.packets()));
        counts
    }

    #[inline]
    pub(super) fn index(&self, collective: Option<Collective>) -> u8 {
        collective.map_or(0, |collective| self.by_collective[collective as usize])
    }

    #[inline]
    pub(super) fn get(&mut self, index: u8) -> &mut ActiveNetwork {
        &mut self.all[usize::from(index)]
    }

    /// Prefetches the links that a message of this rank is likely to use first.
    #[inline]
    pub(super) fn prefetch(&self, index: u8, from: u32) {
        if let Some(network) = self.all.get(usize::from(index))
            && let Some(traffic) = &network.traffic
        {
            traffic.prefetch(network.processors[from as usize]);
        }
    }

    /// The time of the next event inside a network, and the index of that network.
    #[inline]
    pub(super) fn next(&mut self) -> Option<(Time, u8)> {
        if let [network] = self.all.as_mut_slice() {
            return network.traffic.as_mut()?.next().map(|time| (time, 0));
        }
        let next = |(index, network): (usize, &mut ActiveNetwork)| {
            Some((network.traffic.as_mut()?.next()?, index as u8))
        };
        self.all.iter_mut().enumerate().filter_map(next).min()
    }
}

impl ActiveNetwork {
    fn new(network: &Network, placement: &Placement, sharing: Sharing) -> Self {
        Self {
            traffic: Traffic::new(network, sharing),
            sharing,
            processors: placement.processors(network).collect(),
            gap: network.overheads.gap,
            control: network.overheads.control,
            network: Arc::new(network.clone()),
        }
    }

    /// Returns whether requests to send and clears to send share what data shares. They are too
    /// short to occupy a port.
    #[inline]
    pub(super) fn control_is_shared(&self) -> bool {
        self.sharing == Sharing::Links
    }

    #[inline]
    pub(super) fn transfer(&self, from: u32, to: u32, bytes: u64) -> Transfer {
        Transfer { from: self.processors[from as usize], to: self.processors[to as usize], bytes }
    }

    /// The time of a message without contention.
    #[inline]
    pub(super) fn transit(&self, transfer: Transfer) -> Transit {
        self.network.transit(transfer.from, transfer.to, transfer.bytes)
    }
}
