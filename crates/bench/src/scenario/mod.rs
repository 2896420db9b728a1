//! The suite `scenario`: collectives in context (S1-S10).
//!
//! A collective is timed inside a [`Scenario`]: the actions of each participant, from the start of
//! its clock to its stop. The three scenarios of CRESTA (S5) are files like any other; one engine
//! runs them all. The time is that from the first start to the last stop on one global clock (S7).

mod arrival;
pub mod builtin;
mod computer;
mod describe;
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

use panto_results::scenario::CollectiveCall;
use panto_results::{Point, param};
use panto_schedule::Collective;

pub use describe::describe;
pub use draw::draw;
pub use kernel::{Delay, Only, Overlap, Own, left_out};
pub use language::{
    Action, Amount, Form, Group, Late, Load, Operation, Participants, Pattern, Peer, Scenario, Span, Step,
    Times, Variable,
};
pub use options::{Options, parse_times};
pub use script::{Background, Instruction, Planned, Script, Values};

use crate::settings::Settings;

/// Returns an upper bound of the buffer bytes of an operation on one rank: an input and an output
/// vector, or blocks for each rank.
fn footprint(call: CollectiveCall, bytes: u64, ranks: usize) -> u64 {
    use Collective::{Allreduce, Broadcast, Exscan, Reduce, Scan};
    let is_vector = matches!(call, CollectiveCall::Plain(Broadcast | Reduce | Allreduce | Scan | Exscan));
    let blocks = if is_vector { 1 } else { ranks as u64 };
    bytes.saturating_mul(2).saturating_mul(blocks)
}

/// Returns an upper bound of the bytes that a rank of a point needs: alternating sets of buffers
/// with scratch memory, and messages of loads. 0 for points of other suites.
pub(crate) fn needed(point: &Point, settings: &Settings) -> u64 {
    let sets = |call: CollectiveCall, bytes: u64| footprint(call, bytes, point.ranks).saturating_mul(3);
    let name = point.text(param::SCENARIO);
    let options = settings.options.get::<Options>();
    let Some(scenario) = options.own.iter().find(|scenario| scenario.name == name) else {
        let call = point.text(param::COLLECTIVE).parse();
        return call.map_or(0, |call| sets(call, point.number(param::BYTES).unwrap_or(0)));
    };
    // An invalid script is reported elsewhere.
    let Some(script) =
        points::values_of(point, settings.seed).and_then(|values| Script::new(scenario, values)).ok()
    else {
        return 0;
    };
    let operations = script.operations.iter().map(|planned| sets(planned.call, planned.bytes));
    operations.chain([script.load_bytes()]).fold(0, u64::saturating_add)
}
