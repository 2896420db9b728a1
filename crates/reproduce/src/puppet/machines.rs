//! The machines of PUPPET's thesis.

use panto_machine::Model;
use panto_predict::balance::Task;
use panto_predict::{Case, CaseOptions};
use panto_sim::Sharing;
use panto_sim::program::Program;
use panto_sim::results::Totals;

use super::published::Published;
use crate::error::{Error, Result};

/// Machines with links of the same speed, that of the Ethernet or of the SP2's switch.
pub(super) struct Bench {
    startup: f64,
    byte: f64,
    sharing: Sharing,
}

/// The result of running a program.
pub(super) struct Run {
    /// The makespan in seconds.
    pub(super) time: f64,
    /// The computation time of all processes together, in seconds.
    pub(super) computation: f64,
}

impl Run {
    /// Returns the scaled speed-up: computation on one processor, divided by the parallel time.
    pub(super) fn scaled_speedup(&self) -> f64 {
        self.computation / self.time
    }
}

impl Bench {
    /// Returns the machines whose link the section of the thesis states.
    pub(super) fn new(published: &Published, section: &str, sharing: Sharing) -> Result<Self> {
        let link = |column| published.value(section, "link", column);
        Ok(Self { startup: link("startup")?, byte: link("byte")?, sharing })
    }

    /// Returns a machine, written in PUPPET's own grammar (figure 4.1).
    fn model(&self, topology: &str, processors: usize) -> Result<Model> {
        let map: Vec<String> = (0..processors).map(|processor| processor.to_string()).collect();
        let text = format!(
            "network {topology}\nmap {}\nswitching packet\nlink-speed {} {}\npacket-size infinite\n",
            map.join(" "),
            self.startup,
            self.byte
        );
        Ok(Model::parse(&text, "the machine of PUPPET's thesis", &[])?)
    }

    /// Runs a program on the Ethernet or the SP2, which the thesis models as complete networks.
    pub(super) fn on_complete(&self, program: &Program, processors: usize) -> Result<Run> {
        self.run(program, &format!("complete {processors}"), processors)
    }

    /// Runs a program with as many processes as processors.
    pub(super) fn run(&self, program: &Program, topology: &str, processors: usize) -> Result<Run> {
        let options = CaseOptions { sharing: Some(self.sharing), ..CaseOptions::default() };
        let case = Case::new(self.model(topology, processors)?, processors, &options)?;
        let mut totals = Totals::new(program);
        let ends = panto_sim::run(program, &case.run_config(None), &mut totals)
            .map_err(|deadlock| Error::Deadlock(deadlock.describe(program).to_string()))?;
        let time = ends.into_iter().max().unwrap_or_default().as_secs();
        Ok(Run { time, computation: totals.spent().compute.as_secs() })
    }

    /// Returns the task of mapping a program's processes to these processors of the Ethernet.
    pub(super) fn shared<'a>(&self, program: &'a Program, processors: usize) -> Result<Task<'a>> {
        let options = CaseOptions {
            sharing: Some(self.sharing),
            processors: Some(processors),
            ..CaseOptions::default()
        };
        Ok(Task::new(program, None, self.model(&format!("complete {processors}"), processors)?, &options)?)
    }
}
