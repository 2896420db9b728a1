//! Halo exchange: every rank gets the outermost cells of its neighbours in a periodic grid.

mod block;
mod grid;

use panto_transport::{Mode, Tag, Transport, Want, scope};

use self::block::{Block, Cell, Face};
pub use self::grid::Grid;
use super::{SUITE, tag};
use crate::error::{Error, Result};
use crate::kernel::{About, Pattern};
use crate::measure::{Checked, Lab, Metric, Operation, Timing};
use crate::point::{Point, param};
use crate::results::Record;
use crate::settings::Settings;

/// Sides of a rank's square, where nobody names others.
const SQUARES: [u64; 7] = [16, 32, 64, 128, 256, 512, 1024];
/// Sides of a rank's cube.
const CUBES: [u64; 5] = [4, 8, 16, 32, 64];

/// Time to exchange the edges of squares with four neighbours, by the side of a rank's square.
#[derive(Debug, Clone, Copy)]
pub struct Halo2d;

/// Time to exchange the faces of cubes with six neighbours, by the side of a rank's cube.
#[derive(Debug, Clone, Copy)]
pub struct Halo3d;

impl Pattern for Halo2d {
    fn about(&self) -> About {
        About {
            suite: SUITE,
            name: "halo-2d",
            line: "exchange of the edges of each rank's square with its four neighbours, by the square's side",
            axis: param::SIDE,
            least_ranks: 1,
            needs: None,
        }
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        points(&self.about(), settings, 2, &SQUARES)
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        measure(lab, &self.about(), point)
    }
}

impl Pattern for Halo3d {
    fn about(&self) -> About {
        About {
            suite: SUITE,
            name: "halo-3d",
            line: "exchange of the faces of each rank's cube with its six neighbours, by the cube's side",
            axis: param::SIDE,
            least_ranks: 1,
            needs: None,
        }
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        points(&self.about(), settings, 3, &CUBES)
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        measure(lab, &self.about(), point)
    }
}

fn points(about: &About, settings: &Settings, dimensions: usize, usual: &[u64]) -> Result<Vec<Point>> {
    let sides = settings.dims.clone().unwrap_or_else(|| usual.to_vec());
    if sides.contains(&0) {
        return Err(Error::usage("a block has a side of at least 1 cell; use --dims 1 or more"));
    }
    let mut points = Vec::with_capacity(settings.ranks.len() * sides.len());
    for &ranks in &settings.ranks {
        let grid = grid_of(about, settings, dimensions, ranks)?.to_string();
        let point = Point::new(ranks).with_text(param::GRID, &grid);
        points.extend(sides.iter().map(|&side| point.clone().with(param::SIDE, side)));
    }
    Ok(points)
}

/// The grid that the user gave, if it has as many dimensions, or an even one.
fn grid_of(about: &About, settings: &Settings, dimensions: usize, ranks: usize) -> Result<Grid> {
    let even = Grid::even(ranks, dimensions);
    match settings.classic.grid.as_ref().filter(|grid| grid.dimensions() == dimensions) {
        None => Ok(even),
        Some(grid) if grid.ranks() == ranks => Ok(grid.clone()),
        Some(grid) => Err(Error::usage(format!(
            "the grid {grid} of {} has {} places, and there are {ranks} ranks; use --ranks {} or a grid such as {even}",
            about.full_name(),
            grid.ranks(),
            grid.ranks()
        ))),
    }
}

fn measure<T: Transport>(lab: &mut Lab<'_, T>, about: &About, point: &Point) -> Result<Option<Record>> {
    let grid: Grid = point.text(param::GRID).parse()?;
    let mut operation = Halo::new(lab.transport, grid, point.get(param::SIDE));
    let samples = lab.measure(Timing::batched(Metric::longest()), &mut operation)?;
    let (moved, messages) = (operation.sends(), operation.borders.len());
    Ok(samples.map(|samples| Record {
        moved: Some(moved as u64),
        messages: Some(messages as u64),
        ..Record::new(&about.full_name(), point, samples)
    }))
}

/// One rank's part.
struct Halo<'a, T> {
    transport: &'a T,
    grid: Grid,
    block: Block,
    borders: Vec<Border>,
    outgoing: Vec<Vec<Cell>>,
    incoming: Vec<Vec<Cell>>,
    round: u64,
}

/// One side of a block: its edge goes to the neighbour beyond it, whose opposite edge comes into the halo.
#[derive(Debug, Clone, Copy)]
struct Border {
    neighbour: usize,
    edge: Face,
    halo: Face,
    sends: Tag,
    receives: Tag,
}

impl<'a, T: Transport> Halo<'a, T> {
    fn new(transport: &'a T, grid: Grid, side: usize) -> Self {
        let block = Block::new(side, grid.dimensions());
        let border = |axis: usize, up: bool| Border {
            neighbour: grid.neighbour(transport.rank(), axis, up),
            edge: block.edge(axis, up),
            halo: block.halo(axis, up),
            // One tag for each side: along a short axis both neighbours are the same rank.
            sends: tag_of(axis, up),
            receives: tag_of(axis, !up),
        };
        let borders: Vec<Border> =
            (0..grid.dimensions()).flat_map(|axis| [border(axis, false), border(axis, true)]).collect();
        let messages: Vec<Vec<Cell>> =
            borders.iter().map(|border| vec![Cell::default(); border.edge.len()]).collect();
        Self { transport, grid, block, borders, outgoing: messages.clone(), incoming: messages, round: 0 }
    }

    /// Bytes that this rank sends in one exchange.
    fn sends(&self) -> usize {
        self.borders.iter().map(|border| border.edge.len() * size_of::<Cell>()).sum()
    }
}

fn tag_of(axis: usize, up: bool) -> Tag {
    tag::FACE + 2 * axis as Tag + Tag::from(up)
}

impl<T: Transport> Operation for Halo<'_, T> {
    fn prepare(&mut self, round: u64) {
        self.round = round;
        self.block.reset(self.transport.rank(), round);
        self.incoming.iter_mut().for_each(|message| message.fill(Cell::default()));
    }

    /// Receives are posted first; each send starts as soon as its message is packed.
    fn run(&mut self) -> panto_transport::Result<()> {
        let Self { transport, block, borders, outgoing, incoming, .. } = self;
        scope(*transport, |s| {
            for (border, message) in borders.iter().zip(incoming.iter_mut()) {
                let _ =
                    s.receive(message.as_flattened_mut(), Want::new(border.neighbour, border.receives))?;
            }
            for (border, message) in borders.iter().zip(outgoing.iter_mut()) {
                transport.charge(block.pack(border.edge, message));
                let _ = s.send(Mode::Standard, message.as_flattened(), border.neighbour, border.sends)?;
            }
            Ok::<_, panto_transport::Error>(())
        })?;
        for (border, message) in borders.iter().zip(incoming.iter()) {
            transport.charge(block.unpack(border.halo, message));
        }
        Ok(())
    }

    fn verify(&mut self) -> Checked {
        self.block.check(&self.grid, self.transport.rank(), self.round)
    }
}
