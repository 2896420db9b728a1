//! `panto sweep`

mod axes;
mod hosts;
mod plot;
mod show;
mod task;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use panto_predict::sweep::{Variant, cross};
use panto_trace::Trace;
use panto_transport::threads::cores;

use self::axes::AxesArgs;
use self::task::Task;
use crate::commands::simulate::ReadingArgs;
use crate::failure::Failure;
use crate::{files, interrupt, mpi};

/// Predict a traced program on many machines and under many settings
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Sweep {
    /// What `panto trace` wrote
    trace: PathBuf,

    #[command(flatten, next_help_heading = "What is varied")]
    axes: AxesArgs,

    /// Take settings from a file: the options of one on each line, # begins a note; each is combined with all that is varied
    #[arg(long, value_name = "FILE", help_heading = "What is varied")]
    list: Option<PathBuf>,

    #[command(flatten)]
    reading: ReadingArgs,

    /// What noise begins with: the same seed gives the same noise
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Run so many settings at a time [default: one on each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,

    /// Keep each setting in this file as it ends, one JSON object a line; settings that are there are not run again
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Draw the time against the first number that is varied, as SVG
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,

    /// How to print
    #[arg(short, long, value_enum, default_value_t = Format::Table)]
    format: Format,

    /// The best first; otherwise in the order in which they are varied
    #[arg(long, value_enum)]
    sort: Option<Sort>,
}

/// How a sweep is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table for people
    Table,
    /// One JSON object
    Json,
    /// A row for each setting
    Csv,
}

/// What is best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Sort {
    /// The shortest time
    Time,
    /// The highest scaled speed-up
    SpeedUp,
    /// The highest utilisation of processors
    Utilisation,
    /// The smallest share of waiting
    Waiting,
}

const AFTER_HELP: &str = "\
All combinations of all values are run, on all cores; under `mpirun` on all its hosts. A setting that cannot be has its error
in its row, and the exit code is 1 then.

Examples:
  panto sweep app.panto --machine infiniband,ethernet10g,my.toml
  panto sweep app.panto --machine infiniband --vary link.latency=0.5us,1us,2us --plot latency.svg
  panto sweep app.panto --machine my.toml --processors 4,8,16 --map wrap,block --sort time
  panto sweep app.panto --machine my.toml --speed 1,2 --rules mpich,openmpi --network fast,traffic
  panto sweep app.panto --machine my.toml --noise none --noise periodic:1ms,10us
  panto sweep app.panto --list settings.txt -o sweep.jsonl    once more goes on where it was stopped
  mpirun -n 8 panto sweep app.panto --machine my.toml --vary link.latency=1us,2us,4us,8us -o sweep.jsonl

docs/predicting.md explains what is simulated, and what is assumed.";

impl Sweep {
    pub fn run(self) -> Result<ExitCode, Failure> {
        if let Some(plot) = &self.plot {
            files::keep(&self.trace, plot)?;
        }
        match mpi::launched() {
            Some(launch) if launch.size != Some(1) => hosts::run(&self),
            _ => self.alone(),
        }
    }

    fn alone(&self) -> Result<ExitCode, Failure> {
        let threads = self.threads(cores().len());
        let trace = Trace::open(&self.trace)?;
        let sweep = self.sweep(&trace, threads)?;
        let mut task = Task::new(self, &sweep)?;
        let pending = task.pending();
        let programs = sweep.programs(&pending, threads)?;
        let stop = interrupt::listen()?;
        task.begin(pending.len());
        sweep.run(&programs, &pending, threads, &stop, |index, outcome| task.done(index, outcome))?;
        task.finish(trace.size())
    }

    fn threads(&self, usual: usize) -> usize {
        self.threads.map_or(usual, usize::from).max(1)
    }

    /// Looks at all settings.
    fn sweep<'a>(
        &self,
        trace: &'a Trace,
        threads: usize,
    ) -> Result<panto_predict::sweep::Sweep<'a>, Failure> {
        let (options, variants) = (self.reading.options(), self.variants()?);
        Ok(panto_predict::sweep::Sweep::new(trace, options, self.seed, variants, threads)?)
    }

    fn variants(&self) -> Result<Vec<Variant>, Failure> {
        let varied = self.axes.variants()?;
        match &self.list {
            Some(list) => Ok(cross(&axes::listed(list)?, &varied)?),
            None => Ok(varied),
        }
    }
}
