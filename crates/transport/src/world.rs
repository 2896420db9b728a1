//! The trait of backends: something that runs ranks.

use std::fmt::Display;

use panto_schedule::{Algorithm, Problem};
use panto_units::Time;

use crate::error::Error;
use crate::transport::Transport;

/// A backend that runs the ranks of a program: threads, an MPI job, a simulated machine.
pub trait World: Sync {
    /// The endpoint of one rank.
    type Endpoint: Transport;

    /// Returns the maximum number of ranks.
    fn max_ranks(&self) -> usize;

    /// Whether rank 0 runs in this process. That process plans, prints and writes for all others.
    fn is_first(&self) -> bool {
        true
    }

    /// Whether all ranks run in this process. If so, it sees every failure and can continue after
    /// one.
    fn is_one_process(&self) -> bool {
        true
    }

    /// Broadcasts the first process's bytes to all processes; the argument of the others is
    /// ignored. All processes must call this together. Returns the argument where there is one
    /// process.
    fn broadcast(&self, bytes: Vec<u8>) -> Result<Vec<u8>, Error> {
        Ok(bytes)
    }

    /// Runs `body` once on each of `ranks` ranks and returns the results of the ranks of this
    /// process, in the order of ranks. All processes must call this together; one whose ranks are
    /// not among the first `ranks` returns no results.
    ///
    /// If a rank fails, all others are aborted, and the error is that of the rank that failed
    /// first. Where ranks are processes, only the process of the failed rank returns: it should
    /// report the error and end the job.
    fn run<R, E, F>(&self, ranks: usize, body: F) -> Result<Vec<R>, E>
    where
        R: Send,
        E: From<Error> + Display + Send,
        F: Fn(&Self::Endpoint) -> Result<R, E> + Sync;

    /// Returns how long a collective over elements of `element` bytes takes, from a simultaneous
    /// start to the last rank's end, and by which algorithm. Only for worlds that know without
    /// running programs: from sizes, without bytes.
    fn expand(
        &self,
        problem: &Problem,
        element: usize,
        algorithm: Option<Algorithm>,
    ) -> Result<(Algorithm, Time), Error> {
        let _ = (problem, element, algorithm);
        Err(Error::Unsupported("simulation of schedules"))
    }
}
