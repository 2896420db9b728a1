//! The MPI that the launcher brought.

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use panto_bench::Settings;
use panto_bench::results::{self, Manifest};
use panto_mpi::launch::Launch;
use panto_mpi::{Library, find};
use panto_transport::mpi::{Mpi, Options};
use panto_transport::{Place, World, distances_from_first};

use crate::failure::Failure;
use crate::out;

/// The name of this world.
pub const NAME: &str = "mpi";

/// How an MPI job is watched over.
#[derive(Args)]
pub struct MpiArgs {
    /// End the job when a rank has completed no operation for so long [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = panto_units::parse_time)]
    stall_time: Option<Duration>,
}

impl MpiArgs {
    /// Ranks run elsewhere: none of these options means anything there.
    pub fn refuse(&self, on: &str) -> Result<(), Failure> {
        if self.stall_time.is_none() {
            return Ok(());
        }
        Err(Failure::Usage(format!(
            "--stall-time is for `--on {NAME}`, and this is `--on {on}`; leave it out"
        )))
    }

    /// Takes part in the job, for a run with these settings.
    pub fn start(&self, settings: &Settings) -> Result<Mpi, Failure> {
        let stall_time = self.stall_time.unwrap_or_else(|| Options::default().stall_time + io_time(settings));
        // Ranks that take no part in a kernel wait for those that do.
        let longest_wait = settings.effort.budget * 2 + stall_time;
        start(&Options { stall_time, longest_wait })
    }
}

/// Nobody completes an operation while files are written; a slow disk takes so many bytes a second.
const SLOW_DISK: u64 = 10_000_000;

fn io_time(settings: &Settings) -> Duration {
    Duration::from_secs(settings.io_dir.as_ref().map_or(0, |_| settings.io_bytes / SLOW_DISK))
}

/// Was this process started by the launcher of an MPI, as a rank of a job?
pub fn launched() -> Option<Launch> {
    Launch::from_environment()
}

/// Is this a process that only follows another one of the same job?
pub fn follows() -> bool {
    launched().and_then(|launch| launch.rank).is_some_and(|rank| rank > 0)
}

/// The library that belongs to the launcher; without one, that of this machine.
pub fn load() -> Result<Library, Failure> {
    let launch = launched();
    Library::load(&find::candidates(launch.as_ref())).map_err(|error| Failure::Usage(error.to_string()))
}

/// Takes part in the job that a launcher started, to measure in it.
pub fn start(options: &Options) -> Result<Mpi, Failure> {
    let world = join(options)?;
    if are_loose(world.places()?) {
        out::note(
            "panto: ranks are not bound to cores, and two may meet on one; times then have milliseconds of waiting in them. Bind \
             them: `mpirun --bind-to core` (Open MPI), `mpiexec -bind-to core` (MPICH)",
        );
    }
    Ok(world)
}

/// Takes part in the job that a launcher started.
pub fn join(options: &Options) -> Result<Mpi, Failure> {
    let Some(launch) = launched() else {
        return Err(Failure::Usage(format!(
            "`--on {NAME}` needs the launcher of an MPI, and none started this process; use `mpirun -n 4 panto bench ...` \
             (mpiexec, srun: whatever starts your MPI programs)"
        )));
    };
    let world = match load() {
        Ok(library) => Mpi::start(library, Some(&launch), options).map_err(refused)?,
        Err(failure) => return Err(say_where(failure)),
    };
    out::mute(!world.is_first());
    if launch.size.is_none() && world.most_ranks() == 1 {
        out::note(
            "panto: this job has one rank; if more were started, launcher and library do not belong together (see `panto \
             info mpi`)",
        );
    }
    Ok(world)
}

/// Is there a choice of cores that two ranks share?
fn are_loose(places: &[Place]) -> bool {
    let mut seen = BTreeSet::new();
    places.iter().any(|place| place.cores.len() > 1 && !seen.insert((place.node, &place.cores)))
}

/// A job that does not come about is a wrong command; all else went wrong on the way.
fn refused(error: panto_transport::Error) -> Failure {
    match error {
        panto_transport::Error::Start(text) => Failure::Usage(text),
        error => error.into(),
    }
}

/// It may be that only this host has no library, and then nobody else would say so.
fn say_where(failure: Failure) -> Failure {
    if out::is_mute() {
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        eprintln!("panto: on {}: {failure}", host.trim());
    }
    failure
}

/// What the job adds to what the user asked for.
pub fn settings(world: &Mpi, settings: Settings) -> Result<Settings, Failure> {
    let places = world.places()?.to_vec();
    if let Some(large) = settings.sizes.iter().flatten().find(|bytes| **bytes > i32::MAX as u64) {
        return Err(Failure::Usage(format!(
            "{large} bytes are more than MPI counts in a message; use sizes up to {}",
            i32::MAX
        )));
    }
    Ok(Settings {
        shape: settings.shape.or_else(|| Some(distances_from_first(&places))),
        places,
        most_ranks: Some(world.most_ranks()),
        has_handlers: false,
        has_windows: true,
        ..settings
    })
}

/// Describes the job and its library.
pub fn manifest(world: &Mpi, settings: &Settings) -> Result<Manifest, Failure> {
    let library = world.library()?;
    let (waiting, clock) = world.describe()?;
    let (major, minor) = library.standard();
    let described = results::Mpi {
        version: library.name(),
        standard: format!("{major}.{minor}"),
        abi: library.abi().to_string(),
        path: library.path().display().to_string(),
        found: library.found().to_owned(),
    };
    let first = world.places()?.first().map_or(0, |place| place.node);
    let here = world.places()?.iter().filter(|place| place.node == first);
    let cores: BTreeSet<usize> = here.flat_map(|place| place.cores.iter().copied()).collect();
    Ok(Manifest::under_mpi(described, waiting, clock, cores.len(), settings))
}

/// A panic is a failure that the others must hear of.
pub fn guarded(body: impl FnOnce() -> Result<ExitCode, Failure>) -> Result<ExitCode, Failure> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(body))
        .unwrap_or_else(|_| Err(Failure::Run("it panicked; this is a bug of Panto".into())))
}

/// Ends this process's part of the job. A failure is said here and now: some launchers end all processes as soon as one has failed. What
/// only this process knows of ends all of them; what all know of, such as a wrong option, is the first one's to say.
pub fn end(world: Mpi, outcome: Result<ExitCode, Failure>) -> Result<ExitCode, Failure> {
    if let Err(failure @ Failure::Run(_)) = &outcome {
        eprintln!("panto: rank {}: {failure}", world.rank());
        world.abort(1);
    }
    if let Err(failure) = &outcome {
        out::note(format_args!("panto: {failure}"));
        out::mute(true);
    }
    world.finish(if outcome.is_err() { 2 } else { 0 })?;
    outcome
}
