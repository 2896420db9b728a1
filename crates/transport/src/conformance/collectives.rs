//! Collectives, by the message layer itself and by every algorithm.

use panto_schedule::{Algorithm, Collective, Order, Problem, algorithms, schedule};

use super::flaw::{Flaw, Outcome, flaw};
use crate::collective::{Choice, Prepared, sum_f64};
use crate::transport::{Buffers, Combine, Transport};

/// Elements: none, one, not a multiple of anything, and a vector that goes by rendezvous.
const COUNTS: [usize; 4] = [0, 1, 7, 1_000];

pub(super) fn all<T: Transport>(t: &T) -> Outcome {
    Collective::ALL.into_iter().try_for_each(|collective| {
        let own = algorithms(collective).iter().map(|&algorithm| Choice::Algorithm(algorithm));
        own.chain([Choice::Library]).try_for_each(|choice| every_shape(t, collective, choice))
    })
}

fn every_shape<T: Transport>(t: &T, collective: Collective, choice: Choice) -> Outcome {
    let ranks = t.size();
    let last = if collective.rooted() && ranks > 1 { ranks - 1 } else { 0 };
    for root in [0, last] {
        for count in COUNTS {
            let problem = Problem { collective, ranks, root, count };
            check(t, problem, choice, &SUM)?;
            if keeps_order(&problem, choice)? {
                check(t, problem, choice, &AFFINE)?;
            }
        }
    }
    Ok(())
}

/// Message layers choose by themselves, and are only asked for operations that commute.
fn keeps_order(problem: &Problem, choice: Choice) -> Result<bool, Flaw> {
    match choice {
        Choice::Library => Ok(false),
        Choice::Algorithm(algorithm) => Ok(keeps_order_by(problem, algorithm)?),
    }
}

fn keeps_order_by(problem: &Problem, algorithm: Algorithm) -> Result<bool, crate::Error> {
    Ok(schedule(problem, algorithm)?.keeps_order())
}

type Element = [u8; 8];

/// An operation, and elements to apply it to.
struct Operation {
    name: &'static str,
    combine: Combine,
    element: fn(rank: usize, index: usize) -> Element,
}

/// Doubles that are whole numbers: their sums are exact in any order.
const SUM: Operation = Operation {
    name: "sum of doubles",
    combine: sum_f64,
    element: |rank, index| ((rank * 10_000 + index) as f64).to_ne_bytes(),
};

/// Maps x -> a x + b modulo 2^32, one after the other: associates, but does not commute.
const AFFINE: Operation = Operation {
    name: "composition of maps",
    combine: compose,
    element: |rank, index| {
        let [a, b] = [rank * 2 + 3, index * 5 + rank + 1].map(|value| (value as u32).to_ne_bytes());
        [a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]]
    },
};

fn compose(from: &[u8], into: &mut [u8], order: Order) {
    for (from, into) in from.as_chunks::<8>().0.iter().zip(into.as_chunks_mut::<8>().0) {
        let (first, second) = match order {
            Order::FromFirst => (*from, *into),
            Order::IntoFirst => (*into, *from),
        };
        let ((a, b), (factor, summand)) = (halves(first), halves(second));
        let result = [a.wrapping_mul(factor), b.wrapping_mul(factor).wrapping_add(summand)];
        into.copy_from_slice(result.map(u32::to_ne_bytes).as_flattened());
    }
}

fn halves(element: Element) -> (u32, u32) {
    let [first, second] = [0, 4].map(|at| std::array::from_fn(|i| element[at + i]));
    (u32::from_ne_bytes(first), u32::from_ne_bytes(second))
}

fn check<T: Transport>(t: &T, problem: Problem, choice: Choice, operation: &Operation) -> Outcome {
    let me = t.rank();
    let mut prepared = Prepared::new(t, problem, 8, choice)?;
    let input = elements(operation, me, problem.input_len(me));
    let expected = expected(&problem, operation, me);
    // Twice: a prepared collective is there to be run again and again.
    for _ in 0..2 {
        let mut output = initial_output(&problem, operation, me);
        let buffers = Buffers {
            input: input.as_flattened(),
            output: output.as_flattened_mut(),
            element: 8,
            combine: operation.combine,
        };
        prepared.run(t, buffers)?;
        if let Some(place) = (0..expected.len()).find(|&i| output[i] != expected[i]) {
            let text = format!(
                "{problem:?} by {choice:?}, {}: element {place} is {:?}, want {:?}",
                operation.name, output[place], expected[place]
            );
            return Err(flaw(t, &text));
        }
    }
    Ok(())
}

fn elements(operation: &Operation, rank: usize, len: usize) -> Vec<Element> {
    (0..len).map(|index| (operation.element)(rank, index)).collect()
}

/// Rubbish, but for a broadcast in place: there the root's vector lies in the output.
fn initial_output(problem: &Problem, operation: &Operation, me: usize) -> Vec<Element> {
    let len = problem.output_len(me);
    if problem.collective == Collective::Broadcast && me == problem.root {
        return elements(operation, me, len);
    }
    vec![[0xee; 8]; len]
}

/// What the definition of the collective says, without a thought for messages.
fn expected(problem: &Problem, operation: &Operation, me: usize) -> Vec<Element> {
    let Problem { collective, ranks, root, count } = *problem;
    let from = |rank: usize, index: usize| (operation.element)(rank, index);
    let each = |len: usize, element: &dyn Fn(usize) -> Element| (0..len).map(element).collect();
    let blocks = |element: &dyn Fn(usize, usize) -> Element| {
        (0..ranks * count).map(|i| element(i / count, i % count)).collect()
    };
    let reduced = |upto: usize, len: usize, at: usize| each(len, &|i| fold(operation, upto, at + i));
    let on_root = if me == root { count } else { 0 };
    match collective {
        Collective::Broadcast => each(count, &|i| from(root, i)),
        Collective::Reduce => reduced(ranks, on_root, 0),
        Collective::Allreduce => reduced(ranks, count, 0),
        Collective::Allgather => blocks(&from),
        Collective::Gather if me == root => blocks(&from),
        Collective::Scatter => each(count, &|i| from(root, me * count + i)),
        Collective::Alltoall => blocks(&|rank, i| from(rank, me * count + i)),
        Collective::ReduceScatter => reduced(ranks, count, me * count),
        Collective::Scan => reduced(me + 1, count, 0),
        Collective::Exscan if me > 0 => reduced(me, count, 0),
        Collective::Gather | Collective::Exscan | Collective::Barrier => Vec::new(),
    }
}

/// The combination of one element of each of the first ranks, in their order.
fn fold(operation: &Operation, ranks: usize, index: usize) -> Element {
    let first = (operation.element)(0, index);
    (1..ranks).fold(first, |mut all, rank| {
        (operation.combine)(&(operation.element)(rank, index), &mut all, Order::IntoFirst);
        all
    })
}
