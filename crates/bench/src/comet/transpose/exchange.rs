//! Transpose by direct exchange of blocks.

use panto_implementation::matrix::Operation;
use panto_transport::Transport;

use crate::comet::matrix::{Block, Double, Layout, MatrixKernel, Task, Trade, buffers_for, trade};
use crate::comet::tag;

/// Block exchange of one rank. On a square mesh it exchanges its whole block with the rank in the
/// mirrored cell. On any other mesh the transpose of its block is spread over several ranks, and
/// each of them gets its piece. What is received is transposed while it is stored. A rank whose
/// block is its own transpose sends to itself, as in the thesis.
pub(super) struct BlockExchange {
    trades: Vec<Trade>,
}

impl BlockExchange {
    pub(super) fn new(layout: &Layout, rank: usize) -> Self {
        let own = layout.rect(rank);
        // The transpose of what another rank holds is both what it needs of this rank's elements
        // and where its own belong, so each pair of ranks makes one exchange.
        let trade = |peer| {
            let area = own.place(&own.intersect_transposed(&layout.rect(peer)));
            Trade { peer, area, sends: tag::DATA, receives: tag::DATA }
        };
        let all = (0..layout.mesh.ranks()).map(trade);
        Self { trades: all.filter(|trade| trade.area.len() > 0).collect() }
    }
}

impl MatrixKernel for BlockExchange {
    fn buffers(&self) -> Vec<usize> {
        buffers_for(&self.trades)
    }

    fn run<T: Transport>(
        &self,
        transport: &T,
        block: &mut Block,
        buffers: &mut [Vec<Double>],
    ) -> panto_transport::Result<()> {
        let pieces = trade(transport, block, &self.trades, buffers)?;
        for (trade, piece) in self.trades.iter().zip(pieces) {
            transport.charge(block.unpack_transposed(&trade.area, piece));
        }
        Ok(())
    }

    fn sends(&self) -> usize {
        self.trades.iter().map(|trade| trade.area.len()).sum()
    }

    fn task(&self) -> Task {
        Task::of(Operation::Transpose)
    }

    fn origin(&self, row: usize, col: usize) -> (usize, usize) {
        (col, row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_a_square_mesh_there_is_one_partner() {
        let layout = Layout { mesh: "3x3".parse().expect("a mesh"), dim: 10 };
        for rank in 0..9 {
            let peers: Vec<usize> =
                BlockExchange::new(&layout, rank).trades.iter().map(|trade| trade.peer).collect();
            assert_eq!(peers, [rank % 3 * 3 + rank / 3]);
        }
    }
}
