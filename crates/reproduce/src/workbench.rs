//! Runs kernels on the simulated machine.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use panto_bench::{Effort, Kernel, Observer, Settings, run};
use panto_machine::Machine;
use panto_results::Record;
use panto_transport::simulated::{Sharing, Simulated};

use crate::error::Result;

/// Time limit of a run: never reached, since a run that is cut short would give other figures.
const BUDGET: Duration = Duration::from_secs(24 * 3600);

/// A simulated machine on which kernels run.
pub(super) struct Workbench {
    world: Simulated,
}

impl Workbench {
    pub(super) fn new(machine: Machine, model: Sharing) -> Self {
        Self { world: Simulated::new(Arc::new(machine), model) }
    }

    pub(super) fn machine(&self) -> &Machine {
        self.world.machine()
    }

    /// Returns the settings of an experiment on these numbers of ranks.
    pub(super) fn settings(&self, ranks: &[usize]) -> Settings {
        Settings {
            ranks: ranks.to_vec(),
            ranks_given: true,
            shape: Some(self.world.shape(ranks.iter().copied().max().unwrap_or(1))),
            machine: Some(self.machine().name.clone()),
            effort: Effort { budget: BUDGET, ..Effort::default() }.on_virtual_clock(),
            ..Settings::default()
        }
    }

    /// Returns the records of a kernel.
    pub(super) fn simulate(&self, kernel: Kernel, settings: &Settings) -> Result<Vec<Record>> {
        let mut collected = Collected(Vec::new());
        run(&self.world, &[kernel], settings, &AtomicBool::new(false), &mut collected)?;
        let name = kernel.to_string();
        collected.0.retain(|record| record.kernel == name);
        Ok(collected.0)
    }
}

struct Collected(Vec<Record>);

impl Observer for Collected {
    fn kernel(&mut self, _kernel: Kernel, _points: usize) -> panto_bench::Result<()> {
        Ok(())
    }

    fn record(&mut self, record: &Record) -> panto_bench::Result<()> {
        self.0.push(record.clone());
        Ok(())
    }
}
