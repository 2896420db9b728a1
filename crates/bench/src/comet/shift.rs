//! Shift: each block to the next rank (C12).

use panto_schedule::Neighbours;
use panto_transport::{Mode, Transport, Want, scope};

use super::matrix::{Block, Double, Layout, MatrixKernel, Rect, measure, points};
use super::{SUITE, tag};
use crate::error::Result;
use crate::kernel::{About, Pattern};
use crate::measure::Lab;
use crate::point::{Point, param};
use crate::results::Record;
use crate::settings::Settings;

/// The rank whose clock counts.
const TESTER: usize = 0;
const NORTH: &str = "north";
const EAST: &str = "east";

/// Time to move every block one rank up or to the right, by direction and matrix dimension.
#[derive(Debug, Clone, Copy)]
pub struct Shift;

impl Pattern for Shift {
    fn about(&self) -> About {
        About {
            suite: SUITE,
            name: "shift",
            line: "shift of a matrix by one block to the north or to the east, by matrix dimension",
            axis: param::DIM,
            least_ranks: 1,
            needs: None,
        }
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        points(settings, &[NORTH, EAST])
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        let layout = Layout::of(lab, point)?;
        let north = point.text(param::VARIANT) == NORTH;
        measure(lab, &self.about(), point, (&layout, TESTER), |rank| ShiftBlock::new(&layout, rank, north))
    }
}

/// One rank's part. The local array goes with its guard wrapper, as it did in the thesis: so it lies together
/// and nothing is packed. It is received into a second array, which then is the block, so nothing depends on
/// buffering; blocks of different shapes keep theirs.
struct ShiftBlock {
    to: usize,
    from: usize,
    sends: Rect,
    receives: Rect,
}

impl ShiftBlock {
    fn new(layout: &Layout, rank: usize, north: bool) -> Self {
        let Neighbours { top, bottom, pred, succ, .. } = layout.around(rank);
        let (to, from) = if north { (top, bottom) } else { (succ, pred) };
        Self { to, from, sends: layout.rect(rank), receives: layout.rect(from) }
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
            let _ = s.receive(array.as_flattened_mut(), Want::new(self.from, tag::DATA))?;
            let _ = s.send(Mode::Standard, block.bytes(), self.to, tag::DATA)?;
            Ok::<_, panto_transport::Error>(())
        })?;
        block.replace(self.receives.clone(), array);
        Ok(())
    }

    fn sends(&self) -> usize {
        self.sends.array_len()
    }

    fn holds(&self, _own: &Rect) -> Rect {
        self.receives.clone()
    }
}
