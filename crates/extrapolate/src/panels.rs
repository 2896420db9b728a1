//! Panels of a square matrix in blocks on a grid of ranks.
//!
//! A loop goes through the matrix in panels of a width. A panel ends where the block of a row or
//! column of ranks ends, so that each has one owner, the root of a broadcast or a reduction along
//! the grid (SUMMA: van de Geijn and Watts, 1997). How many panels there are, how wide each is and
//! who owns it follows from the side of the matrix, the width and the grid.

use std::fmt;

use crate::call::PARTNER;
use crate::grid::Grid;
use crate::number::{Along, Division, Place};
use crate::series::{SeenSeries, Series};

/// The panels of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Panels {
    /// The side of the matrix, in elements.
    side: i64,
    /// The widest panel.
    width: i64,
    how: Division,
    /// How often the loop goes through the matrix.
    times: i64,
}

/// What depends on the panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aspect {
    /// The number of panels.
    Count,
    /// The place of the owner in a dimension.
    Owner(Along),
    /// The elements of a panel of this extent, times the bytes of an element.
    Bytes(i64, Extent),
}

/// The other side of a panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// The whole side of the matrix.
    Whole,
    /// The block of the rank.
    Block(Along),
    /// The part of that block from the panel's beginning on.
    Below(Along),
}

/// A call with a moving root in a loop: what each rank had in each iteration.
pub struct Swept<'a> {
    pub bytes: Vec<SeenSeries<'a>>,
    pub element: Vec<SeenSeries<'a>>,
    pub roots: Vec<SeenSeries<'a>>,
}

/// A panel: its beginning and its width, in elements.
struct Panel {
    start: i64,
    width: i64,
}

/// The most times that a loop goes through a matrix.
const MOST_TIMES: i64 = 4;

impl Panels {
    /// Returns the panels whose owners are the roots of all calls.
    pub fn find(calls: &[Swept<'_>]) -> Option<Self> {
        let candidates = calls.iter().flat_map(Swept::candidates);
        candidates.into_iter().find(|panels| calls.iter().all(|call| panels.explains(call)))
    }

    /// Returns whether the roots of a call, and how often it is repeated, are those of the panels.
    fn explains(self, call: &Swept<'_>) -> bool {
        let is_counted = |one: &SeenSeries<'_>| {
            let panels = self.count(one.grid) * self.times;
            one.counts.iter().all(|count| i64::from(*count) == panels)
        };
        call.roots.iter().all(is_counted) && self.series(PARTNER, &call.roots).is_some()
    }

