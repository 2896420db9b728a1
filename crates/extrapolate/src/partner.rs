//! Rules for partners: which rank a rank sends to, receives from, or takes as root.

use std::fmt;

use crate::call::Partner;
use crate::grid::{DIMENSIONS, Grid};
use crate::tree::{Order, Tree};

/// A rule for a partner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rule {
    /// The rank at a distance in the grid.
    Neighbor([i8; DIMENSIONS]),
    /// The rank at a distance, where the first rank follows the last.
    Ring(i32),
    /// The same rank for all.
    Rank(u32),
    /// The last rank.
    Last,
    /// The rank whose number differs in this bit.
    Bit(u32),
    /// The rank half of all ranks away.
    Half,
    /// The last rank for the first, and so on.
    Mirror,
    /// The rank with coordinates exchanged.
    Transpose,
    /// The parent in a tree.
    Parent(Tree),
    /// A rule for each iteration of a loop over partners.
    Each(Each),
    /// No rank (`MPI_PROC_NULL`), or a collective without root.
    NoRank,
}

/// A rule for the partner in iteration `i` of a loop over partners.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Each {
    /// All ranks from 0, without the own one.
    Others,
    /// All ranks from 0.
    All,
    /// All ranks from 1, for rank 0.
    FromOne,
    /// Rank `r + 1 + i`, where the first rank follows the last.
    Up,
    /// Rank `r - 1 - i`, likewise.
    Down,
    /// The rank whose number is that of the own one, bit by bit exclusive-or `i + 1`.
    Exclusive,
    /// The rank whose number differs in bit `i`.
    Bit,
    /// The rank whose number differs in a bit, from the highest down.
    HighBit,
    /// Rank `r + 2^i`, where the first rank follows the last.
    PowerUp,
    /// Rank `r - 2^i`, likewise.
    PowerDown,
    /// The children in a tree.
    Children(Tree, Order),
}

impl Each {
    /// All but the children of trees: how often those are repeated depends on the rank.
    const ALL: [Self; 10] = [
        Self::Others,
        Self::All,
        Self::FromOne,
        Self::Up,
        Self::Down,
        Self::Exclusive,
        Self::Bit,
        Self::HighBit,
        Self::PowerUp,
        Self::PowerDown,
    ];

    /// Returns the rules for the children of trees.
    pub fn children() -> impl Iterator<Item = Self> {
        let orders = [Order::Ascending, Order::Descending];
        Tree::ALL.into_iter().flat_map(move |tree| orders.map(|order| Self::Children(tree, order)))
    }

    /// The number of iterations.
    pub fn count(self, rank: u32, ranks: u32) -> u32 {
        match self {
            Self::Others | Self::FromOne | Self::Up | Self::Down | Self::Exclusive => ranks - 1,
            Self::All => ranks,
            Self::Bit | Self::HighBit => ranks.ilog2(),
            Self::PowerUp | Self::PowerDown => u32::BITS - (ranks - 1).leading_zeros(),
            Self::Children(tree, _) => tree.children(rank, ranks),
        }
    }

    /// Returns the partner of a rank in iteration `i`.
    pub fn partner(self, rank: u32, ranks: u32, i: u32) -> Option<u32> {
        let around = |far: i64| (i64::from(rank) + far).rem_euclid(i64::from(ranks)) as u32;
        let partner = match self {
            Self::Others => i + u32::from(i >= rank),
            Self::All => i,
            Self::FromOne => i + 1,
            Self::Up => around(i64::from(i) + 1),
            Self::Down => around(-i64::from(i) - 1),
            Self::Exclusive => rank ^ (i + 1),
            Self::Bit => rank ^ 1_u32.checked_shl(i)?,
            Self::HighBit => rank ^ 1_u32.checked_shl(ranks.ilog2().checked_sub(i + 1)?)?,
            Self::PowerUp => around(1_i64.checked_shl(i)?),
            Self::PowerDown => around(-1_i64.checked_shl(i)?),
            Self::Children(tree, order) => tree.child_in(order, rank, ranks, i)?,
        };
        (partner < ranks).then_some(partner)
    }
}

