//! Ranks as processes of an MPI job, over the library that the launcher provides.
//!
//! `panto-mpi` loads the library at run time (`dlopen`) and knows the three ABIs that exist:
//! MPICH's (also Intel MPI, Cray MPI, MVAPICH), Open MPI's, and the standard ABI of MPI 5. They
//! differ in the values of constants and in the width of handles; this module is the same for all.
//!
//! Every process runs the whole program; [`Mpi`] is its part of the job.
//!
//! - Two communicators carry messages between ranks and messages of collectives, so wildcards never
//!   match a collective's messages.
//! - `wait_strategy`: where each rank has a core, ranks block in the library's calls, which is what
//!   is measured. Where ranks outnumber cores, libraries that spin would keep the core from the
//!   rank they wait for; non-blocking calls with yields replace them.
//! - `clocks`: hosts are synchronised by HCA3 (`crate::clock`).
//! - `watchdog`: MPI does not report that a rank has died or hangs. A thread does, and ends the
//!   job.
//!
//! Invariant: memory is never reused while MPI may access it. Where MPI can neither complete nor
//! cancel an operation, the job is aborted.

mod clocks;
mod convert;
mod endpoint;
mod handle;
mod handlers;
mod job;
mod native;
mod operations;
mod persistent;
mod process;
mod selection;
mod wait_strategy;
mod watchdog;
mod window;

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::thread::ThreadId;
use std::time::Duration;

use panto_mpi::launch::Launch;
use panto_mpi::{Algorithms, Library, Threads};

pub use endpoint::Endpoint;
pub use handle::{Handle, Persistent};
pub use watchdog::FINALIZE_TIMEOUT;

use crate::error::Error;
use crate::outcome::panic_text;
use crate::placement::{Placement, RankLayout};
use crate::world::World;
use job::Job;

/// This process's part of an MPI job.
///
/// Dropping it does not end it: [`finish`](Mpi::finish) waits for all ranks, [`abort`](Mpi::abort)
/// for none.
pub struct Mpi {
    job: Rc<Job>,
    rank: usize,
    ranks: usize,
    layout: RankLayout,
    thread: ThreadId,
}

// SAFETY: the job is not `Sync`; `Mpi::job` gives it out only to the thread that started it.
unsafe impl Sync for Mpi {}

/// Options of a job.
#[derive(Debug, Clone)]
pub struct Options {
    /// A rank that has completed no operation for this time counts as hung, and ends the job.
    pub stall_time: Duration,
    /// How long idle ranks wait for those that measure.
    pub max_wait: Duration,
    /// The order of the ranks.
    pub layout: RankLayout,
    /// Which threads call MPI. Handlers need several, which makes all messages slower.
    pub threads: Threads,
    /// Whether algorithms of native collectives can be selected. With Open MPI this enables dynamic
    /// rules.
    pub selects_algorithms: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            stall_time: Duration::from_secs(60),
            max_wait: Duration::from_secs(3_600),
            layout: RankLayout::default(),
            threads: Threads::Single,
            selects_algorithms: false,
        }
    }
}

impl Mpi {
    /// Starts the library and joins the job of the launcher.
    pub fn start(library: Library, launch: Option<&Launch>, options: &Options) -> Result<Self, Error> {
        let job = Job::start(library, launch, options)?;
        let (rank, ranks) = (job.world.rank(), job.world.size());
        let layout = options.layout.clone();
        Ok(Self { job: Rc::new(job), rank, ranks, layout, thread: std::thread::current().id() })
    }

    /// Returns this process's rank.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Returns the order of the ranks.
    pub fn layout(&self) -> &RankLayout {
        &self.layout
    }

    /// Returns whether ranks can have message handlers.
    pub fn has_handlers(&self) -> Result<bool, Error> {
        Ok(self.job()?.mpi.has_threads())
    }

    /// Returns the placements of all ranks.
    pub fn placements(&self) -> Result<&[Placement], Error> {
        Ok(&self.job()?.placements)
    }

    /// Returns the library.
    pub fn library(&self) -> Result<&Library, Error> {
        Ok(self.job()?.mpi.library())
    }

    /// Returns the algorithms that can be selected for native collectives.
    pub fn algorithms(&self) -> Result<&Algorithms, Error> {
        let job = self.job()?;
        job.selections.algorithms(&job.mpi)
    }

    /// Returns descriptions of how ranks wait and of how their clocks are read.
    pub fn describe(&self) -> Result<(String, String), Error> {
        let job = self.job()?;
        Ok((job.wait_strategy.to_string(), job.clocks.to_string()))
    }

    /// Ends the job when all ranks have called this. If `MPI_Finalize` does not return, the process
    /// exits with this code, so nothing should be left to do.
    pub fn finish(self, code: u8) -> Result<(), Error> {
        self.job()?.finish(code)
    }

    /// Aborts the whole job with this exit code.
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

    fn max_ranks(&self) -> usize {
        self.ranks
    }

    fn is_first(&self) -> bool {
        self.rank == 0
    }

    fn is_one_process(&self) -> bool {
        self.ranks == 1
    }

    fn broadcast(&self, bytes: Vec<u8>) -> Result<Vec<u8>, Error> {
        self.job()?.broadcast(bytes)
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
                let message = format!("panicked: {}", panic_text(panic.as_ref()));
                Err(Error::Aborted { rank: self.rank, message: message.into() }.into())
            }
        }
    }
}
