//! The networks of a machine while it runs.

use std::sync::Arc;

use panto_machine::{Machine, Network, Transit};
use panto_schedule::Collective;
use panto_units::Time;

use super::homes::Homes;
use crate::network::{Load, Traffic};

/// How messages get in each other's way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Model {
    /// Not at all: PUPPET's idea. A message's time depends on its size and distance alone.
    Fast,
    /// Links are shared.
    #[default]
    Traffic,
}

/// One network, with the place of each rank on it.
pub(super) struct Wire {
    pub(super) network: Arc<Network>,
    pub(super) traffic: Option<Traffic>,
    place: Vec<u32>,
    pub(super) gap: Time,
    pub(super) control: Time,
}

/// All networks of a machine.
pub(super) struct Wires {
    all: Vec<Wire>,
    of: [u8; Collective::ALL.len()],
}

impl Wires {
    pub(super) fn new(machine: &Machine, homes: &Homes, model: Model) -> Self {
        let mut all = vec![Wire::new(&machine.network, homes, model)];
        let mut of = [0; Collective::ALL.len()];
        for (collective, network) in &machine.networks {
            of[*collective as usize] = all.len() as u8;
            all.push(Wire::new(network, homes, model));
        }
        Self { all, of }
    }

    #[inline]
    pub(super) fn number(&self, operation: Option<Collective>) -> u8 {
        operation.map_or(0, |operation| self.of[operation as usize])
    }

    #[inline]
    pub(super) fn get(&mut self, number: u8) -> &mut Wire {
        &mut self.all[usize::from(number)]
    }

    /// A message of this rank will be put on a network soon.
    #[inline]
    pub(super) fn touch(&self, number: u8, from: u32) {
        if let Some(wire) = self.all.get(usize::from(number))
            && let Some(traffic) = &wire.traffic
        {
            traffic.touch(wire.place[from as usize]);
        }
    }

    /// When the next thing happens inside of a network, and of which.
    #[inline]
    pub(super) fn next(&mut self) -> Option<(Time, u8)> {
        if let [wire] = self.all.as_mut_slice() {
            return wire.traffic.as_mut()?.next().map(|time| (time, 0));
        }
        let next = |(number, wire): (usize, &mut Wire)| Some((wire.traffic.as_mut()?.next()?, number as u8));
        self.all.iter_mut().enumerate().filter_map(next).min()
    }
}

impl Wire {
    fn new(network: &Network, homes: &Homes, model: Model) -> Self {
        let place = homes.places(network).collect();
        let traffic = (model == Model::Traffic).then(|| Traffic::new(network));
        let overheads = &network.overheads;
        Self {
            traffic,
            place,
            gap: overheads.gap,
            control: overheads.control,
            network: Arc::new(network.clone()),
        }
    }

    #[inline]
    pub(super) fn load(&self, from: u32, to: u32, bytes: u64) -> Load {
        Load { from: self.place[from as usize], to: self.place[to as usize], bytes }
    }

    /// The time of a message that meets nobody.
    #[inline]
    pub(super) fn transit(&self, load: Load) -> Transit {
        self.network.transit(load.from, load.to, load.bytes)
    }
}