impl Rule {
    /// Returns the partner of a rank in iteration `i`; none outside of the grid.
    pub fn partner(self, grid: &Grid, rank: u32, i: u32) -> Option<u32> {
        let ranks = grid.ranks();
        let around = |far: i64| (i64::from(rank) + far).rem_euclid(i64::from(ranks)) as u32;
        match self {
            Self::Neighbor(far) => grid.neighbor(rank, far),
            Self::Ring(far) => Some(around(far.into())),
            Self::Rank(partner) => Some(partner).filter(|partner| *partner < ranks),
            Self::Last => ranks.checked_sub(1),
            Self::Bit(bit) => Some(rank ^ 1 << bit).filter(|partner| *partner < ranks),
            Self::Half => ranks.is_multiple_of(2).then(|| around(i64::from(ranks / 2))),
            Self::Mirror => Some(ranks - 1 - rank),
            Self::Transpose => transposed(grid, rank),
            Self::Parent(tree) => tree.parent(rank),
            Self::Each(each) => each.partner(rank, ranks, i),
            Self::NoRank => None,
        }
    }
}

impl Rule {
    /// Returns the dimension in which the partner is a neighbor, if it is one.
    pub fn across(self) -> Option<usize> {
        let Self::Neighbor(far) = self else { return None };
        let mut steps = (0..DIMENSIONS).filter(|dimension| far[*dimension] != 0);
        steps.next().filter(|_| steps.next().is_none())
    }
}

/// Returns the rank with the first two coordinates exchanged, in a square grid.
fn transposed(grid: &Grid, rank: u32) -> Option<u32> {
    let [a, b] = grid.dims() else { return None };
    let mut place = grid.place(rank);
    place.swap(0, 1);
    (a == b).then(|| grid.rank(&place)).flatten()
}

/// The rules that are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Choice {
    /// Neighbors in the grid, and single ranks.
    Near,
    /// The same, and distances around all ranks, bits, halves and transposes.
    Any,
}

/// Rules for calls that are not in a loop over partners, the simplest first.
fn fixed_rules(grid: &Grid, choice: Choice) -> impl Iterator<Item = Rule> {
    let far = |dimension: usize| if dimension < grid.dims().len() { -2..=2 } else { 0..=0_i8 };
    let steps = far(0).flat_map(move |x| far(1).map(move |y| (x, y)));
    let mut neighbors: Vec<[i8; DIMENSIONS]> =
        steps.flat_map(|(x, y)| far(2).map(move |z| [x, y, z])).collect();
    neighbors.sort_by_key(|steps| steps.iter().map(|step| step.unsigned_abs()).sum::<u8>());
    let rings = [1, -1, 2, -2].map(Rule::Ring);
    let far = [Rule::Half, Rule::Mirror, Rule::Transpose].into_iter();
    let others = rings.into_iter().chain(far).chain((0..16).map(Rule::Bit));
    let others = others.chain(Tree::ALL.map(Rule::Parent));
    let neighbors = neighbors.into_iter().map(Rule::Neighbor);
    let single = (0..4).map(Rule::Rank).chain([Rule::Last]);
    neighbors.chain([Rule::NoRank]).chain(single).chain(others.filter(move |_| choice == Choice::Any))
}

/// The rules that are tried, in the order of preference.
#[derive(Debug, Clone)]
pub struct Rules(Vec<Rule>);

/// Rules that explain all that was seen, as bits in the order of preference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Candidates([u64; 3]);

impl Rules {
    /// Returns all rules for a kind of grid.
    pub fn new(grid: &Grid, choice: Choice) -> Self {
        let mut all = Self::without_trees(grid, choice);
        all.0.extend(Each::children().map(Rule::Each));
        assert!(all.0.len() <= Candidates::MOST, "{} rules", all.0.len());
        all
    }

    /// Returns the same without the children of trees.
    pub fn without_trees(grid: &Grid, choice: Choice) -> Self {
        let rules: Vec<Rule> = fixed_rules(grid, choice).chain(Each::ALL.map(Rule::Each)).collect();
        Self(rules)
    }

