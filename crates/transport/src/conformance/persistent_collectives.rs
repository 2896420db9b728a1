//! Persistent collectives, with blocks of equal and of different lengths.

use panto_schedule::{Algorithm, BlockCollective, BlockProblem, Collective, Problem, starts};

use super::barrier;
use super::collectives::each_choice;
use super::definition::{RankBuffers, strictest_operation};
use super::pattern::pattern;
use super::violation::{Outcome, equal, fails, same_bytes, violation};
use crate::collective::{
    AlgorithmChoice, CollectiveImplementation, CollectiveSpec, CollectiveTag, PersistentCollective,
    PersistentOptions,
};
use crate::error::Error;
use crate::reduce_op::NO_REDUCTION;
use crate::transport::Transport;

/// Starts per collective.
const TIMES: usize = 2;
/// The index of the only buffer set.
const SET: usize = 0;

/// How a collective is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CallStyle {
    /// Blocking.
    Run,
    /// Started, and polled until it is complete.
    Poll,
    /// Started, and waited for.
    Wait,
}

const CALL_STYLES: [CallStyle; 3] = [CallStyle::Run, CallStyle::Poll, CallStyle::Wait];

fn carry_out<T: Transport>(t: &T, collective: &mut PersistentCollective<'_, T>, style: CallStyle) -> Outcome {
    match style {
        CallStyle::Run => collective.run()?,
        CallStyle::Poll => {
            collective.start()?;
            while !collective.poll()? {}
        }
        CallStyle::Wait => {
            collective.start()?;
            equal(t, "buffers in flight", collective.buffers(0).is_some(), false)?;
            fails(t, "a second start", collective.start(), Error::AlreadyStarted)?;
            collective.wait()?;
        }
    }
    equal(t, "asked when it is complete", collective.poll()?, true)?;
    Ok(collective.wait()?)
}

fn options(tag: usize) -> PersistentOptions {
    PersistentOptions { tag: Some(CollectiveTag::ALL[tag]), buffer_sets: 1 }
}

fn guards<T: Transport>(t: &T, collective: &mut PersistentCollective<'_, T>) -> Outcome {
    collective.check_guards(SET).map_err(|spilled| violation(t, &spilled.to_string()))
}

/// Every collective by every implementation, in every call style, repeatedly.
pub(super) fn every_collective<T: Transport>(t: &T) -> Outcome {
    each_choice(|collective, choice| {
        let ranks = t.size();
        let root = if collective.rooted() { ranks - 1 } else { 0 };
        for (tag, style) in CALL_STYLES.into_iter().enumerate() {
            let problem = Problem { collective, ranks, root, count: [5, 700, 1][tag] };
            let operation = strictest_operation(&problem, choice)?;
            let what = CollectiveSpec::Even { problem, element: 8, combine: operation.combine };
            let mut collective = PersistentCollective::new(
                t,
                &what,
                &CollectiveImplementation::BuiltIn(choice),
                options(tag),
            )?;
            for _ in 0..TIMES {
                let mut part = RankBuffers::new(problem, operation, t.rank());
                let (input, output) = collective.buffers_mut(SET).ok_or(Error::AlreadyStarted)?;
                input.copy_from_slice(part.buffers().input);
                output.copy_from_slice(part.buffers().output);
                carry_out(t, &mut collective, style)?;
                let (_, output) = collective.buffers(SET).ok_or(Error::AlreadyStarted)?;
                part.buffers().output.copy_from_slice(output);
                part.verify(t, &format!("by {choice:?} with buffers of its own, {style:?}"))?;
                guards(t, &mut collective)?;
            }
        }
        Ok(())
    })
}

/// Every collective with blocks of different lengths or destinations by every implementation, in
/// every call style, repeatedly.
pub(super) fn every_block_collective<T: Transport>(t: &T) -> Outcome {
    for collective in BlockCollective::ALL {
        let own = collective.algorithms().iter().map(|&algorithm| AlgorithmChoice::Algorithm(algorithm));
        for choice in own.chain([AlgorithmChoice::Library]) {
            for (tag, style) in CALL_STYLES.into_iter().enumerate() {
                let count = [6, 9_000, 0][tag];
                let problem =
                    BlockProblem::around(collective, t.size(), t.size() - 1, count).map_err(Error::from)?;
                blocks(t, &problem, choice, style)?;
            }
        }
    }
    Ok(())
}

