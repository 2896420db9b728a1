//! Searches for a better mapping of ranks to processors (P18).
//!
//! The trace is replayed once; each mapping is evaluated by simulating the program with it. There
//! are three schemes: PUPPET's own (section 5.5 of its thesis), a greedy one that shortens the
//! critical path, and simulated annealing (Kirkpatrick, Gelatt and Vecchi, 1983) from several
//! starts. Attempts run on all cores; each has random numbers of its own, so that the number of
//! attempts does not change the result of any of them.

mod anneal;
mod attempt;
mod busy;
mod greedy;
mod puppet;
mod search;
mod task;

pub use attempt::{Attempt, AttemptEnd, Change, Step};
pub use search::{BalanceResult, Effort, Monitor, Scheme, balance};
pub use task::{Task, Trial};

#[cfg(test)]
mod tests;
