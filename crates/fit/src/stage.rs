//! The fitted machine, on which kernels are run again at the points that were measured.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use panto_bench::results::{Manifest, Record};
use panto_bench::{Effort, Kernel, Observer, Point, Settings, param, run};
use panto_machine::Machine;
use panto_transport::World;
use panto_transport::simulated::{Model, Simulated};

/// Records by point.
pub type Seen = BTreeMap<Point, Record>;

/// Rarely does a sample differ from another on a virtual clock; a second one shows it.
const SAMPLES: (usize, usize) = (2, 4);

/// The fitted machine, on which kernels are run again.
pub struct Stage {
    /// The machine as a world.
    pub world: Simulated,
}

impl Stage {
    /// Messages meet as they did when the machine of these launches was measured.
    pub fn new(machine: Arc<Machine>, manifests: &[Manifest]) -> Self {
        let is_fast =
            |manifest: &Manifest| manifest.machine.as_ref().is_some_and(|machine| machine.network == "fast");
        let model = if manifests.iter().any(is_fast) { Model::Fast } else { Model::Traffic };
        Self { world: Simulated::new(machine, model) }
    }

    /// The settings that lead to these points, and to all between their numbers.
    pub fn settings(&self, points: &[&Point]) -> Settings {
        let numbers = |name: &str| {
            let mut all: Vec<u64> = points.iter().filter_map(|point| point.number(name)).collect();
            all.sort_unstable();
            all.dedup();
            (!all.is_empty()).then_some(all)
        };
        let mut ranks: Vec<usize> = points.iter().map(|point| point.ranks).collect();
        ranks.sort_unstable();
        ranks.dedup();
        let largest = ranks.last().copied().unwrap_or(1);
        let effort = Effort { budget: Duration::from_secs(600), ..Effort::default() }.on_virtual_clock();
        Settings {
            ranks,
            ranks_given: true,
            sizes: numbers(param::BYTES),
            lengths: numbers(param::LENGTH),
            shape: Some(self.world.shape(largest)),
            machine: Some(self.world.machine().name.clone()),
            most_programs: self.world.most_ranks(),
            effort: Effort { min_samples: SAMPLES.0, max_samples: SAMPLES.1, ..effort },
            ..Settings::default()
        }
    }

    /// Runs a kernel. A machine that is too small for the ranks gives no records.
    pub fn run(&self, kernel: Kernel, settings: &Settings) -> Seen {
        let mut keeper = Keeper(Seen::new());
        let _ = run(&self.world, &[kernel], settings, &AtomicBool::new(false), &mut keeper);
        keeper.0
    }
}

/// Keeps records.
struct Keeper(Seen);

impl Observer for Keeper {
    fn kernel(&mut self, _kernel: Kernel, _points: usize) -> panto_bench::Result<()> {
        Ok(())
    }

    fn record(&mut self, record: &Record) -> panto_bench::Result<()> {
        self.0.insert(record.point.clone(), record.clone());
        Ok(())
    }
}
