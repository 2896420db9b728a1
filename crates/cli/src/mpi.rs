//! The world whose ranks are the processes of an MPI job.

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use panto_bench::{Settings, comet, scenario};
use panto_mpi::launch::Launch;
use panto_mpi::{Library, Threads, find};
use panto_results::Manifest;
use panto_transport::mpi::{Mpi, Options};
use panto_transport::{Placement, RankLayout, World, distances_from_first};

use crate::failure::Failure;
use crate::print;

/// The name of this world, for `--on`.
pub const NAME: &str = "mpi";

/// Options of MPI jobs.
#[derive(Args)]
pub struct MpiArgs {
    /// Abort the job if a rank completes no operation for this long [default: 60s].
    #[arg(long, value_name = "TIME", value_parser = panto_units::parse_time)]
    stall_time: Option<Duration>,

    /// Order of ranks: launched, block (ranks of a host follow each other), cyclic (from host to
    /// host), or launched ranks such as 0,2,1,3 [default: launched].
    #[arg(long, value_name = "LAYOUT")]
    layout: Option<RankLayout>,
}

impl MpiArgs {
    /// Fails if one of these options is given although ranks run elsewhere.
    pub fn refuse(&self, on: &str) -> Result<(), Failure> {
        let given = [("--stall-time", self.stall_time.is_some()), ("--layout", self.layout.is_some())];
        match given.into_iter().find(|(_, is_given)| *is_given) {
            None => Ok(()),
            Some((option, _)) => {
                Err(Failure::Usage(format!("{option} applies to `--on {NAME}` only, not to `--on {on}`")))
            }
        }
    }

    /// Joins the job for a run with these settings.
    pub fn start(&self, settings: &Settings, threads: Threads) -> Result<Mpi, Failure> {
        let stall_time = self.stall_time.unwrap_or_else(|| Options::default().stall_time + io_time(settings));
        // Ranks outside a kernel wait for those inside it.
        let longest_wait = settings.effort.budget * 2 + stall_time;
        let selects_algorithms = settings.options.get::<scenario::Options>().selects_algorithms();
        let layout = self.layout.clone().unwrap_or_default();
        start(&Options { stall_time, max_wait: longest_wait, layout, threads, selects_algorithms })
    }
}

/// Bytes per second of a slow disk: no rank completes an operation while the I/O kernel writes.
const SLOW_DISK: u64 = 10_000_000;

fn io_time(settings: &Settings) -> Duration {
    let options = settings.options.get::<comet::Options>();
    Duration::from_secs(options.io_dir.as_ref().map_or(0, |_| options.io_bytes / SLOW_DISK))
}

/// Returns how an MPI launcher started this process, if one did.
pub fn launched() -> Option<Launch> {
    Launch::from_environment()
}

/// Returns whether this process is a rank other than 0 of an MPI job.
pub fn is_follower() -> bool {
    launched().and_then(|launch| launch.rank).is_some_and(|rank| rank > 0)
}

/// Loads the MPI library of the launcher, or without a launcher the default one of this machine.
pub fn load() -> Result<Library, Failure> {
    let launch = launched();
    Library::load(&find::candidates(launch.as_ref())).map_err(|error| Failure::Usage(error.to_string()))
}

/// Joins the job for measurements; warns if ranks are not bound to cores.
pub fn start(options: &Options) -> Result<Mpi, Failure> {
    let world = join(options)?;
    if are_unbound(world.placements()?) {
        print::note(
            "panto: ranks are not bound to cores; if two share one, times include milliseconds of scheduling delay. Bind \
             them with `mpirun --bind-to core` (Open MPI) or `mpiexec -bind-to core` (MPICH)",
        );
    }
    Ok(world)
}

