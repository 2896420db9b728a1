//! Row broadcast and column broadcast (C14).

use std::ops::Range;

use panto_implementation::matrix::Operation;
use panto_results::{KernelInfo, Point, Record, kernel, param};
use panto_schedule::HopShape;
use panto_transport::{Selector, SendMode, Transport};

use super::Options;
use super::matrix::{Block, Double, Layout, MatrixKernel, Rect, Task, measure, mesh_of, points};
use super::tag;
use crate::error::{Error, Result};
use crate::kernel::Pattern;
use crate::measure::Lab;
use crate::settings::Settings;

/// Time to send a row of the matrix to all other blocks of its mesh column, by matrix dimension.
#[derive(Debug, Clone, Copy)]
pub struct RowBroadcast;

/// Time to send a column of the matrix to all other blocks of its mesh row, by matrix dimension.
#[derive(Debug, Clone, Copy)]
pub struct ColumnBroadcast;

impl Pattern for RowBroadcast {
    fn name(&self) -> &'static str {
        kernel::comet::ROW_BROADCAST
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        Axis::Row.points(settings)
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        Axis::Row.run(lab, point)
    }
}

impl Pattern for ColumnBroadcast {
    fn name(&self) -> &'static str {
        kernel::comet::COLUMN_BROADCAST
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        Axis::Column.points(settings)
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        Axis::Column.run(lab, point)
    }
}

/// Line of the matrix that is broadcast.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Axis {
    Row,
    Column,
}

impl Axis {
    fn operation(self) -> Operation {
        match self {
            Self::Row => Operation::RowBroadcast,
            Self::Column => Operation::ColumnBroadcast,
        }
    }

    fn info(self) -> &'static KernelInfo {
        match self {
            Self::Row => RowBroadcast.info(),
            Self::Column => ColumnBroadcast.info(),
        }
    }

    /// Returns an error where the mesh is one wide and there is no destination: the time would be
    /// 0.
    fn points(self, settings: &Settings) -> Result<Vec<Point>> {
        let mesh = mesh_of(settings, settings.shape_or(HopShape::Complete), settings.world())?;
        let (targets, what) = if self == Self::Row { (mesh.rows(), "row") } else { (mesh.cols(), "column") };
        if targets > 1 {
            let points = points(settings, self.operation(), &[])?;
            check_index(settings.options.get::<Options>().index, &points)?;
            return Ok(points);
        }
        Err(Error::usage(format!(
            "{} needs a mesh of 2 or more {what}s, and {mesh} has 1; use a mesh such as --mesh 2x2",
            self.info().name
        )))
    }

    fn run<T: Transport>(self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        let layout = Layout::of(lab, point)?;
        // The owner's time includes all messages and acknowledgements.
        let index =
            lab.settings.options.get::<Options>().index.map_or(layout.dim / 2, |index| index as usize);
        let whole = (&layout, self.owner(&layout, 0, index));
        measure(lab, self.info(), point, whole, |rank| LineBroadcast::new(&layout, rank, self, index))
    }

    fn lines(self, rect: &Rect) -> &Range<usize> {
        match self {
            Self::Row => &rect.rows,
            Self::Column => &rect.cols,
        }
    }

    /// Returns the ranks that receive the same part of the line as this one, and itself: its mesh
    /// column for a row.
    fn across(self, layout: &Layout, rank: usize) -> Vec<usize> {
        let (mesh, around) = (&layout.mesh, layout.around(rank));
        match self {
            Self::Row => (0..mesh.rows()).map(|row| mesh.rank_at(row, around.col)).collect(),
            Self::Column => (0..mesh.cols()).map(|col| mesh.rank_at(around.row, col)).collect(),
        }
    }

    /// Returns which of them owns the line.
    fn owner(self, layout: &Layout, rank: usize, index: usize) -> usize {
        let holds = |rank: &usize| self.lines(&layout.rect(*rank)).contains(&index);
        self.across(layout, rank).into_iter().find(holds).expect("every line is in some block")
    }
}

/// Checks that the line that the user named exists in every matrix of the sweep.
fn check_index(index: Option<u64>, points: &[Point]) -> Result<()> {
    let least = points.iter().filter_map(|point| point.number(param::DIM)).min();
    match (index, least) {
        (Some(index), Some(least)) if index >= least => Err(Error::usage(format!(
            "a matrix of {least} x {least} has no row or column {index}; use --index {} or less, or larger --dims",
            least - 1
        ))),
        _ => Ok(()),
    }
}

