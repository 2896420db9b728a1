//! Over the processes of an MPI job: each runs its share of the settings, and the first gathers what comes of them.
//!
//! All processes look at the same command and files. The first says which settings are to be run; settings are dealt in turn. Each process
//! sends a message for each setting that has ended, and an empty one when it has none left.

use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Duration;

use panto_predict::sweep::{Outcome, Row, Sweep as Settings};
use panto_trace::Trace;
use panto_transport::mpi::{Mpi, Options};
use panto_transport::{Mode, Place, Tag, Transport, Want, World};
use serde_json::{Value, json};

use super::Sweep;
use super::task::Task;
use crate::failure::Failure;
use crate::{interrupt, mpi};

/// The tag of all messages.
const TAG: Tag = 19;

/// A setting may take long, and nobody passes messages meanwhile. Processes that are gone are noticed all the same.
const LONG: Duration = Duration::from_secs(30 * 24 * 3600);

/// Takes part in the job.
pub fn run(command: &Sweep) -> Result<ExitCode, Failure> {
    let world = mpi::join(&Options { stall_time: LONG, longest_wait: LONG })?;
    let outcome =
        mpi::guarded(|| if world.is_first() { lead(command, &world) } else { follow(command, &world) });
    mpi::end(world, outcome)
}

/// The first process: plans, runs its share, gathers, prints.
fn lead(command: &Sweep, world: &Mpi) -> Result<ExitCode, Failure> {
    let threads = command.threads(cores(world.places()?, world.rank()));
    // What is wrong with the command concerns all: they hear of it, and nobody waits for this process.
    let refused =
        |failure: Failure| match world.announce(json!({ "error": failure.to_string() }).to_string().into()) {
            Ok(_) => failure,
            Err(error) => error.into(),
        };
    let trace = Trace::open(&command.trace).map_err(|error| refused(error.into()))?;
    let settings = command.sweep(&trace, threads).map_err(refused)?;
    let task = Task::new(command, &settings).map_err(refused)?;
    let pending = task.pending();
    let programs = settings.programs(&pending, threads).map_err(|error| refused(error.into()))?;
    world.announce(json!({ "pending": pending }).to_string().into())?;
    let stop = interrupt::listen()?;
    task.begin(pending.len());
    let task = Mutex::new(task);
    world.run(world.most_ranks(), |endpoint| {
        let mut inbox = Inbox { endpoint, settings: &settings, busy: endpoint.size() - 1 };
        let mut task = task.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        settings.run(&programs, &share(&pending, endpoint), threads, &stop, |index, outcome| {
            task.done(index, outcome)?;
            inbox.empty(&mut task)
        })?;
        inbox.wait(&mut task)
    })?;
    task.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).finish(trace.size())
}

/// Any other process: what goes wrong here and not there ends the job.
fn follow(command: &Sweep, world: &Mpi) -> Result<ExitCode, Failure> {
    let threads = command.threads(cores(world.places()?, world.rank()));
    let said: Value = serde_json::from_slice(&world.announce(Vec::new())?)
        .map_err(|error| Failure::Run(format!("what the first process says makes no sense: {error}")))?;
    if let Some(error) = said["error"].as_str() {
        return Err(Failure::Usage(error.to_owned()));
    }
    let pending: Vec<usize> = said["pending"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_u64)
        .map(|index| index as usize)
        .collect();
    let only_here = |failure: Failure| Failure::Run(format!("the first process could read this: {failure}"));
    let trace = Trace::open(&command.trace).map_err(|error| only_here(error.into()))?;
    let settings = command.sweep(&trace, threads).map_err(only_here)?;
    let stop = interrupt::listen()?;
    world.run(world.most_ranks(), |endpoint| {
        let own = share(&pending, endpoint);
        let programs = settings.programs(&own, threads).map_err(|error| only_here(error.into()))?;
        settings.run(&programs, &own, threads, &stop, |index, outcome| {
            let line = json!({ "index": index, "row": settings.row(index, outcome).json() }).to_string();
            endpoint.send(Mode::Standard, line.as_bytes(), 0, TAG).map_err(Failure::from)
        })?;
        endpoint.send(Mode::Standard, &[], 0, TAG).map_err(Failure::from)
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Settings are dealt in turn: neighbours take about as long.
fn share(pending: &[usize], endpoint: &impl Transport) -> Vec<usize> {
    pending.iter().copied().skip(endpoint.rank()).step_by(endpoint.size()).collect()
}

/// The cores of a rank, divided by all who may run on the same.
fn cores(places: &[Place], rank: usize) -> usize {
    let own = &places[rank];
    let sharing = places.iter().filter(|place| place.node == own.node && place.cores == own.cores).count();
    own.cores.len() / sharing.max(1)
}

/// What the other processes send.
struct Inbox<'a, T> {
    endpoint: &'a T,
    settings: &'a Settings<'a>,
    /// So many have something left.
    busy: usize,
}

impl<T: Transport> Inbox<'_, T> {
    /// Takes what is there.
    fn empty(&mut self, task: &mut Task<'_>) -> Result<(), Failure> {
        while self.endpoint.try_probe(Want::tag(TAG))?.is_some() {
            self.take(task)?;
        }
        Ok(())
    }

    /// Takes all that comes, until nobody has anything left.
    fn wait(&mut self, task: &mut Task<'_>) -> Result<(), Failure> {
        while self.busy > 0 {
            self.take(task)?;
        }
        Ok(())
    }

    fn take(&mut self, task: &mut Task<'_>) -> Result<(), Failure> {
        let message = self.endpoint.probe(Want::tag(TAG))?;
        let mut line = vec![0; message.len];
        self.endpoint.receive(&mut line, Want::new(message.source, TAG))?;
        if line.is_empty() {
            self.busy -= 1;
            return Ok(());
        }
        let (index, outcome) = self.read(&line).ok_or_else(|| {
            Failure::Run(format!(
                "rank {} has other settings than the first: is the same panto there, are the same trace and model files?",
                message.source
            ))
        })?;
        task.done(index, outcome)
    }

    /// A setting that this process knows by the same key.
    fn read(&self, line: &[u8]) -> Option<(usize, Outcome)> {
        let value: Value = serde_json::from_slice(line).ok()?;
        let index =
            usize::try_from(value["index"].as_u64()?).ok().filter(|index| *index < self.settings.len())?;
        let (key, outcome) = Row::read(&value["row"])?;
        (key == self.settings.key(index)).then_some((index, outcome))
    }
}