/// Joins the job that a launcher started.
pub fn join(options: &Options) -> Result<Mpi, Failure> {
    let Some(launch) = launched() else {
        return Err(Failure::Usage(format!(
            "`--on {NAME}` needs an MPI job; start panto with your launcher, such as `mpirun -n 4 panto bench ...`, \
             mpiexec or srun"
        )));
    };
    let world = match load() {
        Ok(library) => Mpi::start(library, Some(&launch), options).map_err(start_failure)?,
        Err(failure) => return Err(report_host(failure)),
    };
    print::mute(!world.is_first());
    if launch.size.is_none() && world.max_ranks() == 1 {
        print::note(
            "panto: this job has 1 rank; if more were started, launcher and MPI library do not match (see `panto info mpi`)",
        );
    }
    Ok(world)
}

/// Returns whether two ranks of a node may run on the same set of several cores.
fn are_unbound(places: &[Placement]) -> bool {
    let mut seen = BTreeSet::new();
    places.iter().any(|place| place.cores.len() > 1 && !seen.insert((place.node, &place.cores)))
}

/// A job that cannot start is a usage error; other errors are failures of the run.
fn start_failure(error: panto_transport::Error) -> Failure {
    match error {
        panto_transport::Error::Start(text) => Failure::Usage(text),
        error => error.into(),
    }
}

/// Prints the failure of a muted process: the library may be missing on this host only.
fn report_host(failure: Failure) -> Failure {
    if print::is_mute() {
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        print::alarm(format_args!("panto: on {}: {failure}", host.trim()));
    }
    failure
}

/// Adds the properties of the job to the settings.
pub fn settings(world: &Mpi, settings: Settings) -> Result<Settings, Failure> {
    let places = world.placements()?.to_vec();
    if let Some(large) = settings.sizes.iter().flatten().find(|bytes| **bytes > i32::MAX as u64) {
        return Err(Failure::Usage(format!(
            "message size {large} exceeds the count of an MPI call; use sizes up to {}",
            i32::MAX
        )));
    }
    Ok(Settings {
        shape: settings.shape.or_else(|| Some(distances_from_first(&places))),
        places,
        most_ranks: Some(world.max_ranks()),
        has_handlers: world.has_handlers()?,
        has_windows: true,
        ..settings
    })
}

/// Returns the manifest of a run in this job.
pub fn manifest(world: &Mpi, settings: &Settings) -> Result<Manifest, Failure> {
    let library = world.library()?;
    let (waiting, clock) = world.describe()?;
    let (major, minor) = library.standard();
    let described = panto_results::MpiInfo {
        version: library.name(),
        standard: format!("{major}.{minor}"),
        abi: library.abi().to_string(),
        path: library.path().display().to_string(),
        found: library.found().to_owned(),
    };
    let first = world.placements()?.first().map_or(0, |place| place.node);
    let here = world.placements()?.iter().filter(|place| place.node == first);
    let cores: BTreeSet<usize> = here.flat_map(|place| place.cores.iter().copied()).collect();
    let manifest = Manifest::under_mpi(described, waiting, clock, cores.len(), settings.for_manifest());
    let layout = Some(world.layout()).filter(|layout| **layout != RankLayout::Launched);
    Ok(Manifest { layout: layout.map(ToString::to_string), ..manifest })
}

/// Turns a panic into a failure, so that the other processes are aborted.
pub fn guarded(body: impl FnOnce() -> Result<ExitCode, Failure>) -> Result<ExitCode, Failure> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(body))
        .unwrap_or_else(|_| Err(Failure::Run("internal error (panic); please report this bug".into())))
}

/// Leaves the job. Failures are printed before that, because some launchers kill all processes as
/// soon as one has failed. A failure of this process alone aborts the job; one that all processes
/// share, such as a wrong option, is printed by the first.
pub fn end(world: Mpi, outcome: Result<ExitCode, Failure>) -> Result<ExitCode, Failure> {
    if let Err(failure @ Failure::Run(_)) = &outcome {
        print::alarm(format_args!("panto: rank {}: {failure}", world.rank()));
        world.abort(1);
    }
    if let Err(failure) = &outcome {
        print::error(format_args!("panto: {failure}"));
        print::mute(true);
    }
    world.finish(if outcome.is_err() { 2 } else { 0 })?;
    outcome
}
