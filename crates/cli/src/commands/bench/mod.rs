//! `panto bench`: runs benchmark kernels on threads, MPI, or a simulated machine.

mod against;
mod classic;
mod cm5;
mod comet;
mod output;
mod scenario;
mod swap;
mod user_code;

use std::process::ExitCode;

use clap::Args;
use panto_bench::can_choose;
use panto_bench::{Kernel, Settings, decide, fits, parse_counts, parse_sizes, runnable};
use panto_mpi::Threads;
use panto_results::Manifest;
use panto_schedule::HopShape;
use panto_transport::mpi::Mpi;
use panto_transport::{AlgorithmChoice, Distance, World};

use self::against::AgainstArgs;
use self::output::OutputArgs;
use super::effort::EffortArgs;
use crate::failure::Failure;
use crate::mpi::{self, MpiArgs};
use crate::print;
use crate::results;
use crate::session::Session;
use crate::simulated::{self, MachineArgs};
use crate::threads::{self, ThreadArgs};

/// Run benchmark kernels.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Bench {
    /// Suites or kernels: `comet`, `comet/echo`, or `echo` for the first suite that has such a
    /// kernel.
    #[arg(required_unless_present = "list", value_name = "SUITE|KERNEL")]
    kernels: Vec<String>,

    /// List the kernels.
    #[arg(long)]
    list: bool,

    /// Where to run: `threads`, `mpi`, or a simulated machine (a built-in name such as `ipsc860`,
    /// or a model file) [default: mpi under an MPI launcher, else threads].
    #[arg(long, value_name = "WORLD")]
    on: Option<String>,

    /// Number of ranks, or a list; kernels that sweep over ranks use powers of two up to a single
    /// number [default: threads: one per core, at least 2; mpi: all; simulated: one per processor,
    /// at most 64].
    #[arg(short = 'n', long, value_name = "N,...", allow_hyphen_values = true)]
    ranks: Option<String>,

    #[command(flatten, next_help_heading = "Sweeps")]
    sweeps: Sweeps,

    #[command(flatten, next_help_heading = "Suite comet")]
    comet: comet::CometArgs,

    #[command(flatten, next_help_heading = "Suite cm5")]
    cm5: cm5::Cm5Args,

    #[command(flatten, next_help_heading = "Suite swap")]
    swap: swap::SwapArgs,

    #[command(flatten, next_help_heading = "Suite classic")]
    classic: classic::ClassicArgs,

    #[command(flatten, next_help_heading = "Suite scenario")]
    scenario: scenario::ScenarioArgs,

    #[command(flatten, next_help_heading = "Suites comet and scenario: your own implementations")]
    user_code: user_code::UserCodeArgs,

    #[command(flatten, next_help_heading = "Effort")]
    effort: EffortArgs,

    #[command(flatten, next_help_heading = "Threads")]
    threads: ThreadArgs,

    #[command(flatten, next_help_heading = "MPI")]
    mpi: MpiArgs,

    #[command(flatten, next_help_heading = "Simulated machines")]
    machine: MachineArgs,

    #[command(flatten, next_help_heading = "Comparison with a model")]
    against: AgainstArgs,

    #[command(flatten, next_help_heading = "Output")]
    output: OutputArgs,
}

#[derive(Args)]
struct Sweeps {
    /// Message sizes: `0..64KiB` (doubling), `0..100:10` (steps of 10), or `8,1K,64kB`.
    #[arg(long, value_name = "SIZES", allow_hyphen_values = true)]
    sizes: Option<String>,

    /// Dimensions of the matrix kernels, and sides of the blocks of halo exchanges.
    #[arg(long, value_name = "N,...", allow_hyphen_values = true)]
    dims: Option<String>,

    /// Vector lengths, in doubles.
    #[arg(long, value_name = "N,...", allow_hyphen_values = true)]
    lengths: Option<String>,

    /// Hop distances, for echo and exchange; 0 is a message to itself.
    #[arg(long, value_name = "N,...", allow_hyphen_values = true)]
    hops: Option<String>,

    /// Distances by placement, for echo and exchange: itself, core-complex, node, network.
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    distance: Option<Vec<Distance>>,

    /// Topology that defines hop distances: complete, hypercube, ring, linear, mesh:RxC, torus:RxC.
    #[arg(long, value_name = "SHAPE")]
    shape: Option<HopShape>,
}

