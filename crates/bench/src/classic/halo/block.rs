//! A rank's block of cells with a halo, one cell thick.

use panto_transport::Work;

use super::grid::Grid;
use crate::measure::Checked;

/// A cell: a number of 8 bytes.
pub(super) type Cell = [u8; 8];

/// Index of a cell along each axis, as far as there are axes; 0 is the halo.
type Coordinates = [usize; 3];

/// Value of halo cells before an exchange; no cell of a block has it.
const UNSET: Cell = [0xFF; 8];

/// A cube or a square of cells, with a halo around it.
pub(super) struct Block {
    /// Cells along each side, without the halo.
    side: usize,
    dimensions: usize,
    cells: Vec<Cell>,
}

/// Cells in a plane (or, in two dimensions, in a line) across one axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Face {
    first: usize,
    /// Number of rows, and their stride.
    rows: (usize, usize),
    /// Cells of a row, and their stride.
    cells: (usize, usize),
}

impl Block {
    pub(super) fn new(side: usize, dimensions: usize) -> Self {
        Self { side, dimensions, cells: vec![UNSET; (side + 2).pow(dimensions as u32)] }
    }

    /// Returns the outermost cells of the block on one side of an axis.
    pub(super) fn edge(&self, axis: usize, up: bool) -> Face {
        self.face(axis, if up { self.side } else { 1 })
    }

    /// Returns the halo beyond the edge.
    pub(super) fn halo(&self, axis: usize, up: bool) -> Face {
        self.face(axis, if up { self.side + 1 } else { 0 })
    }

    fn face(&self, axis: usize, place: usize) -> Face {
        let stride = |axis: usize| (self.side + 2).pow((self.dimensions - 1 - axis) as u32);
        let others: Vec<usize> = (0..self.dimensions).filter(|other| *other != axis).map(stride).collect();
        let first = place * stride(axis) + others.iter().sum::<usize>();
        let (rows, cells) = match others.as_slice() {
            [outer, inner] => ((self.side, *outer), (self.side, *inner)),
            others => ((1, 0), (self.side, others[0])),
        };
        Face { first, rows, cells }
    }

    /// Sets the numbers of a rank for a round, and clears the halo.
    pub(super) fn reset(&mut self, rank: usize, round: u64) {
        for index in 0..self.cells.len() {
            let inside = self.outside(self.place(index)) == (None, None);
            self.cells[index] = if inside { number(rank, index, round) } else { UNSET };
        }
    }

    /// Checks that each side of the halo holds the neighbour's opposite edge, and that nothing else
    /// has changed.
    pub(super) fn check(&self, grid: &Grid, rank: usize, round: u64) -> Checked {
        for (index, found) in self.cells.iter().enumerate() {
            let expected = self.expected(grid, rank, index, round);
            if *found != expected {
                return Err(format!(
                    "the cell at {:?} of a block with a side of {} is {:x}, not {:x}",
                    &self.place(index)[..self.dimensions],
                    self.side,
                    u64::from_ne_bytes(*found),
                    u64::from_ne_bytes(expected)
                ));
            }
        }
        Ok(())
    }

    fn expected(&self, grid: &Grid, rank: usize, index: usize, round: u64) -> Cell {
        let mut place = self.place(index);
        match self.outside(place) {
            (None, _) => number(rank, index, round),
            (Some(axis), None) => {
                let up = place[axis] > self.side;
                place[axis] = if up { 1 } else { self.side };
                number(grid.neighbour(rank, axis, up), self.index(place), round)
            }
            _ => UNSET,
        }
    }

    /// Returns the first two axes along which a place is in the halo.
    fn outside(&self, place: Coordinates) -> (Option<usize>, Option<usize>) {
        let mut axes = (0..self.dimensions).filter(|axis| !(1..=self.side).contains(&place[*axis]));
        (axes.next(), axes.next())
    }

    fn place(&self, mut index: usize) -> Coordinates {
        let mut place = Coordinates::default();
        for at in place[..self.dimensions].iter_mut().rev() {
            *at = index % (self.side + 2);
            index /= self.side + 2;
        }
        place
    }

    fn index(&self, place: Coordinates) -> usize {
        place[..self.dimensions].iter().fold(0, |index, at| index * (self.side + 2) + at)
    }

