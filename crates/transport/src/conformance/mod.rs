//! What every message layer must do: one body of cases that runs over every backend.
//!
//! A case is a program that all ranks run; it talks through the [`Transport`] alone and assumes no shared memory,
//! so that it means the same on threads, on MPI and on a simulated machine. What a backend is free to leave
//! out (handlers, a standard send that buffers) is asked for first.
//!
//! [`run`] is for all backends. [`run_failures`] is for worlds that outlive a failing rank, and [`run_deadlocks`] for
//! worlds that find out when nobody can go on; MPI promises neither.

mod beside;
mod collectives;
mod deadlocks;
mod definition;
mod errors;
mod exchange;
mod failures;
mod flaw;
mod handlers;
mod kept;
mod order;
mod pattern;
mod persistent;
mod point;
mod probes;
mod requests;
mod traffic;
mod wildcards;

use std::fmt;

use panto_schedule::{Collective, Problem};

pub use deadlocks::run_deadlocks;
pub use failures::run_failures;
pub use flaw::{Flaw, Outcome};
pub use traffic::random_traffic;

use crate::collective::{Choice, Prepared};
use crate::combine::NO_COMBINE;
use crate::error::Result;
use crate::message::{Tag, Want};
use crate::transport::{Buffers, Transport};
use crate::world::World;

/// The tag of messages where one is enough.
const TAG: Tag = 7;

/// A program that all ranks run, and that a correct message layer carries out without a flaw.
pub struct Case<T> {
    /// What it is about.
    pub name: &'static str,
    /// With fewer ranks there is nothing to see.
    pub least_ranks: usize,
    /// The program.
    pub run: fn(&T) -> Outcome,
}

/// All cases.
pub fn cases<T: Transport>() -> Vec<Case<T>> {
    let case = |name, least_ranks, run: fn(&T) -> Outcome| Case { name, least_ranks, run };
    vec![
        case("blocking sends in every mode and size", 2, point::blocking),
        case("non-blocking sends in every mode and size", 2, point::non_blocking),
        case("messages to oneself", 1, point::to_oneself),
        case("a ready send after a handshake", 2, point::ready_after_handshake),
        case("one tag stays in order whatever the sizes and modes", 1, order::sizes_and_modes),
        case("order survives many outstanding messages", 1, order::many_outstanding),
        case("receives choose by tag, not by arrival", 1, order::tags_backwards),
        case("posted receives match in the order of posting", 2, order::posted),
        case("wild card for the source", 2, wildcards::any_source),
        case("wild card for the tag", 1, wildcards::any_tag),
        case("wild cards for both", 2, wildcards::any_at_all),
        case("many to one", 2, wildcards::many_to_one),
        case("wild cards leave collectives alone", 1, wildcards::not_for_collectives),
        case("a probe leaves the message there", 1, probes::leaves_it),
        case("a probe tells the size to receive", 2, probes::tells_size),
        case("try_probe answers at once", 1, probes::answers_at_once),
        case("both send first, buffered", 1, exchange::buffered),
        case("both send first, standard, up to the promise", 1, exchange::standard),
        case("both have posted a receive and send", 1, exchange::posted),
        case("wait for all", 1, requests::wait_all),
        case("wait for any", 2, requests::wait_any),
        case("test until complete", 2, requests::test_loop),
        case("dropped requests complete with their scope", 1, requests::dropped),
        case("a buffer that came back is used again", 2, requests::reused),
        case("a cancelled receive takes no message", 1, requests::cancelled),
        case("a scope that failed takes no message", 1, requests::failed_scope),
        case("persistent operations in every mode", 2, persistent::every_mode),
        case("persistent operations keep their place among others", 1, persistent::among_others),
        case("many persistent operations at once", 1, persistent::many_at_once),
        case("a persistent receive that is dropped takes no message", 1, persistent::retired),
        case("a persistent operation is started once at a time", 1, persistent::started_once),
        case("persistent operations that are refused", 1, persistent::refused),
        case("a message longer than the buffer", 1, errors::truncated),
        case("a rank that is not there", 1, errors::no_such_rank),
        case("a tag that is too large", 1, errors::tag_too_large),
        case("buffers that do not fit a collective", 1, errors::wrong_buffers),
        case("the clock never goes back", 1, errors::clock),
        case("random traffic", 1, |t| random_traffic(t, 1)),
        case("every collective by every algorithm", 1, collectives::all),
        case("collectives beside other work", 1, beside::every_collective),
        case("two collectives at once, in either order", 1, beside::two_at_once),
        case("work that fails beside a collective that is complete", 1, beside::failed_when_complete),
        case("a collective that is given up takes no message", 1, beside::given_up),
        case("collectives that own their buffers", 1, kept::every_collective),
        case("collectives with uneven blocks", 1, kept::every_uneven),
        case("a collective that is dropped takes no message", 2, kept::dropped),
        case("persistent collectives that are refused", 1, kept::refused),
        case("a handler runs while its rank computes", 2, handlers::while_computing),
        case("handlers leave other messages alone", 2, handlers::others_unaffected),
    ]
}

/// Runs all cases that make sense with so many ranks, each in a world of its own, and answers how many there were.
pub fn run<W: World>(world: &W, ranks: usize) -> std::result::Result<usize, Failures> {
    let cases: Vec<_> = cases::<W::Endpoint>().into_iter().filter(|case| case.least_ranks <= ranks).collect();
    let one = |case: &Case<W::Endpoint>| {
        let program = case.run;
        let outcome = world.run(ranks, |t| program(t).and_then(|()| leaves_nothing(t)));
        outcome.err().map(|flaw| Failure { name: case.name, flaw })
    };
    let failures = cases.iter().filter_map(one);
    // Where ranks are processes, the others wait in the case that failed here.
    let heard = if world.is_one_process() { cases.len() } else { 1 };
    Failures::none_of(ranks, cases.len(), failures.take(heard))
}

/// A case that failed.
#[derive(Debug)]
pub struct Failure {
    /// Its name.
    pub name: &'static str,
    /// What was wrong, on the rank that noticed first.
    pub flaw: Flaw,
}

/// The cases that failed.
#[derive(Debug)]
pub struct Failures {
    /// How many ranks there were.
    pub ranks: usize,
    /// Each case with its flaw.
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
        self.failures.iter().try_for_each(|failure| write!(f, "\n  {}: {}", failure.name, failure.flaw))
    }
}

impl std::error::Error for Failures {}

/// Nobody goes on before all have come.
fn barrier<T: Transport>(t: &T) -> Result<()> {
    let problem = Problem { collective: Collective::Barrier, ranks: t.size(), root: 0, count: 0 };
    let buffers = Buffers { input: &[], output: &mut [], element: 1, combine: NO_COMBINE };
    Prepared::new(t, problem, 1, Choice::Library)?.run(t, buffers)
}

/// A case that leaves messages behind has not received what it should, and would disturb the next one where worlds
/// follow each other in one MPI job.
fn leaves_nothing<T: Transport>(t: &T) -> Outcome {
    barrier(t)?;
    flaw::equal(t, "messages left behind", t.try_probe(Want::any())?, None)?;
    Ok(barrier(t)?)
}

/// The rank after this one, and the one before.
fn neighbours<T: Transport>(t: &T) -> (usize, usize) {
    let (rank, size) = (t.rank(), t.size());
    ((rank + 1) % size, (rank + size - 1) % size)
}

/// The other rank of this rank's pair; the last of an odd number has none.
fn partner<T: Transport>(t: &T) -> Option<usize> {
    let partner = t.rank() ^ 1;
    (partner < t.size()).then_some(partner)
}
