//! Hop distances between ranks, and ranks at a given distance (requirement C3).

use std::fmt;
use std::str::FromStr;

use crate::Error;
use crate::mesh::parse_size;

/// The topology that connects ranks. Distances are computed from rank numbers; only
/// [`FromFirst`](Self::FromFirst) has a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HopShape {
    /// A link between any two ranks.
    Complete,
    /// A link between ranks whose numbers differ in one bit.
    Hypercube,
    /// A link between successive ranks, and between the last and the first.
    Ring,
    /// A link between successive ranks.
    Linear,
    /// Links to the neighbours in the row and in the column, ranks placed row by row.
    Mesh {
        /// Number of rows.
        rows: usize,
        /// Number of columns.
        cols: usize,
    },
    /// A mesh with wraparound links in both dimensions.
    Torus {
        /// Number of rows.
        rows: usize,
        /// Number of columns.
        cols: usize,
    },
    /// Measured distances from rank 0 to each rank, in links. Distances between other pairs are
    /// unknown and count as 1.
    FromFirst(&'static [u32]),
}

impl HopShape {
    /// Returns an error if a mesh or torus has fewer cells than there are ranks; its last rows may
    /// stay empty. Other shapes fit any number of ranks.
    pub fn fits(&self, ranks: usize) -> Result<(), Error> {
        match *self {
            HopShape::Mesh { rows, cols } | HopShape::Torus { rows, cols }
                if ranks > rows.saturating_mul(cols) =>
            {
                Err(Error::MeshSize { rows, cols, ranks })
            }
            HopShape::FromFirst(links) if ranks > links.len() => {
                Err(Error::MeshSize { rows: 1, cols: links.len(), ranks })
            }
            _ => Ok(()),
        }
    }

    /// Returns the number of links between two ranks, which the shape must [fit](HopShape::fits).
    /// O(1).
    pub fn distance(&self, a: usize, b: usize, ranks: usize) -> usize {
        let apart = a.abs_diff(b);
        match *self {
            HopShape::FromFirst(links) if a.min(b) == 0 => links.get(a.max(b)).map_or(1, |&far| far as usize),
            HopShape::Complete | HopShape::FromFirst(_) => apart.min(1),
            HopShape::Hypercube => (a ^ b).count_ones() as usize,
            HopShape::Ring => around(apart, ranks),
            HopShape::Linear => apart,
            HopShape::Mesh { cols, .. } => {
                let (rows, columns) = apart_on_mesh(a, b, cols);
                rows + columns
            }
            HopShape::Torus { rows, cols } => {
                let (row, column) = apart_on_mesh(a, b, cols);
                around(row, rows) + around(column, cols)
            }
        }
    }

    /// Returns the largest distance between two ranks. O(1), also where the last row or the cube is
    /// not full.
    pub fn diameter(&self, ranks: usize) -> usize {
        let last = ranks.saturating_sub(1);
        match *self {
            HopShape::Complete => last.min(1),
            // 01..1 and 10..0 are both ranks whenever the top bit is needed at all.
            HopShape::Hypercube => (usize::BITS - last.leading_zeros()) as usize,
            HopShape::Ring => ranks / 2,
            HopShape::Linear => last,
            HopShape::Mesh { cols, .. } => match last / cols.max(1) {
                0 => last,
                rows => rows + cols.max(1) - 1,
            },
            HopShape::Torus { rows, cols } => match last / cols.max(1) {
                0 => last.min(cols / 2),
                far => far.min(rows / 2) + cols / 2,
            },
            HopShape::FromFirst(links) => links.iter().take(ranks).max().map_or(0, |&far| far as usize),
        }
    }

    /// Returns a rank at this distance in links, if there is one; at distance 0 it is the rank
    /// itself.
    ///
    /// On a hypercube it is the rank with the lowest bits flipped, one for each hop, as in COMET's
    /// figure 4.2; on a ring and in a line the rank ahead. If that rank does not exist, the one
    /// behind or the first at that distance. Usually O(1), else O(P).
    pub fn rank_at_hops(&self, from: usize, hops: usize, ranks: usize) -> Option<usize> {
        if from >= ranks || hops > self.diameter(ranks) {
            return None;
        }
        let favourite = match self {
            HopShape::Hypercube => from ^ 1_usize.checked_shl(hops as u32).map_or(usize::MAX, |bit| bit - 1),
            HopShape::Ring => from.wrapping_add(hops) % ranks,
            HopShape::FromFirst(_) if hops == 0 => from,
            _ => from.wrapping_add(hops),
        };
        let fits = |&rank: &usize| rank < ranks && self.distance(from, rank, ranks) == hops;
        let quick = [favourite, from.wrapping_sub(hops)].into_iter().find(fits);
        quick.or_else(|| (0..ranks).find(fits))
    }
}

/// Returns the distance around a ring.
fn around(apart: usize, size: usize) -> usize {
    apart.min(size.saturating_sub(apart))
}

fn apart_on_mesh(a: usize, b: usize, cols: usize) -> (usize, usize) {
    let cols = cols.max(1);
    ((a / cols).abs_diff(b / cols), (a % cols).abs_diff(b % cols))
}

impl fmt::Display for HopShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HopShape::Complete => f.pad("complete"),
            HopShape::Hypercube => f.pad("hypercube"),
            HopShape::Ring => f.pad("ring"),
            HopShape::Linear => f.pad("linear"),
            HopShape::Mesh { rows, cols } => write!(f, "mesh:{rows}x{cols}"),
            HopShape::Torus { rows, cols } => write!(f, "torus:{rows}x{cols}"),
            HopShape::FromFirst(_) => f.pad("as modelled"),
        }
    }
}

/// Parses what [`Display`](fmt::Display) writes: `hypercube`, `mesh:4x2`.
impl FromStr for HopShape {
    type Err = Error;

    fn from_str(text: &str) -> Result<HopShape, Error> {
        match text.split_once(':') {
            None => match text {
                "complete" => Ok(HopShape::Complete),
                "hypercube" => Ok(HopShape::Hypercube),
                "ring" => Ok(HopShape::Ring),
                "linear" => Ok(HopShape::Linear),
                _ => Err(Error::UnknownShape(text.to_owned())),
            },
            Some(("mesh", size)) => parse_size(size).map(|(rows, cols)| HopShape::Mesh { rows, cols }),
            Some(("torus", size)) => parse_size(size).map(|(rows, cols)| HopShape::Torus { rows, cols }),
            Some(_) => Err(Error::UnknownShape(text.to_owned())),
        }
    }
}
