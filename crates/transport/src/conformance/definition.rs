//! What collectives are, without a thought for messages: elements, operations and results.

use panto_schedule::{Collective, Order, Problem, schedule};

use super::flaw::{Outcome, flaw};
use super::pattern::Random;
use crate::collective::Choice;
use crate::combine::{Combine, MAX_U64, SUM_F64};
use crate::error::Result;
use crate::transport::{Buffers, Transport};

type Element = [u8; 8];

/// An operation, and elements to apply it to.
pub(super) struct Operation {
    name: &'static str,
    pub(super) combine: Combine,
    element: fn(rank: usize, index: usize) -> Element,
}

/// Doubles that are whole numbers: their sums are exact in any order.
pub(super) const SUM: Operation = Operation {
    name: "sum of doubles",
    combine: SUM_F64,
    element: |rank, index| ((rank * 10_000 + index) as f64).to_ne_bytes(),
};

/// Unsigned numbers of which now one rank has the largest, now another, and some are beyond what a signed one holds.
pub(super) const MAX: Operation = Operation {
    name: "maximum",
    combine: MAX_U64,
    element: |rank, index| Random::new((rank * 10_000 + index) as u64).next().to_ne_bytes(),
};

/// An operation that only we know, and that commutes.
pub(super) const XOR: Operation = Operation {
    name: "exclusive or",
    combine: Combine::own(|from, into, _| from.iter().zip(into).for_each(|(from, into)| *into ^= from)),
    element: MAX.element,
};

/// Maps x -> a x + b modulo 2^32, one after the other: associates, but does not commute.
const AFFINE: Operation = Operation {
    name: "composition of maps",
    combine: Combine::own(compose),
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

/// What does not commute tells more, where elements are combined in the order of the ranks. Message layers choose by
/// themselves, and are only asked for operations that commute.
pub(super) fn most_telling(problem: &Problem, choice: Choice) -> Result<&'static Operation> {
    Ok(match choice {
        Choice::Algorithm(algorithm) if schedule(problem, algorithm)?.keeps_order() => &AFFINE,
        _ => &SUM,
    })
}

/// Are elements combined?
pub(super) fn reduces(collective: Collective) -> bool {
    use Collective::{Allreduce, Exscan, Reduce, ReduceScatter, Scan};
    matches!(collective, Reduce | Allreduce | ReduceScatter | Scan | Exscan)
}

/// What one rank brings to a collective.
pub(super) struct Part {
    problem: Problem,
    operation: &'static Operation,
    me: usize,
    input: Vec<Element>,
    output: Vec<Element>,
}

impl Part {
    /// The output is rubbish, but for a broadcast in place: there the root's vector lies in it.
    pub(super) fn new(problem: Problem, operation: &'static Operation, me: usize) -> Self {
        let len = problem.output_len(me);
        let in_place = problem.collective == Collective::Broadcast && me == problem.root;
        let output = if in_place { elements(operation, me, len) } else { vec![RUBBISH; len] };
        Self { problem, operation, me, input: elements(operation, me, problem.input_len(me)), output }
    }

    pub(super) fn buffers(&mut self) -> Buffers<'_> {
        Buffers {
            input: self.input.as_flattened(),
            output: self.output.as_flattened_mut(),
            element: 8,
            combine: self.operation.combine,
        }
    }

    /// Is the output what the definition says?
    pub(super) fn verify<T: Transport>(&self, t: &T, how: &str) -> Outcome {
        let expected = expected(&self.problem, self.operation, self.me);
        let Some(place) = (0..expected.len()).find(|&i| self.output[i] != expected[i]) else { return Ok(()) };
        let text = format!(
            "{:?} {how}, {}: element {place} is {:?}, want {:?}",
            self.problem, self.operation.name, self.output[place], expected[place]
        );
        Err(flaw(t, &text))
    }

    /// Has nobody written to the output?
    pub(super) fn is_untouched(&self) -> bool {
        self.output.iter().all(|element| *element == RUBBISH)
    }
}

const RUBBISH: Element = [0xee; 8];

fn elements(operation: &Operation, rank: usize, len: usize) -> Vec<Element> {
    (0..len).map(|index| (operation.element)(rank, index)).collect()
}

/// What the definition of the collective says.
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
        (operation.combine.apply)(&(operation.element)(rank, index), &mut all, Order::IntoFirst);
        all
    })
}