const AFTER_HELP: &str = "\
Examples:
  panto bench --list
  panto bench comet                                   a suite, about a minute
  panto bench comet/echo --sizes 0..64KiB -o echo.jsonl --plot plots
  panto bench echo exchange --ranks 8 --shape hypercube --hops 1,3
  panto bench broadcast --ranks 2,4,8 --algorithm binomial --no-barrier
  panto bench reduction --lengths 1..1024 --format csv > reduction.csv
  panto bench io --io-dir /tmp --io-size 64MiB
  mpirun -n 64 panto bench comet -o cluster.jsonl     on that mpirun's MPI
  mpirun -n 8 panto bench reduction --algorithm ring  not the library's own
  mpirun -n 8 panto bench echo --distance node,network
  panto bench comet --on ipsc860 --ranks 16           on a simulated machine
  panto bench echo --on my-idea.toml --set link.latency=2us
  panto bench comet --against cluster.toml            beside a model's values
  panto bench scenario/delay --collective bcast --late last --delays 1us..1ms
  panto bench scenario/overlap --collective allreduce --progress none,helper
  panto bench scenario/own --scenario my.toml,staggered --ranks 8

Sizes: 64KiB, 64K and 64k are 65,536; 64kB is 64,000. Times: 1.5us, 2ms, 30s, 5min.";

impl Bench {
    pub fn run(self) -> Result<ExitCode, Failure> {
        if self.list {
            results::list();
            return Ok(ExitCode::SUCCESS);
        }
        match self.on() {
            threads::NAME => self.on_threads(),
            mpi::NAME => self.on_mpi(),
            machine => self.on_machine(machine),
        }
    }

    /// Returns whether all processes of an MPI job take part.
    pub fn is_collective(&self) -> bool {
        !self.list && self.on() == mpi::NAME
    }

    fn on(&self) -> &str {
        let default = || if mpi::launched().is_some() { mpi::NAME } else { threads::NAME };
        self.on.as_deref().unwrap_or_else(default)
    }

    fn on_threads(&self) -> Result<ExitCode, Failure> {
        self.machine.refuse(threads::NAME)?;
        self.mpi.refuse(threads::NAME)?;
        let (settings, world) = (self.settings(threads::default_ranks())?, self.threads.world());
        settings.check()?;
        self.measure(&world, &settings, threads::manifest(&world, &settings))
    }

    fn on_mpi(&self) -> Result<ExitCode, Failure> {
        self.machine.refuse(mpi::NAME)?;
        self.threads.refuse(mpi::NAME)?;
        let world = self.mpi.start(&self.settings(2)?, self.threads_of_ranks())?;
        let outcome = mpi::guarded(|| self.measure_on_mpi(&world));
        mpi::end(world, outcome)
    }

    /// Returns which threads of a rank call MPI: several for message handlers, which are measured
    /// by themselves, because all messages are slower then.
    fn threads_of_ranks(&self) -> Threads {
        let alone = [Kernel::Handler, Kernel::HandlerReply];
        let is_handler =
            |name: &String| Kernel::named(name).is_ok_and(|all| all.iter().all(|it| alone.contains(it)));
        if self.kernels.iter().all(is_handler) { Threads::Multiple } else { Threads::Single }
    }

    fn measure_on_mpi(&self, world: &Mpi) -> Result<ExitCode, Failure> {
        let settings = mpi::settings(world, self.settings(world.max_ranks())?)?;
        settings.check()?;
        self.measure(world, &settings, mpi::manifest(world, &settings)?)
    }

    fn on_machine(&self, machine: &str) -> Result<ExitCode, Failure> {
        self.threads.refuse(machine)?;
        self.mpi.refuse(machine)?;
        let model = self.machine.load(machine)?;
        let settings = self.settings(simulated::default_ranks(model.machine()))?;
        let world = self.machine.world(simulated::machine(model, settings.world())?, settings.seed);
        let settings = simulated::settings(&world, settings, self.effort.on_virtual_clock());
        settings.check()?;
        let manifest = self.machine.manifest(&world, &settings);
        self.measure(&world, &settings, manifest)
    }

