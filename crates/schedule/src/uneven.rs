//! Collectives whose blocks differ in length: what MPI calls the v-variants (S1).

use std::sync::Arc;

use crate::layout::exchange;
use crate::{Algorithm, Collective, Error, Schedule, Sizes, Span, Step};

/// A collective whose blocks differ in length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Uneven {
    /// Every rank's block reaches the root.
    Gatherv,
    /// Every rank gets its block from the root.
    Scatterv,
    /// Every rank's block reaches all.
    Allgatherv,
    /// Every rank has a block for every other.
    Alltoallv,
}

impl Uneven {
    /// All uneven collectives.
    pub const ALL: [Uneven; 4] = [Uneven::Gatherv, Uneven::Scatterv, Uneven::Allgatherv, Uneven::Alltoallv];

    /// Returns the name as in MPI, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Uneven::Gatherv => "gatherv",
            Uneven::Scatterv => "scatterv",
            Uneven::Allgatherv => "allgatherv",
            Uneven::Alltoallv => "alltoallv",
        }
    }

    /// Returns the collective with blocks of equal length.
    pub const fn even(self) -> Collective {
        match self {
            Uneven::Gatherv => Collective::Gather,
            Uneven::Scatterv => Collective::Scatter,
            Uneven::Allgatherv => Collective::Allgather,
            Uneven::Alltoallv => Collective::Alltoall,
        }
    }

    /// Returns the algorithms that implement it; the first is the default. Algorithms that pack
    /// blocks of several ranks into one message need blocks of equal length.
    pub const fn algorithms(self) -> &'static [Algorithm] {
        match self {
            Uneven::Gatherv | Uneven::Scatterv => &[Algorithm::Linear],
            Uneven::Allgatherv => &[Algorithm::Ring, Algorithm::Linear],
            Uneven::Alltoallv => &[Algorithm::Linear, Algorithm::Pairwise],
        }
    }
}

/// An uneven collective with its sizes. Blocks lie in the order of the ranks, without gaps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnevenProblem {
    /// The collective.
    pub collective: Uneven,
    /// The root; unused by collectives without one, but still a valid rank.
    pub root: usize,
    /// Elements of each block: the one a rank contributes to a gather or receives from a scatter.
    /// In a complete exchange, rank r sends rank s the block with index (r + s) mod P, so that all
    /// ranks send and receive the same amount.
    lens: Arc<[usize]>,
}

impl UnevenProblem {
    /// Creates a problem with blocks of these lengths, one for each rank.
    pub fn new(collective: Uneven, root: usize, lens: Vec<usize>) -> Result<Self, Error> {
        let ranks = lens.len();
        if ranks == 0 {
            return Err(Error::NoRanks);
        }
        if root >= ranks {
            return Err(Error::Root { root, ranks });
        }
        let total = lens.iter().try_fold(0_usize, |sum, &len| sum.checked_add(len));
        match total.filter(|&total| total <= usize::MAX >> 4) {
            Some(_) => Ok(Self { collective, root, lens: lens.into() }),
            None => Err(Error::TooLarge { ranks, count: lens.into_iter().max().unwrap_or(0) }),
        }
    }

    /// Creates a problem with blocks that grow from half of `count` on the first rank to one and a
    /// half of it on the last; a single rank has `count`.
    pub fn around(collective: Uneven, ranks: usize, root: usize, count: usize) -> Result<Self, Error> {
        let steps = ranks.saturating_sub(1);
        // In the wider type, so that an overflow is detected instead of wrapping.
        let grown = |rank: usize| count as u128 * rank as u128 / steps as u128;
        let len = |rank| match steps {
            0 => count,
            _ => usize::try_from(count as u128 / 2 + grown(rank)).unwrap_or(usize::MAX),
        };
        Self::new(collective, root, (0..ranks).map(len).collect())
    }

    /// Returns the number of ranks.
    pub fn ranks(&self) -> usize {
        self.lens.len()
    }

    /// Returns the number of elements that one rank sends to another.
    pub fn len(&self, from: usize, to: usize) -> usize {
        match self.collective {
            Uneven::Gatherv | Uneven::Allgatherv => self.lens[from],
            Uneven::Scatterv => self.lens[to],
            Uneven::Alltoallv => self.lens[(from + to) % self.ranks()],
        }
    }

    /// Returns the lengths of the blocks of a rank's input by destination, or a single length where
    /// all get the same block.
    pub fn input_lens(&self, rank: usize) -> Vec<usize> {
        match self.collective {
            Uneven::Gatherv | Uneven::Allgatherv => vec![self.lens[rank]],
            Uneven::Scatterv if rank != self.root => Vec::new(),
            Uneven::Scatterv | Uneven::Alltoallv => (0..self.ranks()).map(|to| self.len(rank, to)).collect(),
        }
    }

    /// Returns the lengths of the blocks of a rank's output by source, or a single length where it
    /// receives one block.
    pub fn output_lens(&self, rank: usize) -> Vec<usize> {
        match self.collective {
            Uneven::Scatterv => vec![self.lens[rank]],
            Uneven::Gatherv if rank != self.root => Vec::new(),
            _ => (0..self.ranks()).map(|from| self.len(from, rank)).collect(),
        }
    }

    /// Returns the sizes of both buffers of a rank in elements, as [`Plan::new`](crate::Plan::new)
    /// takes them.
    pub fn sizes(&self, rank: usize) -> Sizes {
        Sizes { input: self.input_lens(rank).iter().sum(), output: self.output_lens(rank).iter().sum() }
    }

