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

/// Who is around a rank, and where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neighbours {
    /// One row up.
    pub top: usize,
    /// One row down.
    pub bottom: usize,
    /// One column to the left.
    pub pred: usize,
    /// One column to the right.
    pub succ: usize,
    /// The rank's own row.
    pub row: usize,
    /// The rank's own column.
    pub col: usize,
}

/// Which rank is in which cell.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Placement {
    RowMajor,
    Gray,
    Given { ranks: Vec<usize>, cells: Vec<usize> },
}

impl Mesh {
    /// A mesh of the given size, filled row by row; it must have as many cells as there are ranks.
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

    /// A square where the number of ranks is one, twice as many columns as rows where it is two squares, as square as it
    /// can be otherwise; never more rows than columns.
    pub fn near_square(ranks: usize) -> Result<Mesh, Error> {
        if ranks == 0 {
            return Err(Error::NoRanks);
        }
        let rows = near_square_rows(ranks);
        Mesh::new(rows, ranks / rows, ranks)
    }

    /// The near-square mesh of a power of two on a hypercube: neighbours on the mesh, also around its ends, are
    /// neighbours on the cube.
    ///
    /// The rank in a cell is the Gray code of the row followed by the Gray code of the column. The snake through the
    /// mesh that COMET's figure 4.1 draws by one long Gray code gives the very same placement and does wrap in both
    /// directions: on odd rows the long code runs through the columns' code backwards, and so does the snake.
    pub fn gray(ranks: usize) -> Result<Mesh, Error> {
        if !ranks.is_power_of_two() {
            return Err(Error::NotPowerOfTwo { ranks });
        }
        Ok(Mesh { placement: Placement::Gray, ..Mesh::near_square(ranks)? })
    }

    /// A mesh that the user filled, row by row; each rank must be named once.
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

    /// How many rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// How many ranks.
    pub fn ranks(&self) -> usize {
        self.rows * self.cols
    }

    /// The rank in a cell; rows and columns beyond the end continue at the start.
    pub fn rank_at(&self, row: usize, col: usize) -> usize {
        let (row, col) = (row % self.rows, col % self.cols);
        match &self.placement {
            Placement::RowMajor => row * self.cols + col,
            // A Gray mesh has a power of two of columns, so this multiplication is a shift.
            Placement::Gray => gray(row) * self.cols + gray(col),
            Placement::Given { ranks, .. } => ranks[row * self.cols + col],
        }
    }

    /// Who is around a rank, or nothing if the mesh has no such rank.
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

/// The code at a position: successive codes differ in one bit.
pub fn gray(position: usize) -> usize {
    position ^ (position >> 1)
}

/// The position of a code.
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
        write!(f, "{}x{}", self.rows, self.cols)
    }
}

/// Reads `4x2`: four rows of two columns, filled row by row.
impl FromStr for Mesh {
    type Err = Error;

    fn from_str(text: &str) -> Result<Mesh, Error> {
        let (rows, cols) = parse_size(text)?;
        Mesh::new(rows, cols, rows * cols)
    }
}

/// Reads two numbers that are not 0 and whose product is one.
pub(crate) fn parse_size(text: &str) -> Result<(usize, usize), Error> {
    let numbers =
        text.split_once('x').and_then(|(rows, cols)| Some((rows.parse().ok()?, cols.parse().ok()?)));
    let fits = |&(rows, cols): &(usize, usize)| rows.checked_mul(cols).is_some_and(|cells| cells > 0);
    numbers.filter(fits).ok_or_else(|| Error::MeshText(text.to_owned()))
}
