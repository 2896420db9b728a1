//! Collectives that move blocks whose lengths or destinations differ: what MPI calls the v- and
//! w-variants, and neighbourhood collectives (S1, S2).

use std::sync::Arc;

use crate::layout::exchange;
use crate::{Algorithm, Collective, Error, Mesh, Schedule, Sizes, Span, Step};

/// A collective that moves blocks, each with its own length or to neighbours alone.
///
/// The neighbours of a rank are those to its north, east, south and west on the wrapping mesh that
/// is nearest to a square; each is a neighbour once, and none is its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BlockCollective {
    /// Every rank's block reaches the root.
    Gatherv,
    /// Every rank gets its block from the root.
    Scatterv,
    /// Every rank's block reaches all.
    Allgatherv,
    /// Every rank has a block for every other.
    Alltoallv,
    /// Every rank has a block for every other, with a datatype for each.
    Alltoallw,
    /// Every rank's block reaches its neighbours; all blocks have the same length.
    NeighborAllgather,
    /// Every rank's block reaches its neighbours.
    NeighborAllgatherv,
    /// Every rank has a block for each neighbour; all blocks have the same length.
    NeighborAlltoall,
    /// Every rank has a block for each neighbour.
    NeighborAlltoallv,
    /// Every rank has a block for each neighbour, with a datatype for each.
    NeighborAlltoallw,
}

impl BlockCollective {
    /// All of them, in the order of the MPI standard.
    pub const ALL: [Self; 10] = [
        Self::Gatherv,
        Self::Scatterv,
        Self::Allgatherv,
        Self::Alltoallv,
        Self::Alltoallw,
        Self::NeighborAllgather,
        Self::NeighborAllgatherv,
        Self::NeighborAlltoall,
        Self::NeighborAlltoallv,
        Self::NeighborAlltoallw,
    ];

    /// Returns the name as in MPI, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gatherv => "gatherv",
            Self::Scatterv => "scatterv",
            Self::Allgatherv => "allgatherv",
            Self::Alltoallv => "alltoallv",
            Self::Alltoallw => "alltoallw",
            Self::NeighborAllgather => "neighbor-allgather",
            Self::NeighborAllgatherv => "neighbor-allgatherv",
            Self::NeighborAlltoall => "neighbor-alltoall",
            Self::NeighborAlltoallv => "neighbor-alltoallv",
            Self::NeighborAlltoallw => "neighbor-alltoallw",
        }
    }

    /// Returns the collective of all ranks with blocks of equal length.
    pub const fn plain(self) -> Collective {
        match self {
            Self::Gatherv => Collective::Gather,
            Self::Scatterv => Collective::Scatter,
            Self::Allgatherv | Self::NeighborAllgather | Self::NeighborAllgatherv => Collective::Allgather,
            Self::Alltoallv
            | Self::Alltoallw
            | Self::NeighborAlltoall
            | Self::NeighborAlltoallv
            | Self::NeighborAlltoallw => Collective::Alltoall,
        }
    }

    /// Returns whether ranks exchange blocks with their neighbours only.
    pub const fn is_among_neighbours(self) -> bool {
        matches!(
            self,
            Self::NeighborAllgather
                | Self::NeighborAllgatherv
                | Self::NeighborAlltoall
                | Self::NeighborAlltoallv
                | Self::NeighborAlltoallw
        )
    }

    /// Returns whether all blocks have the same length.
    pub const fn has_equal_blocks(self) -> bool {
        matches!(self, Self::NeighborAllgather | Self::NeighborAlltoall)
    }

    /// Returns the algorithms that implement it; the first is the default. Algorithms that pack
    /// blocks of several ranks into one message need blocks of equal length.
    pub const fn algorithms(self) -> &'static [Algorithm] {
        match self {
            Self::Allgatherv => &[Algorithm::Ring, Algorithm::Linear],
            Self::Alltoallv | Self::Alltoallw => &[Algorithm::Linear, Algorithm::Pairwise],
            _ => &[Algorithm::Linear],
        }
    }
}

/// A collective that moves blocks, with their lengths. Blocks lie in the order of the ranks that
/// they come from or go to, without gaps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockProblem {
    /// The collective.
    pub collective: BlockCollective,
    /// The root; unused by collectives without one, but still a valid rank.
    pub root: usize,
    /// Elements of each block: the one a rank contributes to a gather or receives from a scatter.
    /// In a complete exchange, rank r sends rank s the block with index (r + s) mod P, so that all
    /// ranks send and receive the same amount.
    lens: Arc<[usize]>,
}

