//! Which ranks do something: a condition on the rank and its place in the grid.

use std::fmt;

use crate::grid::{DIMENSIONS, Grid};
use crate::partner::Rule;

/// A condition on a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// All ranks.
    All,
    /// Ranks that a rule for partners gives a partner.
    WithPartner(Rule),
    /// A simple condition.
    If(Atom),
    /// Both conditions.
    Both(Atom, Atom),
    /// One of the conditions, or both.
    Either(Atom, Atom),
}

/// A simple condition on a rank, or its opposite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Atom {
    condition: Condition,
    is_negated: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Condition {
    /// A rank counted from the first.
    Rank(u32),
    /// The last rank.
    Last,
    Even,
    /// A rank below half of all.
    LowerHalf,
    /// The first place of a dimension.
    First(usize),
    /// The last place of a dimension.
    End(usize),
    /// An even place in a dimension.
    EvenPlace(usize),
}

impl Condition {
    fn holds(self, grid: &Grid, rank: u32) -> bool {
        let place = |dimension: usize| grid.place(rank)[dimension];
        match self {
            Self::Rank(one) => rank == one,
            Self::Last => rank + 1 == grid.ranks(),
            Self::Even => rank.is_multiple_of(2),
            Self::LowerHalf => rank < grid.ranks() / 2,
            Self::First(dimension) => place(dimension) == 0,
            Self::End(dimension) => place(dimension) + 1 == i64::from(grid.dims()[dimension]),
            Self::EvenPlace(dimension) => place(dimension) % 2 == 0,
        }
    }
}

impl Atom {
    fn holds(self, grid: &Grid, rank: u32) -> bool {
        self.condition.holds(grid, rank) != self.is_negated
    }

    /// Returns all simple conditions for a kind of grid.
    pub fn all(grid: &Grid) -> Vec<Self> {
        let mut conditions = vec![Condition::Rank(0), Condition::Last, Condition::Even, Condition::LowerHalf];
        for dimension in 0..grid.dims().len().min(DIMENSIONS) {
            if grid.dims().len() > 1 {
                conditions.extend([
                    Condition::First(dimension),
                    Condition::End(dimension),
                    Condition::EvenPlace(dimension),
                ]);
            }
        }
        conditions.push(Condition::Rank(1));
        let both = |condition: Condition| [false, true].map(|is_negated| Self { condition, is_negated });
        conditions.into_iter().flat_map(both).collect()
    }
}

impl Who {
    /// Returns whether the condition holds for a rank.
    pub fn holds(self, grid: &Grid, rank: u32) -> bool {
        match self {
            Self::All => true,
            Self::WithPartner(rule) => rule.partner(grid, rank, 0).is_some(),
            Self::If(atom) => atom.holds(grid, rank),
            Self::Both(one, other) => one.holds(grid, rank) && other.holds(grid, rank),
            Self::Either(one, other) => one.holds(grid, rank) || other.holds(grid, rank),
        }
    }

    /// Returns the simplest condition that holds exactly for the ranks that are marked. `first` is
    /// tried before others.
    pub fn find(ranks: &[(&Grid, u32, bool)], first: impl Iterator<Item = Self>) -> Option<Self> {
        let fits = |who: &Self| ranks.iter().all(|(grid, rank, is_in)| who.holds(grid, *rank) == *is_in);
        let atoms = ranks.first().map(|(grid, ..)| Atom::all(grid)).unwrap_or_default();
        let pairs = || (1..atoms.len()).flat_map(|end| (0..end).map(move |start| (start, end)));
        let mut candidates = std::iter::once(Self::All)
            .chain(first)
            .chain(atoms.iter().map(|atom| Self::If(*atom)))
            .chain(pairs().map(|(one, other)| Self::Both(atoms[one], atoms[other])))
            .chain(pairs().map(|(one, other)| Self::Either(atoms[one], atoms[other])));
        candidates.find(fits)
    }
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => write!(f, "all"),
            Self::WithPartner(_) => write!(f, "with partner"),
            Self::If(atom) => write!(f, "{atom}"),
            Self::Both(one, other) => write!(f, "{one} and {other}"),
            Self::Either(one, other) => write!(f, "{one} or {other}"),
        }
    }
}

impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (is, not) = if self.is_negated { ("!=", "not ") } else { ("=", "") };
        let name = |dimension: usize| ["x", "y", "z"][dimension];
        match self.condition {
            Condition::Rank(rank) => write!(f, "r{is}{rank}"),
            Condition::Last => write!(f, "r{is}P-1"),
            Condition::Even => f.write_str(if self.is_negated { "odd r" } else { "even r" }),
            Condition::LowerHalf => f.write_str(if self.is_negated { "r>=P/2" } else { "r<P/2" }),
            Condition::First(dimension) => write!(f, "{}{is}0", name(dimension)),
            Condition::End(dimension) => write!(f, "{not}last {}", name(dimension)),
            Condition::EvenPlace(dimension) => {
                write!(f, "{} {}", if self.is_negated { "odd" } else { "even" }, name(dimension))
            }
        }
    }
}
