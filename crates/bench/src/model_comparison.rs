//! A model beside measurements: the same kernels at the same points on the modelled machine.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use panto_machine::{Machine, RankMap};
use panto_results::{Expected, Record};
use panto_schedule::HopShape;
use panto_transport::simulated::{Sharing, Simulated};
use panto_transport::{Placement, World};

use crate::error::Result;
use crate::kernel::Kernel;
use crate::run::run_points;
use crate::settings::{Settings, Storage};

/// A modelled machine, and its times for the points of the kernel that is being measured.
pub struct ModelComparison {
    world: Simulated,
    measured: Settings,
    simulated: Settings,
    /// Median nanoseconds by kernel and point.
    expected: BTreeMap<String, f64>,
}

impl ModelComparison {
    /// Returns a comparison with a machine of at least [`ranks_of`] processors, for a run with
    /// these settings.
    pub fn new(machine: Machine, model: Sharing, measured: &Settings) -> Self {
        let world = Simulated::new(Arc::new(placed(machine, &measured.places)), model);
        let simulated = Settings {
            // The same ranks communicate; their distance is the model's.
            shape: Some(measured.shape_or(HopShape::Complete)),
            machine: Some(world.machine().name.clone()),
            most_programs: world.max_ranks(),
            most_ranks: None,
            has_handlers: true,
            has_windows: false,
            storage: Storage::of(world.machine()),
            effort: measured.effort.clone().on_virtual_clock(),
            ..measured.clone()
        };
        Self { world, measured: measured.clone(), simulated, expected: BTreeMap::new() }
    }

    /// Simulates every point that the kernel is about to measure; `earlier` are the records so far.
    /// Runs before the kernel, so that no measurement is disturbed.
    pub fn simulate(&mut self, kernel: Kernel, earlier: &[Record], interrupt: &AtomicBool) -> Result<()> {
        let points = kernel.points(&self.measured.with_least_ranks(kernel.info().min_ranks), earlier)?;
        let records = run_points(&self.world, kernel, points, &self.simulated, interrupt)?;
        let times = records.iter().filter_map(|record| Some((key(record), record.summary()?.median)));
        self.expected = times.collect();
        Ok(())
    }

    /// Returns the record with the model's time for its point, if there is one.
    #[must_use]
    pub fn with_expected(&self, record: &Record) -> Record {
        let machine = self.world.machine().name.clone();
        let expected = self.expected.get(&key(record)).map(|&time_ns| Expected { machine, time_ns });
        Record { expected, ..record.clone() }
    }
}

fn key(record: &Record) -> String {
    format!("{} {}", record.kernel, record.point)
}

/// Returns the largest number of ranks that any of the kernels runs on.
pub fn ranks_of(kernels: &[Kernel], settings: &Settings) -> usize {
    let ranks = |kernel: &Kernel| settings.with_least_ranks(kernel.info().min_ranks).world();
    kernels.iter().map(ranks).max().unwrap_or(1)
}

/// Maps ranks of one host to one node of the model, if its nodes are large enough and the model
/// file has no map of its own.
fn placed(mut machine: Machine, places: &[Placement]) -> Machine {
    let free = machine.network.map == RankMap::All;
    if let (true, Some(nodes)) = (free && !places.is_empty(), &machine.network.nodes) {
        let size = nodes.size as usize;
        let mut taken: BTreeMap<usize, usize> = BTreeMap::new();
        let spot = |place: &Placement| {
            let before = taken.entry(place.node).or_default();
            *before += 1;
            (place.node, *before - 1)
        };
        let spots: Vec<(usize, usize)> = places.iter().map(spot).collect();
        let list = spots.iter().map(|(node, number)| (node * size + number) as u32).collect();
        let fits =
            |(node, number): &(usize, usize)| *number < size && node * size + number < machine.processors();
        if spots.iter().all(fits) {
            machine.network.map = RankMap::List(list);
        }
    }
    machine
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(model: &str, overrides: &[&str], nodes: &[usize]) -> RankMap {
        let overrides: Vec<String> = overrides.iter().map(|&text| text.into()).collect();
        let machine = Machine::load(model, &overrides).expect("a built-in machine");
        let places: Vec<Placement> =
            nodes.iter().map(|&node| Placement { node, ..Placement::default() }).collect();
        placed(machine, &places).network.map
    }

    #[test]
    fn ranks_of_one_host_are_on_one_node_of_the_model() {
        let pairs = &["network.nodes.size=2"][..];
        // Dealt out in turns, as some launchers do.
        assert_eq!(map("infiniband", pairs, &[0, 1, 0, 1]), RankMap::List(vec![0, 2, 1, 3]));
        // Three on a host are too many for its nodes.
        assert_eq!(map("infiniband", pairs, &[0, 0, 0, 1]), RankMap::All);
        assert_eq!(map("infiniband", pairs, &[]), RankMap::All);
        assert_eq!(map("ipsc860", &[], &[0, 1, 0, 1]), RankMap::All);
    }
}
