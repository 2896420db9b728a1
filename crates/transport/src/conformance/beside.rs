//! Collectives that go on beside other work.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use panto_schedule::{Algorithm, Collective, Problem, algorithms};

use super::collectives::each_choice;
use super::definition::{MAX, Part, SUM, most_telling};
use super::flaw::{Flaw, Outcome, equal, flaw, same_bytes};
use super::pattern::pattern;
use super::{TAG, barrier, neighbours};
use crate::collective::{Choice, Lane, Prepared, Progress};
use crate::error::Result;
use crate::message::{Mode, Status, Want};
use crate::transport::Transport;

/// Elements: few, and a vector that goes by rendezvous.
const COUNTS: [usize; 2] = [3, 600];

/// How a rank looks after a collective that it has started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Care {
    /// Not at all.
    None,
    /// It asks once, between messages of its own.
    Once,
    /// It asks until it hears yes.
    ToTheEnd,
}

/// Every collective by everything that can carry it out, while other messages pass that receives take as they come.
pub(super) fn every_collective<T: Transport>(t: &T) -> Outcome {
    each_choice(|collective, choice| {
        let ranks = t.size();
        let root = if collective.rooted() { ranks - 1 } else { 0 };
        for (i, care) in [Care::None, Care::ToTheEnd, Care::Once].into_iter().enumerate() {
            let problem = Problem { collective, ranks, root, count: COUNTS[i % 2] };
            let mut part = Part::new(problem, most_telling(&problem, choice)?, t.rank());
            let mut prepared = Prepared::new(t, problem, 8, choice)?;
            let answer = prepared.run_beside(t, part.buffers(), Lane::ALL[i], |progress| {
                look_after(t, progress, care)?;
                Ok::<_, Flaw>(i)
            })?;
            equal(t, "the answer of the work", answer, i)?;
            part.verify(t, &format!("by {choice:?} beside work, {care:?}"))?;
        }
        Ok(())
    })
}

fn look_after<T: Transport>(t: &T, progress: &mut Progress<'_, T>, care: Care) -> Outcome {
    pass_on(t, 1)?;
    match care {
        Care::None => {}
        Care::Once => drop(progress.poll()?),
        Care::ToTheEnd => {
            while !progress.poll()? {}
            equal(t, "asked again when it was complete", progress.poll()?, true)?;
        }
    }
    pass_on(t, 2)
}

/// Everybody sends to the next rank, and takes whatever comes: which is never a part of a collective.
fn pass_on<T: Transport>(t: &T, seed: usize) -> Outcome {
    const LEN: usize = 50;
    let (next, before) = neighbours(t);
    t.send(Mode::Buffered, &pattern(t.rank() + seed, LEN), next, TAG)?;
    let mut buffer = [0; LEN];
    let status = t.receive(&mut buffer, Want::any())?;
    equal(t, "what passed beside", status, Status { source: before, tag: TAG, len: LEN })?;
    same_bytes(t, "what passed beside", &buffer, &pattern(before + seed, LEN))
}

/// Which of two collectives a rank sees to its end first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum First {
    /// The one that was started last; nobody asks about either.
    Inner,
    /// The one that was started first.
    Outer,
    /// That depends on the rank.
    Mixed,
}

/// Two at once, on lanes of their own, in either order; beside them messages and blocking collectives.
pub(super) fn two_at_once<T: Transport>(t: &T) -> Outcome {
    let ranks = t.size();
    let problem = |collective, root, count| Problem { collective, ranks, root, count };
    let last = ranks - 1;
    // The first pair has the same messages on both lanes: only the lanes tell them apart.
    let pairs = [
        (problem(Collective::Allreduce, 0, 5), problem(Collective::Allreduce, 0, 5)),
        (problem(Collective::Allgather, 0, 700), problem(Collective::Alltoall, 0, 2)),
        (problem(Collective::Broadcast, last, 900), problem(Collective::Reduce, 0, 900)),
    ];
    for (outer, inner) in pairs {
        let choices = algorithms(outer.collective).iter().zip(algorithms(inner.collective));
        let choices = choices.take(2).map(|(&one, &other)| [one, other].map(Choice::Algorithm));
        for [one, other] in choices.chain([[Choice::Library; 2]]) {
            for first in [First::Inner, First::Outer, First::Mixed] {
                both(t, (outer, one), (inner, other), first)?;
            }
        }
    }
    Ok(())
}

