//! Reference results of collectives, computed from their definition without messages.

use panto_schedule::{Collective, Order, Problem, schedule};

use super::pattern::Random;
use super::violation::{Outcome, violation};
use crate::collective::AlgorithmChoice;
use crate::error::Result;
use crate::reduce_op::{MAX_U64, ReduceOp, SUM_F64};
use crate::transport::{Buffers, Transport};

type Element = [u8; 8];

/// A reduction operator, and elements to apply it to.
pub(super) struct Operation {
    name: &'static str,
    pub(super) combine: ReduceOp,
    element: fn(rank: usize, index: usize) -> Element,
}

/// Doubles that are integers: their sums are exact in any order.
pub(super) const SUM: Operation = Operation {
    name: "sum of doubles",
    combine: SUM_F64,
    element: |rank, index| ((rank * 10_000 + index) as f64).to_ne_bytes(),
};

/// Unsigned integers whose maximum is on varying ranks, some beyond the range of signed ones.
pub(super) const MAX: Operation = Operation {
    name: "maximum",
    combine: MAX_U64,
    element: |rank, index| Random::new((rank * 10_000 + index) as u64).next().to_ne_bytes(),
};

/// A user-defined operator that commutes.
pub(super) const XOR: Operation = Operation {
    name: "exclusive or",
    combine: ReduceOp::user_defined(|from, into, _| {
        from.iter().zip(into).for_each(|(from, into)| *into ^= from);
    }),
    element: MAX.element,
};

/// Composition of maps x -> a x + b modulo 2^32: associative, but not commutative.
const AFFINE: Operation = Operation {
    name: "composition of maps",
    combine: ReduceOp::user_defined(compose),
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

/// Returns the operator that detects most errors: one that does not commute, where the schedule
/// combines elements in the order of ranks. Native collectives choose their order, and get
/// operators that commute.
pub(super) fn strictest_operation(problem: &Problem, choice: AlgorithmChoice) -> Result<&'static Operation> {
    Ok(match choice {
        AlgorithmChoice::Algorithm(algorithm) if schedule(problem, algorithm)?.keeps_order() => &AFFINE,
        _ => &SUM,
    })
}

/// Whether elements are combined.
pub(super) fn reduces(collective: Collective) -> bool {
    use Collective::{Allreduce, Exscan, Reduce, ReduceScatter, Scan};
    matches!(collective, Reduce | Allreduce | ReduceScatter | Scan | Exscan)
}

/// The buffers of one rank.
pub(super) struct RankBuffers {
    problem: Problem,
    operation: &'static Operation,
    me: usize,
    input: Vec<Element>,
    output: Vec<Element>,
}

impl RankBuffers {
    /// Makes the buffers. The output holds filler, except at the root of a broadcast, which is in
    /// place.
    pub(super) fn new(problem: Problem, operation: &'static Operation, me: usize) -> Self {
        let len = problem.output_len(me);
        let in_place = problem.collective == Collective::Broadcast && me == problem.root;
        let output = if in_place { elements(operation, me, len) } else { vec![FILLER; len] };
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

    /// Checks the output against the definition.
    pub(super) fn verify<T: Transport>(&self, t: &T, how: &str) -> Outcome {
        let expected = expected(&self.problem, self.operation, self.me);
        let Some(place) = (0..expected.len()).find(|&i| self.output[i] != expected[i]) else { return Ok(()) };
        let text = format!(
            "{:?} {how}, {}: element {place} is {:?}, expected {:?}",
            self.problem, self.operation.name, self.output[place], expected[place]
        );
        Err(violation(t, &text))
    }

    /// Whether the output was not written to.
    pub(super) fn is_untouched(&self) -> bool {
        self.output.iter().all(|element| *element == FILLER)
    }
}

const FILLER: Element = [0xee; 8];

fn elements(operation: &Operation, rank: usize, len: usize) -> Vec<Element> {
    (0..len).map(|index| (operation.element)(rank, index)).collect()
}

/// Returns the result according to the definition of the collective.
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

/// Combines one element of each of the first ranks, in their order.
fn fold(operation: &Operation, ranks: usize, index: usize) -> Element {
    let first = (operation.element)(0, index);
    (1..ranks).fold(first, |mut all, rank| {
        (operation.combine.apply)(&(operation.element)(rank, index), &mut all, Order::IntoFirst);
        all
    })
}
