//! Checked construction from numbers that users supply; nothing is allocated before they are
//! checked.

use std::sync::Arc;

use super::{Dragonfly, FatTree, Graph, Grid, MAX_PROCESSORS, Topology, TopologyError, Tree};

/// The most dimensions of a grid: more would have an extent of 1 or too many processors.
const MAX_DIMENSIONS: u64 = 64;

impl Topology {
    /// A complete network.
    pub fn complete(n: u64) -> Result<Self, TopologyError> {
        processors("processors of a complete network", n).map(Self::Complete)
    }

    /// A linear array.
    pub fn linear(n: u64) -> Result<Self, TopologyError> {
        processors("processors of a linear array", n).map(Self::Linear)
    }

    /// A ring.
    pub fn ring(n: u64) -> Result<Self, TopologyError> {
        processors("processors of a ring", n).map(Self::Ring)
    }

    /// Processors around one switch.
    pub fn star(n: u64) -> Result<Self, TopologyError> {
        processors("processors of a star", n).map(Self::Star)
    }

    /// Processors on one shared link.
    pub fn bus(n: u64) -> Result<Self, TopologyError> {
        processors("processors of a bus", n).map(Self::Bus)
    }

    /// A mesh of these extents, the last dimension fastest.
    pub fn mesh(extents: &[u64]) -> Result<Self, TopologyError> {
        grid("mesh", extents).map(Self::Mesh)
    }

    /// A torus of these extents, the last dimension fastest.
    pub fn torus(extents: &[u64]) -> Result<Self, TopologyError> {
        grid("torus", extents).map(Self::Torus)
    }

    /// A hypercube of 2^dimensions processors.
    pub fn hypercube(dimensions: u64) -> Result<Self, TopologyError> {
        let most = u64::from(MAX_PROCESSORS.trailing_zeros());
        let dimensions = within("dimensions of a hypercube", dimensions, 0, most)?;
        Ok(Self::Hypercube { dimensions })
    }

    /// A tree with `levels` levels below its root; all vertices are processors, or the leaves only.
    pub fn tree(arity: u64, levels: u64, leaves_only: bool) -> Result<Self, TopologyError> {
        let too_large =
            || TopologyError::TooLarge { name: format!("tree of arity {arity} and {levels} levels") };
        within("children of a vertex of a tree", arity, 2, MAX_PROCESSORS)?;
        let leaves = power(arity, levels).ok_or_else(too_large)?;
        // The levels above the leaves have (leaves - 1) / (arity - 1) vertices together.
        let vertices = leaves + (leaves - 1) / (arity - 1);
        if !leaves_only && vertices > MAX_PROCESSORS {
            return Err(too_large());
        }
        Ok(Self::Tree(Tree::new(arity as u32, levels as u32, leaves_only)))
    }

    /// A fat tree: `widths[k]` channels lead up from a subtree of arity^k processors.
    pub fn fat_tree(arity: u64, widths: &[u64]) -> Result<Self, TopologyError> {
        let levels = widths.len() as u64;
        within("subtrees of a fat tree", arity, 2, MAX_PROCESSORS)?;
        within("widths of a fat tree", levels, 1, MAX_DIMENSIONS)?;
        power(arity, levels).ok_or_else(|| TopologyError::TooLarge {
            name: format!("fat tree of arity {arity} and {levels} levels"),
        })?;
        let check = |width: &u64| within("channels of a fat tree's pool", *width, 1, u64::from(u32::MAX));
        let widths = widths.iter().map(check).collect::<Result<Vec<u32>, _>>()?;
        Ok(Self::FatTree(FatTree::new(arity as u32, &widths)))
    }

    /// A dragonfly: groups, routers of a group, hosts of a router.
    pub fn dragonfly(groups: u64, routers: u64, hosts: u64) -> Result<Self, TopologyError> {
        within("groups of a dragonfly", groups, 1, MAX_PROCESSORS)?;
        within("routers of a dragonfly's group", routers, 1, MAX_PROCESSORS)?;
        within("hosts of a dragonfly's router", hosts, 1, MAX_PROCESSORS)?;
        product(&[groups, routers, hosts]).ok_or_else(|| TopologyError::TooLarge {
            name: format!("dragonfly of {groups} groups of {routers} routers with {hosts} hosts"),
        })?;
        Ok(Self::Dragonfly(Dragonfly::new(groups as u32, routers as u32, hosts as u32)))
    }

    /// A directed graph.
    pub fn graph(graph: Graph) -> Self {
        Self::Graph(Arc::new(graph))
    }
}

fn within(what: &'static str, given: u64, least: u64, most: u64) -> Result<u32, TopologyError> {
    if given < least {
        Err(TopologyError::TooFew { what, given, least })
    } else if given > most {
        Err(TopologyError::TooMany { what, given, most })
    } else {
        Ok(given as u32)
    }
}

fn processors(what: &'static str, given: u64) -> Result<u32, TopologyError> {
    within(what, given, 1, MAX_PROCESSORS)
}

fn grid(family: &'static str, extents: &[u64]) -> Result<Grid, TopologyError> {
    within("dimensions of a grid", extents.len() as u64, 1, MAX_DIMENSIONS)?;
    for &extent in extents {
        within("processors along a dimension of a grid", extent, 1, MAX_PROCESSORS)?;
    }
    product(extents).ok_or_else(|| {
        let extents: Vec<String> = extents.iter().map(u64::to_string).collect();
        TopologyError::TooLarge { name: format!("{family} {}", extents.join("x")) }
    })?;
    let extents: Vec<u32> = extents.iter().map(|extent| *extent as u32).collect();
    Ok(Grid::new(&extents))
}

/// The product, if it is at most [`MAX_PROCESSORS`].
fn product(factors: &[u64]) -> Option<u64> {
    let within = |product: &u64| *product <= MAX_PROCESSORS;
    factors.iter().try_fold(1_u64, |product, factor| product.checked_mul(*factor).filter(within))
}

/// The power, if it is at most [`MAX_PROCESSORS`]; `arity` is at least 2.
fn power(arity: u64, levels: u64) -> Option<u64> {
    let power = arity.checked_pow(u32::try_from(levels).ok()?)?;
    (power <= MAX_PROCESSORS).then_some(power)
}
