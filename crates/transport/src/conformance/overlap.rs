//! Non-blocking collectives overlapped with other work.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use panto_schedule::{Algorithm, Collective, Problem, algorithms};

use super::collectives::each_choice;
use super::definition::{MAX, RankBuffers, SUM, strictest_operation};
use super::pattern::pattern;
use super::violation::{Outcome, Violation, equal, same_bytes, violation};
use super::{TAG, barrier, neighbours};
use crate::collective::{AlgorithmChoice, CollectiveTag, PreparedCollective, Progress};
use crate::error::Result;
use crate::message::{Selector, SendMode, Status};
use crate::transport::Transport;

/// Numbers of elements: few, and a vector that is sent by rendezvous.
const COUNTS: [usize; 2] = [3, 600];

/// How a rank polls a collective that it has started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Polling {
    /// Not at all.
    Never,
    /// Once, between messages of its own.
    Once,
    /// Until it is complete.
    UntilComplete,
}

/// Every collective by every implementation, while other messages are received by wildcards.
pub(super) fn every_collective<T: Transport>(t: &T) -> Outcome {
    each_choice(|collective, choice| {
        let ranks = t.size();
        let root = if collective.rooted() { ranks - 1 } else { 0 };
        for (i, polling) in [Polling::Never, Polling::UntilComplete, Polling::Once].into_iter().enumerate() {
            let problem = Problem { collective, ranks, root, count: COUNTS[i % 2] };
            let mut part = RankBuffers::new(problem, strictest_operation(&problem, choice)?, t.rank());
            let mut prepared = PreparedCollective::new(t, problem, 8, choice)?;
            let answer = prepared.run_overlapped(t, part.buffers(), CollectiveTag::ALL[i], |progress| {
                look_after(t, progress, polling)?;
                Ok::<_, Violation>(i)
            })?;
            equal(t, "the answer of the work", answer, i)?;
            part.verify(t, &format!("by {choice:?} beside work, {polling:?}"))?;
        }
        Ok(())
    })
}

fn look_after<T: Transport>(t: &T, progress: &mut Progress<'_, T>, polling: Polling) -> Outcome {
    pass_on(t, 1)?;
    match polling {
        Polling::Never => {}
        Polling::Once => drop(progress.poll()?),
        Polling::UntilComplete => {
            while !progress.poll()? {}
            equal(t, "asked again when it was complete", progress.poll()?, true)?;
        }
    }
    pass_on(t, 2)
}

/// Sends to the next rank and receives any message, which must never be one of a collective.
fn pass_on<T: Transport>(t: &T, seed: usize) -> Outcome {
    const LEN: usize = 50;
    let (next, before) = neighbours(t);
    t.send(SendMode::Buffered, &pattern(t.rank() + seed, LEN), next, TAG)?;
    let mut buffer = [0; LEN];
    let status = t.receive(&mut buffer, Selector::any())?;
    equal(t, "what passed beside", status, Status { source: before, tag: TAG, len: LEN })?;
    same_bytes(t, "what passed beside", &buffer, &pattern(before + seed, LEN))
}

/// Which of two collectives a rank completes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CompletionOrder {
    /// The one that was started last, without polling.
    Inner,
    /// The one that was started first.
    Outer,
    /// Either one, depending on the rank.
    Mixed,
}

/// Two collectives at once, with different tags, in either order, overlapped with messages and
/// blocking collectives.
pub(super) fn two_at_once<T: Transport>(t: &T) -> Outcome {
    let ranks = t.size();
    let problem = |collective, root, count| Problem { collective, ranks, root, count };
    let last = ranks - 1;
    // The first pair has the same messages twice: only the tags distinguish them.
    let pairs = [
        (problem(Collective::Allreduce, 0, 5), problem(Collective::Allreduce, 0, 5)),
        (problem(Collective::Allgather, 0, 700), problem(Collective::Alltoall, 0, 2)),
        (problem(Collective::Broadcast, last, 900), problem(Collective::Reduce, 0, 900)),
    ];
    for (outer, inner) in pairs {
        let choices = algorithms(outer.collective).iter().zip(algorithms(inner.collective));
        let choices = choices.take(2).map(|(&one, &other)| [one, other].map(AlgorithmChoice::Algorithm));
        for [one, other] in choices.chain([[AlgorithmChoice::Library; 2]]) {
            for first in [CompletionOrder::Inner, CompletionOrder::Outer, CompletionOrder::Mixed] {
                both(t, (outer, one), (inner, other), first)?;
            }
        }
    }
    Ok(())
}

