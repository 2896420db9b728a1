//! Allgather: ring, recursive doubling, Bruck. Also the second half of long broadcasts and
//! reductions.

use crate::fold::{Fold, Role};
use crate::layout::{Cut, Rotation, exchange};
use crate::{Schedule, Span, Step};

/// Ring: every rank forwards what it received last. (P - 1) alpha + (P-1)/P n beta.
///
/// Part v of the output starts on the v-th rank from the root on.
pub(crate) struct Ring {
    pub rotation: Rotation,
    pub cut: Cut,
    /// Offset of the first part a rank sends from its own: 1 after a ring reduce-scatter, else 0.
    pub ahead: usize,
}

impl Schedule for Ring {
    fn ranks(&self) -> usize {
        self.rotation.ranks
    }

    fn scratch(&self, _rank: usize) -> usize {
        0
    }

    fn rounds(&self, _rank: usize) -> usize {
        self.rotation.ranks - 1
    }

    fn round(&self, rank: usize, index: usize, steps: &mut Vec<Step>) {
        let ranks = self.rotation.ranks;
        let node = self.rotation.relative(rank);
        let output = Span::output(0, self.cut.total);
        let newest = node + self.ahead + ranks - index;
        let (to, from) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
        let sent = self.cut.part(output, newest % ranks);
        exchange(steps, to, sent, from, self.cut.part(output, (newest - 1) % ranks));
    }

    fn keeps_order(&self) -> bool {
        true
    }
}

/// Recursive doubling: runs of parts double as they are exchanged. lg alpha + (P-1)/P n beta for
/// powers of two.
///
/// Other numbers of ranks are folded ([`Fold`](crate::fold::Fold)): a folded rank hands its part to
/// a neighbour first and receives the whole last, which costs two more rounds and n elements.
/// Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in
/// MPICH", 2005.
pub(crate) struct Doubling {
    rotation: Rotation,
    cut: Cut,
    fold: Fold,
}

impl Doubling {
    pub fn new(rotation: Rotation, cut: Cut) -> Doubling {
        Doubling { rotation, cut, fold: Fold::new(rotation.ranks, 0) }
    }

    fn fold_in(&self, node: usize, steps: &mut Vec<Step>) {
        let output = Span::output(0, self.cut.total);
        match self.fold.role(node) {
            Role::Folded { into } => {
                steps.push(Step::Send { to: self.rotation.rank(into), span: self.cut.part(output, node) });
            }
            Role::Active { folded: Some(other), .. } => {
                steps.push(Step::Receive {
                    from: self.rotation.rank(other),
                    span: self.cut.part(output, other),
                });
            }
            Role::Active { folded: None, .. } => {}
        }
    }

    fn fold_out(&self, node: usize, steps: &mut Vec<Step>) {
        let span = Span::output(0, self.cut.total);
        match self.fold.role(node) {
            Role::Folded { into } => steps.push(Step::Receive { from: self.rotation.rank(into), span }),
            Role::Active { folded: Some(other), .. } => {
                steps.push(Step::Send { to: self.rotation.rank(other), span });
            }
            Role::Active { folded: None, .. } => {}
        }
    }

    /// Returns what the active rank holds after `level` exchanges.
    fn held(&self, index: usize, level: usize) -> Span {
        let first = index >> level << level;
        let (start, end) = (self.fold.first(first), self.fold.first(first + (1 << level)));
        self.cut.range(Span::output(0, self.cut.total), start, end)
    }
}

impl Schedule for Doubling {
    fn ranks(&self) -> usize {
        self.rotation.ranks
    }

    fn scratch(&self, _rank: usize) -> usize {
        0
    }

    fn rounds(&self, _rank: usize) -> usize {
        self.fold.levels() + 2
    }

    fn round(&self, rank: usize, index: usize, steps: &mut Vec<Step>) {
        let node = self.rotation.relative(rank);
        if index == 0 {
            return self.fold_in(node, steps);
        }
        if index > self.fold.levels() {
            return self.fold_out(node, steps);
        }
        if let Role::Active { index: mine, .. } = self.fold.role(node) {
            let level = index - 1;
            let theirs = mine ^ (1 << level);
            let peer = self.rotation.rank(self.fold.rank(theirs));
            exchange(steps, peer, self.held(mine, level), peer, self.held(theirs, level));
        }
    }

    fn keeps_order(&self) -> bool {
        true
    }
}

/// Bruck: the run of blocks that begins with the rank's own doubles each round, and is rotated into
/// place at the end. lg alpha + (P-1)/P n beta for any P, and n elements copied. Bruck and others,
/// "Efficient algorithms for all-to-all communications in multiport message-passing systems", 1997.
pub(crate) struct Bruck {
    pub ranks: usize,
    pub count: usize,
}

impl Schedule for Bruck {
    fn ranks(&self) -> usize {
        self.ranks
    }

    fn scratch(&self, _rank: usize) -> usize {
        self.ranks * self.count
    }

    fn rounds(&self, _rank: usize) -> usize {
        crate::layout::ceil_log2(self.ranks) + 2
    }

    fn round(&self, rank: usize, index: usize, steps: &mut Vec<Step>) {
        let Bruck { ranks, count } = *self;
        if index == 0 {
            steps.push(Step::Copy { from: Span::input(0, count), to: Span::scratch(0, count) });
        } else if index + 1 < self.rounds(rank) {
            let held = 1 << (index - 1);
            let len = held.min(ranks - held) * count;
            let (to, from) = ((rank + ranks - held) % ranks, (rank + held) % ranks);
            exchange(steps, to, Span::scratch(0, len), from, Span::scratch(held * count, len));
        } else {
            let (head, tail) = ((ranks - rank) * count, rank * count);
            steps.push(Step::Copy { from: Span::scratch(0, head), to: Span::output(tail, head) });
            steps.push(Step::Copy { from: Span::scratch(head, tail), to: Span::output(0, tail) });
        }
    }

    fn keeps_order(&self) -> bool {
        true
    }
}
