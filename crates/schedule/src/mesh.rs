//! Ranks on a two-dimensional mesh that wraps around (requirement C3).

use std::fmt;
use std::str::FromStr;

use crate::Error;

/// Ranks on a mesh of rows and columns that wraps around in both directions.
///
/// ```
/// use panto_schedule::Mesh;
///
/// let mesh: Mesh = "4x2".parse()?;
/// let neighbours = mesh.neighbours(5).expect("there are eight ranks");
/// assert_eq!((neighbours.row, neighbours.col), (2, 1));
/// assert_eq!((neighbours.top, neighbours.bottom, neighbours.pred, neighbours.succ), (3, 7, 4, 4));
/// # Ok::<(), panto_schedule::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mesh {
    rows: usize,
    cols: usize,
    placement: Placement,
}

/// The neighbours of a rank and its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neighbours {
    /// The neighbour one row up.
    pub top: usize,
    /// The neighbour one row down.
    pub bottom: usize,
    /// The neighbour one column to the left.
    pub pred: usize,
    /// The neighbour one column to the right.
    pub succ: usize,
    /// The row of the rank.
    pub row: usize,
    /// The column of the rank.
    pub col: usize,
}

/// The assignment of ranks to cells.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Placement {
    RowMajor,
    Gray,
    Given { ranks: Vec<usize>, cells: Vec<usize> },
}

impl Mesh {
    /// Creates a mesh of the given size, filled row by row; it must have as many cells as there are
    /// ranks.
    pub fn new(rows: usize, cols: usize, ranks: usize) -> Result<Mesh, Error> {
        if ranks == 0 {
            return Err(Error::NoRanks);
        }
        if rows.checked_mul(cols) == Some(ranks) {
            Ok(Mesh { rows, cols, placement: Placement::RowMajor })
        } else {
            Err(Error::MeshSize { rows, cols, ranks })
        }
    }

    /// Creates the most nearly square mesh: a square if the number of ranks is a square number,
    /// twice as many columns as rows if it is twice a square; never more rows than columns.
    pub fn near_square(ranks: usize) -> Result<Mesh, Error> {
        if ranks == 0 {
            return Err(Error::NoRanks);
        }
        let rows = near_square_rows(ranks);
        Mesh::new(rows, ranks / rows, ranks)
    }

    /// Creates the near-square mesh of a power of two on a hypercube: neighbours on the mesh,
    /// including wraparound neighbours, are neighbours on the cube.
    ///
    /// The rank in a cell is the Gray code of the row followed by the Gray code of the column. The
    /// snake through the mesh that COMET's figure 4.1 draws by one long Gray code gives the same
    /// placement and wraps in both directions: on odd rows the long code runs through the columns'
    /// code backwards, and so does the snake.
    pub fn gray(ranks: usize) -> Result<Mesh, Error> {
        if !ranks.is_power_of_two() {
            return Err(Error::NotPowerOfTwo { ranks });
        }
        Ok(Mesh { placement: Placement::Gray, ..Mesh::near_square(ranks)? })
    }

    /// Creates a mesh filled row by row in the given order; each rank must appear once.
    pub fn with_order(rows: usize, cols: usize, order: Vec<usize>) -> Result<Mesh, Error> {
        let ranks = order.len();
        Mesh::new(rows, cols, ranks)?;
        let mut cells = vec![usize::MAX; ranks];
        for (cell, &rank) in order.iter().enumerate() {
            match cells.get_mut(rank) {
                Some(slot) if *slot == usize::MAX => *slot = cell,
                _ => return Err(Error::Placement { rank, ranks }),
            }
        }
        Ok(Mesh { rows, cols, placement: Placement::Given { ranks: order, cells } })
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Returns the number of ranks.
    pub fn ranks(&self) -> usize {
        self.rows * self.cols
    }

    /// Returns the rank in a cell; rows and columns wrap around.
    pub fn rank_at(&self, row: usize, col: usize) -> usize {
        let (row, col) = (row % self.rows, col % self.cols);
        match &self.placement {
            Placement::RowMajor => row * self.cols + col,
            // The number of columns of a Gray mesh is a power of two, so this multiplication is a
            // shift.
            Placement::Gray => gray(row) * self.cols + gray(col),
            Placement::Given { ranks, .. } => ranks[row * self.cols + col],
        }
    }

    /// Returns the neighbours of a rank, or `None` if the mesh has no such rank.
    pub fn neighbours(&self, rank: usize) -> Option<Neighbours> {
        if rank >= self.ranks() {
            return None;
        }
        let (row, col) = self.cell(rank);
        Some(Neighbours {
            top: self.rank_at(row + self.rows - 1, col),
            bottom: self.rank_at(row + 1, col),
            pred: self.rank_at(row, col + self.cols - 1),
            succ: self.rank_at(row, col + 1),
            row,
            col,
        })
    }

    fn cell(&self, rank: usize) -> (usize, usize) {
        let (row, col) = (rank / self.cols, rank % self.cols);
        match &self.placement {
            Placement::RowMajor => (row, col),
            Placement::Gray => (gray_position(row), gray_position(col)),
            Placement::Given { cells, .. } => (cells[rank] / self.cols, cells[rank] % self.cols),
        }
    }
}

/// Returns the Gray code at a position: successive codes differ in one bit.
pub fn gray(position: usize) -> usize {
    position ^ (position >> 1)
}

/// Returns the position of a Gray code.
pub fn gray_position(code: usize) -> usize {
    let mut position = code;
    let mut shift = 1;
    while shift < usize::BITS {
        position ^= position >> shift;
        shift *= 2;
    }
    position
}

fn near_square_rows(ranks: usize) -> usize {
    let is_square = |n: usize| n.isqrt() * n.isqrt() == n;
    if ranks.is_multiple_of(2) && is_square(ranks / 2) {
        return (ranks / 2).isqrt();
    }
    (1..=ranks.isqrt()).rev().find(|&rows| ranks.is_multiple_of(rows)).unwrap_or(1)
}

impl fmt::Display for Mesh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.rows, self.cols)?;
        let Placement::Given { ranks, .. } = &self.placement else { return Ok(()) };
        let order: Vec<String> = ranks.iter().map(usize::to_string).collect();
        write!(f, ":{}", order.join(","))
    }
}

/// Parses `4x2`, four rows of two columns filled row by row, or `2x2:0,1,3,2`, the ranks in that
/// order.
impl FromStr for Mesh {
    type Err = Error;

    fn from_str(text: &str) -> Result<Mesh, Error> {
        let Some((size, order)) = text.split_once(':') else {
            let (rows, cols) = parse_size(text)?;
            return Mesh::new(rows, cols, rows * cols);
        };
        let (rows, cols) = parse_size(size).map_err(|_| Error::MeshText(text.to_owned()))?;
        let order: Result<Vec<usize>, _> = order.split(',').map(str::parse).collect();
        Mesh::with_order(rows, cols, order.map_err(|_| Error::MeshText(text.to_owned()))?)
    }
}

/// Parses two positive numbers whose product does not overflow.
pub(crate) fn parse_size(text: &str) -> Result<(usize, usize), Error> {
    let numbers =
        text.split_once('x').and_then(|(rows, cols)| Some((rows.parse().ok()?, cols.parse().ok()?)));
    let fits = |&(rows, cols): &(usize, usize)| rows.checked_mul(cols).is_some_and(|cells| cells > 0);
    numbers.filter(fits).ok_or_else(|| Error::MeshText(text.to_owned()))
}
