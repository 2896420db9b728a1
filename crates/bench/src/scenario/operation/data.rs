//! Data known in advance, so that wrong, stale and misplaced results are detected.

use panto_results::scenario::CollectiveCall;
use panto_schedule::{BlockProblem, Collective, Order, Problem};
use panto_transport::{CollectiveSpec, NO_REDUCTION, ReduceOp, SUM_F64};

use super::Task;
use crate::error::Result;
use crate::measure::Checked;
use crate::pattern;

const DOUBLE: usize = size_of::<f64>();
/// Value of the output before the collective.
const STALE: u8 = 0xee;

/// Adds bytes, for vectors that are not whole doubles.
const SUM_U8: ReduceOp = ReduceOp::user_defined(add_bytes);

fn add_bytes(from: &[u8], into: &mut [u8], _order: Order) {
    from.iter().zip(into).for_each(|(from, into)| *into = into.wrapping_add(*from));
}

/// Returns the collective of a task on `ranks` ranks. Reductions add doubles, or bytes where the
/// size is no multiple of a double's.
pub(super) fn collective_spec(task: &Task, ranks: usize) -> Result<CollectiveSpec> {
    let bytes = task.bytes as usize;
    let collective = match task.call {
        CollectiveCall::Plain(collective) => collective,
        CollectiveCall::Blocks(collective) => {
            return Ok(CollectiveSpec::Blocks(BlockProblem::around(collective, ranks, task.root, bytes)?));
        }
    };
    let (element, combine) = match (task.call.reduces(), bytes % DOUBLE) {
        (false, _) => (1, NO_REDUCTION),
        (true, 0) => (DOUBLE, SUM_F64),
        (true, _) => (1, SUM_U8),
    };
    let count = if task.call.has_data() { bytes / element } else { 0 };
    Ok(CollectiveSpec::Even {
        problem: Problem { collective, ranks, root: task.root, count },
        element,
        combine,
    })
}

/// The data of one rank.
pub(super) enum Data {
    /// Blocks of bytes that are moved.
    Moved { input: Vec<Block>, output: Vec<Block>, in_place: bool },
    /// Vectors that are added.
    Added(Sum),
}

/// A block that one rank has for another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    /// Rank that contributes it.
    from: usize,
    /// Distinguishes blocks of one rank.
    salt: u64,
    len: usize,
}

/// Operands of a sum.
pub(super) struct Sum {
    rank: usize,
    element: usize,
    /// First element of the vector that this rank's output is the sum of.
    offset: usize,
    /// Number of ranks in the sum, from the first on.
    ranks: usize,
}

impl Data {
    pub(super) fn new(what: &CollectiveSpec, rank: usize) -> Self {
        match what {
            CollectiveSpec::Blocks(problem) => moved_blocks(problem, rank),
            CollectiveSpec::Even { problem, element, combine } if combine.kind != NO_REDUCTION.kind => {
                let (offset, ranks) = match problem.collective {
                    Collective::ReduceScatter => (rank * problem.count, problem.ranks),
                    Collective::Scan => (0, rank + 1),
                    Collective::Exscan => (0, rank),
                    _ => (0, problem.ranks),
                };
                Self::Added(Sum { rank, element: *element, offset, ranks })
            }
            CollectiveSpec::Even { problem, .. } => moved(problem, rank),
        }
    }

    /// Fills both buffers for a run.
    pub(super) fn fill(&self, input: &mut [u8], output: &mut [u8], round: u64) {
        match self {
            Self::Moved { input: blocks, in_place, output: expected } => {
                fill(blocks, input, round);
                output.fill(STALE);
                if *in_place {
                    fill(expected, output, round);
                }
            }
            Self::Added(sum) => {
                sum.each(input, |sum, place| sum.addend(place, round));
                output.fill(STALE);
            }
        }
    }

    /// Checks that the output is correct and the input unchanged.
    pub(super) fn check(&self, input: &[u8], output: &[u8], round: u64) -> Checked {
        match self {
            Self::Moved { input: brought, output: expected, .. } => {
                check(expected, output, round)?;
                check(brought, input, round).map_err(|what| input_changed(&what))
            }
            Self::Added(sum) => {
                sum.compare(output, |sum, place| sum.total(place, round))?;
                sum.compare(input, |sum, place| sum.addend(place, round)).map_err(|what| input_changed(&what))
            }
        }
    }
}

fn input_changed(what: &str) -> String {
    format!("the input was changed: {what}")
}

/// Returns blocks of equal length.
fn moved(problem: &Problem, rank: usize) -> Data {
    use Collective::{Allgather, Alltoall, Broadcast, Gather, Scatter};
    let Problem { collective, ranks, root, count } = *problem;
    let all = |block: &dyn Fn(usize) -> Block| (0..ranks).map(block).collect();
    let own = |from: usize| Block { from, salt: 0, len: count };
    let pair = |from: usize, to: usize| Block { from, salt: salt(to), len: count };
    let (input, output) = match collective {
        Broadcast => (Vec::new(), vec![own(root)]),
        Gather if rank != root => (vec![own(rank)], Vec::new()),
        Gather | Allgather => (vec![own(rank)], all(&own)),
        Scatter if rank != root => (Vec::new(), vec![pair(root, rank)]),
        Scatter => (all(&|to| pair(root, to)), vec![pair(root, rank)]),
        Alltoall => (all(&|to| pair(rank, to)), all(&|from| pair(from, rank))),
        _ => (Vec::new(), Vec::new()),
    };
    Data::Moved { input, output, in_place: collective == Broadcast && rank == root }
}

