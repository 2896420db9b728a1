//! A better place for each rank (P18).
//!
//! A program is made once; a mapping of ranks to processors is judged by simulating it there. PUPPET's own scheme is here (section 5.5 of
//! its thesis), and two that find better mappings: a greedy one that follows the critical path, and annealing from many starts. Attempts
//! are spread over all cores; each has random numbers of its own, so that their number does not change what is found.

mod anneal;
mod attempt;
mod busy;
mod greedy;
mod jobs;
mod puppet;
mod task;

pub use attempt::{Attempt, Change, End, Step};
pub use jobs::{Balanced, Effort, Scheme, Watch, balance};
pub use task::{Task, Trial};

#[cfg(test)]
mod tests;
