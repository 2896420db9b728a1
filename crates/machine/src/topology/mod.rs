//! Topologies: processors, directed links, distances and routes (P8).
//!
//! Routing is deterministic, minimal and oblivious: one route for each pair of processors. On
//! meshes, tori and hypercubes it is dimension-ordered, on a hypercube also known as e-cube
//! (Sullivan and Bashkow 1977), which cannot deadlock on meshes and hypercubes (Dally and Seitz
//! 1987); on trees it goes up to the lowest common ancestor and down. Only a graph from a file
//! needs tables.
//!
//! Regular topologies are closed forms: no memory depends on the number of processors, and a route
//! costs O(d). Links are numbered densely from 0, so that a simulation can keep an array of them.
//!
//! Vertices that run no rank (switches, routers, inner vertices of a tree) are PUPPET's *dummy
//! processors*: they have links but no processor number.

mod construct;
mod display;
mod divider;
mod dragonfly;
mod error;
mod fattree;
mod graph;
mod graph_file;
mod grid;
mod line;
mod measures;
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

/// The most processors of a topology: 2^30, so that link numbers do not overflow.
pub const MAX_PROCESSORS: u64 = 1 << 30;

/// A directed link, numbered from 0 without large gaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId(pub u64);

/// A topology. Created by [`Topology::ring`] and similar functions, which check the numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Topology {
    /// A link between any two processors.
    Complete(u32),
    /// A linear array: links between neighbours.
    Linear(u32),
    /// A linear array whose ends are joined. Two processors have one link in each direction, not
    /// two.
    Ring(u32),
    /// A grid without wrap-around links.
    Mesh(Grid),
    /// A grid with wrap-around links in each dimension.
    Torus(Grid),
    /// 2^d processors, linked where their numbers differ in one bit.
    Hypercube {
        /// The number of dimensions d.
        dimensions: u32,
    },
    /// A tree.
    Tree(Tree),
    /// A tree whose links are wider towards the root.
    FatTree(FatTree),
    /// Groups of routers: complete inside a group, and complete between groups.
    Dragonfly(Dragonfly),
    /// Processors around one switch.
    Star(u32),
    /// One link that all processors share.
    Bus(u32),
    /// A directed graph from a file.
    Graph(Arc<Graph>),
}

impl Topology {
    /// The number of processors.
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

    /// The number of links of the route between two processors. Both must be below
    /// [`Topology::processors`]; for others the result is unspecified.
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

    /// Visits the links of the route between two processors in order; none if they are the same.
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

    /// The upper bound of link numbers. At the edges of a mesh some numbers are unused.
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

    /// The width of a link: the number of messages it carries at once at full speed. More than 1
    /// only in fat trees.
    #[inline]
    pub fn width(&self, link: LinkId) -> u32 {
        match self {
            Self::FatTree(tree) => tree.width(link),
            _ => 1,
        }
    }
}
