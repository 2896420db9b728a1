//! Collectives, by the message layer itself and by every algorithm.

use panto_schedule::{Collective, Problem, algorithms};

use super::definition::{MAX, Operation, Part, XOR, most_telling, reduces};
use super::flaw::Outcome;
use crate::collective::{Choice, Prepared};
use crate::transport::Transport;

/// Elements: none, one, not a multiple of anything, and a vector that goes by rendezvous.
const COUNTS: [usize; 4] = [0, 1, 7, 1_000];

pub(super) fn all<T: Transport>(t: &T) -> Outcome {
    each_choice(|collective, choice| every_shape(t, collective, choice))
}

/// Every collective by every algorithm, and by the message layer itself.
pub(super) fn each_choice(mut act: impl FnMut(Collective, Choice) -> Outcome) -> Outcome {
    Collective::ALL.into_iter().try_for_each(|collective| {
        let own = algorithms(collective).iter().map(|&algorithm| Choice::Algorithm(algorithm));
        own.chain([Choice::Library]).try_for_each(|choice| act(collective, choice))
    })
}

fn every_shape<T: Transport>(t: &T, collective: Collective, choice: Choice) -> Outcome {
    let ranks = t.size();
    let roots = if collective.rooted() && ranks > 1 { vec![0, ranks - 1] } else { vec![0] };
    for root in roots {
        for count in COUNTS {
            let problem = Problem { collective, ranks, root, count };
            check(t, problem, choice, most_telling(&problem, choice)?)?;
            if choice == Choice::Library && reduces(collective) {
                check(t, problem, choice, &MAX)?;
                check(t, problem, choice, &XOR)?;
            }
        }
    }
    Ok(())
}

fn check<T: Transport>(t: &T, problem: Problem, choice: Choice, operation: &'static Operation) -> Outcome {
    let mut prepared = Prepared::new(t, problem, 8, choice)?;
    // Twice: a prepared collective is there to be run again and again.
    for _ in 0..2 {
        let mut part = Part::new(problem, operation, t.rank());
        prepared.run(t, part.buffers())?;
        part.verify(t, &format!("by {choice:?}"))?;
    }
    Ok(())
}
