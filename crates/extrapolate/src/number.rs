//! Rules for whole numbers: bytes, tags, repetitions.

use std::fmt;

use crate::grid::{DIMENSIONS, Grid};
use crate::growth::Growth;
use crate::tree;
use crate::who::{Atom, Who};

/// A rule for a number.
#[derive(Debug, Clone, PartialEq)]
pub enum Number {
    /// The same everywhere.
    Constant(i64),
    /// A multiple of a quantity, plus a constant.
    Multiple { factor: i64, of: Quantity, plus: i64 },
    /// A total divided by a quantity, rounded down.
    Share { total: i64, of: Quantity },
    /// Elements of a block: a total is divided among the places of a dimension.
    Block { unit: i64, total: i64, along: Along, how: Division },
    /// The rank, plus a constant.
    Rank(i64),
    /// The partner's rank, plus a constant.
    Partner(i64),
    /// How far apart the rank and its partner are.
    Distance,
    /// Elements of the blocks of all ranks in the subtree below the link to the partner.
    Subtree { unit: i64, total: Total, how: Division },
    /// The share of a total that is dealt in turn to all ranks but the first.
    Dealt(Box<Number>),
    /// One rule for ranks that meet a condition, another for the others.
    Split(Atom, Box<[Number; 2]>),
    /// A function of the number of ranks that is near what was seen.
    About(Growth),
}

/// A quantity that numbers may be proportional to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    Ranks,
    /// The length of a dimension.
    Length(usize),
    /// The lengths of two dimensions, multiplied.
    Area(usize, usize),
    Logarithm,
    RanksSquared,
    Root,
    CubeRoot,
}

/// What a total is divided among.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Along {
    Ranks,
    Dimension(usize),
}

/// What the subtrees of a tree share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Total {
    /// The same for any number of ranks.
    Fixed(i64),
    /// So much for each rank.
    Each(i64),
}

/// How a total that is not a multiple is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Division {
    /// Block `c` of `p` ends at `total (c + 1) / p`, rounded down.
    Even,
    /// The first blocks have one more.
    FirstMore,
    /// All blocks but the last ones are rounded up.
    LastLess,
}

/// A number that was seen.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    pub grid: &'a Grid,
    pub rank: u32,
    pub partner: Option<u32>,
    /// The dimension in which the partner is a neighbor.
    pub across: Option<usize>,
    pub value: i64,
}

/// Where a number is wanted.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    pub grid: &'a Grid,
    pub rank: u32,
    pub partner: Option<u32>,
}

impl Quantity {
    /// Returns all quantities, the likeliest first. What is exchanged with a neighbor is a face of
    /// a block, which the other dimensions divide.
    fn all(grid: &Grid, across: Option<usize>) -> Vec<Self> {
        let lengths = grid.dims().len();
        let mut all = vec![Self::Ranks];
        if lengths > 1 {
            all.extend((0..lengths).map(Self::Length));
            all.extend((0..lengths).flat_map(|end| (0..end).map(move |start| Self::Area(start, end))));
        }
        all.extend([Self::Logarithm, Self::RanksSquared, Self::Root, Self::CubeRoot]);
        let is_face = |quantity: &Self| match (across, quantity) {
            (Some(across), Self::Area(one, other)) => *one != across && *other != across,
            (Some(across), Self::Length(one)) => lengths == 2 && *one != across,
            _ => false,
        };
        all.sort_by_key(|quantity| !is_face(quantity));
        all
    }

    fn of(self, grid: &Grid) -> Option<i64> {
        let ranks = i64::from(grid.ranks());
        let length = |dimension: usize| grid.dims().get(dimension).copied().map(i64::from);
        let exact = |root: f64, power: u32| {
            let root = root.round() as i64;
            (root.pow(power) == ranks).then_some(root)
        };
        match self {
            Self::Ranks => Some(ranks),
            Self::Length(dimension) => length(dimension),
            Self::Area(one, other) => Some(length(one)? * length(other)?),
            Self::Logarithm => Some(i64::from(u32::BITS - (grid.ranks().max(2) - 1).leading_zeros())),
            Self::RanksSquared => Some(ranks * ranks),
            Self::Root => exact((ranks as f64).sqrt(), 2),
            Self::CubeRoot => exact((ranks as f64).cbrt(), 3),
        }
    }
}