    /// Returns the rules that give these partners: one, or one for each iteration of a loop over
    /// partners.
    pub fn explain(&self, grid: &Grid, rank: u32, partners: &[Partner], is_loop: bool) -> Candidates {
        let mut found = Candidates::default();
        for (number, rule) in self.0.iter().enumerate() {
            let fits_loop = match rule {
                Rule::Each(each) => is_loop && each.count(rank, grid.ranks()) as usize == partners.len(),
                _ => !is_loop,
            };
            if fits_loop && gives(*rule, grid, rank, partners) {
                found.add(number);
            }
        }
        found
    }

    /// Returns the simplest of the candidates.
    pub fn simplest(&self, candidates: Candidates) -> Option<Rule> {
        candidates.numbers().next().map(|number| self.0[number])
    }

    /// Returns whether a rule is among the candidates.
    pub fn has(&self, candidates: Candidates, rule: Rule) -> bool {
        candidates.numbers().any(|number| self.0[number] == rule)
    }

    /// Returns the best rule for a root: a rank that is the same for all, if there is one.
    pub fn root(&self, candidates: Candidates) -> Option<Rule> {
        let is_fixed = |number: &usize| matches!(self.0[*number], Rule::Rank(_) | Rule::Last | Rule::NoRank);
        let fixed = candidates.numbers().find(is_fixed).map(|number| self.0[number]);
        fixed.or_else(|| self.simplest(candidates))
    }
}

fn gives(rule: Rule, grid: &Grid, rank: u32, partners: &[Partner]) -> bool {
    (0..).zip(partners).all(|(i, partner)| match (rule.partner(grid, rank, i), partner) {
        (Some(given), Partner::Rank(seen)) => given == *seen,
        (None, Partner::Null) => true,
        _ => false,
    })
}

impl Candidates {
    const MOST: usize = 192;

    fn add(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    /// Returns those that both sets have.
    pub fn both(self, other: Self) -> Self {
        Self([0, 1, 2].map(|part| self.0[part] & other.0[part]))
    }

    /// Returns whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == [0; 3]
    }

    fn numbers(self) -> impl Iterator<Item = usize> {
        (0..Self::MOST).filter(move |number| self.0[number / 64] >> (number % 64) & 1 == 1)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Neighbor(far) => {
                let names = ["x", "y", "z"].iter().zip(far).filter(|(_, step)| **step != 0);
                let steps: Vec<String> = names.map(|(name, step)| format!("{name}{step:+}")).collect();
                f.write_str(if steps.is_empty() { "itself".to_owned() } else { steps.join(" ") }.as_str())
            }
            Self::Ring(far) => write!(f, "r{far:+} mod P"),
            Self::Rank(rank) => write!(f, "rank {rank}"),
            Self::Last => write!(f, "rank P-1"),
            Self::Bit(bit) => write!(f, "r xor {}", 1 << bit),
            Self::Half => write!(f, "r+P/2 mod P"),
            Self::Mirror => write!(f, "rank P-1-r"),
            Self::Transpose => write!(f, "transposed"),
            Self::Parent(tree) => write!(f, "parent ({tree})"),
            Self::Each(each) => write!(f, "{each}"),
            Self::NoRank => write!(f, "-"),
        }
    }
}

impl fmt::Display for Each {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Self::Children(tree, order) = self {
            let order = if *order == Order::Ascending { "" } else { ", the last first" };
            return write!(f, "children ({tree}){order}");
        }
        f.write_str(match self {
            Self::Children(..) => "children",
            Self::Others => "all others",
            Self::All => "all",
            Self::FromOne => "rank i+1",
            Self::Up => "r+1+i mod P",
            Self::Down => "r-1-i mod P",
            Self::Exclusive => "r xor (i+1)",
            Self::Bit => "r xor 2^i",
            Self::HighBit => "r xor P/2^(i+1)",
            Self::PowerUp => "r+2^i mod P",
            Self::PowerDown => "r-2^i mod P",
        })
    }
}