fn both<T: Transport>(t: &T, outer: (Problem, Choice), inner: (Problem, Choice), first: First) -> Outcome {
    let me = t.rank();
    let prepare = |(problem, choice)| Prepared::new(t, problem, 8, choice);
    let (mut one, mut other) = (prepare(outer)?, prepare(inner)?);
    // The two lanes carry different bytes.
    let mut outer_part = Part::new(outer.0, &SUM, me);
    let mut inner_part = Part::new(inner.0, &MAX, me);
    let outer_first = first == First::Outer || first == First::Mixed && me.is_multiple_of(2);
    // Otherwise who waits for another could not go on with what that one still needs.
    let together = first != First::Mixed;
    one.run_beside(t, outer_part.buffers(), Lane::ALL[7], |outer| {
        pass_on(t, 3)?;
        other.run_beside(t, inner_part.buffers(), Lane::ALL[3], |inner| {
            pass_on(t, 4)?;
            sum_of_ranks(t)?;
            match first {
                First::Inner => {}
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

/// Asks about both until the first is complete: a schedule goes on only while somebody asks.
fn see_to<T: Transport>(first: &mut Progress<'_, T>, second: &mut Progress<'_, T>) -> Result<()> {
    while !first.poll()? {
        second.poll()?;
    }
    Ok(())
}

/// A blocking collective among those in flight.
fn sum_of_ranks<T: Transport>(t: &T) -> Outcome {
    let problem = Problem { collective: Collective::Allreduce, ranks: t.size(), root: 0, count: 2 };
    let mut part = Part::new(problem, &SUM, t.rank());
    Prepared::new(t, problem, 8, Choice::Library)?.run(t, part.buffers())?;
    part.verify(t, "among others in flight")
}

/// The collective is complete when its work fails: the error comes out, and so does the result.
pub(super) fn failed_when_complete<T: Transport>(t: &T) -> Outcome {
    let problem = Problem { collective: Collective::Allreduce, ranks: t.size(), root: 0, count: 600 };
    for choice in [Choice::Library, Choice::Algorithm(Algorithm::Ring)] {
        let mut part = Part::new(problem, &SUM, t.rank());
        let mut prepared = Prepared::new(t, problem, 8, choice)?;
        let outcome = prepared.run_beside(t, part.buffers(), Lane::ALL[0], |progress| {
            while !progress.poll()? {}
            Err::<(), _>(enough())
        });
        equal(t, "the error of the work", outcome, Err(enough()))?;
        part.verify(t, "beside work that failed")?;
    }
    Ok(())
}

fn enough() -> Flaw {
    Flaw("the work's own".into())
}

/// Receives of a schedule are given up when the work beside it fails or panics: the next collective gets their messages.
/// One that is in flight around it is not disturbed.
pub(super) fn given_up<T: Transport>(t: &T) -> Outcome {
    let around = Problem { collective: Collective::Allgather, ranks: t.size(), root: 0, count: 3 };
    for panics in [false, true] {
        let mut part = Part::new(around, &SUM, t.rank());
        let mut prepared = Prepared::new(t, around, 8, Choice::Library)?;
        prepared.run_beside(t, part.buffers(), Lane::ALL[1], |_| broadcast_twice(t, panics))?;
        part.verify(t, "around another that was given up")?;
    }
    Ok(())
}

/// The root takes part only in the second broadcast, so that there is nothing on its way when the others give up.
fn broadcast_twice<T: Transport>(t: &T, panics: bool) -> Outcome {
    let (lane, me) = (Lane::ALL[14], t.rank());
    let problem = Problem { collective: Collective::Broadcast, ranks: t.size(), root: 0, count: 600 };
    let mut prepared = Prepared::new(t, problem, 8, Choice::Algorithm(Algorithm::Linear))?;
    let mut given_up = Part::new(problem, &SUM, me);
    if me != problem.root {
        let work = |_: &mut Progress<'_, T>| {
            if panics {
                // Nobody needs to read of it.
                resume_unwind(Box::new(enough()));
            }
            Err::<(), _>(enough())
        };
        let outcome =
            catch_unwind(AssertUnwindSafe(|| prepared.run_beside(t, given_up.buffers(), lane, work)));
        let panicked = outcome.is_err();
        equal(t, "did the panic come out", panicked, panics)?;
        equal(t, "the error of the work", outcome.unwrap_or(Err(enough())), Err(enough()))?;
    }
    // Nobody sends before all have given up.
    barrier(t)?;
    let mut part = Part::new(problem, &SUM, me);
    prepared.run_beside(t, part.buffers(), lane, |_| Ok::<_, Flaw>(()))?;
    part.verify(t, "after another that was given up")?;
    if me != problem.root && !given_up.is_untouched() {
        return Err(flaw(t, "a collective that was given up wrote to its output"));
    }
    Ok(())
}
