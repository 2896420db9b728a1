//! `panto calibrate`

mod collectives;
pub mod course;
mod files;
mod report;

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use panto_bench::results::Manifest;
use panto_bench::{Effort, Settings, calibrate};
use panto_fit::Request;
use panto_transport::World;
use panto_transport::mpi::Mpi;

use self::course::Course;
use self::files::FileArgs;
use crate::failure::Failure;
use crate::mpi::{self, MpiArgs};
use crate::out;
use crate::simulated::{self, MachineArgs};
use crate::threads::{self, ThreadArgs};

/// Measure what a machine model needs, and write the model
///
/// The network evaluator in one step: ping-pong at all distances and sizes, overheads of sender and receiver, gap, eager limit, several
/// pairs at once, rates of computation, and with --collectives those; then the fit. What is written, `panto simulate` takes as it is.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Calibrate {
    /// Where to measure: `threads` of this process, the `mpi` whose launcher started it, or a simulated machine: a built-in
    /// such as `ipsc860`, or a model file [default: mpi if a launcher started it, or else threads]
    #[arg(long, value_name = "WORLD")]
    on: Option<String>,

    /// Ranks [default: one per core, at least 2; under MPI all; on a machine one per processor, at most 64]
    #[arg(short = 'n', long, value_name = "N")]
    ranks: Option<usize>,

    /// Measure for some seconds instead of the better part of a minute: for a first look
    #[arg(long)]
    quick: bool,

    /// Time for the measurements, such as 30s or 5min [default: 40s, and 8s if --quick]
    #[arg(short = 't', long, value_name = "TIME", value_parser = panto_units::parse_time, allow_hyphen_values = true)]
    time_budget: Option<Duration>,

    /// The largest message that is measured
    #[arg(long, value_name = "SIZE", default_value = "4MiB", value_parser = panto_units::parse_bytes)]
    largest: u64,

    /// Measure collectives as well, from 2 ranks on to all, and find the algorithms behind them: half as long again
    #[arg(long)]
    collectives: bool,

    /// Seed of the order of points and of random sizes
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// The name of the machine in its model [default: that of its file]
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
  panto calibrate -o here.toml                            this machine, as threads see it
  mpirun -n 2 panto calibrate -o cluster.toml             the MPI of that launcher; put the ranks on two hosts
  mpirun -n 8 panto calibrate -o cluster.toml             several pairs at once, within hosts and between them
  mpirun -n 8 panto calibrate --collectives -o cluster.toml   and by which algorithms collectives are carried out
  panto calibrate --results all.jsonl -o here.toml        keep all samples, for `panto fit` and `panto compare`
  panto calibrate --on infiniband -n 16 -o again.toml     a simulated machine: its own model comes out
  panto simulate app.panto -m cluster.toml                what the model is for";

/// Time for everything, and for a first look.
const BUDGET: Duration = Duration::from_secs(40);
const QUICK: Duration = Duration::from_secs(8);

impl Calibrate {
    pub fn run(self) -> Result<ExitCode, Failure> {
        match self.on() {
            threads::NAME => self.on_threads(),
            mpi::NAME => self.on_mpi(),
            machine => self.on_machine(machine),
        }
    }

    /// Do all processes of an MPI job take part?
    pub fn is_for_all(&self) -> bool {
        self.on() == mpi::NAME
    }

    fn on(&self) -> &str {
        let usual = || if mpi::launched().is_some() { mpi::NAME } else { threads::NAME };
        self.on.as_deref().unwrap_or_else(usual)
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
        let world = self.mpi.start(&self.settings(2))?;
        let outcome = mpi::guarded(|| self.measure_on_mpi(&world));
        mpi::end(world, outcome)
    }

    fn measure_on_mpi(&self, world: &Mpi) -> Result<ExitCode, Failure> {
        let settings = mpi::settings(world, self.settings(world.most_ranks()))?;
        settings.check()?;
        self.measure(world, &settings, mpi::manifest(world, &settings)?, self.request())
    }

    fn on_machine(&self, machine: &str) -> Result<ExitCode, Failure> {
        self.threads.refuse(machine)?;
        self.mpi.refuse(machine)?;
        let model = self.machine.load(machine)?;
        let settings = self.settings(simulated::default_ranks(model.machine()));
        // The topology is known; all else is to be found.
        let request = Request { like: Some(model.clone()), ..self.request() };
        let world = self.machine.world(simulated::machine(model, settings.world())?, self.seed);
        let effort = settings.effort.clone().on_virtual_clock();
        let settings = simulated::settings(&world, settings, effort);
        settings.check()?;
        let manifest = self.machine.manifest(&world, &settings);
        self.measure(&world, &settings, manifest, request)
    }

    /// The machine has the name of its file, unless the user has a better one.
    fn request(&self) -> Request {
        let stem = || self.files.output.as_ref()?.file_stem()?.to_str().map(str::to_owned);
        Request { name: self.name.clone().or_else(stem), ..Request::default() }
    }

    fn measure<W: World>(
        &self,
        world: &W,
        settings: &Settings,
        manifest: Manifest,
        request: Request,
    ) -> Result<ExitCode, Failure> {
        let writer = self.files.open(world, &manifest)?;
        let exact = settings.machine.is_some() && self.machine.is_exact();
        let mut course = Course::new(manifest, writer, request, exact).with_collectives(self.collectives);
        out::note("Measuring what a model of this machine needs; Ctrl-C stops and keeps what is there.");
        course.measure(world, settings)?;
        report::finish(world, &course, &self.files)
    }

    fn settings(&self, default_ranks: usize) -> Settings {
        let usual = if self.quick { QUICK } else { BUDGET };
        let effort = Effort { budget: self.time_budget.unwrap_or(usual), ..Effort::default() };
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
            calibrate: calibrate::Options { largest: self.largest },
            ..Settings::default()
        }
    }
}
