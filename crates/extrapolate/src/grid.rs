//! Ranks as places of a grid.

use std::fmt;

/// The most dimensions of a grid.
pub const DIMENSIONS: usize = 3;

/// How a number of ranks becomes a grid. The last coordinate changes fastest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A line.
    Line,
    /// As `MPI_Dims_create` factors it, the largest first.
    Balanced(usize),
    /// The same, the largest last.
    Reversed(usize),
    /// Two dimensions, the last of this length.
    Columns(u32),
}

/// A grid of ranks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    ranks: u32,
    dims: Vec<u32>,
    is_periodic: bool,
}

/// A place in a grid; dimensions that it does not have are 0.
pub type Coordinates = [i64; DIMENSIONS];

impl Shape {
    /// Returns the grid of a number of ranks; none if they cannot be arranged in this way.
    pub fn grid(self, ranks: u32, is_periodic: bool) -> Option<Grid> {
        let dims = match self {
            Self::Line => vec![ranks],
            Self::Balanced(count) => balanced(ranks, count),
            Self::Reversed(count) => balanced(ranks, count).into_iter().rev().collect(),
            Self::Columns(width) => vec![ranks.is_multiple_of(width).then_some(ranks / width)?, width],
        };
        Some(Grid { ranks, dims, is_periodic })
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line => write!(f, "a line"),
            Self::Balanced(count) => write!(f, "a balanced grid of {count} dimensions"),
            Self::Reversed(count) => write!(f, "a balanced grid of {count} dimensions, the largest last"),
            Self::Columns(width) => write!(f, "a grid of {width} columns"),
        }
    }
}

/// Factors a number as evenly as possible, the largest factor first.
fn balanced(ranks: u32, count: usize) -> Vec<u32> {
    let mut best: Option<Vec<u32>> = None;
    factor(ranks, count, ranks, &mut Vec::new(), &mut best);
    best.unwrap_or_else(|| vec![ranks])
}

/// Tries all factors in descending order; keeps the list whose largest factor is the smallest, then
/// the second largest.
fn factor(rest: u32, count: usize, largest: u32, chosen: &mut Vec<u32>, best: &mut Option<Vec<u32>>) {
    if count == 1 {
        if rest <= largest {
            chosen.push(rest);
            if best.as_ref().is_none_or(|best| *chosen < *best) {
                *best = Some(chosen.clone());
            }
            chosen.pop();
        }
        return;
    }
    let divisors =
        (1..).take_while(|divisor| divisor * divisor <= rest).filter(|divisor| rest.is_multiple_of(*divisor));
    for divisor in
        divisors.flat_map(|divisor| [divisor, rest / divisor]).filter(|divisor| *divisor <= largest)
    {
        chosen.push(divisor);
        factor(rest / divisor, count - 1, divisor, chosen, best);
        chosen.pop();
    }
}

impl Grid {
    /// Returns the number of ranks.
    pub fn ranks(&self) -> u32 {
        self.ranks
    }

    /// Returns the lengths of its dimensions.
    pub fn dims(&self) -> &[u32] {
        &self.dims
    }

    /// Returns the place of a rank.
    pub fn place(&self, rank: u32) -> Coordinates {
        let mut place = [0; DIMENSIONS];
        let mut rest = rank;
        for (dimension, length) in self.dims.iter().enumerate().rev() {
            place[dimension] = i64::from(rest % length);
            rest /= length;
        }
        place
    }

    /// Returns the rank at a place; none outside of a grid that is not periodic.
    pub fn rank(&self, place: &Coordinates) -> Option<u32> {
        let mut rank = 0;
        for (length, coordinate) in self.dims.iter().zip(place) {
            let length = i64::from(*length);
            let inside = if self.is_periodic { coordinate.rem_euclid(length) } else { *coordinate };
            if !(0..length).contains(&inside) {
                return None;
            }
            rank = rank * length as u32 + inside as u32;
        }
        Some(rank)
    }

    /// Returns the rank at a distance from another one.
    pub fn neighbor(&self, rank: u32, far: [i8; DIMENSIONS]) -> Option<u32> {
        let mut place = self.place(rank);
        for (coordinate, step) in place.iter_mut().zip(far) {
            *coordinate += i64::from(step);
        }
        self.rank(&place)
    }
}

impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dims: Vec<String> = self.dims.iter().map(u32::to_string).collect();
        write!(f, "{}", dims.join(" x "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_factored_evenly() {
        for (ranks, count, dims) in [
            (12, 2, vec![4, 3]),
            (16, 3, vec![4, 2, 2]),
            (7, 2, vec![7, 1]),
            (64, 3, vec![4, 4, 4]),
            (6, 3, vec![3, 2, 1]),
        ] {
            assert_eq!(balanced(ranks, count), dims, "{ranks}");
        }
    }

    #[test]
    fn places_and_ranks_agree() {
        let grid = Shape::Balanced(3).grid(24, false).expect("a grid");
        assert_eq!(grid.dims(), [4, 3, 2]);
        for rank in 0..24 {
            assert_eq!(grid.rank(&grid.place(rank)), Some(rank));
        }
        assert_eq!(grid.neighbor(0, [-1, 0, 0]), None);
        let torus = Shape::Balanced(3).grid(24, true).expect("a grid");
        assert_eq!(torus.neighbor(0, [-1, 0, 0]), Some(18));
    }
}
