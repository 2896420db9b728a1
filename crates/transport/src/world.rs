//! Where ranks come from.

use std::fmt::Display;

use panto_schedule::{Algorithm, Problem};
use panto_units::Time;

use crate::error::Error;
use crate::transport::Transport;

/// Something that can run the ranks of a program: threads, an MPI job, a simulated machine.
pub trait World: Sync {
    /// A rank's end.
    type Endpoint: Transport;

    /// The most ranks that it can run.
    fn most_ranks(&self) -> usize;

    /// Does rank 0 live in this process? It plans, prints and writes for all; the processes of other ranks follow.
    fn is_first(&self) -> bool {
        true
    }

    /// Do all ranks live in this process? Then it hears of every failure, and can go on after one.
    fn is_one_process(&self) -> bool {
        true
    }

    /// What the first process says, to all processes; what the others say is not heard. All must call this together.
    /// Where all ranks live in one process there is nobody to tell.
    fn announce(&self, words: Vec<u8>) -> Result<Vec<u8>, Error> {
        Ok(words)
    }

    /// Runs `body` once on each of `ranks` ranks and answers what those of this process returned, in the order of the
    /// ranks. All processes must call this together; one whose ranks are not among the first `ranks` has no answer.
    ///
    /// If a rank fails, all others are stopped, and the answer is the error of the one that failed first. Where ranks are
    /// processes, only the process of the rank that failed gets an answer: it should say why, and end all.
    fn run<R, E, F>(&self, ranks: usize, body: F) -> Result<Vec<R>, E>
    where
        R: Send,
        E: From<Error> + Display + Send,
        F: Fn(&Self::Endpoint) -> Result<R, E> + Sync;

    /// How long a collective over elements of `element` bytes takes ranks that all start at once, until the last ends, and
    /// by which algorithm: for worlds that know without running programs, with sizes and no bytes.
    fn expand(
        &self,
        problem: &Problem,
        element: usize,
        algorithm: Option<Algorithm>,
    ) -> Result<(Algorithm, Time), Error> {
        let _ = (problem, element, algorithm);
        Err(Error::Unsupported("schedules without programs"))
    }
}