impl Along {
    /// Returns the place of a rank and the number of places.
    pub fn place(self, grid: &Grid, rank: u32) -> (i64, i64) {
        match self {
            Self::Ranks => (rank.into(), grid.ranks().into()),
            Self::Dimension(dimension) => (grid.place(rank)[dimension], grid.dims()[dimension].into()),
        }
    }
}

impl Division {
    pub const ALL: [Self; 3] = [Self::Even, Self::FirstMore, Self::LastLess];

    /// Returns the elements of a block.
    pub fn block(self, total: i64, place: i64, places: i64) -> i64 {
        self.start(total, place + 1, places) - self.start(total, place, places)
    }

    /// Returns the elements before a block.
    pub fn start(self, total: i64, place: i64, places: i64) -> i64 {
        match self {
            Self::Even => (i128::from(total) * i128::from(place) / i128::from(places)) as i64,
            Self::FirstMore => total / places * place + place.min(total % places),
            Self::LastLess => {
                let most = total / places + i64::from(total % places != 0);
                place.saturating_mul(most).min(total)
            }
        }
    }
}

impl Division {
    /// Returns the place whose block has this element.
    pub fn owner(self, total: i64, places: i64, element: i64) -> Option<i64> {
        if !(0..total).contains(&element) {
            return None;
        }
        let (mut least, mut most) = (0, places.checked_sub(1)?);
        while least < most {
            let middle = i64::midpoint(least, most);
            if self.start(total, middle + 1, places) > element {
                most = middle;
            } else {
                least = middle + 1;
            }
        }
        Some(least)
    }
}

impl Total {
    /// Returns the elements of consecutive blocks: from the first to the one before the last.
    fn blocks(self, how: Division, (first, last): (u32, u32), ranks: u32) -> i64 {
        match self {
            Self::Fixed(total) => {
                let start = |rank: u32| how.start(total, rank.into(), ranks.into());
                start(last) - start(first)
            }
            Self::Each(elements) => elements.saturating_mul((last - first).into()),
        }
    }
}

impl Number {
    /// Returns the number at a place.
    pub fn at(&self, place: &Place<'_>) -> Option<i64> {
        match self {
            Self::Constant(value) => Some(*value),
            Self::Multiple { factor, of, plus } => factor.checked_mul(of.of(place.grid)?)?.checked_add(*plus),
            Self::Share { total, of } => total.checked_div(of.of(place.grid)?),
            Self::Block { unit, total, along, how } => {
                let (at, places) = along.place(place.grid, place.rank);
                unit.checked_mul(how.block(*total, at, places))
            }
            Self::Rank(plus) => Some(i64::from(place.rank) + plus),
            Self::Partner(plus) => Some(i64::from(place.partner?) + plus),
            Self::Distance => Some((i64::from(place.rank) - i64::from(place.partner?)).abs()),
            Self::Subtree { unit, total, how } => {
                let ranks = place.grid.ranks();
                let subtree = tree::subtree(place.rank.max(place.partner?), ranks);
                unit.checked_mul(total.blocks(*how, subtree, ranks))
            }
            Self::Dealt(total) => {
                let workers = i64::from(place.grid.ranks()) - 1;
                let worker = i64::from(place.rank.checked_sub(1)?);
                Some(Division::FirstMore.block(total.at(place)?, worker, workers))
            }
            Self::Split(atom, parts) => {
                let is_second = !Who::If(*atom).holds(place.grid, place.rank);
                parts[usize::from(is_second)].at(place)
            }
            Self::About(growth) => Some(growth.at(place.grid.ranks()).round() as i64),
        }
    }

