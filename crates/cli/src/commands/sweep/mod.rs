//! `panto sweep`: predicts a traced program for all combinations of parameter values.

mod axes;
mod distributed;
mod price;
mod progress;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use panto_predict::sweep::{Variant, cross};
use panto_report::present::SweepOrder;
use panto_trace::Trace;
use panto_transport::threads::cores;

use self::axes::AxesArgs;
use self::price::PriceArgs;
use self::progress::{Assess, SweepRun};
use crate::commands::simulate::{ReadingArgs, note_cut};
use crate::failure::Failure;
use crate::format::{Format, TABLE_JSON_OR_CSV};
use crate::{files, interrupt, mpi, print, program};

/// Predict a traced program on many machines and with many settings.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Sweep {
    /// A trace, written by `panto trace`, a GOAL schedule or a time-independent trace.
    trace: PathBuf,

    #[command(flatten, next_help_heading = "Parameters")]
    axes: AxesArgs,

    /// Read settings from a file with one per line, written as options (# starts a comment); each
    /// is combined with the parameters of the command line.
    #[arg(long, value_name = "FILE", help_heading = "Parameters")]
    list: Option<PathBuf>,

    #[command(flatten, next_help_heading = "Simulation")]
    reading: ReadingArgs,

    /// Random seed of the noise.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Settings to simulate in parallel [default: one per core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,

    /// Append each setting to this file as it completes (JSON Lines); settings already in the file
    /// are not run again.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,

    /// Find what limits each setting (computation, waiting, latency, bandwidth), and how far the
    /// intervals of the machine spread its time: five more simulations each [default: for groups].
    #[arg(long, help_heading = "Output")]
    limits: bool,

    #[command(flatten, next_help_heading = "Output")]
    price: PriceArgs,

    /// Plot the time as SVG: against the first numeric parameter, or as ranked bars if only
    /// machines and other names vary.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    plot: Option<PathBuf>,

    /// Output format.
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = Format::one_of(TABLE_JSON_OR_CSV), help_heading = "Output")]
    format: Format,

    /// Sort by this figure, best first [default: in the order of the parameters].
    #[arg(long, value_enum, help_heading = "Output")]
    sort: Option<Sort>,
}

/// The argument of `--sort`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Sort {
    /// Shortest time.
    Time,
    /// Highest scaled speed-up.
    SpeedUp,
    /// Highest utilisation of processors.
    Utilisation,
    /// Smallest share of waiting.
    Waiting,
}

const AFTER_HELP: &str = "\
All combinations of values are simulated, on all cores, or under `mpirun` on all hosts of the job. If a setting fails, its row shows the error, and the exit code is 1.

Examples:
  panto sweep app.panto -m infiniband,ethernet10g,my.toml
  panto sweep app.panto -m @modern --sort time --plot machines.svg
  panto sweep app.panto -m efa,hdr --price efa=3.9,hdr=3.6 --ranks-per-node 64
  panto sweep app.panto -m my.toml --vary link.latency=1us,2us --plot out.svg
  panto sweep app.panto -m my.toml -p 4,8,16 --map wrap,block --sort time
  panto sweep app.panto -m my.toml --speed 1,2 --rules mpich,openmpi
  panto sweep app.panto -m my.toml --noise none --noise periodic:1ms,10us
  panto sweep app.panto --list settings.txt -o sweep.jsonl
                                              repeat the command to resume
  mpirun -n 8 panto sweep app.panto -m my.toml --vary link.latency=1us,2us

docs/predicting.md describes what is simulated and assumed.";

impl Sort {
    fn order(self) -> SweepOrder {
        match self {
            Self::Time => SweepOrder::Time,
            Self::SpeedUp => SweepOrder::SpeedUp,
            Self::Utilisation => SweepOrder::Utilisation,
            Self::Waiting => SweepOrder::Waiting,
        }
    }
}

impl Sweep {
    pub fn run(self) -> Result<ExitCode, Failure> {
        if let Some(plot) = &self.plot {
            files::refuse_overwrite(&self.trace, plot)?;
        }
        match mpi::launched() {
            Some(launch) if launch.size != Some(1) => distributed::run(&self),
            _ => self.run_locally(),
        }
    }

    fn run_locally(&self) -> Result<ExitCode, Failure> {
        let threads = self.threads(cores().len());
        let trace = program::open(&self.trace)?;
        let sweep = self.sweep(&trace, threads)?;
        let mut run = SweepRun::new(self, &sweep)?;
        let pending = run.pending();
        let programs = sweep.programs(&pending, threads)?;
        note_cut(&trace, programs.cut());
        let stop = interrupt::listen()?;
        run.begin(pending.len());
        sweep.run(&programs, &pending, threads, &stop, |index, outcome| run.done(index, outcome))?;
        let assess = (self.limits || self.axes.names_group()).then_some(Assess { threads, stop: &stop });
        run.finish(trace.size(), assess.as_ref())
    }

    fn threads(&self, default: usize) -> usize {
        self.threads.map_or(default, usize::from).max(1)
    }

    /// Checks all settings.
    fn sweep<'a>(
        &self,
        trace: &'a Trace,
        threads: usize,
    ) -> Result<panto_predict::sweep::Sweep<'a>, Failure> {
        let (options, variants) = (self.reading.options(), self.variants()?);
        let sweep = panto_predict::sweep::Sweep::new(trace, options, self.seed, variants, threads)?;
        sweep.notes().for_each(|note| print::note(format_args!("panto: {note}")));
        Ok(sweep)
    }

    fn variants(&self) -> Result<Vec<Variant>, Failure> {
        let varied = self.axes.variants()?;
        match &self.list {
            Some(list) => Ok(cross(&axes::read_file(list)?, &varied)?),
            None => Ok(varied),
        }
    }
}
