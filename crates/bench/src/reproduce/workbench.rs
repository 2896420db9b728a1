//! Running kernels on the simulated machine.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use panto_machine::Machine;
use panto_transport::simulated::{Model, Simulated};

use crate::error::Result;
use crate::kernel::Kernel;
use crate::results::Record;
use crate::run::{Observer, run};
use crate::settings::{Effort, Settings};

/// Long enough for anything here; a run that is cut short would give other figures each time.
const BUDGET: Duration = Duration::from_secs(24 * 3600);

/// Where kernels run.
pub(super) struct Workbench {
    world: Simulated,
}

impl Workbench {
    pub(super) fn new(machine: Machine, model: Model) -> Self {
        Self { world: Simulated::new(Arc::new(machine), model) }
    }

    pub(super) fn machine(&self) -> &Machine {
        self.world.machine()
    }

    /// The settings of an experiment on so many ranks.
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

    /// The records of a kernel.
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
    fn kernel(&mut self, _kernel: Kernel, _points: usize) -> Result<()> {
        Ok(())
    }

    fn record(&mut self, record: &Record) -> Result<()> {
        self.0.push(record.clone());
        Ok(())
    }
}
