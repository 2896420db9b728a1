//! Which processors have links: distances and routes (P8).
//!
//! Regular topologies answer in closed form, without tables: a million processors cost what ten cost. Vertices that run no
//! rank (switches, routers, inner vertices of a tree) are PUPPET's dummy processors: they have links but no number here.

mod divider;
mod dragonfly;
mod error;
mod fattree;
mod graph;
mod grid;
mod line;
mod measures;
mod name;
mod new;
mod parse;
mod tree;

#[cfg(test)]
pub(crate) mod tests;

use std::sync::Arc;

pub use dragonfly::Dragonfly;
pub use error::{GraphError, TopologyError};
pub use fattree::FatTree;
pub use graph::Graph;
pub use grid::Grid;
pub use tree::Tree;

/// The most processors of a topology: 2^30, so that every number of a link fits.
pub const MOST_PROCESSORS: u64 = 1 << 30;

/// A directed link, numbered from 0 without large holes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId(pub u64);

/// Which processors have links. Made by [`Topology::ring`] and the like, which check the numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Topology {
    /// A link from each to each.
    Complete(u32),
    /// Each has links to the one before and the one behind.
    Linear(u32),
    /// A linear array whose ends are joined. Two processors have one link each way, not two.
    Ring(u32),
    /// A grid.
    Mesh(Grid),
    /// A grid whose ends are joined in each dimension.
    Torus(Grid),
    /// 2^d processors, linked where their numbers differ in one bit.
    Hypercube {
        /// How many bits d.
        dimensions: u32,
    },
    /// A tree.
    Tree(Tree),
    /// A tree whose links are the wider the nearer they are to the root.
    FatTree(FatTree),
    /// Groups of routers, each linked to each in a group, and each group to each.
    Dragonfly(Dragonfly),
    /// A switch in the middle that runs no rank.
    Star(u32),
    /// One link for all.
    Bus(u32),
    /// A directed graph from a file.
    Graph(Arc<Graph>),
}

impl Topology {
    /// How many processors ranks can run on.
    #[inline]
    pub fn processors(&self) -> usize {
        let n = match self {
            Self::Complete(n) | Self::Linear(n) | Self::Ring(n) | Self::Star(n) | Self::Bus(n) => *n,
            Self::Mesh(grid) | Self::Torus(grid) => grid.processors(),
            Self::Hypercube { dimensions } => 1 << dimensions,
            Self::Tree(tree) => tree.processors(),
            Self::FatTree(tree) => tree.processors(),
            Self::Dragonfly(dragonfly) => dragonfly.processors(),
            Self::Graph(graph) => graph.processors(),
        };
        n as usize
    }

    /// How many links the way from one processor to another has: [`Topology::route`] visits so many. Both are below
    /// [`Topology::processors`]; for others the answer means nothing.
    #[inline]
    pub fn distance(&self, from: u32, to: u32) -> u32 {
        match self {
            Self::Complete(_) | Self::Bus(_) => u32::from(from != to),
            Self::Linear(_) => from.abs_diff(to),
            Self::Ring(n) => line::around(from, to, *n),
            Self::Mesh(grid) => grid.mesh_distance(from, to),
            Self::Torus(grid) => grid.torus_distance(from, to),
            Self::Hypercube { .. } => (from ^ to).count_ones(),
            Self::Tree(tree) => tree.distance(from, to),
            Self::FatTree(tree) => tree.distance(from, to),
            Self::Dragonfly(dragonfly) => dragonfly.distance(from, to),
            Self::Star(_) => 2 * u32::from(from != to),
            Self::Graph(graph) => graph.distance(from, to),
        }
    }

    /// Visits the links of the way that a message takes, in order. None if both are one.
    #[inline]
    pub fn route(&self, from: u32, to: u32, mut visit: impl FnMut(LinkId)) {
        match self {
            Self::Complete(n) => line::direct(from, to, *n, visit),
            Self::Linear(_) => line::linear(from, to, visit),
            Self::Ring(n) => line::ring(from, to, *n, visit),
            Self::Mesh(grid) => grid.mesh_route(from, to, visit),
            Self::Torus(grid) => grid.torus_route(from, to, visit),
            Self::Hypercube { dimensions } => line::hypercube(from, to, *dimensions, visit),
            Self::Tree(tree) => tree.route(from, to, visit),
            Self::FatTree(tree) => tree.route(from, to, visit),
            Self::Dragonfly(dragonfly) => dragonfly.route(from, to, visit),
            Self::Star(_) => {
                if from != to {
                    visit(LinkId(2 * u64::from(from)));
                    visit(LinkId(2 * u64::from(to) + 1));
                }
            }
            Self::Bus(_) => {
                if from != to {
                    visit(LinkId(0));
                }
            }
            Self::Graph(graph) => graph.route(from, to, visit),
        }
    }

    /// Link numbers are below this. There may be fewer: at the edge of a mesh some numbers name no link.
    #[inline]
    pub fn links(&self) -> u64 {
        match self {
            Self::Complete(n) => u64::from(*n) * u64::from(n.saturating_sub(1)),
            Self::Linear(n) => 2 * u64::from(n.saturating_sub(1)),
            Self::Ring(n) | Self::Star(n) => 2 * u64::from(*n),
            Self::Mesh(grid) | Self::Torus(grid) => grid.links(),
            Self::Hypercube { dimensions } => u64::from(*dimensions) << dimensions,
            Self::Tree(tree) => tree.links(),
            Self::FatTree(tree) => tree.links(),
            Self::Dragonfly(dragonfly) => dragonfly.links(),
            Self::Bus(_) => 1,
            Self::Graph(graph) => graph.links(),
        }
    }

    /// How many messages a link carries at once: more than one where a level of a fat tree is a pool.
    #[inline]
    pub fn width(&self, link: LinkId) -> u32 {
        match self {
            Self::FatTree(tree) => tree.width(link),
            _ => 1,
        }
    }
}
