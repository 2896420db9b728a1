//! Folding: runs an algorithm for powers of two on any number of ranks.

use crate::layout::order;
use crate::{Span, Step};

/// Folds the first `2 rem` ranks in neighbouring pairs, so that a power of two of ranks stays
/// active.
///
/// Pairs are neighbours, so that an active rank always represents a run of ranks: reductions keep
/// their order and blocks stay contiguous. Costs one round before and one after (Rabenseifner,
/// "Optimization of collective reduction operations", 2004).
#[derive(Clone, Copy)]
pub(crate) struct Fold {
    ranks: usize,
    keep: usize,
    /// Number of active ranks: the largest power of two not above the number of ranks.
    pub width: usize,
}

/// The role of a rank between the fold and the unfold.
#[derive(Clone, Copy)]
pub(crate) enum Role {
    /// Participates with an index below the width, and represents a folded neighbour if there is
    /// one.
    Active { index: usize, folded: Option<usize> },
    /// Represented by a neighbour.
    Folded { into: usize },
}

impl Fold {
    /// Creates a fold in which the rank `keep` stays active, such as the root.
    pub fn new(ranks: usize, keep: usize) -> Fold {
        Fold { ranks, keep, width: 1 << ranks.ilog2() }
    }

    /// Returns the number of rounds on the active ranks: log2 of the width.
    pub fn levels(self) -> usize {
        self.width.trailing_zeros() as usize
    }

    pub fn role(self, rank: usize) -> Role {
        let pairs = self.ranks - self.width;
        if rank >= 2 * pairs {
            return Role::Active { index: rank - pairs, folded: None };
        }
        let active = self.rank(rank / 2);
        if rank == active {
            Role::Active { index: rank / 2, folded: Some(rank ^ 1) }
        } else {
            Role::Folded { into: active }
        }
    }

    /// Returns the active rank with this index.
    pub fn rank(self, index: usize) -> usize {
        let pairs = self.ranks - self.width;
        if index >= pairs {
            index + pairs
        } else if self.keep / 2 == index {
            self.keep
        } else {
            2 * index + 1
        }
    }

    /// Returns the first rank that the active rank with this index represents; for the width, the
    /// number of ranks.
    pub fn first(self, index: usize) -> usize {
        index + index.min(self.ranks - self.width)
    }

    /// Appends the first round of a reduction: active ranks copy their input into the accumulator,
    /// folded ranks send it.
    pub fn reduce_in(
        self,
        rank: usize,
        input: Span,
        accumulator: Span,
        temporary: Span,
        steps: &mut Vec<Step>,
    ) {
        match self.role(rank) {
            Role::Folded { into } => steps.push(Step::Send { to: into, span: input }),
            Role::Active { folded, .. } => {
                steps.push(Step::Copy { from: input, to: accumulator });
                if let Some(other) = folded {
                    steps.push(Step::Receive { from: other, span: temporary });
                    steps.push(Step::Reduce {
                        from: temporary,
                        into: accumulator,
                        order: order(rank, other),
                    });
                }
            }
        }
    }

    /// Appends the last round: folded ranks receive the result.
    pub fn send_out(self, rank: usize, result: Span, steps: &mut Vec<Step>) {
        match self.role(rank) {
            Role::Folded { into } => steps.push(Step::Receive { from: into, span: result }),
            Role::Active { folded: Some(other), .. } => steps.push(Step::Send { to: other, span: result }),
            Role::Active { folded: None, .. } => {}
        }
    }
}
