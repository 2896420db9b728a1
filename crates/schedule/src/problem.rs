//! A collective with its sizes.

use crate::{Collective, Error, Sizes};

/// A collective with its sizes. Elements in the buffers of each rank, where n is `count` and P is
/// `ranks`:
///
/// | collective | `count` is | input | output |
/// |---|---|---|---|
/// | broadcast | the vector | 0 | n, which on the root holds the data from the start |
/// | reduce | the vector | n | n on the root, else 0 |
/// | allreduce | the vector | n | n |
/// | scan | the vector | n | n |
/// | exscan | the vector | n | n, but 0 on rank 0, which has no predecessor |
/// | allgather | one block | n | P n |
/// | gather | one block | n | P n on the root, else 0 |
/// | scatter | one block | P n on the root, else 0 | n |
/// | alltoall | one block | P n | P n |
/// | reduce-scatter | one block | P n | n |
/// | barrier | nothing | 0 | 0 |
///
/// Blocks lie in the order of the ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Problem {
    /// The collective.
    pub collective: Collective,
    /// Number of ranks.
    pub ranks: usize,
    /// The root; unused where [`Collective::rooted`] is false, but still a valid rank.
    pub root: usize,
    /// Elements of the vector or of one block, see the table.
    pub count: usize,
}

impl Problem {
    /// Returns the size of the rank's input, in elements.
    pub fn input_len(&self, rank: usize) -> usize {
        match self.collective {
            Collective::Scatter => self.on_root(rank, self.all()),
            Collective::Alltoall | Collective::ReduceScatter => self.all(),
            Collective::Broadcast | Collective::Barrier => 0,
            _ => self.count,
        }
    }

    /// Returns the size of the rank's output, in elements.
    pub fn output_len(&self, rank: usize) -> usize {
        match self.collective {
            Collective::Reduce => self.on_root(rank, self.count),
            Collective::Gather => self.on_root(rank, self.all()),
            Collective::Allgather | Collective::Alltoall => self.all(),
            Collective::Exscan if rank == 0 => 0,
            Collective::Barrier => 0,
            _ => self.count,
        }
    }

    /// Returns both sizes, as [`Plan::new`](crate::Plan::new) takes them.
    pub fn sizes(&self, rank: usize) -> Sizes {
        Sizes { input: self.input_len(rank), output: self.output_len(rank) }
    }

    /// Returns an error for a problem that cannot be scheduled, so that no algorithm needs to
    /// handle overflow.
    pub(crate) fn validate(&self) -> Result<(), Error> {
        let Problem { ranks, root, count, .. } = *self;
        if ranks == 0 {
            return Err(Error::NoRanks);
        }
        if root >= ranks {
            return Err(Error::Root { root, ranks });
        }
        // No algorithm lays out more than 8 P n elements; masks and partners need a few spare bits
        // above P.
        let fits = count.max(1).checked_mul(ranks).is_some_and(|total| total <= usize::MAX >> 4);
        if fits { Ok(()) } else { Err(Error::TooLarge { ranks, count }) }
    }

    fn on_root(&self, rank: usize, len: usize) -> usize {
        if rank == self.root { len } else { 0 }
    }

    fn all(&self) -> usize {
        self.ranks.saturating_mul(self.count)
    }
}