/// Returns blocks whose lengths or destinations differ.
fn moved_blocks(problem: &BlockProblem, rank: usize) -> Data {
    let is_for_all = |from: usize| problem.destinations(from).is_none();
    let block = |from: usize, to: usize| {
        let salt = if is_for_all(from) { 0 } else { salt(to) };
        Block { from, salt, len: problem.len(from, to) }
    };
    // A block for all ranks is for the rank itself as well.
    let destinations = problem.destinations(rank).unwrap_or_else(|| vec![rank]);
    Data::Moved {
        input: destinations.into_iter().map(|to| block(rank, to)).collect(),
        output: problem.sources(rank).into_iter().map(|from| block(from, rank)).collect(),
        in_place: false,
    }
}

fn salt(to: usize) -> u64 {
    to as u64 * 89
}

fn fill(blocks: &[Block], mut buffer: &mut [u8], round: u64) {
    for Block { from, salt, len } in blocks {
        let (block, rest) = buffer.split_at_mut(*len);
        pattern::fill(block, *from, round + salt);
        buffer = rest;
    }
}

fn check(blocks: &[Block], mut buffer: &[u8], round: u64) -> Checked {
    for Block { from, salt, len } in blocks {
        let (block, rest) = buffer.split_at(*len);
        pattern::check(block, *from, round + salt)?;
        buffer = rest;
    }
    Ok(())
}

impl Sum {
    /// Returns small integers, so that sums are exact in any order.
    fn addend(&self, place: usize, round: u64) -> u64 {
        same_for_all(place, round) + 7 * self.rank as u64
    }

    fn total(&self, place: usize, round: u64) -> u64 {
        let ranks = self.ranks as u64;
        ranks * same_for_all(self.offset + place, round) + 7 * (ranks * ranks.saturating_sub(1) / 2)
    }

    fn each(&self, buffer: &mut [u8], number: impl Fn(&Self, usize) -> u64) {
        if self.element == DOUBLE {
            for (place, bytes) in buffer.as_chunks_mut::<DOUBLE>().0.iter_mut().enumerate() {
                *bytes = (number(self, place) as f64).to_ne_bytes();
            }
        } else {
            buffer.iter_mut().enumerate().for_each(|(place, byte)| *byte = number(self, place) as u8);
        }
    }

    fn compare(&self, buffer: &[u8], number: impl Fn(&Self, usize) -> u64) -> Checked {
        let wrong = |place: usize, is: f64, right: f64| {
            let summands = self.ranks;
            Err(format!("element {place} of the sum of {summands} ranks is {is}, not {right}"))
        };
        if self.element == DOUBLE {
            for (place, bytes) in buffer.as_chunks::<DOUBLE>().0.iter().enumerate() {
                let (is, right) = (f64::from_ne_bytes(*bytes), number(self, place) as f64);
                if is.to_bits() != right.to_bits() {
                    return wrong(place, is, right);
                }
            }
            return Ok(());
        }
        for (place, &byte) in buffer.iter().enumerate() {
            let right = number(self, place) as u8;
            if byte != right {
                return wrong(place, byte.into(), right.into());
            }
        }
        Ok(())
    }
}

fn same_for_all(place: usize, round: u64) -> u64 {
    (place % 1009) as u64 + round % 5
}

#[cfg(test)]
mod tests {
    use panto_results::scenario::CollectiveCall;

    use super::*;

    /// Data of another round or of another rank is detected wherever there is an output.
    #[test]
    fn wrong_rounds_ranks_and_places_are_noticed() {
        let ranks = 3;
        for call in CollectiveCall::ALL.into_iter().filter(|call| call.has_data()) {
            for bytes in [24, 13] {
                let what = collective_spec(&Task { call, bytes, root: 1 }, ranks).unwrap();
                for rank in 0..ranks {
                    let (input, output) = what.bytes(rank);
                    let (data, mut output) = (Data::new(&what, rank), vec![0; output]);
                    let mut input = vec![0; input];
                    data.fill(&mut input, &mut output, 1);
                    let stays = call == "bcast".parse().unwrap() && rank == 1;
                    let untouched = data.check(&input, &output, 1);
                    assert_eq!(untouched.is_ok(), stays || output.is_empty(), "{call} {untouched:?}");
                    right(&data, &mut output, 1);
                    assert_eq!(data.check(&input, &output, 1), Ok(()), "{call}");
                    assert_eq!(
                        data.check(&input, &output, 2).is_err(),
                        !(output.is_empty() && input.is_empty())
                    );
                    let mut flawed = output.clone();
                    if let Some(last) = flawed.last_mut() {
                        *last ^= 1;
                        assert!(data.check(&input, &flawed, 1).is_err(), "{call}");
                    }
                    if let Some(first) = input.first_mut() {
                        *first ^= 1;
                        let error = data.check(&input, &output, 1).unwrap_err();
                        assert!(error.contains("the input was changed"), "{error}");
                    }
                }
            }
        }
    }

    fn right(data: &Data, output: &mut [u8], round: u64) {
        match data {
            Data::Moved { output: blocks, .. } => fill(blocks, output, round),
            Data::Added(sum) => sum.each(output, |sum, place| sum.total(place, round)),
        }
    }

    #[test]
    fn totals_are_those_of_the_addends() {
        for (place, ranks, round) in [(0, 1, 0), (5_000, 16, 3), (1_008, 1_000, 9)] {
            let sum = |rank| Sum { rank, element: DOUBLE, offset: 0, ranks };
            let added: u64 = (0..ranks).map(|rank| sum(rank).addend(place, round)).sum();
            assert_eq!(added, sum(0).total(place, round));
        }
    }
}
