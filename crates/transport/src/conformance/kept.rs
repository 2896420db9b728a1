//! Collectives that own their buffers, with blocks of one length and of several.

use panto_schedule::{Algorithm, Collective, Problem, Uneven, UnevenProblem, starts};

use super::barrier;
use super::collectives::each_choice;
use super::definition::{Part, most_telling};
use super::flaw::{Outcome, equal, fails, flaw, same_bytes};
use super::pattern::pattern;
use crate::collective::{Carrier, Choice, Kept, Lane, PersistentCollective, What};
use crate::combine::NO_COMBINE;
use crate::error::Error;
use crate::transport::Transport;

/// A persistent collective is there to be started again.
const TIMES: usize = 2;
/// The only set of buffers.
const SET: usize = 0;

/// How a collective is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// As a whole.
    Run,
    /// Started, and asked about until it is complete.
    Poll,
    /// Started, and waited for.
    Wait,
}

const WAYS: [Way; 3] = [Way::Run, Way::Poll, Way::Wait];

fn carry_out<T: Transport>(t: &T, collective: &mut PersistentCollective<'_, T>, way: Way) -> Outcome {
    match way {
        Way::Run => collective.run()?,
        Way::Poll => {
            collective.start()?;
            while !collective.poll()? {}
        }
        Way::Wait => {
            collective.start()?;
            equal(t, "buffers in flight", collective.buffers(0).is_some(), false)?;
            fails(t, "a second start", collective.start(), Error::Started)?;
            collective.wait()?;
        }
    }
    equal(t, "asked when it is complete", collective.poll()?, true)?;
    Ok(collective.wait()?)
}

fn kept(lane: usize) -> Kept {
    Kept { lane: Some(Lane::ALL[lane]), sets: 1 }
}

fn guards<T: Transport>(t: &T, collective: &mut PersistentCollective<'_, T>) -> Outcome {
    collective.check_guards(SET).map_err(|spilled| flaw(t, &spilled.to_string()))
}

/// Every collective by everything that can carry it out, in every way, again and again.
pub(super) fn every_collective<T: Transport>(t: &T) -> Outcome {
    each_choice(|collective, choice| {
        let ranks = t.size();
        let root = if collective.rooted() { ranks - 1 } else { 0 };
        for (lane, way) in WAYS.into_iter().enumerate() {
            let problem = Problem { collective, ranks, root, count: [5, 700, 1][lane] };
            let operation = most_telling(&problem, choice)?;
            let what = What::Even { problem, element: 8, combine: operation.combine };
            let mut kept = PersistentCollective::new(t, &what, &Carrier::Choice(choice), kept(lane))?;
            for _ in 0..TIMES {
                let mut part = Part::new(problem, operation, t.rank());
                let (input, output) = kept.buffers_mut(SET).ok_or(Error::Started)?;
                input.copy_from_slice(part.buffers().input);
                output.copy_from_slice(part.buffers().output);
                carry_out(t, &mut kept, way)?;
                let (_, output) = kept.buffers(SET).ok_or(Error::Started)?;
                part.buffers().output.copy_from_slice(output);
                part.verify(t, &format!("by {choice:?} with buffers of its own, {way:?}"))?;
                guards(t, &mut kept)?;
            }
        }
        Ok(())
    })
}

/// The same with blocks of several lengths.
pub(super) fn every_uneven<T: Transport>(t: &T) -> Outcome {
    for collective in Uneven::ALL {
        let own = collective.algorithms().iter().map(|&algorithm| Choice::Algorithm(algorithm));
        for choice in own.chain([Choice::Library]) {
            for (lane, way) in WAYS.into_iter().enumerate() {
                let count = [6, 9_000, 0][lane];
                let problem =
                    UnevenProblem::around(collective, t.size(), t.size() - 1, count).map_err(Error::from)?;
                uneven(t, &problem, choice, way)?;
            }
        }
    }
    Ok(())
}

fn uneven<T: Transport>(t: &T, problem: &UnevenProblem, choice: Choice, way: Way) -> Outcome {
    let what = What::Uneven(problem.clone());
    let mut kept = PersistentCollective::new(t, &what, &Carrier::Choice(choice), kept(0))?;
    for time in 0..TIMES {
        let (input, output) = kept.buffers_mut(SET).ok_or(Error::Started)?;
        input.copy_from_slice(&brought(problem, t.rank(), time));
        output.fill(0xee);
        carry_out(t, &mut kept, way)?;
        let (input, output) = kept.buffers(SET).ok_or(Error::Started)?;
        let what = format!("{problem:?} by {choice:?}, {way:?}");
        same_bytes(t, &what, output, &expected(problem, t.rank(), time))?;
        same_bytes(t, &format!("{what}: input"), input, &brought(problem, t.rank(), time))?;
        guards(t, &mut kept)?;
    }
    Ok(())
}

fn brought(problem: &UnevenProblem, rank: usize, time: usize) -> Vec<u8> {
    pattern(rank * TIMES + time, problem.sizes(rank).input)
}

/// Block by block out of what the others bring.
fn expected(problem: &UnevenProblem, rank: usize, time: usize) -> Vec<u8> {
    let block = |from: usize| {
        let (input, lens) = (brought(problem, from, time), problem.input_lens(from));
        let number = if lens.len() == 1 { 0 } else { rank };
        input[starts(&lens)[number]..][..lens[number]].to_vec()
    };
    match problem.collective {
        Uneven::Scatterv => block(problem.root),
        Uneven::Gatherv if rank != problem.root => Vec::new(),
        _ => (0..problem.ranks()).flat_map(block).collect(),
    }
}

/// One that is dropped in flight takes no message: the next gets it. The root takes part only in the second, so that nothing is on
/// its way when the others give up.
pub(super) fn dropped<T: Transport>(t: &T) -> Outcome {
    let problem = Problem { collective: Collective::Broadcast, ranks: t.size(), root: 0, count: 5_000 };
    let what = What::Even { problem, element: 1, combine: NO_COMBINE };
    let by = Carrier::Choice(Choice::Algorithm(Algorithm::Linear));
    let make = || PersistentCollective::new(t, &what, &by, kept(14));
    if t.rank() != problem.root {
        let mut given_up = make()?;
        given_up.start()?;
        equal(t, "complete without the root", given_up.poll()?, false)?;
    }
    barrier(t)?;
    let mut kept = make()?;
    let data = pattern(1, problem.count);
    if t.rank() == problem.root {
        kept.buffers_mut(0).ok_or(Error::Started)?.1.copy_from_slice(&data);
    }
    kept.start()?;
    kept.wait()?;
    same_bytes(t, "after one that was dropped", kept.buffers(0).ok_or(Error::Started)?.1, &data)
}

/// What cannot be is refused, and changes nothing.
pub(super) fn refused<T: Transport>(t: &T) -> Outcome {
    let problem = Problem { collective: Collective::Barrier, ranks: t.size() + 1, root: 0, count: 0 };
    let by = Carrier::Choice(Choice::Library);
    let what = |problem| What::Even { problem, element: 1, combine: NO_COMBINE };
    let larger = PersistentCollective::new(t, &what(problem), &by, kept(0));
    equal(t, "a collective of another world", matches!(larger, Err(Error::Buffers(_))), true)?;
    let barrier = what(Problem { ranks: t.size(), ..problem });
    let mut whole = PersistentCollective::new(t, &barrier, &by, Kept { lane: None, sets: 1 })?;
    equal(t, "a start without a lane", matches!(whole.start(), Err(Error::Unsupported(_))), true)?;
    Ok(whole.run()?)
}
