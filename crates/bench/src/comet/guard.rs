//! Update guard: the edges of neighbouring blocks are copied into the guard wrapper (C11).

use panto_implementation::matrix::Operation;
use panto_results::{Point, Record, kernel};
use panto_schedule::Neighbours;
use panto_transport::{Tag, Transport};

use super::matrix::{
    Block, Double, Layout, MatrixKernel, Rect, Task, Trade, buffers_for, measure, points, trade,
};
use super::tag;
use crate::error::Result;
use crate::kernel::Pattern;
use crate::measure::Lab;
use crate::settings::Settings;

/// The rank that is timed.
const TESTER: usize = 0;

/// Time to fill the guard wrapper from all four neighbours, by matrix dimension.
#[derive(Debug, Clone, Copy)]
pub struct Guard;

impl Pattern for Guard {
    fn name(&self) -> &'static str {
        kernel::comet::GUARD
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        points(settings, Operation::Guard, &[])
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        let layout = Layout::of(lab, point)?;
        measure(lab, self.info(), point, (&layout, TESTER), |rank| UpdateGuard::new(&layout, rank))
    }
}

/// A side of a block, in the order in which edges are sent.
#[derive(Debug, Clone, Copy)]
enum Side {
    North,
    South,
    East,
    West,
}

impl Side {
    const ALL: [Self; 4] = [Self::North, Self::South, Self::East, Self::West];

    fn opposite(self) -> Self {
        match self {
            Self::North => Self::South,
            Self::South => Self::North,
            Self::East => Self::West,
            Self::West => Self::East,
        }
    }

    fn neighbour(self, around: &Neighbours) -> usize {
        match self {
            Self::North => around.top,
            Self::South => around.bottom,
            Self::East => around.succ,
            Self::West => around.pred,
        }
    }

    /// Returns the outermost elements of the block.
    fn edge(self, own: &Rect) -> Rect {
        match self {
            Self::North => own.array_row(1),
            Self::South => own.array_row(own.height()),
            Self::East => own.array_col(own.width()),
            Self::West => own.array_col(1),
        }
    }

    /// Returns the guard elements beyond the edge.
    fn guard(self, own: &Rect) -> Rect {
        match self {
            Self::North => own.array_row(0),
            Self::South => own.array_row(own.height() + 1),
            Self::East => own.array_col(own.width() + 1),
            Self::West => own.array_col(0),
        }
    }

    /// Returns the tag of the side: on a small mesh several neighbours are the same rank.
    fn tag(self) -> Tag {
        tag::EDGE + self as Tag
    }
}

/// Guard update of one rank. Each edge goes to the neighbour beyond it, whose opposite edge comes
/// back: the north guard holds the south edge of the neighbour above.
struct UpdateGuard {
    trades: Vec<Trade>,
    guards: [Rect; 4],
}

impl UpdateGuard {
    fn new(layout: &Layout, rank: usize) -> Self {
        let (around, own) = (layout.around(rank), layout.rect(rank));
        let trade = |side: Side| Trade {
            peer: side.neighbour(&around),
            area: side.edge(&own),
            sends: side.tag(),
            receives: side.opposite().tag(),
        };
        Self { trades: Side::ALL.map(trade).into(), guards: Side::ALL.map(|side| side.guard(&own)) }
    }
}

impl MatrixKernel for UpdateGuard {
    fn buffers(&self) -> Vec<usize> {
        buffers_for(&self.trades)
    }

    fn run<T: Transport>(
        &self,
        transport: &T,
        block: &mut Block,
        buffers: &mut [Vec<Double>],
    ) -> panto_transport::Result<()> {
        let edges = trade(transport, block, &self.trades, buffers)?;
        for (guard, edge) in self.guards.iter().zip(edges) {
            transport.charge(block.unpack(guard, edge));
        }
        Ok(())
    }

    fn sends(&self) -> usize {
        self.trades.iter().map(|trade| trade.area.len()).sum()
    }

    fn task(&self) -> Task {
        Task::of(Operation::Guard)
    }

    fn fills_guard(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use panto_results::param;
    use panto_transport::World;
    use panto_transport::threads::Threads;

    use super::*;

    #[test]
    fn edges_that_are_not_sent_are_noticed() {
        let (settings, interrupt) =
            (Settings { ranks: vec![4], ..Settings::default() }, AtomicBool::new(false));
        let point = Point::new(4).with(param::DIM, 10);
        let outcome = Threads::default().run(4, |transport| {
            let mut lab = Lab::new(transport, &settings, &interrupt)?;
            let layout = Layout::of(&lab, &point)?;
            measure(&mut lab, Guard.info(), &point, (&layout, TESTER), |rank| {
                let mut whole = UpdateGuard::new(&layout, rank);
                whole.trades.truncate(2);
                whole
            })
        });
        let error = outcome.unwrap_err().to_string();
        assert!(error.contains("wrong data: the guard for row") && error.contains("is -1, not"), "{error}");
    }
}
