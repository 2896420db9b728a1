//! The conformance test of message layers: one set of cases that runs on every backend.
//!
//! A case is a program that all ranks run; it uses the [`Transport`] alone and assumes no shared
//! memory, so it means the same on threads, on MPI and on a simulated machine. Optional features of
//! a backend (handlers, buffered standard sends) are queried first.
//!
//! [`run`] is for all backends. [`run_failures`] is for worlds that survive a failed rank, and
//! [`run_deadlocks`] for worlds that detect deadlocks; MPI promises neither.

mod collectives;
mod deadlocks;
mod definition;
mod errors;
mod exchange;
mod failures;
mod handlers;
mod order;
mod overlap;
mod pattern;
mod persistent;
mod persistent_collectives;
mod point_to_point;
mod probes;
mod requests;
mod traffic;
mod violation;
mod wildcards;

use std::fmt;

use panto_schedule::{Collective, Problem};

pub use deadlocks::run_deadlocks;
pub use failures::run_failures;
pub use traffic::random_traffic;
pub use violation::{Outcome, Violation};

use crate::collective::{AlgorithmChoice, PreparedCollective};
use crate::error::Result;
use crate::message::{Selector, Tag};
use crate::reduce_op::NO_REDUCTION;
use crate::transport::{Buffers, Transport};
use crate::world::World;

/// The tag of messages where one suffices.
const TAG: Tag = 7;

/// A program that all ranks run, and that must not find a violation.
pub struct Case<T> {
    /// What it tests.
    pub name: &'static str,
    /// The minimum number of ranks.
    pub min_ranks: usize,
    /// The program.
    pub run: fn(&T) -> Outcome,
}

/// Returns all cases.
pub fn cases<T: Transport>() -> Vec<Case<T>> {
    let case = |name, min_ranks, run: fn(&T) -> Outcome| Case { name, min_ranks, run };
    vec![
        case("blocking sends in every mode and size", 2, point_to_point::blocking),
        case("non-blocking sends in every mode and size", 2, point_to_point::non_blocking),
        case("messages to the sending rank", 1, point_to_point::to_oneself),
        case("a ready send after a handshake", 2, point_to_point::ready_after_handshake),
        case("one tag stays in order for all sizes and modes", 1, order::sizes_and_modes),
        case("order survives many outstanding messages", 1, order::many_outstanding),
        case("receives choose by tag, not by arrival", 1, order::tags_backwards),
        case("posted receives match in the order of posting", 2, order::posted),
        case("wildcard source", 2, wildcards::any_source),
        case("wildcard tag", 1, wildcards::any_tag),
        case("wildcard source and tag", 2, wildcards::any_source_and_tag),
        case("many to one", 2, wildcards::many_to_one),
        case("wildcards do not match collectives", 1, wildcards::not_for_collectives),
        case("a probe leaves the message", 1, probes::leaves_message),
        case("a probe returns the length", 2, probes::returns_length),
        case("try_probe returns at once", 1, probes::returns_at_once),
        case("both send first, buffered", 1, exchange::buffered),
        case("both send first, standard, up to the eager limit", 1, exchange::standard),
        case("both send to posted receives", 1, exchange::posted),
        case("wait for all", 1, requests::wait_all),
        case("wait for any", 2, requests::wait_any),
        case("test until complete", 2, requests::test_loop),
        case("dropped requests complete with their scope", 1, requests::dropped),
        case("a returned buffer is reused", 2, requests::reused),
        case("a cancelled receive takes no message", 1, requests::cancelled),
        case("a failed scope takes no message", 1, requests::failed_scope),
        case("persistent operations in every mode", 2, persistent::every_mode),
        case("persistent operations keep their order among others", 1, persistent::among_others),
        case("many persistent operations at once", 1, persistent::many_at_once),
        case("a dropped persistent receive takes no message", 1, persistent::retired),
        case("a persistent operation is started once at a time", 1, persistent::started_once),
        case("invalid persistent operations", 1, persistent::refused),
        case("a message longer than the buffer", 1, errors::truncated),
        case("an invalid rank", 1, errors::no_such_rank),
        case("a tag that is too large", 1, errors::tag_too_large),
        case("buffers that do not fit a collective", 1, errors::wrong_buffers),
        case("the clock is monotonic", 1, errors::clock),
        case("random traffic", 1, |t| random_traffic(t, 1)),
        case("every collective by every algorithm", 1, collectives::all),
        case("collectives overlapped with work", 1, overlap::every_collective),
        case("two collectives at once, in either order", 1, overlap::two_at_once),
        case("work that fails after its collective is complete", 1, overlap::failed_when_complete),
        case("a cancelled collective takes no message", 1, overlap::given_up),
        case("persistent collectives", 1, persistent_collectives::every_collective),
        case(
            "collectives with blocks of their own lengths and destinations",
            1,
            persistent_collectives::every_block_collective,
        ),
        case("a dropped collective takes no message", 2, persistent_collectives::dropped),
        case("invalid persistent collectives", 1, persistent_collectives::refused),
        case("a handler runs while its rank computes", 2, handlers::while_computing),
        case("handlers do not affect other messages", 2, handlers::others_unaffected),
        case("a handler sends a message", 2, handlers::replies),
    ]
}

