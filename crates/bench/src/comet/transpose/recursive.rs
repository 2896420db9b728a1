//! Transpose by divide and conquer, which the thesis left as future work.
//!
//! A matrix of four quadrants is transposed by swapping the two that are off the diagonal and
//! transposing each of the four. All quadrants of one size are processed together, so there is a
//! stage for each halving.
//!
//! The halves must be rows and columns alike. So the matrix is cut wherever a block starts, by rows
//! *or* by columns, in both directions: a *grid* of cells, padded with empty ones to a power of
//! two. In the stage of a bit, the cell at (i, j) whose indices differ in that bit swaps its
//! content with (i ^ bit, j ^ bit). Each rank hosts the cells of its block. On a square mesh with a
//! power of two of ranks on each side, cells are blocks; otherwise a rank hosts several cells or
//! some are empty, and the stages are the same.

use std::ops::Range;

use panto_implementation::matrix::Operation;
use panto_transport::{Selector, SendMode, Transport, scope};

use crate::comet::matrix::{Block, Double, Layout, MatrixKernel, Rect, Task};
use crate::comet::tag;

/// Recursive transpose of one rank.
pub(super) struct Recursive {
    cells: Vec<HostedCell>,
    stages: Vec<Stage>,
}

/// A cell that this rank hosts.
struct HostedCell {
    /// Area in the local array; `None` for empty cells.
    area: Option<Rect>,
    /// Most doubles in it after any stage.
    most: usize,
}

/// A stage: what each hosted cell receives, and what is sent, in the order of the receiving cells.
/// Messages between two ranks stay in order, so both lists match without a tag for each cell.
struct Stage {
    receives: Vec<Transfer>,
    sends: Vec<Transfer>,
}

/// The content of one hosted cell, by its index, from or to a rank.
struct Transfer {
    home: usize,
    peer: usize,
    len: usize,
}

impl Recursive {
    pub(super) fn new(layout: &Layout, rank: usize) -> Self {
        let grid = Grid::new(layout);
        let hosted = grid.hosted_by(rank);
        let own = layout.rect(rank);
        let home = |&cell| HostedCell {
            area: grid.rect(cell).map(|rect| own.place(&rect)),
            most: grid.masks().map(|mask| grid.len(cell, mask)).max().unwrap_or(0),
        };
        let stages = grid.bits().map(|bit| Stage::new(&grid, &hosted, bit)).collect();
        Self { cells: hosted.iter().map(home).collect(), stages }
    }

    fn areas(&self) -> impl Iterator<Item = Option<&Rect>> {
        self.cells.iter().map(|home| home.area.as_ref())
    }
}

impl Stage {
    fn new(grid: &Grid<'_>, hosted: &[Cell], bit: usize) -> Self {
        // The bits above have been swapped already.
        let mask = grid.size - 2 * bit;
        let moves = |(row, col): Cell| (row ^ col) & bit != 0;
        let other = |(row, col): Cell| (row ^ bit, col ^ bit);
        let hop = |home: usize, content: Cell| {
            let cell = hosted[home];
            let len = if moves(cell) { grid.len(content, mask) } else { 0 };
            Transfer { home, peer: grid.host(other(cell)), len }
        };
        let mut by_target: Vec<usize> = (0..hosted.len()).collect();
        by_target.sort_by_key(|&home| other(hosted[home]));
        Self {
            receives: (0..hosted.len()).map(|home| hop(home, other(hosted[home]))).collect(),
            sends: by_target
                .into_iter()
                .map(|home| hop(home, hosted[home]))
                .filter(Transfer::is_any)
                .collect(),
        }
    }

    /// Runs the stage. `now` is the content of the cells, before and after it.
    fn run<T: Transport>(
        &self,
        transport: &T,
        now: &mut [Vec<Double>],
        next: &mut [Vec<Double>],
    ) -> panto_transport::Result<()> {
        scope(transport, |s| {
            for (hop, buffer) in self.receives.iter().zip(next.iter_mut()).filter(|(hop, _)| hop.is_any()) {
                let _ =
                    s.receive(buffer[..hop.len].as_flattened_mut(), Selector::new(hop.peer, tag::DATA))?;
            }
            for hop in &self.sends {
                let _ =
                    s.send(SendMode::Standard, now[hop.home][..hop.len].as_flattened(), hop.peer, tag::DATA)?;
            }
            Ok::<_, panto_transport::Error>(())
        })?;
        for hop in self.receives.iter().filter(|hop| hop.is_any()) {
            std::mem::swap(&mut now[hop.home], &mut next[hop.home]);
        }
        Ok(())
    }
}

