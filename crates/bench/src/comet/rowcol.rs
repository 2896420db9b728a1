//! Row broadcast and column broadcast (C14).

use std::ops::Range;

use panto_schedule::HopShape;
use panto_transport::{Mode, Transport, Want};

use super::matrix::{Block, Double, Layout, MatrixKernel, Rect, measure, mesh_of, points};
use super::{SUITE, tag};
use crate::error::{Error, Result};
use crate::kernel::{About, Pattern};
use crate::measure::Lab;
use crate::point::{Point, param};
use crate::results::Record;
use crate::settings::Settings;

/// Time to send a row of the matrix up and down to all other blocks, by matrix dimension.
#[derive(Debug, Clone, Copy)]
pub struct RowBroadcast;

/// Time to send a column of the matrix sideways to all other blocks, by matrix dimension.
#[derive(Debug, Clone, Copy)]
pub struct ColumnBroadcast;

/// The fewest of whose own mesh, 2 x 2, both kernels have somebody to send to.
const LEAST_RANKS: usize = 4;

impl Pattern for RowBroadcast {
    fn about(&self) -> About {
        Axis::Row.about()
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        Axis::Row.points(settings)
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        Axis::Row.run(lab, point)
    }
}

impl Pattern for ColumnBroadcast {
    fn about(&self) -> About {
        Axis::Column.about()
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        Axis::Column.points(settings)
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        Axis::Column.run(lab, point)
    }
}

/// What is broadcast.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Axis {
    Row,
    Column,
}

impl Axis {
    fn about(self) -> About {
        let (name, line) = match self {
            Self::Row => ("row-broadcast", "a matrix row to every row of the mesh, by matrix dimension"),
            Self::Column => {
                ("column-broadcast", "a matrix column to every column of the mesh, by matrix dimension")
            }
        };
        About { suite: SUITE, name, line, axis: param::DIM, least_ranks: LEAST_RANKS, needs: None }
    }

    /// An error where the mesh is but one wide, so that nobody is there to send to: a time of 0 is no time.
    fn points(self, settings: &Settings) -> Result<Vec<Point>> {
        let mesh = mesh_of(settings, settings.shape_or(HopShape::Complete), settings.world())?;
        let (targets, what) = if self == Self::Row { (mesh.rows(), "row") } else { (mesh.cols(), "column") };
        if targets > 1 {
            let points = points(settings, &[])?;
            check_index(settings.index, &points)?;
            return Ok(points);
        }
        Err(Error::usage(format!("the mesh {mesh} has one {what}: nobody to broadcast to; use --mesh 2x2")))
    }

    fn run<T: Transport>(self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        let layout = Layout::of(lab, point)?;
        // An owner's time contains all messages and acknowledgements.
        let index = lab.settings.index.map_or(layout.dim / 2, |index| index as usize);
        let whole = (&layout, self.owner(&layout, 0, index));
        measure(lab, &self.about(), point, whole, |rank| LineBroadcast::new(&layout, rank, self, index))
    }

    fn lines(self, rect: &Rect) -> &Range<usize> {
        match self {
            Self::Row => &rect.rows,
            Self::Column => &rect.cols,
        }
    }

    /// The ranks that get the same part of the line as this one, and itself: its column of the mesh for a row.
    fn across(self, layout: &Layout, rank: usize) -> Vec<usize> {
        let (mesh, around) = (&layout.mesh, layout.around(rank));
        match self {
            Self::Row => (0..mesh.rows()).map(|row| mesh.rank_at(row, around.col)).collect(),
            Self::Column => (0..mesh.cols()).map(|col| mesh.rank_at(around.row, col)).collect(),
        }
    }

    /// The one of them that has it.
    fn owner(self, layout: &Layout, rank: usize, index: usize) -> usize {
        let holds = |rank: &usize| self.lines(&layout.rect(*rank)).contains(&index);
        self.across(layout, rank).into_iter().find(holds).expect("every line is in some block")
    }
}

/// Is the line that the user named in every matrix of the sweep?
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

/// One rank's part. A row lies together and is sent and received in place; a column is packed and unpacked.
struct LineBroadcast {
    axis: Axis,
    /// The global index of the line that is sent.
    index: usize,
    own: Rect,
    /// Which line of the own block is sent or replaced: on equal blocks the one at the same place in each, as
    /// in the thesis; the last one of a block that is too small for that.
    place: usize,
    owner: usize,
    /// To whom the owner sends.
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
        let send = |&other: &usize| transport.send(Mode::Standard, line, other, tag::DATA);
        self.others.iter().try_for_each(send)?;
        let acknowledged = |&other: &usize| transport.receive(&mut [], Want::new(other, tag::ACK)).map(drop);
        self.others.iter().try_for_each(acknowledged)
    }

    fn receive<T: Transport>(&self, transport: &T, line: &mut [u8]) -> panto_transport::Result<()> {
        transport.receive(line, Want::new(self.owner, tag::DATA)).map(drop)
    }

    /// Says that the line is in the matrix.
    fn acknowledge<T: Transport>(&self, transport: &T) -> panto_transport::Result<()> {
        transport.send(Mode::Standard, &[], self.owner, tag::ACK)
    }

    /// Doubles of the line that are in this rank's block.
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