    /// Returns the rule for a number in the loop over panels.
    pub fn series(self, what: &str, seen: &[SeenSeries<'_>]) -> Option<Series> {
        let grid = seen.first()?.grid;
        let rule = |aspect: Aspect| Series::Panels(self, aspect);
        let fits = |rule: &Series| rule.fits(seen);
        match what {
            REPETITIONS => Some(rule(Aspect::Count)).filter(fits),
            PARTNER => dimensions(grid).map(|along| rule(Aspect::Owner(along))).find(fits),
            "bytes" | "receive bytes" => {
                let extents = dimensions(grid).flat_map(|along| [Extent::Block(along), Extent::Below(along)]);
                let extents: Vec<Extent> = extents.chain([Extent::Whole]).collect();
                let units = [8, 4, 16, 2, 1].into_iter();
                let all =
                    units.flat_map(|unit| extents.iter().map(move |extent| Aspect::Bytes(unit, *extent)));
                all.map(rule).find(fits)
            }
            _ => None,
        }
    }

    /// Returns the end of the blocks that begin before this element and have it.
    fn cut(self, grid: &Grid, start: i64) -> i64 {
        let ends = dimensions(grid).filter_map(|along| {
            let (_, places) = along.place(grid, 0);
            let owner = self.how.owner(self.side, places, start)?;
            Some(self.how.start(self.side, owner + 1, places))
        });
        ends.min().unwrap_or(self.side)
    }

    fn count(self, grid: &Grid) -> i64 {
        let (mut start, mut count) = (0, 0);
        while start < self.side {
            let end = self.cut(grid, start);
            count += (end - start + self.width - 1) / self.width;
            start = end;
        }
        count
    }

    fn panel(self, grid: &Grid, number: i64) -> Option<Panel> {
        let (mut start, mut left) = (0, number);
        while start < self.side {
            let end = self.cut(grid, start);
            let panels = (end - start + self.width - 1) / self.width;
            if left < panels {
                let start = start + left * self.width;
                return Some(Panel { start, width: self.width.min(end - start) });
            }
            left -= panels;
            start = end;
        }
        None
    }

    /// Returns what a rank has in an iteration.
    pub fn at(self, aspect: Aspect, place: &Place<'_>, iteration: i64) -> Option<i64> {
        let count = self.count(place.grid);
        if aspect == Aspect::Count {
            return Some(count * self.times);
        }
        let panel = self.panel(place.grid, iteration.checked_rem(count)?)?;
        match aspect {
            Aspect::Count => None,
            Aspect::Owner(along) => {
                let (_, places) = along.place(place.grid, place.rank);
                self.how.owner(self.side, places, panel.start)
            }
            Aspect::Bytes(unit, extent) => {
                unit.checked_mul(panel.width)?.checked_mul(self.extent(extent, place, &panel))
            }
        }
    }

    fn extent(self, extent: Extent, place: &Place<'_>, panel: &Panel) -> i64 {
        let block = |along: Along| {
            let (at, places) = along.place(place.grid, place.rank);
            [at, at + 1].map(|at| self.how.start(self.side, at, places))
        };
        match extent {
            Extent::Whole => self.side,
            Extent::Block(along) => {
                let [start, end] = block(along);
                end - start
            }
            Extent::Below(along) => {
                let [start, end] = block(along);
                end - panel.start.clamp(start, end)
            }
        }
    }

    pub fn show(self, aspect: Aspect, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { side, width, .. } = self;
        match aspect {
            Aspect::Count if self.times > 1 => write!(f, "panels of {width} in {side}, {} times", self.times),
            Aspect::Count => write!(f, "panels of {width} in {side}"),
            Aspect::Owner(along) => write!(f, "owner of panel i in {along}"),
            Aspect::Bytes(unit, Extent::Whole) => write!(f, "{unit} x panel x {side}"),
            Aspect::Bytes(unit, Extent::Block(along)) => write!(f, "{unit} x panel x {side}/{along}"),
            Aspect::Bytes(unit, Extent::Below(along)) => {
                write!(f, "{unit} x panel x {side}/{along} below it")
            }
        }
    }
}

/// The name of the number of iterations.
pub const REPETITIONS: &str = "repetitions";

fn dimensions(grid: &Grid) -> impl Iterator<Item = Along> {
    (0..grid.dims().len()).map(Along::Dimension)
}

impl Swept<'_> {
    /// Returns the panels that this call may go through: all ranks together have the matrix once
    /// for each member of a communicator, and the first panel is as wide as any.
    fn candidates(&self) -> Vec<Panels> {
        let Some(largest) = self.bytes.last().map(|one| one.grid.ranks()) else { return Vec::new() };
        let elements = |bytes: &SeenSeries<'_>, element: &SeenSeries<'_>| -> i64 {
            let size = element.values[0].max(1);
            let repeated = bytes.counts.iter().map(|count| i64::from(*count)).sum::<i64>();
            let sum: i64 = bytes.values.iter().sum();
            if bytes.values.len() == 1 { sum * repeated / size } else { sum / size }
        };
        let pairs = || self.bytes.iter().zip(&self.element);
        let last = pairs().filter(|(bytes, _)| bytes.grid.ranks() == largest);
        let total: i64 = last.map(|(bytes, element)| elements(bytes, element)).sum();
        let members = self.roots.iter().filter(|one| one.grid.ranks() == largest);
        let members = members.flat_map(|one| &one.values).max().map_or(1, |most| most + 1);
        let mut found = Vec::new();
        for times in 1..=MOST_TIMES {
            let area = total / members / times;
            let side = (area as f64).sqrt().round() as i64;
            if side > 0 && side * side == area {
                found.extend(
                    self.widths(side)
                        .into_iter()
                        .flat_map(|width| Division::ALL.map(|how| Panels { side, width, how, times })),
                );
            }
        }
        found
    }

    /// Returns the widths that the first panels may have: their elements divided by an extent.
    fn widths(&self, side: i64) -> Vec<i64> {
        let widest = |extent: &dyn Fn(&SeenSeries<'_>) -> i64| {
            let each = self.bytes.iter().zip(&self.element).map(|(bytes, element)| {
                let elements = bytes.values[0] / element.values[0].max(1);
                elements.checked_div(extent(bytes)).unwrap_or(0)
            });
            each.max().unwrap_or(0)
        };
        let mut widths = vec![widest(&|_| side)];
        if let Some(grid) = self.bytes.first().map(|one| one.grid) {
            widths.extend(dimensions(grid).map(|along| {
                widest(&|one| {
                    let (at, places) = along.place(one.grid, one.rank);
                    Division::Even.block(side, at, places)
                })
            }));
        }
        widths.retain(|width| (1..=side).contains(width));
        widths
    }
}