impl Transfer {
    fn is_any(&self) -> bool {
        self.len > 0
    }
}

impl MatrixKernel for Recursive {
    fn buffers(&self) -> Vec<usize> {
        self.cells.iter().chain(&self.cells).map(|home| home.most).collect()
    }

    fn run<T: Transport>(
        &self,
        transport: &T,
        block: &mut Block,
        buffers: &mut [Vec<Double>],
    ) -> panto_transport::Result<()> {
        let (now, next) = buffers.split_at_mut(self.cells.len());
        for (area, buffer) in self.areas().zip(now.iter_mut()) {
            if let Some(area) = area {
                transport.charge(block.pack(area, buffer));
            }
        }
        for stage in &self.stages {
            stage.run(transport, now, next)?;
        }
        for (area, buffer) in self.areas().zip(now.iter()) {
            if let Some(area) = area {
                transport.charge(block.unpack_transposed(area, buffer));
            }
        }
        Ok(())
    }

    fn sends(&self) -> usize {
        self.stages.iter().flat_map(|stage| &stage.sends).map(|hop| hop.len).sum()
    }

    fn task(&self) -> Task {
        Task::of(Operation::Transpose)
    }

    fn origin(&self, row: usize, col: usize) -> (usize, usize) {
        (col, row)
    }
}

/// Row and column of a cell.
type Cell = (usize, usize);

/// The cells of all ranks.
struct Grid<'a> {
    layout: &'a Layout,
    cuts: Vec<usize>,
    /// Cells on a side, a power of two.
    size: usize,
}

impl<'a> Grid<'a> {
    fn new(layout: &'a Layout) -> Self {
        let cuts = layout.cuts();
        Self { layout, size: cuts.len().next_power_of_two(), cuts }
    }

    /// Returns the bits of an index, the highest first.
    fn bits(&self) -> impl Iterator<Item = usize> {
        (0..self.size.ilog2()).rev().map(|bit| 1 << bit)
    }

    /// Returns the bits that have been swapped: before all stages, and after each.
    fn masks(&self) -> impl Iterator<Item = usize> {
        let size = self.size;
        std::iter::once(0).chain(self.bits().map(move |bit| size - bit))
    }

    /// Returns the rows or columns with this index; `None` beyond the last cut.
    fn span(&self, index: usize) -> Option<Range<usize>> {
        let start = *self.cuts.get(index)?;
        Some(start..self.cuts.get(index + 1).copied().unwrap_or(self.layout.dim))
    }

    fn rect(&self, (row, col): Cell) -> Option<Rect> {
        Some(Rect { rows: self.span(row)?, cols: self.span(col)? })
    }

    /// Returns the doubles in a cell when the bits of `mask` have been swapped: its content came
    /// from the cell with these bits of its row and column interchanged.
    fn len(&self, (row, col): Cell, mask: usize) -> usize {
        let differ = (row ^ col) & mask;
        self.rect((row ^ differ, col ^ differ)).map_or(0, |rect| rect.len())
    }

    /// Returns the first index of a cell; empty cells belong to the host of the last ones, since
    /// data passes through them.
    fn start(&self, index: usize) -> usize {
        self.cuts[index.min(self.cuts.len() - 1)]
    }

    fn mesh_row(&self, row: usize) -> usize {
        self.layout.mesh_row(self.start(row))
    }

    fn mesh_col(&self, col: usize) -> usize {
        self.layout.mesh_col(self.start(col))
    }

    fn host(&self, (row, col): Cell) -> usize {
        self.layout.mesh.rank_at(self.mesh_row(row), self.mesh_col(col))
    }

    fn hosted_by(&self, rank: usize) -> Vec<Cell> {
        let around = self.layout.around(rank);
        let rows = (0..self.size).filter(|&row| self.mesh_row(row) == around.row);
        let cols = (0..self.size).filter(|&col| self.mesh_col(col) == around.col);
        rows.flat_map(|row| cols.clone().map(move |col| (row, col))).collect()
    }
}
