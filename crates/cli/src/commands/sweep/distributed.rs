//! A sweep over the processes of an MPI job: each simulates a share of the settings, and the first
//! gathers the outcomes. `panto_predict` has the content of the messages; an empty one says that a
//! process has no settings left.

use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Duration;

use panto_predict::sweep::{Announcement, Sweep as Settings, share};
use panto_transport::mpi::{Mpi, Options};
use panto_transport::{Placement, Selector, SendMode, Tag, Transport, World};

use super::Sweep;
use super::progress::SweepRun;
use crate::commands::simulate::note_cut;
use crate::failure::Failure;
use crate::{interrupt, mpi, print, program};

/// The tag of all messages.
const TAG: Tag = 19;

/// Stall time of the job: a setting may take long without messages. Lost processes are detected
/// anyway.
const STALL_TIME: Duration = Duration::from_secs(30 * 24 * 3600);

/// Joins the job and runs the sweep.
pub fn run(command: &Sweep) -> Result<ExitCode, Failure> {
    let world = mpi::join(&Options { stall_time: STALL_TIME, max_wait: STALL_TIME, ..Options::default() })?;
    let outcome =
        mpi::guarded(|| if world.is_first() { lead(command, &world) } else { follow(command, &world) });
    mpi::end(world, outcome)
}

/// The first process: announces the settings, simulates its share, gathers, and prints.
fn lead(command: &Sweep, world: &Mpi) -> Result<ExitCode, Failure> {
    if command.limits {
        print::note(
            "panto: --limits is left out under mpirun: repeat the sweep without it for fewer machines",
        );
    }
    let threads = command.threads(cores(world.placements()?, world.rank()));
    // A usage error is announced to all processes, so that none waits for this one.
    let announced =
        |failure: Failure| match world.broadcast(Announcement::Error(failure.to_string()).to_bytes()) {
            Ok(_) => failure,
            Err(error) => error.into(),
        };
    let trace = program::open(&command.trace).map_err(announced)?;
    let settings = command.sweep(&trace, threads).map_err(announced)?;
    let task = SweepRun::new(command, &settings).map_err(announced)?;
    let pending = task.pending();
    let programs = settings.programs(&pending, threads).map_err(|error| announced(error.into()))?;
    note_cut(&trace, programs.cut());
    world.broadcast(Announcement::Pending(pending.clone()).to_bytes())?;
    let stop = interrupt::listen()?;
    task.begin(pending.len());
    let task = Mutex::new(task);
    world.run(world.max_ranks(), |endpoint| {
        let mut collector = Collector { endpoint, settings: &settings, busy: endpoint.size() - 1 };
        let mut task = task.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        settings.run(
            &programs,
            &share(&pending, endpoint.rank(), endpoint.size()),
            threads,
            &stop,
            |index, outcome| {
                task.done(index, outcome)?;
                collector.drain(&mut task)
            },
        )?;
        collector.wait(&mut task)
    })?;
    task.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).finish(trace.size(), None)
}

/// Any other process: simulates its share. A failure of this process alone aborts the job.
fn follow(command: &Sweep, world: &Mpi) -> Result<ExitCode, Failure> {
    let threads = command.threads(cores(world.placements()?, world.rank()));
    let pending = match Announcement::from_bytes(&world.broadcast(Vec::new())?) {
        Some(Announcement::Pending(pending)) => pending,
        Some(Announcement::Error(error)) => return Err(Failure::Usage(error)),
        None => return Err(Failure::Run("invalid announcement of the first process".into())),
    };
    let only_here = |failure: Failure| Failure::Run(format!("{failure} (the first process could read it)"));
    let trace = program::open(&command.trace).map_err(only_here)?;
    let settings = command.sweep(&trace, threads).map_err(only_here)?;
    let stop = interrupt::listen()?;
    world.run(world.max_ranks(), |endpoint| {
        let own = share(&pending, endpoint.rank(), endpoint.size());
        let programs = settings.programs(&own, threads).map_err(|error| only_here(error.into()))?;
        settings.run(&programs, &own, threads, &stop, |index, outcome| {
            let message = settings.message(index, outcome);
            endpoint.send(SendMode::Standard, &message, 0, TAG).map_err(Failure::from)
        })?;
        endpoint.send(SendMode::Standard, &[], 0, TAG).map_err(Failure::from)
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the number of cores of a rank, divided by the ranks that share them.
fn cores(places: &[Placement], rank: usize) -> usize {
    let own = &places[rank];
    let sharing = places.iter().filter(|place| place.node == own.node && place.cores == own.cores).count();
    own.cores.len() / sharing.max(1)
}

/// Receives the outcomes of the other processes.
struct Collector<'a, T> {
    endpoint: &'a T,
    settings: &'a Settings<'a>,
    /// The number of processes that have settings left.
    busy: usize,
}

impl<T: Transport> Collector<'_, T> {
    /// Receives the outcomes that have arrived.
    fn drain(&mut self, run: &mut SweepRun<'_>) -> Result<(), Failure> {
        while self.endpoint.try_probe(Selector::tag(TAG))?.is_some() {
            self.receive(run)?;
        }
        Ok(())
    }

    /// Receives outcomes until all processes are done.
    fn wait(&mut self, run: &mut SweepRun<'_>) -> Result<(), Failure> {
        while self.busy > 0 {
            self.receive(run)?;
        }
        Ok(())
    }

    fn receive(&mut self, run: &mut SweepRun<'_>) -> Result<(), Failure> {
        let message = self.endpoint.probe(Selector::tag(TAG))?;
        let mut line = vec![0; message.len];
        self.endpoint.receive(&mut line, Selector::new(message.source, TAG))?;
        if line.is_empty() {
            self.busy -= 1;
            return Ok(());
        }
        let (index, outcome) = self.settings.read_message(&line).ok_or_else(|| {
            Failure::Run(format!(
                "rank {} has other settings than rank 0; check that all hosts have the same panto, trace and model files",
                message.source
            ))
        })?;
        run.done(index, outcome)
    }
}