fn blocks<T: Transport>(t: &T, problem: &BlockProblem, choice: AlgorithmChoice, style: CallStyle) -> Outcome {
    let what = CollectiveSpec::Blocks(problem.clone());
    let mut collective =
        PersistentCollective::new(t, &what, &CollectiveImplementation::BuiltIn(choice), options(0))?;
    for time in 0..TIMES {
        let (input, output) = collective.buffers_mut(SET).ok_or(Error::AlreadyStarted)?;
        input.copy_from_slice(&brought(problem, t.rank(), time));
        output.fill(0xee);
        carry_out(t, &mut collective, style)?;
        let (input, output) = collective.buffers(SET).ok_or(Error::AlreadyStarted)?;
        let what = format!("{problem:?} by {choice:?}, {style:?}");
        same_bytes(t, &what, output, &expected(problem, t.rank(), time))?;
        same_bytes(t, &format!("{what}: input"), input, &brought(problem, t.rank(), time))?;
        guards(t, &mut collective)?;
    }
    Ok(())
}

fn brought(problem: &BlockProblem, rank: usize, time: usize) -> Vec<u8> {
    pattern(rank * TIMES + time, problem.sizes(rank).input)
}

/// Returns the expected output, block by block from the inputs of all ranks.
fn expected(problem: &BlockProblem, rank: usize, time: usize) -> Vec<u8> {
    let block = |from: usize| {
        let (input, lens) = (brought(problem, from, time), problem.input_lens(from));
        let number = |all: Vec<usize>| all.iter().position(|&to| to == rank).unwrap_or_default();
        let number = problem.destinations(from).map_or(0, number);
        input[starts(&lens)[number]..][..lens[number]].to_vec()
    };
    problem.sources(rank).into_iter().flat_map(block).collect()
}

/// A collective that is dropped in flight takes no message: the next one gets it. The root takes
/// part only in the second, so that no message is in flight when the others cancel.
pub(super) fn dropped<T: Transport>(t: &T) -> Outcome {
    let problem = Problem { collective: Collective::Broadcast, ranks: t.size(), root: 0, count: 5_000 };
    let what = CollectiveSpec::Even { problem, element: 1, combine: NO_REDUCTION };
    let by = CollectiveImplementation::BuiltIn(AlgorithmChoice::Algorithm(Algorithm::Linear));
    let make = || PersistentCollective::new(t, &what, &by, options(14));
    if t.rank() != problem.root {
        let mut given_up = make()?;
        given_up.start()?;
        equal(t, "complete without the root", given_up.poll()?, false)?;
    }
    barrier(t)?;
    let mut collective = make()?;
    let data = pattern(1, problem.count);
    if t.rank() == problem.root {
        collective.buffers_mut(0).ok_or(Error::AlreadyStarted)?.1.copy_from_slice(&data);
    }
    collective.start()?;
    collective.wait()?;
    same_bytes(t, "after one that was dropped", collective.buffers(0).ok_or(Error::AlreadyStarted)?.1, &data)
}

/// Invalid requests fail, and change nothing.
pub(super) fn refused<T: Transport>(t: &T) -> Outcome {
    let problem = Problem { collective: Collective::Barrier, ranks: t.size() + 1, root: 0, count: 0 };
    let by = CollectiveImplementation::BuiltIn(AlgorithmChoice::Library);
    let what = |problem| CollectiveSpec::Even { problem, element: 1, combine: NO_REDUCTION };
    let larger = PersistentCollective::new(t, &what(problem), &by, options(0));
    equal(t, "a collective of another world", matches!(larger, Err(Error::Buffers(_))), true)?;
    let barrier = what(Problem { ranks: t.size(), ..problem });
    let mut whole =
        PersistentCollective::new(t, &barrier, &by, PersistentOptions { tag: None, buffer_sets: 1 })?;
    equal(t, "a start without a tag", matches!(whole.start(), Err(Error::Unsupported(_))), true)?;
    Ok(whole.run()?)
}