    fn measure<W: World>(
        &self,
        world: &W,
        settings: &Settings,
        manifest: Manifest,
    ) -> Result<ExitCode, Failure> {
        fits(world, settings)?;
        let kernels = self.kernels(world, settings)?;
        let settings = &swap::with_better_pair(world, settings, &kernels)?;
        let against = self.against.open(world, &kernels, settings, self.machine.sharing())?;
        let (plot, writer) = self.output.open(world, &manifest)?;
        let mut session = Session::new(self.output.format, writer, manifest).against(against);
        let end = session.measure(world, &kernels, settings)?;
        let code = session.finish(&end, plot)?;
        match &self.output.rules {
            Some(rules) if world.is_first() => results::rules(rules, session.records()).map(|()| code),
            _ => Ok(code),
        }
    }

    /// Returns the kernels to run. The first process of a job decides for all, because free memory
    /// differs between hosts.
    fn kernels<W: World>(&self, world: &W, settings: &Settings) -> Result<Vec<Kernel>, Failure> {
        Ok(decide(world, || self.runnable_kernels(settings))?)
    }

    fn runnable_kernels(&self, settings: &Settings) -> panto_bench::Result<Vec<Kernel>> {
        let mut kernels = Vec::new();
        for name in &self.kernels {
            let named = Kernel::named(name)?;
            // A kernel that cannot run is an error if named itself, and skipped as part of a suite.
            let (mut skipped, before) = (Vec::new(), kernels.len());
            for kernel in named {
                match runnable(kernel, settings) {
                    Ok(()) => {
                        kernels.push(kernel);
                        for note in kernel.plan_notes(settings) {
                            print::note(format_args!("panto: {note}"));
                        }
                    }
                    Err(why) => skipped.push(why),
                }
                scenario::note_skipped(kernel, settings);
            }
            // No kernel of the suite can run.
            if kernels.len() == before && !skipped.is_empty() {
                return Err(skipped.swap_remove(0));
            }
            for why in skipped {
                print::note(format_args!("panto: skipped: {why}"));
            }
        }
        self.scenario.check(&kernels)?;
        if self.output.rules.is_some() {
            can_choose(&kernels, settings)?;
        }
        Ok(kernels)
    }

    /// Returns the settings of the command line. They are checked later, because a machine may add
    /// its topology.
    fn settings(&self, default_ranks: usize) -> Result<Settings, Failure> {
        let counts = |option, text: &Option<String>| option_counts(option, text.as_deref());
        let sweeps = &self.sweeps;
        let ranks = counts("--ranks", &self.ranks)?;
        Ok(Settings {
            ranks_given: ranks.is_some(),
            ranks: ranks.map_or_else(|| vec![default_ranks], |ranks| to_usize(&ranks)),
            sizes: option_sizes(sweeps.sizes.as_deref())?,
            dims: counts("--dims", &sweeps.dims)?,
            lengths: counts("--lengths", &sweeps.lengths)?,
            hops: counts("--hops", &sweeps.hops)?,
            distances: sweeps.distance.clone(),
            shape: sweeps.shape,
            effort: self.effort.effort(),
            seed: self.effort.seed,
            ..Settings::default()
        }
        .with_options(self.comet.options(&self.user_code)?)
        .with_options(self.cm5.options(&self.kernels, self.machine.message_sets())?)
        .with_options(self.swap.options()?)
        .with_options(self.classic.options()?)
        .with_options(self.scenario.options(&self.user_code)?))
    }
}

/// Parses a list of numbers; the error names the option.
fn option_counts(option: &str, text: Option<&str>) -> Result<Option<Vec<u64>>, Failure> {
    let parsed = text.map(parse_counts).transpose();
    parsed.map_err(|error| Failure::Usage(format!("{option}: {error}")))
}

/// Parses `--sizes`.
fn option_sizes(text: Option<&str>) -> Result<Option<Vec<u64>>, Failure> {
    let parsed = text.map(parse_sizes).transpose();
    parsed.map_err(|error| Failure::Usage(format!("--sizes: {error}")))
}

/// Parses the name of an algorithm, or `library`.
fn parse_choice(name: &str) -> Result<AlgorithmChoice, panto_schedule::Error> {
    if name == "library" {
        Ok(AlgorithmChoice::Library)
    } else {
        name.parse().map(AlgorithmChoice::Algorithm)
    }
}

fn to_usize(numbers: &[u64]) -> Vec<usize> {
    numbers.iter().map(|&number| number as usize).collect()
}
