//! The fitted machine as a simulated world, on which kernels are run at the measured points.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use panto_bench::{Effort, Kernel, Observer, Settings, run};
use panto_machine::Machine;
use panto_results::{Manifest, Point, Record, param};
use panto_transport::World;
use panto_transport::simulated::{Sharing, Simulated};

/// Records by point.
pub type RecordsByPoint = BTreeMap<Point, Record>;

/// Least and most samples of a point. Samples on a virtual clock rarely differ; two show whether
/// they do.
const MIN_MAX_SAMPLES: (usize, usize) = (2, 4);

/// Runs kernels on the fitted machine.
pub struct Simulation {
    /// The simulated world.
    pub world: Simulated,
}

impl Simulation {
    /// Creates the world, with the sharing under which the launches were simulated; links for real
    /// machines.
    pub fn new(machine: Arc<Machine>, manifests: &[Manifest]) -> Self {
        let simulated = |manifest: &Manifest| manifest.machine.as_ref()?.network.parse().ok();
        let sharing = manifests.iter().filter_map(simulated).min().unwrap_or(Sharing::Links);
        Self { world: Simulated::new(machine, sharing) }
    }

    /// Returns settings whose points include these.
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
            most_programs: self.world.max_ranks(),
            effort: Effort { min_samples: MIN_MAX_SAMPLES.0, max_samples: MIN_MAX_SAMPLES.1, ..effort },
            ..Settings::default()
        }
    }

    /// Runs a kernel. Returns no records if the machine has too few processors.
    pub fn run(&self, kernel: Kernel, settings: &Settings) -> RecordsByPoint {
        let mut keeper = Collector(RecordsByPoint::new());
        let _ = run(&self.world, &[kernel], settings, &AtomicBool::new(false), &mut keeper);
        keeper.0
    }
}

/// Collects records.
struct Collector(RecordsByPoint);

impl Observer for Collector {
    fn kernel(&mut self, _kernel: Kernel, _points: usize) -> panto_bench::Result<()> {
        Ok(())
    }

    fn record(&mut self, record: &Record) -> panto_bench::Result<()> {
        self.0.insert(record.point.clone(), record.clone());
        Ok(())
    }
}