    /// Returns the simplest rule that gives exactly what was seen.
    pub fn find(seen: &[Seen<'_>]) -> Option<Self> {
        let first = seen.first()?;
        if seen.iter().all(|one| one.value == first.value) {
            return Some(Self::Constant(first.value));
        }
        Self::by_ranks(seen).or_else(|| Self::by_place(seen)).or_else(|| Self::split(seen))
    }

    /// Returns a function of the number of ranks that comes near what was seen.
    pub fn about(seen: &[Seen<'_>]) -> Self {
        let mut by_ranks: Vec<(u32, f64, f64)> = Vec::new();
        for one in seen {
            let ranks = one.grid.ranks();
            let at = by_ranks.iter().position(|(known, ..)| *known == ranks).unwrap_or_else(|| {
                by_ranks.push((ranks, 0.0, 0.0));
                by_ranks.len() - 1
            });
            by_ranks[at].1 += one.value as f64;
            by_ranks[at].2 += 1.0;
        }
        let points: Vec<(u32, f64)> =
            by_ranks.iter().map(|(ranks, sum, count)| (*ranks, sum / count)).collect();
        Self::About(Growth::fit(&points))
    }

    fn fits(&self, seen: &[Seen<'_>]) -> bool {
        seen.iter().all(|one| {
            let place = Place { grid: one.grid, rank: one.rank, partner: one.partner };
            self.at(&place) == Some(one.value)
        })
    }

    /// Rules that depend on the number of ranks and the lengths of dimensions only.
    fn by_ranks(seen: &[Seen<'_>]) -> Option<Self> {
        let quantities = Quantity::all(seen[0].grid, seen[0].across);
        let proportional = quantities.iter().filter_map(|of| proportional(seen, *of));
        let shares = quantities.iter().filter_map(|of| share(seen, *of));
        let lines = quantities.iter().filter_map(|of| line(seen, *of));
        proportional.chain(shares).chain(lines).find(|rule| rule.fits(seen))
    }

    /// Rules that depend on the rank.
    fn by_place(seen: &[Seen<'_>]) -> Option<Self> {
        let first = seen[0];
        let own = Self::Rank(first.value - i64::from(first.rank));
        let partner = first.partner.map(|partner| Self::Partner(first.value - i64::from(partner)));
        let along = (0..first.grid.dims().len().min(DIMENSIONS)).map(Along::Dimension).chain([Along::Ranks]);
        let blocks = along.flat_map(|along| blocks(seen, along));
        let found = std::iter::once(own).chain(partner).chain(blocks).find(|rule| rule.fits(seen));
        found.or_else(|| first.partner.and_then(|_| Self::of_pair(seen))).or_else(|| Self::dealt(seen))
    }

    /// Shares of a total that all ranks but the first have.
    fn dealt(seen: &[Seen<'_>]) -> Option<Self> {
        let totals = seen.iter().map(|one| {
            let same = seen.iter().filter(|other| other.grid.ranks() == one.grid.ranks());
            let (count, sum) = same.fold((0, 0_i64), |(count, sum), one| (count + 1, sum + one.value));
            (one.rank > 0 && count + 1 == one.grid.ranks()).then_some(Seen { value: sum, ..*one })
        });
        let totals: Vec<Seen<'_>> = totals.collect::<Option<_>>()?;
        let is_constant = totals.iter().all(|total| total.value == totals[0].value);
        let total = if is_constant { Some(Self::Constant(totals[0].value)) } else { Self::by_ranks(&totals) };
        total.map(|total| Self::Dealt(Box::new(total))).filter(|rule| rule.fits(seen))
    }

    /// Returns the rule that depends on the rank and its partner and gives exactly what was seen.
    pub fn of_pair(seen: &[Seen<'_>]) -> Option<Self> {
        let unit = seen.iter().fold(0, |unit, one| gcd(unit, one.value));
        if seen.iter().all(|one| one.value == seen[0].value) {
            return None;
        }
        let each = Self::Subtree { unit: 1, total: Total::Each(unit), how: Division::Even };
        let units = [8, 4, 16, 1].into_iter().filter(|size| unit % size == 0);
        let fixed = units.flat_map(|unit| Division::ALL.map(|how| (unit, how)));
        let fixed = fixed.filter_map(|(unit, how)| subtrees(seen, unit, how));
        [Self::Distance, each].into_iter().find(|rule| rule.fits(seen)).or_else(|| fixed.take(1).next())
    }

    /// Different rules for two groups of ranks.
    fn split(seen: &[Seen<'_>]) -> Option<Self> {
        Atom::all(seen[0].grid).into_iter().find_map(|atom| {
            let (inside, outside): (Vec<Seen<'_>>, Vec<Seen<'_>>) =
                seen.iter().partition(|one| Who::If(atom).holds(one.grid, one.rank));
            let simple = |seen: &[Seen<'_>]| {
                let first = seen.first()?;
                let constant = Self::Constant(first.value);
                if constant.fits(seen) { Some(constant) } else { Self::by_ranks(seen) }
            };
            Some(Self::Split(atom, Box::new([simple(&inside)?, simple(&outside)?])))
        })
    }
}

fn proportional(seen: &[Seen<'_>], of: Quantity) -> Option<Number> {
    let (value, quantity) = (seen[0].value, of.of(seen[0].grid)?);
    (value % quantity == 0).then_some(Number::Multiple { factor: value / quantity, of, plus: 0 })
}

/// A total whose shares are those that were seen. Any total between the bounds would do; the one
/// with the most factors of two is the likeliest.
fn share(seen: &[Seen<'_>], of: Quantity) -> Option<Number> {
    let (mut least, mut most) = (i64::MIN, i64::MAX);
    for one in seen {
        let quantity = of.of(one.grid)?;
        least = least.max(one.value.checked_mul(quantity)?);
        most = most.min((one.value + 1).checked_mul(quantity)? - 1);
    }
    if least > most || least < 0 {
        return None;
    }
    let is_exact =
        seen.iter().all(|one| of.of(one.grid).is_some_and(|quantity| one.value * quantity == least));
    let steps = (1..40).map(|bit| 1_i64 << bit);
    let rounded = steps.map(|step| (least + step - 1) / step * step).take_while(|total| *total <= most);
    let total = if is_exact { least } else { rounded.last().unwrap_or(least) };
    Some(Number::Share { total, of })
}

fn line(seen: &[Seen<'_>], of: Quantity) -> Option<Number> {
    let first = (of.of(seen[0].grid)?, seen[0].value);
    let other = seen.iter().find_map(|one| {
        let quantity = of.of(one.grid)?;
        (quantity != first.0).then_some((quantity, one.value))
    })?;
    let (rise, run) = (other.1 - first.1, other.0 - first.0);
    let factor = (rise % run == 0).then_some(rise / run)?;
    Some(Number::Multiple { factor, of, plus: first.1 - factor * first.0 })
}

/// Blocks of a total that is the sum of what was seen along a dimension.
fn blocks(seen: &[Seen<'_>], along: Along) -> Vec<Number> {
    let unit = seen.iter().fold(0, |unit, one| gcd(unit, one.value));
    let units = [8, 4, 16, 1, unit].into_iter().filter(|size| *size > 0 && unit % size == 0);
    units
        .filter_map(|unit| Some((unit, total(seen, along)? / unit)))
        .flat_map(|(unit, total)| Division::ALL.map(|how| Number::Block { unit, total, along, how }))
        .collect()
}

/// Returns the sum along a dimension in one of the traces, if all places were seen.
fn total(seen: &[Seen<'_>], along: Along) -> Option<i64> {
    let grid = seen[0].grid;
    let (_, places) = along.place(grid, seen[0].rank);
    let same_trace = || seen.iter().filter(|one| one.grid.ranks() == grid.ranks());
    (0..places).try_fold(0_i64, |sum, place| {
        let here = same_trace().find(|one| along.place(grid, one.rank).0 == place)?;
        sum.checked_add(here.value)
    })
}

/// The most totals that are tried.
const MOST_TOTALS: i64 = 1 << 12;

/// Returns the rule for a total whose subtrees are those that were seen. Of several totals the one
/// with the most zeros at its end is the likeliest.
fn subtrees(seen: &[Seen<'_>], unit: i64, how: Division) -> Option<Number> {
    let (mut least, mut most) = (0, i64::MAX);
    for one in seen {
        let ranks = one.grid.ranks();
        let (root, end) = tree::subtree(one.rank.max(one.partner?), ranks);
        let (value, size, ranks) = (one.value / unit, i64::from(end - root), i64::from(ranks));
        least = least.max((value - size).checked_mul(ranks)? / size);
        most = most.min((value + size).checked_mul(ranks)? / size);
    }
    let rule = |total: i64| Number::Subtree { unit, total: Total::Fixed(total), how };
    let totals =
        (least..=most.min(least.saturating_add(MOST_TOTALS))).filter(|total| rule(*total).fits(seen));
    totals.max_by_key(|total| zeros(*total, 10).max(zeros(*total, 2))).map(rule)
}

/// Returns the number of zeros at the end of a number that is written with this base.
fn zeros(number: i64, base: i64) -> u32 {
    let mut rest = number;
    let mut zeros = 0;
    while rest != 0 && rest % base == 0 {
        rest /= base;
        zeros += 1;
    }
    zeros
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(value) => write!(f, "{value}"),
            Self::Multiple { factor, of, plus } => {
                let factor = if *factor == 1 { String::new() } else { format!("{factor} ") };
                let plus = if *plus == 0 { String::new() } else { format!("{plus:+}") };
                write!(f, "{factor}{of}{plus}")
            }
            Self::Share { total, of } => write!(f, "{total}/{of}"),
            Self::Block { unit, total, along, .. } => write!(f, "{unit} x {total}/{along}"),
            Self::Rank(0) => write!(f, "r"),
            Self::Rank(plus) => write!(f, "r{plus:+}"),
            Self::Partner(0) => write!(f, "partner"),
            Self::Partner(plus) => write!(f, "partner{plus:+}"),
            Self::Dealt(total) => write!(f, "({total})/(P-1)"),
            Self::Distance => write!(f, "distance"),
            Self::Subtree { unit, total: Total::Fixed(total), .. } => {
                write!(f, "{unit} x {total}/P for each rank below")
            }
            Self::Subtree { total: Total::Each(each), .. } => write!(f, "{each} for each rank below"),
            Self::Split(atom, parts) => write!(f, "{} if {atom}, else {}", parts[0], parts[1]),
            Self::About(growth) => write!(f, "about {growth}"),
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |dimension: usize| ["px", "py", "pz"][dimension.min(DIMENSIONS - 1)];
        match self {
            Self::Ranks => write!(f, "P"),
            Self::Length(dimension) => f.write_str(name(*dimension)),
            Self::Area(one, other) => write!(f, "({} {})", name(*one), name(*other)),
            Self::Logarithm => write!(f, "log P"),
            Self::RanksSquared => write!(f, "P^2"),
            Self::Root => write!(f, "P^(1/2)"),
            Self::CubeRoot => write!(f, "P^(1/3)"),
        }
    }
}

impl fmt::Display for Along {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ranks => write!(f, "P"),
            Self::Dimension(dimension) => Quantity::Length(*dimension).fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Shape;

    /// Finds the rule for a function of the grid and the rank, from 4, 9 and 16 ranks in a square,
    /// and compares it with the function for 36 ranks.
    fn holds(value: impl Fn(&Grid, u32) -> i64, shown: &str) {
        let grids = [4, 9, 16, 36].map(|ranks| Shape::Balanced(2).grid(ranks, false).expect("a grid"));
        let seen: Vec<Seen<'_>> = grids[..3]
            .iter()
            .flat_map(|grid| (0..grid.ranks()).map(move |rank| (grid, rank)))
            .map(|(grid, rank)| Seen { grid, rank, partner: None, across: None, value: value(grid, rank) })
            .collect();
        let rule = Number::find(&seen).expect(shown);
        assert_eq!(rule.to_string(), shown);
        for rank in 0..36 {
            let place = Place { grid: &grids[3], rank, partner: None };
            assert_eq!(rule.at(&place), Some(value(&grids[3], rank)), "{rule}");
        }
    }

    #[test]
    fn numbers_follow_the_number_of_ranks() {
        holds(|_, _| 7, "7");
        holds(|grid, _| 8 * i64::from(grid.ranks()), "8 P");
        holds(|grid, _| i64::from(grid.ranks()) - 1, "P-1");
        holds(|grid, _| 1_000_000 / i64::from(grid.ranks()), "1000000/P");
        holds(|grid, _| 4096 / i64::from(grid.dims()[0]), "4096/px");
    }

    #[test]
    fn numbers_follow_the_place() {
        holds(|_, rank| i64::from(rank) + 100, "r+100");
        holds(
            |grid, rank| 8 * Division::Even.block(100, grid.place(rank)[1], grid.dims()[1].into()),
            "8 x 100/py",
        );
        holds(|grid, rank| if rank == 0 { 64 * i64::from(grid.ranks()) } else { 0 }, "64 P if r=0, else 0");
    }

    #[test]
    fn what_follows_no_rule_has_none() {
        let grid = Shape::Line.grid(4, false).expect("a grid");
        let values = [17, 4, 99, 23];
        let seen: Vec<Seen<'_>> = (0..)
            .zip(values)
            .map(|(rank, value)| Seen { grid: &grid, rank, partner: None, across: None, value })
            .collect();
        assert_eq!(Number::find(&seen), None);
    }
}