/// Line broadcast of one rank. A row is contiguous and is sent and received in place; a column is
/// packed and unpacked.
struct LineBroadcast {
    axis: Axis,
    /// Global index of the line that is sent.
    index: usize,
    own: Rect,
    /// Line of the own block that is sent or replaced: on equal blocks the one at the same place in
    /// each, as in the thesis; the last one of a block that is too small for that.
    place: usize,
    owner: usize,
    /// Ranks to which the owner sends.
    others: Vec<usize>,
}

impl LineBroadcast {
    fn new(layout: &Layout, rank: usize, axis: Axis, index: usize) -> Self {
        let (owner, own) = (axis.owner(layout, rank, index), layout.rect(rank));
        let place = index - axis.lines(&layout.rect(owner)).start;
        let others = if rank == owner { axis.across(layout, rank) } else { Vec::new() };
        Self {
            axis,
            index,
            place: place.min(axis.lines(&own).len() - 1),
            own,
            owner,
            others: others.into_iter().filter(|&other| other != owner).collect(),
        }
    }

    fn send<T: Transport>(&self, transport: &T, line: &[u8]) -> panto_transport::Result<()> {
        let send = |&other: &usize| transport.send(SendMode::Standard, line, other, tag::DATA);
        self.others.iter().try_for_each(send)?;
        let acknowledged =
            |&other: &usize| transport.receive(&mut [], Selector::new(other, tag::ACK)).map(drop);
        self.others.iter().try_for_each(acknowledged)
    }

    fn receive<T: Transport>(&self, transport: &T, line: &mut [u8]) -> panto_transport::Result<()> {
        transport.receive(line, Selector::new(self.owner, tag::DATA)).map(drop)
    }

    /// Acknowledges that the line is in the matrix.
    fn acknowledge<T: Transport>(&self, transport: &T) -> panto_transport::Result<()> {
        transport.send(SendMode::Standard, &[], self.owner, tag::ACK)
    }

    /// Returns the doubles of the line in this rank's block.
    fn len(&self) -> usize {
        self.own.len() / self.axis.lines(&self.own).len()
    }
}

impl MatrixKernel for LineBroadcast {
    fn buffers(&self) -> Vec<usize> {
        match self.axis {
            Axis::Row => Vec::new(),
            Axis::Column => vec![self.len()],
        }
    }

    fn run<T: Transport>(
        &self,
        transport: &T,
        block: &mut Block,
        buffers: &mut [Vec<Double>],
    ) -> panto_transport::Result<()> {
        let (line, owns) = (self.place + 1, transport.rank() == self.owner);
        match (self.axis, owns) {
            (Axis::Row, true) => return self.send(transport, block.row(line)),
            (Axis::Row, false) => self.receive(transport, block.row_mut(line))?,
            (Axis::Column, true) => {
                transport.charge(block.pack(&self.own.array_col(line), &mut buffers[0]));
                return self.send(transport, buffers[0].as_flattened());
            }
            (Axis::Column, false) => {
                self.receive(transport, buffers[0].as_flattened_mut())?;
                transport.charge(block.unpack(&self.own.array_col(line), &buffers[0]));
            }
        }
        self.acknowledge(transport)
    }

    fn sends(&self) -> usize {
        self.len() * self.others.len()
    }

    fn task(&self) -> Task {
        Task { owner: self.owner, place: self.place + 1, ..Task::of(self.axis.operation()) }
    }

    fn origin(&self, row: usize, col: usize) -> (usize, usize) {
        let replaced = self.axis.lines(&self.own).start + self.place;
        match self.axis {
            Axis::Row if row == replaced => (self.index, col),
            Axis::Column if col == replaced => (row, self.index),
            _ => (row, col),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_too_small_has_its_last_line_replaced() {
        // Five rows over three ranks: 0..1, 1..3, 3..5. Row 2 is the second of its block.
        let layout = Layout { mesh: "3x1".parse().expect("a mesh"), dim: 5 };
        let places = [0, 1, 2].map(|rank| LineBroadcast::new(&layout, rank, Axis::Row, layout.dim / 2).place);
        assert_eq!(places, [0, 1, 1]);
    }
}
