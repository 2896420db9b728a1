//! Complete exchange in lg rounds by REX, the recursive exchange of the CM-5 paper.

use crate::{Schedule, Span, Step};

/// Recursive exchange: the run of ranks is halved each round, and a rank sends a partner in the
/// other half all blocks that it holds for that half, so that both halves become independent
/// problems.
///
/// For powers of two as published: lg rounds, each 2 (alpha + n/2 beta) with blocking messages, n
/// elements copied a round to pack and unpack, and n at the end. The lower rank packs, sends,
/// receives, unpacks; the upper one receives, unpacks, packs, sends. A message arrives where it
/// will be held; to unpack is to move what stays beside it.
///
/// Any other number of ranks: the run is cut as evenly as possible, the lower half being larger by
/// one when it is odd. The last rank of the lower half has no partner then; it sends its blocks for
/// the upper half to the last rank there, which receives twice, and receives nothing itself, since
/// the other ranks of its half receive its blocks. Still lg rounds.
///
/// Ponnusamy, Choudhary and Fox, "Communication overhead on CM-5", 1992; Johnsson and Ho, "Matrix
/// transposition on Boolean n-cube configured ensemble architectures", 1988.
pub(crate) struct Rex {
    pub ranks: usize,
    pub count: usize,
}

/// A run of ranks.
#[derive(Clone, Copy)]
struct Run {
    start: usize,
    len: usize,
}

/// The blocks one rank holds before a round: for each source a row with a block for each rank of
/// the run.
struct Held {
    run: Run,
    sources: Vec<usize>,
}

/// The areas of scratch space: blocks held before odd rounds, before even rounds, and packed.
struct Areas {
    even: usize,
    packed: usize,
    end: usize,
}

impl Run {
    fn halves(self) -> (Run, Run) {
        let lower = Run { start: self.start, len: self.len.div_ceil(2) };
        (lower, Run { start: self.start + lower.len, len: self.len - lower.len })
    }

    /// Returns the rank's half and the other half.
    fn split(self, rank: usize) -> (Run, Run) {
        let (lower, upper) = self.halves();
        if rank < upper.start { (lower, upper) } else { (upper, lower) }
    }

    /// Returns the rank to send to and the ranks to receive from, in order.
    fn partners(self, rank: usize) -> (usize, Vec<usize>) {
        let (lower, upper) = self.halves();
        let end = self.start + self.len;
        if rank >= upper.start {
            let odd_one = (lower.len > upper.len && rank + 1 == end).then(|| upper.start - 1);
            return (rank - lower.len, std::iter::once(rank - lower.len).chain(odd_one).collect());
        }
        match rank + lower.len {
            peer if peer < end => (peer, vec![peer]),
            _ => (end - 1, Vec::new()),
        }
    }
}

impl Rex {
    fn run(&self, rank: usize, level: usize) -> Run {
        (0..level).fold(Run { start: 0, len: self.ranks }, |run, _| run.split(rank).0)
    }

    /// Returns the number of rounds until the run contains the rank alone.
    fn depth(&self, rank: usize) -> usize {
        let mut run = Run { start: 0, len: self.ranks };
        let mut depth = 0;
        while run.len > 1 {
            run = run.split(rank).0;
            depth += 1;
        }
        depth
    }

    /// Returns the sources of the blocks a rank holds, in the order of their rows: those held
    /// before come first.
    fn sources(&self, rank: usize, level: usize) -> Vec<usize> {
        if level == 0 {
            return vec![rank];
        }
        let mut sources = self.sources(rank, level - 1);
        for peer in self.run(rank, level - 1).partners(rank).1 {
            sources.extend(self.sources(peer, level - 1));
        }
        sources
    }

    fn held(&self, rank: usize, level: usize) -> Held {
        Held { run: self.run(rank, level), sources: self.sources(rank, level) }
    }

    fn areas(&self, rank: usize) -> Areas {
        let (mut odd, mut even, mut packed) = (0, 0, 0);
        for level in 0..=self.depth(rank) {
            let Held { run, sources } = self.held(rank, level);
            let held = run.len * sources.len() * self.count;
            match level {
                0 => {}
                _ if level % 2 == 1 => odd = held.max(odd),
                _ => even = held.max(even),
            }
            packed = packed.max(run.split(rank).1.len * sources.len() * self.count);
        }
        Areas { even: odd, packed: odd + even, end: odd + even + packed }
    }

    /// Returns the span of some of the blocks held at a level.
    fn store(&self, areas: &Areas, level: usize, first: usize, blocks: usize) -> Span {
        let base = match level {
            0 => Span::input(0, 0),
            _ if level % 2 == 1 => Span::scratch(0, 0),
            _ => Span::scratch(areas.even, 0),
        };
        base.part(first * self.count, blocks * self.count)
    }

    fn halve(&self, rank: usize, level: usize, steps: &mut Vec<Step>) {
        let areas = self.areas(rank);
        let Held { run, sources } = self.held(rank, level);
        let (mine, theirs) = run.split(rank);
        let rows = sources.len();
        let part = |row: usize, half: Run| {
            self.store(&areas, level, row * run.len + half.start - run.start, half.len)
        };
        let packed = Span::scratch(areas.packed, rows * theirs.len * self.count);
        let pack = (0..rows).map(|row| {
            let len = theirs.len * self.count;
            Step::Copy { from: part(row, theirs), to: packed.part(row * len, len) }
        });
        let unpack = (0..rows).map(|row| Step::Copy {
            from: part(row, mine),
            to: self.store(&areas, level + 1, row * mine.len, mine.len),
        });
        let (to, senders) = run.partners(rank);
        let send = Step::Send { to, span: packed };
        let mut receives = self.receives(&areas, &senders, level, rows, mine).into_iter();
        if rank < to {
            steps.extend(pack.chain([send]).chain(receives).chain(unpack));
        } else {
            steps.extend(receives.next().into_iter().chain(unpack).chain(pack).chain([send]).chain(receives));
        }
    }

    /// Returns the receives that append the partners' rows to the rank's own.
    fn receives(&self, areas: &Areas, senders: &[usize], level: usize, rows: usize, mine: Run) -> Vec<Step> {
        let mut rows = rows;
        let mut receives = Vec::new();
        for &from in senders {
            let more = self.sources(from, level).len();
            let span = self.store(areas, level + 1, rows * mine.len, more * mine.len);
            receives.push(Step::Receive { from, span });
            rows += more;
        }
        receives
    }

    fn deliver(&self, rank: usize, level: usize, steps: &mut Vec<Step>) {
        let areas = self.areas(rank);
        for (row, source) in self.sources(rank, level).into_iter().enumerate() {
            let to = Span::output(source * self.count, self.count);
            // Before the first round a row has a block for every rank; here P is 1, so that there
            // is one.
            steps.push(Step::Copy { from: self.store(&areas, level, row, 1), to });
        }
    }
}

impl Schedule for Rex {
    fn ranks(&self) -> usize {
        self.ranks
    }

    fn scratch(&self, rank: usize) -> usize {
        self.areas(rank).end
    }

    fn rounds(&self, rank: usize) -> usize {
        self.depth(rank) + 1
    }

    fn round(&self, rank: usize, index: usize, steps: &mut Vec<Step>) {
        if index < self.depth(rank) {
            self.halve(rank, index, steps);
        } else {
            self.deliver(rank, index, steps);
        }
    }

    fn keeps_order(&self) -> bool {
        true
    }
}