    /// Builds the schedule by an algorithm. The error for one that does not implement the
    /// collective names those that do.
    pub fn schedule(&self, algorithm: Algorithm) -> Result<Box<dyn Schedule>, Error> {
        if !self.collective.algorithms().contains(&algorithm) {
            return Err(Error::UnsupportedUneven { collective: self.collective, algorithm });
        }
        Ok(Box::new(Steps { problem: self.clone(), algorithm }))
    }
}

/// Returns the offsets of consecutive blocks of these lengths.
pub fn starts(lens: &[usize]) -> Vec<usize> {
    let begin = |end: &mut usize, len: &usize| {
        let start = *end;
        *end += len;
        Some(start)
    };
    lens.iter().scan(0, begin).collect()
}

/// A schedule whose ranks have one round each, since each step needs the offsets of all blocks.
struct Steps {
    problem: UnevenProblem,
    algorithm: Algorithm,
}

impl Schedule for Steps {
    fn ranks(&self) -> usize {
        self.problem.ranks()
    }

    fn scratch(&self, _rank: usize) -> usize {
        0
    }

    fn rounds(&self, _rank: usize) -> usize {
        1
    }

    fn round(&self, rank: usize, _index: usize, steps: &mut Vec<Step>) {
        let part = RankView::new(&self.problem, rank);
        match (self.problem.collective, self.algorithm) {
            (Uneven::Gatherv, _) => part.gather(self.problem.root, steps),
            (Uneven::Scatterv, _) => part.scatter(self.problem.root, steps),
            (Uneven::Allgatherv, Algorithm::Ring) => part.ring(steps),
            (_, Algorithm::Pairwise) => part.pairwise(steps),
            _ => part.direct(steps),
        }
    }

    fn keeps_order(&self) -> bool {
        true
    }
}

/// One rank's view of the problem: the offsets of its blocks.
struct RankView {
    rank: usize,
    ranks: usize,
    sent: Blocks,
    received: Blocks,
}

/// The blocks of a buffer.
struct Blocks {
    lens: Vec<usize>,
    starts: Vec<usize>,
}

impl Blocks {
    fn new(lens: Vec<usize>) -> Self {
        Self { starts: starts(&lens), lens }
    }

    /// Returns the offset and the length of the block for or from a rank. A single block is for all
    /// ranks.
    fn at(&self, rank: usize) -> (usize, usize) {
        let number = if self.lens.len() == 1 { 0 } else { rank };
        (self.starts[number], self.lens[number])
    }
}

impl RankView {
    fn new(problem: &UnevenProblem, rank: usize) -> Self {
        let (sent, received) = (problem.input_lens(rank), problem.output_lens(rank));
        Self { rank, ranks: problem.ranks(), sent: Blocks::new(sent), received: Blocks::new(received) }
    }

    fn sent(&self, to: usize) -> Span {
        let (start, len) = self.sent.at(to);
        Span::input(start, len)
    }

    fn received(&self, from: usize) -> Span {
        let (start, len) = self.received.at(from);
        Span::output(start, len)
    }

    fn copy_own(&self) -> Step {
        Step::Copy { from: self.sent(self.rank), to: self.received(self.rank) }
    }

    /// Returns the other ranks, from the next one on, wrapping around.
    fn others(&self) -> impl Iterator<Item = usize> + '_ {
        (1..self.ranks).map(|ahead| (self.rank + ahead) % self.ranks)
    }

    /// Appends a gather: each rank sends to the root, which receives from all at once.
    fn gather(&self, root: usize, steps: &mut Vec<Step>) {
        if self.rank != root {
            steps.push(Step::Send { to: root, span: self.sent(root) });
            return;
        }
        steps.extend(self.others().map(|from| Step::StartReceive { from, span: self.received(from) }));
        steps.extend([self.copy_own(), Step::WaitAll]);
    }

    /// Appends a scatter: the root sends to all at once.
    fn scatter(&self, root: usize, steps: &mut Vec<Step>) {
        if self.rank != root {
            steps.push(Step::Receive { from: root, span: self.received(root) });
            return;
        }
        steps.extend(self.others().map(|to| Step::StartSend { to, span: self.sent(to) }));
        steps.extend([self.copy_own(), Step::WaitAll]);
    }

    /// Appends a direct exchange, all messages at once, receives first.
    fn direct(&self, steps: &mut Vec<Step>) {
        let before = (1..self.ranks).map(|behind| (self.rank + self.ranks - behind) % self.ranks);
        steps.extend(before.map(|from| Step::StartReceive { from, span: self.received(from) }));
        steps.extend(self.others().map(|to| Step::StartSend { to, span: self.sent(to) }));
        steps.extend([self.copy_own(), Step::WaitAll]);
    }

    /// Appends a pairwise exchange: in step i with the rank i ahead and the rank i behind.
    fn pairwise(&self, steps: &mut Vec<Step>) {
        steps.push(self.copy_own());
        for to in self.others() {
            let from = (2 * self.rank + self.ranks - to) % self.ranks;
            exchange(steps, to, self.sent(to), from, self.received(from));
        }
    }

    /// Appends a ring: blocks travel from each rank to the next.
    fn ring(&self, steps: &mut Vec<Step>) {
        steps.push(self.copy_own());
        let (next, before) = ((self.rank + 1) % self.ranks, (self.rank + self.ranks - 1) % self.ranks);
        for round in 1..self.ranks {
            let owner = |behind: usize| (self.rank + self.ranks - behind) % self.ranks;
            let (passed, arriving) = (self.received(owner(round - 1)), self.received(owner(round)));
            exchange(steps, next, passed, before, arriving);
        }
    }
}
