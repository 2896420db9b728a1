//! Names and descriptions of topologies.

use std::fmt;

use super::{Grid, Topology};

impl Topology {
    /// The name of the topology in model files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Complete(_) => "complete",
            Self::Linear(_) => "linear",
            Self::Ring(_) => "ring",
            Self::Mesh(_) => "mesh",
            Self::Torus(_) => "torus",
            Self::Hypercube { .. } => "hypercube",
            Self::Tree(_) => "tree",
            Self::FatTree(_) => "fat-tree",
            Self::Dragonfly(_) => "dragonfly",
            Self::Star(_) => "star",
            Self::Bus(_) => "bus",
            Self::Graph(_) => "graph",
        }
    }
}

/// Formats as in `hypercube of 4 dimensions, 16 processors`.
impl fmt::Display for Topology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Complete(_) => write!(f, "complete network")?,
            Self::Linear(_) => write!(f, "linear array")?,
            Self::Mesh(grid) | Self::Torus(grid) => write!(f, "{} {}", self.name(), extents(grid))?,
            Self::Hypercube { dimensions } => write!(f, "hypercube of {}", plural(*dimensions, "dimension"))?,
            Self::Tree(tree) => {
                let what = if tree.leaves_only() { ", leaves only" } else { "" };
                write!(f, "tree of arity {} and {}{what}", tree.arity(), plural(tree.levels(), "level"))?;
            }
            Self::FatTree(tree) => {
                let widths: Vec<String> = tree.widths().iter().map(u32::to_string).collect();
                write!(f, "fat tree of arity {} and widths {}", tree.arity(), widths.join(" "))?;
            }
            Self::Dragonfly(dragonfly) => write!(
                f,
                "dragonfly of {} of {} with {}",
                plural(dragonfly.groups(), "group"),
                plural(dragonfly.routers(), "router"),
                plural(dragonfly.hosts(), "host")
            )?,
            Self::Ring(_) | Self::Star(_) | Self::Bus(_) | Self::Graph(_) => f.write_str(self.name())?,
        }
        write!(f, ", {}", plural(self.processors() as u32, "processor"))
    }
}

fn extents(grid: &Grid) -> String {
    let extents: Vec<String> = grid.extents().iter().map(u32::to_string).collect();
    extents.join("x")
}

fn plural(n: u32, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
