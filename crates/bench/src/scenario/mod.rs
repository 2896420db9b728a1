//! The suite `scenario`: collectives in context (S1-S10).
//!
//! A collective is timed inside a [`Scenario`]: what each participant does, from the start of its clock to its stop. The three
//! scenarios of CRESTA (S5) are files like any other; one engine runs them all. The time is that from the first start to the last stop
//! on one global clock (S7).

mod arrival;
pub mod builtin;
mod comp;
mod draw;
mod kernel;
mod language;
mod load;
pub mod operation;
mod options;
mod points;
mod progress;
mod report;
mod runner;
mod script;
mod words;

use panto_schedule::Collective;

pub use draw::draw;
pub use kernel::{Delay, Only, Overlap, Own, left_out};
pub use language::{
    Action, Amount, Form, Group, Late, Load, Operation, Pattern, Peer, Scenario, Span, Step, Times, Variable,
    Who,
};
pub use options::{Options, parse_times};
pub use script::{Act, Background, Planned, Script, Values};
pub use words::describe;

use operation::Call;

use crate::point::{Point, param};
use crate::settings::Settings;

/// The name of the suite.
pub const SUITE: &str = "scenario";

/// Bytes of the buffers of an operation on one rank, at most: a vector to give and one to get, or blocks for each rank.
fn footprint(call: Call, bytes: u64, ranks: usize) -> u64 {
    use Collective::{Allreduce, Broadcast, Exscan, Reduce, Scan};
    let is_vector = matches!(call, Call::Plain(Broadcast | Reduce | Allreduce | Scan | Exscan));
    let blocks = if is_vector { 1 } else { ranks as u64 };
    bytes.saturating_mul(2).saturating_mul(blocks)
}

/// Bytes that a rank of a point needs, at most: sets of buffers that take turns, with scratch beside them, and messages of loads. Nothing
/// if it is no point of this suite.
pub(crate) fn needed(point: &Point, settings: &Settings) -> u64 {
    let sets = |call: Call, bytes: u64| footprint(call, bytes, point.ranks).saturating_mul(3);
    let name = point.text(param::SCENARIO);
    let Some(scenario) = settings.scenario.own.iter().find(|scenario| scenario.name == name) else {
        let call = point.text(param::COLLECTIVE).parse();
        return call.map_or(0, |call| sets(call, point.number(param::BYTES).unwrap_or(0)));
    };
    // A script that cannot be is refused elsewhere.
    let Some(script) =
        points::values_of(point, settings.seed).and_then(|values| Script::new(scenario, values)).ok()
    else {
        return 0;
    };
    let operations = script.operations.iter().map(|planned| sets(planned.call, planned.bytes));
    operations.chain([script.load_bytes()]).fold(0, u64::saturating_add)
}

/// Names in [`Record::figures`](crate::results::Record::figures).
pub mod figure {
    /// By how much computations took longer than they should, as a fraction of that: the median by the wall clock.
    pub const COMP_ERROR: &str = "comp_error";
    /// The same by the processor's time alone, which does not pass while others have the core.
    pub const COMP_CPU_ERROR: &str = "comp_cpu_error";
    /// How many operations a participant issues in the time of the record.
    pub const OPERATIONS: &str = "operations";
}
