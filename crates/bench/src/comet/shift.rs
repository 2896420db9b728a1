//! Shift: each block moves to the next rank (C12).

use panto_implementation::matrix::{Direction, Operation};
use panto_results::{Point, Record, kernel, param};
use panto_schedule::Neighbours;
use panto_transport::{Selector, SendMode, Transport, scope};

use super::matrix::{Block, Double, Layout, MatrixKernel, Rect, Task, measure, points};
use super::tag;
use crate::error::Result;
use crate::kernel::Pattern;
use crate::measure::Lab;
use crate::settings::Settings;

/// The rank that is timed.
const TESTER: usize = 0;
const NORTH: &str = "north";
const EAST: &str = "east";

/// Time to move every block one rank up or to the right, by direction and matrix dimension.
#[derive(Debug, Clone, Copy)]
pub struct Shift;

impl Pattern for Shift {
    fn name(&self) -> &'static str {
        kernel::comet::SHIFT
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        points(settings, Operation::Shift, &[NORTH, EAST])
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        let layout = Layout::of(lab, point)?;
        let direction = if point.text(param::VARIANT) == NORTH { Direction::North } else { Direction::East };
        measure(lab, self.info(), point, (&layout, TESTER), |rank| ShiftBlock::new(&layout, rank, direction))
    }
}

/// Shift of one rank. The local array is sent with its guard wrapper, as in the thesis, so it is
/// contiguous and nothing is packed. It is received into a second array, which then becomes the
/// block, so nothing depends on buffering; blocks of different shapes keep theirs.
struct ShiftBlock {
    to: usize,
    from: usize,
    sends: Rect,
    receives: Rect,
    direction: Direction,
}

impl ShiftBlock {
    fn new(layout: &Layout, rank: usize, direction: Direction) -> Self {
        let Neighbours { top, bottom, pred, succ, .. } = layout.around(rank);
        let (to, from) = match direction {
            Direction::North => (top, bottom),
            Direction::East => (succ, pred),
        };
        Self { to, from, sends: layout.rect(rank), receives: layout.rect(from), direction }
    }
}

impl MatrixKernel for ShiftBlock {
    fn buffers(&self) -> Vec<usize> {
        vec![self.receives.array_len()]
    }

    fn run<T: Transport>(
        &self,
        transport: &T,
        block: &mut Block,
        buffers: &mut [Vec<Double>],
    ) -> panto_transport::Result<()> {
        let array = &mut buffers[0];
        scope(transport, |s| {
            let _ = s.receive(array.as_flattened_mut(), Selector::new(self.from, tag::DATA))?;
            let _ = s.send(SendMode::Standard, block.bytes(), self.to, tag::DATA)?;
            Ok::<_, panto_transport::Error>(())
        })?;
        block.replace(self.receives.clone(), array);
        Ok(())
    }

    fn sends(&self) -> usize {
        self.sends.array_len()
    }

    fn task(&self) -> Task {
        Task { direction: self.direction, ..Task::of(Operation::Shift) }
    }

    fn holds(&self, _own: &Rect) -> Rect {
        self.receives.clone()
    }
}
