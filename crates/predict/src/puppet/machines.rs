//! The machines of the thesis.

use panto_machine::Model as MachineModel;
use panto_sim::Model;
use panto_sim::program::Program;
use panto_sim::results::Totals;

use super::published::Published;
use crate::balance::Task;
use crate::case::{Case, Wish};
use crate::error::Error;

/// Machines with links of the Ethernet's speed.
pub(super) struct Bench {
    startup: f64,
    byte: f64,
    network: Model,
}

/// How a program ran.
pub(super) struct Run {
    /// When the last process ended, in seconds.
    pub(super) time: f64,
    /// What all processes computed, in seconds.
    pub(super) computation: f64,
}

impl Run {
    /// Computation on one processor, divided by the parallel time.
    pub(super) fn scaled_speedup(&self) -> f64 {
        self.computation / self.time
    }
}

impl Bench {
    pub(super) fn new(published: &Published, network: Model) -> Result<Self, Error> {
        let link = |column| published.value("5.2.1", "link", column);
        Ok(Self { startup: link("startup")?, byte: link("byte")?, network })
    }

    /// A machine in PUPPET's own grammar (figure 4.1).
    fn model(&self, topology: &str, processors: usize) -> Result<MachineModel, Error> {
        let map: Vec<String> = (0..processors).map(|processor| processor.to_string()).collect();
        let text = format!(
            "network {topology}\nmap {}\nswitching packet\nlink-speed {} {}\npacket-size infinite\n",
            map.join(" "),
            self.startup,
            self.byte
        );
        Ok(MachineModel::parse(&text, "the machine of PUPPET's thesis", &[])?)
    }

    /// The thesis takes the Ethernet for a complete network.
    pub(super) fn on_complete(&self, program: &Program, processors: usize) -> Result<Run, Error> {
        self.run(program, &format!("complete {processors}"), processors)
    }

    /// Runs a program with as many processes as processors.
    pub(super) fn run(&self, program: &Program, topology: &str, processors: usize) -> Result<Run, Error> {
        let wish = Wish { network: Some(self.network), ..Wish::default() };
        let case = Case::new(self.model(topology, processors)?, processors, &wish)?;
        let mut totals = Totals::new(program);
        let ends = panto_sim::run(program, &case.setting(None), &mut totals)
            .map_err(|halted| Error::new(halted.describe(program).to_string()))?;
        let time = ends.into_iter().max().unwrap_or_default().as_secs();
        Ok(Run { time, computation: totals.spent().compute.as_secs() })
    }

    /// A program whose processes share these processors of the Ethernet.
    pub(super) fn shared<'a>(&self, program: &'a Program, processors: usize) -> Result<Task<'a>, Error> {
        let wish = Wish { network: Some(self.network), processors: Some(processors), ..Wish::default() };
        Task::new(program, self.model(&format!("complete {processors}"), processors)?, &wish)
    }
}