    /// Packs a face into a message, and returns the work.
    #[must_use = "a simulated machine takes no time for work that is not charged"]
    pub(super) fn pack(&self, face: Face, message: &mut [Cell]) -> Work {
        let (len, step) = face.cells;
        for (start, row) in face.starts().zip(message.chunks_exact_mut(len)) {
            if step == 1 {
                row.copy_from_slice(&self.cells[start..][..len]);
            } else {
                let cells = self.cells[start..].iter().step_by(step);
                row.iter_mut().zip(cells).for_each(|(into, cell)| *into = *cell);
            }
        }
        face.work()
    }

    /// Unpacks a message into a face, and returns the work.
    #[must_use = "a simulated machine takes no time for work that is not charged"]
    pub(super) fn unpack(&mut self, face: Face, message: &[Cell]) -> Work {
        let (len, step) = face.cells;
        for (start, row) in face.starts().zip(message.chunks_exact(len)) {
            if step == 1 {
                self.cells[start..][..len].copy_from_slice(row);
            } else {
                let cells = self.cells[start..].iter_mut().step_by(step);
                cells.zip(row).for_each(|(into, cell)| *into = *cell);
            }
        }
        face.work()
    }
}

impl Face {
    /// Returns the number of cells.
    pub(super) fn len(self) -> usize {
        self.rows.0 * self.cells.0
    }

    fn starts(self) -> impl Iterator<Item = usize> {
        (0..self.rows.0).map(move |row| self.first + row * self.rows.1)
    }

    fn work(self) -> Work {
        if self.cells.1 == 1 { Work::Copy(self.len() * size_of::<Cell>()) } else { Work::Strided(self.len()) }
    }
}

/// Returns the number of a cell: different for all cells of all ranks, and for the same cell in
/// consecutive rounds.
fn number(rank: usize, index: usize, round: u64) -> Cell {
    ((round & 0x7F) << 56 | (rank as u64 & 0xFF_FFFF) << 32 | index as u64 & 0xFFFF_FFFF).to_ne_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a block whose halo was filled cell by cell, without faces.
    fn filled(grid: &Grid, side: usize, rank: usize) -> Block {
        let mut block = Block::new(side, grid.dimensions());
        block.reset(rank, 1);
        block.cells = (0..block.cells.len()).map(|index| block.expected(grid, rank, index, 1)).collect();
        block
    }

    #[test]
    fn faces_carry_what_the_check_wants() {
        for (grid, side) in [("3x2", 4), ("2x1", 1), ("2x3x2", 3), ("1x1x1", 2)] {
            let grid: Grid = grid.parse().unwrap();
            let mut block = Block::new(side, grid.dimensions());
            block.reset(1 % grid.ranks(), 1);
            let rank = 1 % grid.ranks();
            assert!(block.check(&grid, rank, 1).is_err(), "the halo is empty");
            for (axis, up) in (0..grid.dimensions()).flat_map(|axis| [(axis, false), (axis, true)]) {
                let mut other = Block::new(side, grid.dimensions());
                other.reset(grid.neighbour(rank, axis, up), 1);
                let edge = other.edge(axis, !up);
                let mut message = vec![UNSET; edge.len()];
                let _ = other.pack(edge, &mut message);
                let _ = block.unpack(block.halo(axis, up), &message);
            }
            assert_eq!(block.check(&grid, rank, 1), Ok(()));
            assert_eq!(block.cells, filled(&grid, side, rank).cells);
            assert!(block.check(&grid, rank, 2).is_err(), "another round");
        }
    }

    #[test]
    fn only_the_last_axis_is_strided() {
        let block = Block::new(4, 3);
        assert_eq!(block.edge(0, true).work(), Work::Copy(4 * 4 * 8));
        assert_eq!(block.edge(1, true).work(), Work::Copy(4 * 4 * 8));
        assert_eq!(block.halo(2, false).work(), Work::Strided(4 * 4));
        assert_eq!(Block::new(4, 2).edge(1, false).work(), Work::Strided(4));
    }

    #[test]
    fn a_changed_cell_is_named() {
        let grid: Grid = "2x2".parse().unwrap();
        let mut block = filled(&grid, 3, 2);
        assert_eq!(block.check(&grid, 2, 1), Ok(()));
        block.cells[0] = [0; 8];
        assert!(block.check(&grid, 2, 1).unwrap_err().contains("[0, 0]"));
    }
}
