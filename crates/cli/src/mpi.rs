//! The MPI that the launcher brought.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use panto_bench::Settings;
use panto_bench::results::{self, Manifest};
use panto_mpi::launch::Launch;
use panto_mpi::{Library, find};
use panto_transport::mpi::{Mpi, Options};
use panto_transport::threads::cores;
use panto_transport::{World, distances_from_first};

use crate::failure::Failure;
use crate::out;

/// The name of this world.
pub const NAME: &str = "mpi";

/// How an MPI job is watched over.
#[derive(Args)]
pub struct MpiArgs {
    /// End the job when a rank has completed no operation for so long [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = panto_units::parse_span)]
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

    /// Takes part in the job.
    pub fn start(&self) -> Result<Mpi, Failure> {
        let usual = Options::default();
        start(&Options { stall_time: self.stall_time.unwrap_or(usual.stall_time) })
    }
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

/// Takes part in the job that a launcher started.
pub fn start(options: &Options) -> Result<Mpi, Failure> {
    let Some(launch) = launched() else {
        return Err(Failure::Usage(format!(
            "`--on {NAME}` needs the launcher of an MPI, and none started this process; use `mpirun -n 4 panto bench ...` \
             (mpiexec, srun: whatever starts your MPI programs)"
        )));
    };
    let world = Mpi::start(load()?, Some(&launch), options)?;
    if !world.is_first() {
        out::mute();
    }
    Ok(world)
}

/// What the job adds to what the user asked for.
pub fn settings(world: &Mpi, settings: Settings) -> Result<Settings, Failure> {
    let places = world.places()?.to_vec();
    Ok(Settings {
        shape: settings.shape.or_else(|| Some(distances_from_first(&places))),
        places,
        most_ranks: Some(world.most_ranks()),
        has_handlers: false,
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
    Ok(Manifest::under_mpi(described, waiting, clock, cores().len(), settings))
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
        out::mute();
    }
    world.finish()?;
    outcome
}