impl BlockProblem {
    /// Creates a problem with blocks of these lengths, one for each rank.
    pub fn new(collective: BlockCollective, root: usize, lens: Vec<usize>) -> Result<Self, Error> {
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
    /// half of it on the last; a single rank has `count`, as have all ranks where blocks are equal.
    pub fn around(
        collective: BlockCollective,
        ranks: usize,
        root: usize,
        count: usize,
    ) -> Result<Self, Error> {
        let steps = ranks.saturating_sub(1);
        // In the wider type, so that an overflow is detected instead of wrapping.
        let grown = |rank: usize| count as u128 * rank as u128 / steps as u128;
        let len = |rank| match steps {
            0 => count,
            _ if collective.has_equal_blocks() => count,
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
        match self.collective.plain() {
            Collective::Gather | Collective::Allgather => self.lens[from],
            Collective::Scatter => self.lens[to],
            _ => self.lens[(from + to) % self.ranks()],
        }
    }

    /// Returns the neighbours of a rank, in order.
    pub fn neighbours(&self, rank: usize) -> Vec<usize> {
        let mesh = Mesh::near_square(self.ranks()).ok();
        let Some(around) = mesh.and_then(|mesh| mesh.neighbours(rank)) else { return Vec::new() };
        let mut all = vec![around.top, around.bottom, around.pred, around.succ];
        all.sort_unstable();
        all.dedup();
        all.retain(|&neighbour| neighbour != rank);
        all
    }

    /// Returns the ranks that a rank exchanges blocks with, in order.
    fn partners(&self, rank: usize) -> Vec<usize> {
        if self.collective.is_among_neighbours() {
            self.neighbours(rank)
        } else {
            (0..self.ranks()).collect()
        }
    }

    /// Returns the ranks that the blocks of a rank's input are for, in order; `None` where all get
    /// the same block.
    pub fn destinations(&self, rank: usize) -> Option<Vec<usize>> {
        match self.collective.plain() {
            Collective::Gather | Collective::Allgather => None,
            Collective::Scatter if rank != self.root => Some(Vec::new()),
            _ => Some(self.partners(rank)),
        }
    }

    /// Returns the ranks that the blocks of a rank's output come from, in order.
    pub fn sources(&self, rank: usize) -> Vec<usize> {
        match self.collective.plain() {
            Collective::Scatter => vec![self.root],
            Collective::Gather if rank != self.root => Vec::new(),
            _ => self.partners(rank),
        }
    }

    /// Returns the lengths of the blocks of a rank's input by destination, or a single length where
    /// all get the same block.
    pub fn input_lens(&self, rank: usize) -> Vec<usize> {
        match self.destinations(rank) {
            None => vec![self.lens[rank]],
            Some(all) => all.into_iter().map(|to| self.len(rank, to)).collect(),
        }
    }

    /// Returns the lengths of the blocks of a rank's output by source.
    pub fn output_lens(&self, rank: usize) -> Vec<usize> {
        self.sources(rank).into_iter().map(|from| self.len(from, rank)).collect()
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
            return Err(Error::UnsupportedBlocks { collective: self.collective, algorithm });
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
    problem: BlockProblem,
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
            (BlockCollective::Gatherv, _) => part.gather(self.problem.root, steps),
            (BlockCollective::Scatterv, _) => part.scatter(self.problem.root, steps),
            (BlockCollective::Allgatherv, Algorithm::Ring) => part.ring(steps),
            (collective, _) if collective.is_among_neighbours() => part.neighbours(steps),
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
    /// The ranks that they are for or from, in order; `None` for a single block for all.
    partners: Option<Vec<usize>>,
    lens: Vec<usize>,
    starts: Vec<usize>,
}

impl Blocks {
    fn new(partners: Option<Vec<usize>>, lens: Vec<usize>) -> Self {
        Self { partners, starts: starts(&lens), lens }
    }

    /// Returns the offset and the length of the block for or from a rank.
    fn at(&self, rank: usize) -> (usize, usize) {
        let number = |all: &Vec<usize>| all.binary_search(&rank).expect("a block for or from this rank");
        let number = self.partners.as_ref().map_or(0, number);
        (self.starts[number], self.lens[number])
    }
}

impl RankView {
    fn new(problem: &BlockProblem, rank: usize) -> Self {
        let sent = Blocks::new(problem.destinations(rank), problem.input_lens(rank));
        let received = Blocks::new(Some(problem.sources(rank)), problem.output_lens(rank));
        Self { rank, ranks: problem.ranks(), sent, received }
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

    /// Appends an exchange with the neighbours, all messages at once, receives first.
    fn neighbours(&self, steps: &mut Vec<Step>) {
        let all = || self.received.partners.iter().flatten().copied();
        steps.extend(all().map(|from| Step::StartReceive { from, span: self.received(from) }));
        steps.extend(all().map(|to| Step::StartSend { to, span: self.sent(to) }));
        steps.push(Step::WaitAll);
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
