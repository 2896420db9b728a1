//! Collectives, native ones and by every algorithm.

use panto_schedule::{Collective, Problem, algorithms};

use super::definition::{MAX, Operation, RankBuffers, XOR, reduces, strictest_operation};
use super::violation::Outcome;
use crate::collective::{AlgorithmChoice, PreparedCollective};
use crate::transport::Transport;

/// Numbers of elements: none, one, an odd number, and a vector that is sent by rendezvous.
const COUNTS: [usize; 4] = [0, 1, 7, 1_000];

pub(super) fn all<T: Transport>(t: &T) -> Outcome {
    each_choice(|collective, choice| every_shape(t, collective, choice))
}

/// Calls `act` for every collective with every algorithm and with the native one.
pub(super) fn each_choice(mut act: impl FnMut(Collective, AlgorithmChoice) -> Outcome) -> Outcome {
    Collective::ALL.into_iter().try_for_each(|collective| {
        let own = algorithms(collective).iter().map(|&algorithm| AlgorithmChoice::Algorithm(algorithm));
        own.chain([AlgorithmChoice::Library]).try_for_each(|choice| act(collective, choice))
    })
}

fn every_shape<T: Transport>(t: &T, collective: Collective, choice: AlgorithmChoice) -> Outcome {
    let ranks = t.size();
    let roots = if collective.rooted() && ranks > 1 { vec![0, ranks - 1] } else { vec![0] };
    for root in roots {
        for count in COUNTS {
            let problem = Problem { collective, ranks, root, count };
            check(t, problem, choice, strictest_operation(&problem, choice)?)?;
            if choice == AlgorithmChoice::Library && reduces(collective) {
                check(t, problem, choice, &MAX)?;
                check(t, problem, choice, &XOR)?;
            }
        }
    }
    Ok(())
}

fn check<T: Transport>(
    t: &T,
    problem: Problem,
    choice: AlgorithmChoice,
    operation: &'static Operation,
) -> Outcome {
    let mut prepared = PreparedCollective::new(t, problem, 8, choice)?;
    // Twice, because a prepared collective can be run repeatedly.
    for _ in 0..2 {
        let mut part = RankBuffers::new(problem, operation, t.rank());
        prepared.run(t, part.buffers())?;
        part.verify(t, &format!("by {choice:?}"))?;
    }
    Ok(())
}
