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
    /// All of them.
    pub const ALL: [Uneven; 4] = [Uneven::Gatherv, Uneven::Scatterv, Uneven::Allgatherv, Uneven::Alltoallv];

    /// The name, as MPI has it.
    pub const fn name(self) -> &'static str {
        match self {
            Uneven::Gatherv => "gatherv",
            Uneven::Scatterv => "scatterv",
            Uneven::Allgatherv => "allgatherv",
            Uneven::Alltoallv => "alltoallv",
        }
    }

    /// The same with blocks of one length.
    pub const fn even(self) -> Collective {
        match self {
            Uneven::Gatherv => Collective::Gather,
            Uneven::Scatterv => Collective::Scatter,
            Uneven::Allgatherv => Collective::Allgather,
            Uneven::Alltoallv => Collective::Alltoall,
        }
    }

    /// The algorithms that serve it; the first is what is used when nobody asked for one. Those that pack blocks of several
    /// ranks into one message need blocks of one length.
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
    /// What is to be done.
    pub collective: Uneven,
    /// The rank with a part of its own; without meaning where there is none, but still a rank.
    pub root: usize,
    /// Elements of each block: of that which a rank brings to a gather, or gets from a scatter. What rank r has for rank s in
    /// a complete exchange is the block with the number (r + s) mod P, so that all ranks send and receive as much.
    lens: Arc<[usize]>,
}

impl UnevenProblem {
    /// With blocks of these lengths, one for each rank.
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

    /// With blocks that grow from half of `count` on the first rank to one and a half of it on the last; one rank has `count`.
    pub fn around(collective: Uneven, ranks: usize, root: usize, count: usize) -> Result<Self, Error> {
        let steps = ranks.saturating_sub(1);
        // In the wider type, so that nothing overflows before it is refused.
        let grown = |rank: usize| count as u128 * rank as u128 / steps as u128;
        let len = |rank| match steps {
            0 => count,
            _ => usize::try_from(count as u128 / 2 + grown(rank)).unwrap_or(usize::MAX),
        };
        Self::new(collective, root, (0..ranks).map(len).collect())
    }

    /// How many ranks take part.
    pub fn ranks(&self) -> usize {
        self.lens.len()
    }

    /// Elements that one rank has for another.
    pub fn len(&self, from: usize, to: usize) -> usize {
        match self.collective {
            Uneven::Gatherv | Uneven::Allgatherv => self.lens[from],
            Uneven::Scatterv => self.lens[to],
            Uneven::Alltoallv => self.lens[(from + to) % self.ranks()],
        }
    }

    /// The blocks of a rank's input, by the rank that they are for; those of a rank that has one for all are a single one.
    pub fn input_lens(&self, rank: usize) -> Vec<usize> {
        match self.collective {
            Uneven::Gatherv | Uneven::Allgatherv => vec![self.lens[rank]],
            Uneven::Scatterv if rank != self.root => Vec::new(),
            Uneven::Scatterv | Uneven::Alltoallv => (0..self.ranks()).map(|to| self.len(rank, to)).collect(),
        }
    }

    /// The blocks of a rank's output, by the rank that they come from; that of a rank that gets one is a single one.
    pub fn output_lens(&self, rank: usize) -> Vec<usize> {
        match self.collective {
            Uneven::Scatterv => vec![self.lens[rank]],
            Uneven::Gatherv if rank != self.root => Vec::new(),
            _ => (0..self.ranks()).map(|from| self.len(from, rank)).collect(),
        }
    }

    /// Elements in both buffers of a rank, as [`Plan::new`](crate::Plan::new) wants them.
    pub fn sizes(&self, rank: usize) -> Sizes {
        Sizes { input: self.input_lens(rank).iter().sum(), output: self.output_lens(rank).iter().sum() }
    }

    /// The steps by an algorithm. The error for one that does not serve names those that do.
    pub fn schedule(&self, algorithm: Algorithm) -> Result<Box<dyn Schedule>, Error> {
        if !self.collective.algorithms().contains(&algorithm) {
            return Err(Error::UnservedUneven { collective: self.collective, algorithm });
        }
        Ok(Box::new(Steps { problem: self.clone(), algorithm }))
    }
}

/// Where blocks of these lengths begin.
pub fn starts(lens: &[usize]) -> Vec<usize> {
    let begin = |end: &mut usize, len: &usize| {
        let start = *end;
        *end += len;
        Some(start)
    };
    lens.iter().scan(0, begin).collect()
}

/// All steps of a rank are one round: each needs the places of all blocks.
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
        let part = Part::new(&self.problem, rank);
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

/// One rank's view: where its blocks are.
struct Part {
    rank: usize,
    ranks: usize,
    sent: Blocks,
    received: Blocks,
}

/// Blocks of a buffer.
struct Blocks {
    lens: Vec<usize>,
    starts: Vec<usize>,
}

impl Blocks {
    fn new(lens: Vec<usize>) -> Self {
        Self { starts: starts(&lens), lens }
    }

    /// The start and the length of the block for or of a rank. A single block is for all.
    fn at(&self, rank: usize) -> (usize, usize) {
        let number = if self.lens.len() == 1 { 0 } else { rank };
        (self.starts[number], self.lens[number])
    }
}

impl Part {
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

    /// The ranks after this one, around the end.
    fn others(&self) -> impl Iterator<Item = usize> + '_ {
        (1..self.ranks).map(|ahead| (self.rank + ahead) % self.ranks)
    }

    /// Each rank sends to the root, which receives from all at once.
    fn gather(&self, root: usize, steps: &mut Vec<Step>) {
        if self.rank != root {
            steps.push(Step::Send { to: root, span: self.sent(root) });
            return;
        }
        steps.extend(self.others().map(|from| Step::StartReceive { from, span: self.received(from) }));
        steps.extend([self.copy_own(), Step::WaitAll]);
    }

    /// The root sends to all at once.
    fn scatter(&self, root: usize, steps: &mut Vec<Step>) {
        if self.rank != root {
            steps.push(Step::Receive { from: root, span: self.received(root) });
            return;
        }
        steps.extend(self.others().map(|to| Step::StartSend { to, span: self.sent(to) }));
        steps.extend([self.copy_own(), Step::WaitAll]);
    }

    /// Everybody and everybody, all at once, receives first.
    fn direct(&self, steps: &mut Vec<Step>) {
        let before = (1..self.ranks).map(|behind| (self.rank + self.ranks - behind) % self.ranks);
        steps.extend(before.map(|from| Step::StartReceive { from, span: self.received(from) }));
        steps.extend(self.others().map(|to| Step::StartSend { to, span: self.sent(to) }));
        steps.extend([self.copy_own(), Step::WaitAll]);
    }

    /// To the rank i ahead while from the rank i behind.
    fn pairwise(&self, steps: &mut Vec<Step>) {
        steps.push(self.copy_own());
        for to in self.others() {
            let from = (2 * self.rank + self.ranks - to) % self.ranks;
            exchange(steps, to, self.sent(to), from, self.received(from));
        }
    }

    /// Blocks go around, from each rank to the next.
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
