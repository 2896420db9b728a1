//! Ranks as processes of an MPI job, over whatever MPI the launcher brought.
//!
//! Every process runs the whole program; [`Mpi`] is its part of the job. Messages between ranks and messages of collectives go
//! over two communicators, so that no wild card meets a collective. A thread watches over the job (`watch`): MPI itself never
//! says that a rank is gone.

mod cadence;
mod clocks;
mod endpoint;
mod handle;
mod job;
mod native;
mod operations;
mod persistent;
mod process;
mod watch;
mod window;
mod words;

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::thread::ThreadId;
use std::time::Duration;

use panto_mpi::Library;
use panto_mpi::launch::Launch;

pub use endpoint::Endpoint;
pub use handle::{Handle, Persistent};

use crate::error::Error;
use crate::outcome::panic_text;
use crate::place::Place;
use crate::world::World;
use job::Job;

/// This process's part of an MPI job.
///
/// It does not end by being dropped: [`finish`](Mpi::finish) waits for all ranks, and [`abort`](Mpi::abort) for none.
pub struct Mpi {
    job: Rc<Job>,
    rank: usize,
    ranks: usize,
    thread: ThreadId,
}

// SAFETY: what is shared without locks, the job, is handed out by `job` alone, and to no thread but the one that started it.
unsafe impl Sync for Mpi {}

/// How to take part in a job.
#[derive(Debug, Clone)]
pub struct Options {
    /// A rank that has completed no operation for so long counts as stuck, and ends the job.
    pub stall_time: Duration,
    /// Ranks that have nothing to do wait so long for those that have, and not longer.
    pub longest_wait: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self { stall_time: Duration::from_secs(60), longest_wait: Duration::from_secs(3_600) }
    }
}

impl Mpi {
    /// Starts the library and takes part in the job that the launcher made.
    pub fn start(library: Library, launch: Option<&Launch>, options: &Options) -> Result<Self, Error> {
        let job = Job::start(library, launch, options)?;
        let (rank, ranks) = (job.world.rank(), job.world.size());
        Ok(Self { job: Rc::new(job), rank, ranks, thread: std::thread::current().id() })
    }

    /// This process's rank.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Where all ranks run.
    pub fn places(&self) -> Result<&[Place], Error> {
        Ok(&self.job()?.places)
    }

    /// The library.
    pub fn library(&self) -> Result<&Library, Error> {
        Ok(self.job()?.mpi.library())
    }

    /// How ranks wait and how their clocks are read, in words.
    pub fn describe(&self) -> Result<(String, String), Error> {
        let job = self.job()?;
        Ok((job.cadence.to_string(), job.clocks.to_string()))
    }

    /// Ends the job, when all ranks have come here. An MPI that does not end by itself is ended, and the process with it, with this
    /// code: nothing should be left to do.
    pub fn finish(self, code: u8) -> Result<(), Error> {
        self.job()?.finish(code)
    }

    /// Ends the whole job now, with this exit code.
    pub fn abort(&self, code: u8) -> ! {
        match self.job() {
            Ok(job) => job.mpi.abort(code),
            Err(_) => std::process::exit(i32::from(code)),
        }
    }

    fn job(&self) -> Result<&Rc<Job>, Error> {
        if std::thread::current().id() == self.thread {
            return Ok(&self.job);
        }
        Err(Error::Start("an MPI job belongs to the thread that started it".into()))
    }
}

impl World for Mpi {
    type Endpoint = Endpoint;

    fn most_ranks(&self) -> usize {
        self.ranks
    }

    fn is_first(&self) -> bool {
        self.rank == 0
    }

    fn is_one_process(&self) -> bool {
        self.ranks == 1
    }

    fn announce(&self, words: Vec<u8>) -> Result<Vec<u8>, Error> {
        self.job()?.announce(words)
    }

    fn run<R, E, F>(&self, ranks: usize, body: F) -> Result<Vec<R>, E>
    where
        R: Send,
        E: From<Error> + Display + Send,
        F: Fn(&Endpoint) -> Result<R, E> + Sync,
    {
        let job = self.job()?;
        if ranks == 0 || ranks > self.ranks {
            return Err(Error::Start(format!("{ranks} ranks: the job has {}", self.ranks)).into());
        }
        let Some(endpoint) = Endpoint::join(job, ranks)? else { return Ok(Vec::new()) };
        match catch_unwind(AssertUnwindSafe(|| body(&endpoint))) {
            Ok(outcome) => outcome.map(|result| vec![result]),
            Err(panic) => {
                let message = format!("it panicked: {}", panic_text(panic.as_ref()));
                Err(Error::Aborted { rank: self.rank, message: message.into() }.into())
            }
        }
    }
}