fn both<T: Transport>(
    t: &T,
    outer: (Problem, AlgorithmChoice),
    inner: (Problem, AlgorithmChoice),
    first: CompletionOrder,
) -> Outcome {
    let me = t.rank();
    let prepare = |(problem, choice)| PreparedCollective::new(t, problem, 8, choice);
    let (mut one, mut other) = (prepare(outer)?, prepare(inner)?);
    // The two collectives have different data.
    let mut outer_part = RankBuffers::new(outer.0, &SUM, me);
    let mut inner_part = RankBuffers::new(inner.0, &MAX, me);
    let outer_first =
        first == CompletionOrder::Outer || first == CompletionOrder::Mixed && me.is_multiple_of(2);
    // With mixed orders, ranks must not block on others that still need their progress.
    let together = first != CompletionOrder::Mixed;
    one.run_overlapped(t, outer_part.buffers(), CollectiveTag::ALL[7], |outer| {
        pass_on(t, 3)?;
        other.run_overlapped(t, inner_part.buffers(), CollectiveTag::ALL[3], |inner| {
            pass_on(t, 4)?;
            sum_of_ranks(t)?;
            match first {
                CompletionOrder::Inner => {}
                _ if outer_first => see_to(outer, inner)?,
                _ => see_to(inner, outer)?,
            }
            if together { pass_on(t, 5) } else { Ok(()) }
        })?;
        if together { sum_of_ranks(t) } else { Ok(()) }
    })?;
    outer_part.verify(t, &format!("by {:?} around another, {first:?}", outer.1))?;
    inner_part.verify(t, &format!("by {:?} inside another, {first:?}", inner.1))
}

/// Polls both until the first is complete: a schedule makes progress only while polled.
fn see_to<T: Transport>(first: &mut Progress<'_, T>, second: &mut Progress<'_, T>) -> Result<()> {
    while !first.poll()? {
        second.poll()?;
    }
    Ok(())
}

/// Runs a blocking collective among those in flight.
fn sum_of_ranks<T: Transport>(t: &T) -> Outcome {
    let problem = Problem { collective: Collective::Allreduce, ranks: t.size(), root: 0, count: 2 };
    let mut part = RankBuffers::new(problem, &SUM, t.rank());
    PreparedCollective::new(t, problem, 8, AlgorithmChoice::Library)?.run(t, part.buffers())?;
    part.verify(t, "among others in flight")
}

/// The collective is complete when its work fails: the error is returned, and the result is there.
pub(super) fn failed_when_complete<T: Transport>(t: &T) -> Outcome {
    let problem = Problem { collective: Collective::Allreduce, ranks: t.size(), root: 0, count: 600 };
    for choice in [AlgorithmChoice::Library, AlgorithmChoice::Algorithm(Algorithm::Ring)] {
        let mut part = RankBuffers::new(problem, &SUM, t.rank());
        let mut prepared = PreparedCollective::new(t, problem, 8, choice)?;
        let outcome = prepared.run_overlapped(t, part.buffers(), CollectiveTag::ALL[0], |progress| {
            while !progress.poll()? {}
            Err::<(), _>(work_error())
        });
        equal(t, "the error of the work", outcome, Err(work_error()))?;
        part.verify(t, "beside work that failed")?;
    }
    Ok(())
}

fn work_error() -> Violation {
    Violation("the work's own".into())
}

/// Receives of a schedule are cancelled when the overlapped work fails or panics: the next
/// collective gets their messages. An outer collective in flight is not disturbed.
pub(super) fn given_up<T: Transport>(t: &T) -> Outcome {
    let around = Problem { collective: Collective::Allgather, ranks: t.size(), root: 0, count: 3 };
    for panics in [false, true] {
        let mut part = RankBuffers::new(around, &SUM, t.rank());
        let mut prepared = PreparedCollective::new(t, around, 8, AlgorithmChoice::Library)?;
        prepared.run_overlapped(t, part.buffers(), CollectiveTag::ALL[1], |_| broadcast_twice(t, panics))?;
        part.verify(t, "around another that was given up")?;
    }
    Ok(())
}

/// The root takes part only in the second broadcast, so that no message is in flight when the
/// others cancel.
fn broadcast_twice<T: Transport>(t: &T, panics: bool) -> Outcome {
    let (tag, me) = (CollectiveTag::ALL[14], t.rank());
    let problem = Problem { collective: Collective::Broadcast, ranks: t.size(), root: 0, count: 600 };
    let mut prepared = PreparedCollective::new(t, problem, 8, AlgorithmChoice::Algorithm(Algorithm::Linear))?;
    let mut given_up = RankBuffers::new(problem, &SUM, me);
    if me != problem.root {
        let work = |_: &mut Progress<'_, T>| {
            if panics {
                // Without a panic message on the terminal.
                resume_unwind(Box::new(work_error()));
            }
            Err::<(), _>(work_error())
        };
        let outcome =
            catch_unwind(AssertUnwindSafe(|| prepared.run_overlapped(t, given_up.buffers(), tag, work)));
        let panicked = outcome.is_err();
        equal(t, "did the panic come out", panicked, panics)?;
        equal(t, "the error of the work", outcome.unwrap_or(Err(work_error())), Err(work_error()))?;
    }
    // No rank sends before all have cancelled.
    barrier(t)?;
    let mut part = RankBuffers::new(problem, &SUM, me);
    prepared.run_overlapped(t, part.buffers(), tag, |_| Ok::<_, Violation>(()))?;
    part.verify(t, "after another that was given up")?;
    if me != problem.root && !given_up.is_untouched() {
        return Err(violation(t, "a collective that was given up wrote to its output"));
    }
    Ok(())
}
