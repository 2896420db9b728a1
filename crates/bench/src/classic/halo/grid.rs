//! Process grids of several dimensions.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};

/// A periodic grid of ranks, row-major: the last dimension varies fastest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    sides: Vec<usize>,
}

/// Dimensions that a halo exchange can have.
const DIMENSIONS: std::ops::RangeInclusive<usize> = 2..=3;

impl Grid {
    /// Returns a grid as even as possible; the longest side comes first.
    pub fn even(ranks: usize, dimensions: usize) -> Self {
        let ranks = ranks.max(1);
        Self { sides: even_sides(ranks, dimensions, 1).unwrap_or_else(|| vec![ranks]) }
    }

    /// Returns the number of ranks.
    pub fn ranks(&self) -> usize {
        self.sides.iter().product()
    }

    /// Returns the number of dimensions.
    pub fn dimensions(&self) -> usize {
        self.sides.len()
    }

    /// Returns the neighbour of a rank along a dimension, upwards or downwards, with wrap-around.
    pub(super) fn neighbour(&self, rank: usize, axis: usize, up: bool) -> usize {
        let stride: usize = self.sides[axis + 1..].iter().product();
        let side = self.sides[axis];
        let place = rank / stride % side;
        let next = if up { (place + 1) % side } else { (place + side - 1) % side };
        rank - place * stride + next * stride
    }
}

/// Returns `sides` sides of at least `least`, descending, whose product is the number of ranks and
/// whose sum is minimal.
fn even_sides(ranks: usize, sides: usize, least: usize) -> Option<Vec<usize>> {
    if sides == 1 {
        return (ranks >= least).then(|| vec![ranks]);
    }
    let is_possible = |side: &usize| side.saturating_pow(sides as u32) <= ranks;
    let shortest = (least..).take_while(is_possible).filter(|side| ranks.is_multiple_of(*side));
    let with_others = |side: usize| {
        let mut all = even_sides(ranks / side, sides - 1, side)?;
        all.push(side);
        Some(all)
    };
    shortest.filter_map(with_others).min_by_key(|all| all.iter().sum::<usize>())
}

impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sides: Vec<String> = self.sides.iter().map(ToString::to_string).collect();
        f.write_str(&sides.join("x"))
    }
}

impl FromStr for Grid {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let sides: Option<Vec<usize>> = text.split('x').map(|side| side.trim().parse().ok()).collect();
        let is_grid = |sides: &Vec<usize>| {
            let ranks = sides.iter().try_fold(1_usize, |ranks, side| ranks.checked_mul(*side));
            DIMENSIONS.contains(&sides.len()) && ranks.is_some_and(|ranks| ranks > 0)
        };
        sides.filter(is_grid).map(|sides| Self { sides }).ok_or_else(|| {
            Error::usage(format!(
                "`{text}` is not a process grid; use two or three numbers of at least 1, such as 4x2 or 2x2x2"
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_grids_of_any_number_of_ranks() {
        let even = |ranks, dimensions| Grid::even(ranks, dimensions).to_string();
        let cases = [
            (1, "1x1", "1x1x1"),
            (2, "2x1", "2x1x1"),
            (4, "2x2", "2x2x1"),
            (6, "3x2", "3x2x1"),
            (7, "7x1", "7x1x1"),
        ];
        for (ranks, flat, deep) in
            cases.into_iter().chain([(8, "4x2", "2x2x2"), (12, "4x3", "3x2x2"), (64, "8x8", "4x4x4")])
        {
            assert_eq!((even(ranks, 2).as_str(), even(ranks, 3).as_str()), (flat, deep), "{ranks}");
        }
        for ranks in 1..200 {
            assert_eq!((Grid::even(ranks, 2).ranks(), Grid::even(ranks, 3).ranks()), (ranks, ranks));
        }
    }

    #[test]
    fn neighbours_are_around_the_ends_and_there_and_back() {
        let grid: Grid = "2x3x4".parse().unwrap();
        assert_eq!(grid.neighbour(0, 2, true), 1);
        assert_eq!(grid.neighbour(3, 2, true), 0);
        assert_eq!(grid.neighbour(0, 1, false), 8);
        assert_eq!(grid.neighbour(5, 0, true), 17);
        for rank in 0..grid.ranks() {
            for axis in 0..3 {
                assert_eq!(grid.neighbour(grid.neighbour(rank, axis, true), axis, false), rank);
            }
        }
    }

    #[test]
    fn what_is_no_grid_is_refused() {
        for text in ["", "4", "0x2", "2x", "axb", "1x1x1x1", "-1x2", "9999999999x9999999999"] {
            let error = text.parse::<Grid>().unwrap_err().to_string();
            assert!(error.contains(text) && error.contains("4x2"), "{error}");
        }
        assert_eq!("3x2".parse::<Grid>().unwrap().to_string(), "3x2");
    }
}
