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

    /// Runs `body` once on each of `ranks` ranks and answers what they returned, in the order of the ranks.
    ///
    /// If a rank fails, all others are stopped, and the answer is the error of the one that failed first.
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
