//! `panto calibrate`: measures what a machine model needs, and fits it.

pub mod calibration;
mod collectives;
mod files;
mod report;

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use panto_bench::{Effort, Settings, calibrate};
use panto_fit::FitOptions;
use panto_mpi::Threads;
use panto_results::Manifest;
use panto_transport::World;
use panto_transport::mpi::Mpi;

use self::calibration::Calibration;
use self::files::FileArgs;
use crate::failure::Failure;
use crate::mpi::{self, MpiArgs};
use crate::print;
use crate::simulated::{self, MachineArgs};
use crate::threads::{self, ThreadArgs};

/// Measure and fit a model of this machine.
///
/// Measures ping-pong at all distances and sizes, send and receive overhead, the gap, the eager
/// limit, simultaneous pairs, compute rates and, with --collectives, collectives, then fits a
/// machine model to the records. Use the model file with `panto simulate -m` and
/// `panto bench --on`.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Calibrate {
    /// Where to measure: `threads`, `mpi`, or a simulated machine (a built-in name such as
    /// `ipsc860`, or a model file) [default: mpi under an MPI launcher, else threads].
    #[arg(long, value_name = "WORLD")]
    on: Option<String>,

    /// Number of ranks [default: threads: one per core, at least 2; mpi: all; simulated: one per
    /// processor, at most 64].
    #[arg(short = 'n', long, value_name = "N")]
    ranks: Option<usize>,

    /// Measure for 8s instead of 40s, with lower precision.
    #[arg(long)]
    quick: bool,

    /// Time budget of the measurements, such as 30s or 5min [default: 40s; 8s with --quick].
    #[arg(short = 't', long, value_name = "TIME", value_parser = panto_units::parse_time, allow_hyphen_values = true)]
    time_budget: Option<Duration>,

    /// Wait up to this time for a quiet machine before measuring, such as 60s.
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = panto_units::parse_time)]
    quiet_wait: Duration,

    /// Largest message size.
    #[arg(long, value_name = "SIZE", default_value = "4MiB", value_parser = panto_units::parse_bytes)]
    largest: u64,

    /// Also measure collectives, from 2 ranks to all, and infer their algorithms; takes 50% longer.
    #[arg(long)]
    collectives: bool,

    /// Random seed, for the order of points and random sizes.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Name of the machine in its model [default: the file name].
    #[arg(long, value_name = "NAME")]
    name: Option<String>,

    #[command(flatten, next_help_heading = "Threads")]
    threads: ThreadArgs,

    #[command(flatten, next_help_heading = "MPI")]
    mpi: MpiArgs,

    #[command(flatten, next_help_heading = "Simulated machines")]
    machine: MachineArgs,

    #[command(flatten, next_help_heading = "Output")]
    files: FileArgs,
}

const AFTER_HELP: &str = "\
Examples:
  panto calibrate -o here.toml                          between threads
  mpirun -n 2 panto calibrate -o cluster.toml           on two hosts
  mpirun -n 8 panto calibrate -o cluster.toml           with contention
  mpirun -n 8 panto calibrate --collectives -o cluster.toml
  panto calibrate --results all.jsonl -o here.toml      keep all samples
  panto calibrate --on infiniband -n 16 -o again.toml   a simulated machine
  panto simulate app.panto -m cluster.toml              use the model";

/// The default time budget.
const BUDGET: Duration = Duration::from_secs(40);
/// The default time budget with `--quick`.
const QUICK: Duration = Duration::from_secs(8);

impl Calibrate {
    pub fn run(self) -> Result<ExitCode, Failure> {
        match self.on() {
            threads::NAME => self.on_threads(),
            mpi::NAME => self.on_mpi(),
            machine => self.on_machine(machine),
        }
    }

    /// Returns whether all processes of an MPI job take part.
    pub fn is_collective(&self) -> bool {
        self.on() == mpi::NAME
    }

    fn on(&self) -> &str {
        let default = || if mpi::launched().is_some() { mpi::NAME } else { threads::NAME };
        self.on.as_deref().unwrap_or_else(default)
    }

    fn on_threads(&self) -> Result<ExitCode, Failure> {
        self.machine.refuse(threads::NAME)?;
        self.mpi.refuse(threads::NAME)?;
        let (settings, world) = (self.settings(threads::default_ranks()), self.threads.world());
        settings.check()?;
        self.measure(&world, &settings, threads::manifest(&world, &settings), self.request())
    }

    fn on_mpi(&self) -> Result<ExitCode, Failure> {
        self.machine.refuse(mpi::NAME)?;
        self.threads.refuse(mpi::NAME)?;
        let world = self.mpi.start(&self.settings(2), Threads::Single)?;
        let outcome = mpi::guarded(|| self.measure_on_mpi(&world));
        mpi::end(world, outcome)
    }

    fn measure_on_mpi(&self, world: &Mpi) -> Result<ExitCode, Failure> {
        let settings = mpi::settings(world, self.settings(world.max_ranks()))?;
        settings.check()?;
        self.measure(world, &settings, mpi::manifest(world, &settings)?, self.request())
    }

    fn on_machine(&self, machine: &str) -> Result<ExitCode, Failure> {
        self.threads.refuse(machine)?;
        self.mpi.refuse(machine)?;
        let model = self.machine.load(machine)?;
        let settings = self.settings(simulated::default_ranks(model.machine()));
        // The topology is taken from the model; everything else is fitted.
        let request = FitOptions { like: Some(model.clone()), ..self.request() };
        let world = self.machine.world(simulated::machine(model, settings.world())?, self.seed);
        let effort = settings.effort.clone().on_virtual_clock();
        let settings = simulated::settings(&world, settings, effort);
        settings.check()?;
        let manifest = self.machine.manifest(&world, &settings);
        self.measure(&world, &settings, manifest, request)
    }

    /// Returns the options of the fit; the name defaults to that of the model file.
    fn request(&self) -> FitOptions {
        let stem = || self.files.output.as_ref()?.file_stem()?.to_str().map(str::to_owned);
        FitOptions { name: self.name.clone().or_else(stem), ..FitOptions::default() }
    }

    fn measure<W: World>(
        &self,
        world: &W,
        settings: &Settings,
        manifest: Manifest,
        request: FitOptions,
    ) -> Result<ExitCode, Failure> {
        let writer = self.files.open(world, &manifest)?;
        let exact = settings.machine.is_some() && self.machine.is_exact();
        let mut calibration =
            Calibration::new(manifest, writer, request, exact).with_collectives(self.collectives);
        print::note("Calibrating; Ctrl-C stops and keeps what was measured.");
        calibration.measure(world, settings)?;
        report::finish(world, &calibration, &self.files)
    }

    fn settings(&self, default_ranks: usize) -> Settings {
        let default = if self.quick { QUICK } else { BUDGET };
        let effort = Effort {
            budget: self.time_budget.unwrap_or(default),
            quiet_wait: self.quiet_wait,
            ..Effort::default()
        };
        let quick = Effort {
            precision: 0.03,
            least_time: Duration::from_millis(2),
            max_samples: 200,
            ..effort.clone()
        };
        Settings {
            ranks_given: self.ranks.is_some(),
            ranks: vec![self.ranks.unwrap_or(default_ranks)],
            effort: if self.quick { quick } else { effort },
            seed: self.seed,
            ..Settings::default()
        }
        .with_options(calibrate::Options { largest: self.largest })
    }
}
