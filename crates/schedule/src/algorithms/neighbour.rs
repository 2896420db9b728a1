//! Allgather by neighbour exchange, two blocks at a time.

use crate::layout::exchange;
use crate::{Schedule, Span, Step};

/// Neighbour exchange: P/2 alpha + (P-1)/P n beta, for an even number of ranks. Chen, Zhang, Zhang
/// and Yuan, "Performance evaluation of allgather algorithms on terascale Linux cluster with fast
/// Ethernet", 2005.
///
/// In the first round the two ranks of a pair exchange their blocks; after that each rank
/// alternates between its two neighbours and forwards what it received last, or the pair's own
/// blocks. Blocks travel in pairs that begin at an even rank.
pub(crate) struct Neighbour {
    pub ranks: usize,
    pub count: usize,
}

impl Neighbour {
    /// Returns the even rank at which the pair of blocks begins that a rank receives in a round
    /// after the first; in round 0, its own pair.
    fn pair(&self, rank: usize, round: usize) -> usize {
        let own = rank - rank % 2;
        // Even ranks look left in odd rounds and right in even ones, odd ranks the other way.
        let left = rank.is_multiple_of(2) != round.is_multiple_of(2);
        let far = 2 * round.div_ceil(2) % self.ranks;
        if left { (own + self.ranks - far) % self.ranks } else { (own + far) % self.ranks }
    }

    fn blocks(&self, first: usize, blocks: usize) -> Span {
        Span::output(first * self.count, blocks * self.count)
    }
}

impl Schedule for Neighbour {
    fn ranks(&self) -> usize {
        self.ranks
    }

    fn scratch(&self, _rank: usize) -> usize {
        0
    }

    fn rounds(&self, _rank: usize) -> usize {
        self.ranks / 2
    }

    fn round(&self, rank: usize, index: usize, steps: &mut Vec<Step>) {
        let right = rank.is_multiple_of(2) == index.is_multiple_of(2);
        let peer = if right { (rank + 1) % self.ranks } else { (rank + self.ranks - 1) % self.ranks };
        let (sent, received) = if index == 0 {
            (self.blocks(rank, 1), self.blocks(peer, 1))
        } else {
            (self.blocks(self.pair(rank, index - 1), 2), self.blocks(self.pair(rank, index), 2))
        };
        exchange(steps, peer, sent, peer, received);
    }

    fn keeps_order(&self) -> bool {
        true
    }
}