/// Runs all cases for this number of ranks, each in a world of its own, and returns the number of
/// cases.
pub fn run<W: World>(world: &W, ranks: usize) -> std::result::Result<usize, Failures> {
    let cases: Vec<_> = cases::<W::Endpoint>().into_iter().filter(|case| case.min_ranks <= ranks).collect();
    let one = |case: &Case<W::Endpoint>| {
        let program = case.run;
        let outcome = world.run(ranks, |t| program(t).and_then(|()| check_no_messages_left(t)));
        outcome.err().map(|violation| Failure { name: case.name, violation })
    };
    let failures = cases.iter().filter_map(one);
    // Where ranks are processes, the others are still blocked in the failed case.
    let heard = if world.is_one_process() { cases.len() } else { 1 };
    Failures::none_of(ranks, cases.len(), failures.take(heard))
}

/// A case that failed.
#[derive(Debug)]
pub struct Failure {
    /// Its name.
    pub name: &'static str,
    /// The violation that was found first.
    pub violation: Violation,
}

/// The cases that failed.
#[derive(Debug)]
pub struct Failures {
    /// The number of ranks.
    pub ranks: usize,
    /// Each case with its violation.
    pub failures: Vec<Failure>,
}

impl Failures {
    fn none_of(
        ranks: usize,
        count: usize,
        failures: impl Iterator<Item = Failure>,
    ) -> std::result::Result<usize, Self> {
        let failures: Vec<_> = failures.collect();
        if failures.is_empty() { Ok(count) } else { Err(Self { ranks, failures }) }
    }
}

impl fmt::Display for Failures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cases failed with {} ranks", self.failures.len(), self.ranks)?;
        self.failures.iter().try_for_each(|failure| write!(f, "\n  {}: {}", failure.name, failure.violation))
    }
}

impl std::error::Error for Failures {}

/// Blocks until all ranks have called this.
fn barrier<T: Transport>(t: &T) -> Result<()> {
    let problem = Problem { collective: Collective::Barrier, ranks: t.size(), root: 0, count: 0 };
    let buffers = Buffers { input: &[], output: &mut [], element: 1, combine: NO_REDUCTION };
    PreparedCollective::new(t, problem, 1, AlgorithmChoice::Library)?.run(t, buffers)
}

/// Checks that no message is left. A case that leaves messages has not received what it should, and
/// would disturb the next one where worlds follow each other in one MPI job.
fn check_no_messages_left<T: Transport>(t: &T) -> Outcome {
    barrier(t)?;
    violation::equal(t, "messages left behind", t.try_probe(Selector::any())?, None)?;
    Ok(barrier(t)?)
}

/// Returns the next and the previous rank.
fn neighbours<T: Transport>(t: &T) -> (usize, usize) {
    let (rank, size) = (t.rank(), t.size());
    ((rank + 1) % size, (rank + size - 1) % size)
}

/// Returns the other rank of this rank's pair; the last of an odd number has none.
fn partner<T: Transport>(t: &T) -> Option<usize> {
    let partner = t.rank() ^ 1;
    (partner < t.size()).then_some(partner)
}
