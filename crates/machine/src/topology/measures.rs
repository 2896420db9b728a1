//! Diameters, bisection widths and numbers of links.

use super::{FatTree, Grid, Topology, Tree};

impl Topology {
    /// Returns whether processors are linked to switches alone, so that the first and the last link
    /// of a route belong to its sender and its receiver.
    pub fn has_switches(&self) -> bool {
        match self {
            Self::Star(_) | Self::FatTree(_) | Self::Dragonfly(_) => true,
            Self::Tree(tree) => tree.leaves_only(),
            _ => false,
        }
    }

    /// The longest route between two processors, in links.
    pub fn diameter(&self) -> u32 {
        match self {
            Self::Complete(n) | Self::Bus(n) => u32::from(*n > 1),
            Self::Linear(n) => n - 1,
            Self::Ring(n) => n / 2,
            Self::Mesh(grid) => grid.extents().iter().map(|extent| extent - 1).sum(),
            Self::Torus(grid) => grid.extents().iter().map(|extent| extent / 2).sum(),
            Self::Hypercube { dimensions } => *dimensions,
            Self::Tree(tree) => 2 * tree.levels(),
            Self::FatTree(tree) => 2 * tree.widths().len() as u32,
            Self::Dragonfly(dragonfly) => {
                let several = |n: u32| u32::from(n > 1);
                match (dragonfly.groups(), dragonfly.routers()) {
                    (1, 1) => 2 * several(dragonfly.hosts()),
                    (1, _) => 3,
                    (_, routers) => 3 + 2 * several(routers),
                }
            }
            Self::Star(n) => 2 * u32::from(*n > 1),
            Self::Graph(graph) => graph.diameter(),
        }
    }

    /// The bisection width: the least number of directed links (or channels of pools) from one half
    /// of the processors to the other, over all partitions into halves; as many lead back. Halves
    /// differ by one if the number is odd. `None` where no formula is known: graphs, odd grids of
    /// several dimensions, trees of odd arity, dragonflies with an odd number of groups, and one
    /// processor.
    pub fn bisection(&self) -> Option<u64> {
        let n = self.processors() as u64;
        if n < 2 {
            return None;
        }
        match self {
            Self::Complete(_) => Some((n / 2) * n.div_ceil(2)),
            Self::Linear(_) | Self::Bus(_) => Some(1),
            Self::Ring(_) => Some(if n == 2 { 1 } else { 2 }),
            Self::Mesh(grid) => across(grid, |_| 1),
            Self::Torus(grid) => across(grid, lines_around),
            Self::Hypercube { .. } | Self::Star(_) => Some(n / 2),
            Self::Tree(tree) => tree_bisection(tree),
            Self::FatTree(tree) => fat_bisection(tree),
            Self::Dragonfly(dragonfly) => {
                // Between halves of the groups, or the links of half the hosts if those are fewer.
                let groups = u64::from(dragonfly.groups());
                groups.is_multiple_of(2).then(|| (groups * groups / 4).min(n / 2))
            }
            Self::Graph(_) => None,
        }
    }

    /// The number of physical channels: directed links, where a pool counts with its width.
    pub fn channels(&self) -> u64 {
        let n = self.processors() as u64;
        match self {
            Self::Ring(n) => u64::from(*n) * u64::from((n - 1).min(2)),
            Self::Mesh(grid) => grid_channels(grid, n, |extent| 2 * (extent - 1)),
            Self::Torus(grid) => grid_channels(grid, n, |extent| extent * (extent - 1).min(2)),
            Self::FatTree(tree) => {
                let mut pools = n;
                let mut channels = 0_u64;
                for width in tree.widths() {
                    channels = channels.saturating_add((2 * pools).saturating_mul(u64::from(*width)));
                    pools /= u64::from(tree.arity());
                }
                channels
            }
            _ => self.links(),
        }
    }
}

/// The links of all lines of a grid, where a line of `extent` has `line(extent)`.
fn grid_channels(grid: &Grid, n: u64, line: impl Fn(u64) -> u64) -> u64 {
    grid.extents().iter().map(|extent| n / u64::from(*extent) * line(u64::from(*extent))).sum()
}

/// The links of a torus line across a cut: two, but two processors have one link.
fn lines_around(extent: u32) -> u64 {
    if extent == 2 { 1 } else { 2 }
}

/// The bisection across the longest dimension, which is the least if it is even or the only one.
fn across(grid: &Grid, cuts: impl Fn(u32) -> u64) -> Option<u64> {
    let long = grid.extents().iter().copied().max()?;
    let lines = grid.processors() / long;
    (long.is_multiple_of(2) || lines == 1).then(|| u64::from(lines) * cuts(long))
}

/// The bisection of a tree: half of the root's children are cut off.
fn tree_bisection(tree: &Tree) -> Option<u64> {
    tree.arity().is_multiple_of(2).then(|| u64::from(tree.arity() / 2))
}

/// The bisection of a fat tree: half of the subtrees are cut off, each above or, if that is less,
/// below.
fn fat_bisection(tree: &FatTree) -> Option<u64> {
    let arity = u64::from(tree.arity());
    let least = tree
        .widths()
        .iter()
        .fold(u64::MAX, |below, width| u64::from(*width).min(below.saturating_mul(arity)));
    arity.is_multiple_of(2).then(|| (arity / 2).saturating_mul(least))
}
