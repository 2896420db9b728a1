//! Halo exchange: every rank gets the outermost cells of its neighbours in a periodic grid.

mod block;
mod grid;

use panto_results::{KernelInfo, Metric, Point, Record, kernel, param};
use panto_transport::{Selector, SendMode, Tag, Transport, scope};

use self::block::{Block, Cell, Face};
pub use self::grid::Grid;
use super::Options;
use super::tag;
use crate::error::{Error, Result};
use crate::kernel::Pattern;
use crate::measure::{Checked, Lab, Operation, Timing};
use crate::settings::Settings;

/// Default sides of a rank's square, in cells.
const SQUARES: [u64; 7] = [16, 32, 64, 128, 256, 512, 1024];
/// Default sides of a rank's cube, in cells.
const CUBES: [u64; 5] = [4, 8, 16, 32, 64];

/// Time to exchange the edges of squares with four neighbours, by the side of a rank's square.
#[derive(Debug, Clone, Copy)]
pub struct Halo2d;

/// Time to exchange the faces of cubes with six neighbours, by the side of a rank's cube.
#[derive(Debug, Clone, Copy)]
pub struct Halo3d;

impl Pattern for Halo2d {
    fn name(&self) -> &'static str {
        kernel::classic::HALO_2D
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        points(self.info(), settings, 2, &SQUARES)
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        measure(lab, self.info(), point)
    }
}

impl Pattern for Halo3d {
    fn name(&self) -> &'static str {
        kernel::classic::HALO_3D
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        points(self.info(), settings, 3, &CUBES)
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        measure(lab, self.info(), point)
    }
}

fn points(info: &KernelInfo, settings: &Settings, dimensions: usize, usual: &[u64]) -> Result<Vec<Point>> {
    let sides = settings.dims.clone().unwrap_or_else(|| usual.to_vec());
    if sides.contains(&0) {
        return Err(Error::usage("a block has a side of at least 1 cell; use --dims 1 or more"));
    }
    let mut points = Vec::with_capacity(settings.ranks.len() * sides.len());
    for &ranks in &settings.ranks {
        let grid = grid_of(info, settings, dimensions, ranks)?.to_string();
        let point = Point::new(ranks).with_text(param::GRID, &grid);
        points.extend(sides.iter().map(|&side| point.clone().with(param::SIDE, side)));
    }
    Ok(points)
}

/// Returns the grid that the user gave, if it has as many dimensions, or an even one.
fn grid_of(info: &KernelInfo, settings: &Settings, dimensions: usize, ranks: usize) -> Result<Grid> {
    let even = Grid::even(ranks, dimensions);
    let options = settings.options.get::<Options>();
    match options.grid.as_ref().filter(|grid| grid.dimensions() == dimensions) {
        None => Ok(even),
        Some(grid) if grid.ranks() == ranks => Ok(grid.clone()),
        Some(grid) => Err(Error::usage(format!(
            "the grid {grid} of {} has {} places, and there are {ranks} ranks; use --ranks {} or a grid such as {even}",
            info.name,
            grid.ranks(),
            grid.ranks()
        ))),
    }
}

fn measure<T: Transport>(lab: &mut Lab<'_, T>, info: &KernelInfo, point: &Point) -> Result<Option<Record>> {
    let grid: Grid = point.text(param::GRID).parse()?;
    let mut operation = Halo::new(lab.transport, grid, point.get(param::SIDE));
    let samples = lab.measure(Timing::batched(Metric::longest()), &mut operation)?;
    let (moved, messages) = (operation.sends(), operation.borders.len());
    Ok(samples.map(|samples| Record {
        moved: Some(moved as u64),
        messages: Some(messages as u64),
        ..Record::new(info.name, point, samples)
    }))
}

/// Halo exchange of one rank.
struct Halo<'a, T> {
    transport: &'a T,
    grid: Grid,
    block: Block,
    borders: Vec<Border>,
    outgoing: Vec<Vec<Cell>>,
    incoming: Vec<Vec<Cell>>,
    round: u64,
}

/// One side of a block: its edge goes to the neighbour beyond it, whose opposite edge is received
/// into the halo.
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

    /// Returns the bytes that this rank sends in one exchange.
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

    /// Exchanges all sides. Receives are posted first; each send starts as soon as its message is
    /// packed.
    fn run(&mut self) -> panto_transport::Result<()> {
        let Self { transport, block, borders, outgoing, incoming, .. } = self;
        scope(*transport, |s| {
            for (border, message) in borders.iter().zip(incoming.iter_mut()) {
                let _ =
                    s.receive(message.as_flattened_mut(), Selector::new(border.neighbour, border.receives))?;
            }
            for (border, message) in borders.iter().zip(outgoing.iter_mut()) {
                transport.charge(block.pack(border.edge, message));
                let _ = s.send(SendMode::Standard, message.as_flattened(), border.neighbour, border.sends)?;
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
