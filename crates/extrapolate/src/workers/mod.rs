//! A master and its workers: who receives which piece of work depends on time, so it is no rule but
//! a distribution, and one must be assumed.
//!
//! Assumed is that workers take turns: the master's wildcard receives match workers 1, 2, 3 and so
//! on, and each worker has its share of all messages. The calls of each trace are written anew with
//! that distribution, and rules are found for the result. No message and no piece of work is lost
//! or added: each worker repeats its exchange with the master as often as its share says, and the
//! computation of the pieces is dealt out in the order of the exchanges.

mod deal;

use panto_trace::CallForm;

use crate::call::{Partner, Shape, What};
use crate::read::{RankCalls, Reading};
use deal::Deal;

/// Calls with an assumed distribution.
pub struct Dealt {
    pub readings: Vec<Reading>,
    pub shapes: Vec<Shape>,
    /// What was assumed, in words.
    pub assumed: String,
}

/// Deals the work of a master; none if there is no master. The error says why work cannot be dealt.
pub fn rewrite(readings: &[Reading], shapes: &[Shape]) -> Result<Option<Dealt>, String> {
    let Some(wildcard) = (0..shapes.len() as u32).find(|shape| is_of_master(readings, shapes, *shape)) else {
        return Ok(None);
    };
    let mut all = shapes.to_vec();
    let mut dealt = Vec::new();
    let traces = readings.iter().map(|reading| reading.trace).max().unwrap_or(0);
    for trace in 0..=traces {
        let ranks: Vec<&Reading> = readings.iter().filter(|reading| reading.trace == trace).collect();
        dealt.extend(Deal::new(&ranks, shapes, wildcard)?.readings(&mut all));
    }
    let function = &shapes[wildcard as usize].function;
    let assumed = format!(
        "{function} with MPI_ANY_SOURCE on rank 0 matches workers 1 to P-1 in turn, and each has an equal share of the work"
    );
    Ok(Some(Dealt { readings: dealt, shapes: all, assumed }))
}

/// Returns whether these are wildcard receives by rank 0 alone, from several ranks.
fn is_of_master(readings: &[Reading], shapes: &[Shape], shape: u32) -> bool {
    let What::Receive { form: CallForm::Blocking, any_source: true, .. } = shapes[shape as usize].what else {
        return false;
    };
    let sources = |calls: &RankCalls| calls.symbols.iter().filter(|symbol| symbol.shape == shape).count();
    let only_master = readings.iter().all(|reading| reading.rank == 0 || sources(&reading.calls) == 0);
    only_master && readings.iter().any(|reading| sources(&reading.calls) > 1)
}

/// Returns the rank that a call of one partner names.
fn partner(calls: &RankCalls, event: usize) -> Option<u32> {
    match calls.symbols[calls.calls[event] as usize].partners[..] {
        [Partner::Rank(rank)] => Some(rank),
        _ => None,
    }
}

/// Returns the shape of a call.
fn shape(calls: &RankCalls, event: usize) -> u32 {
    calls.symbols[calls.calls[event] as usize].shape
}
