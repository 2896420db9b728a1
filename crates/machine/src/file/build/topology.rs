//! Builds topologies.

use std::path::{Path, PathBuf};

use crate::file::error::{Error, Location};
use crate::file::read::read_text;
use crate::file::schema::SIZES;
use crate::file::section::Section;
use crate::topology::{Graph, Topology, TopologyError};

/// A kind of topology.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Complete,
    Linear,
    Ring,
    Star,
    Bus,
    Mesh,
    Torus,
    Hypercube,
    Tree,
    FatTree,
    Dragonfly,
    Graph,
}

/// The names of all kinds.
pub const KINDS: [(&str, Kind); 12] = [
    ("complete", Kind::Complete),
    ("linear", Kind::Linear),
    ("ring", Kind::Ring),
    ("star", Kind::Star),
    ("bus", Kind::Bus),
    ("mesh", Kind::Mesh),
    ("torus", Kind::Torus),
    ("hypercube", Kind::Hypercube),
    ("tree", Kind::Tree),
    ("fat-tree", Kind::FatTree),
    ("dragonfly", Kind::Dragonfly),
    ("graph", Kind::Graph),
];

impl Kind {
    /// The keys of its size.
    fn sizes(self) -> &'static [&'static str] {
        match self {
            Self::Complete | Self::Linear | Self::Ring | Self::Star | Self::Bus => &["processors"],
            Self::Mesh | Self::Torus => &["dims"],
            Self::Hypercube => &["dimensions", "processors"],
            Self::Tree => &["arity", "levels", "leaves"],
            Self::FatTree => &["arity", "widths"],
            Self::Dragonfly => &["groups", "routers", "hosts"],
            Self::Graph => &["file"],
        }
    }
}

/// The kind of topology of a section.
pub fn kind(section: &Section<'_>) -> Result<Kind, Error> {
    let names = KINDS.map(|(name, _)| name).join(", ");
    section.choice("topology", &KINDS)?.ok_or_else(|| section.missing("topology", &format!("one of {names}")))
}

/// The topology of a section.
pub fn topology(section: &Section<'_>) -> Result<Topology, Error> {
    let kind = kind(section)?;
    let is_unused = |key: &&&str| section.has(key) && !kind.sizes().contains(key);
    if let Some(key) = SIZES.iter().find(is_unused) {
        let name = KINDS.iter().find(|(_, other)| *other == kind).map_or("", |(name, _)| name);
        let text = format!("topology {name} does not use it; it uses {}", kind.sizes().join(", "));
        return Err(section.error(key, text));
    }
    let blame = |key: &'static str| move |error: TopologyError| section.error(key, error);
    let processors = || needed(section, "processors");
    let made = match kind {
        Kind::Complete => Topology::complete(processors()?),
        Kind::Linear => Topology::linear(processors()?),
        Kind::Ring => Topology::ring(processors()?),
        Kind::Star => Topology::star(processors()?),
        Kind::Bus => Topology::bus(processors()?),
        Kind::Mesh => Topology::mesh(&list(section, "dims")?),
        Kind::Torus => Topology::torus(&list(section, "dims")?),
        Kind::Hypercube => Topology::hypercube(dimensions(section)?),
        Kind::Tree => {
            let leaves = section.flag("leaves")?.unwrap_or(false);
            Topology::tree(needed(section, "arity")?, needed(section, "levels")?, leaves)
        }
        Kind::FatTree => Topology::fat_tree(needed(section, "arity")?, &list(section, "widths")?),
        Kind::Dragonfly => {
            let [groups, routers, hosts] = ["groups", "routers", "hosts"].map(|key| needed(section, key));
            Topology::dragonfly(groups?, routers?, hosts?)
        }
        Kind::Graph => return graph(section),
    };
    let given = kind.sizes().iter().copied().find(|key| section.has(key));
    made.map_err(blame(given.unwrap_or("topology")))
}

fn needed(section: &Section<'_>, key: &str) -> Result<u64, Error> {
    section.count(key)?.ok_or_else(|| missing(section, key, "an integer"))
}

fn list(section: &Section<'_>, key: &str) -> Result<Vec<u64>, Error> {
    section.counts(key)?.ok_or_else(|| missing(section, key, "a list of integers such as [4, 4]"))
}

/// An error about a missing size, at the location of the topology.
fn missing(section: &Section<'_>, key: &str, expected: &str) -> Error {
    let text = format!("`{}` is missing, expected {expected}", section.name(key));
    section
        .node("topology")
        .map_or_else(|| section.missing(key, expected), |node| Error::at(&node.location, text))
}

fn dimensions(section: &Section<'_>) -> Result<u64, Error> {
    if let Some(dimensions) = section.count("dimensions")? {
        if section.has("processors") {
            return Err(section.error("processors", "conflicts with `dimensions`; use one of them"));
        }
        return Ok(dimensions);
    }
    let processors =
        section.count("processors")?.ok_or_else(|| missing(section, "dimensions", "an integer"))?;
    if !processors.is_power_of_two() {
        return Err(section
            .error("processors", format!("found {processors}, a hypercube has 2, 4, 8, ... processors")));
    }
    Ok(u64::from(processors.trailing_zeros()))
}

fn graph(section: &Section<'_>) -> Result<Topology, Error> {
    let file = section.text("file")?.ok_or_else(|| missing(section, "file", "the name of a graph file"))?;
    let location = section.node("file").map_or(section.location, |node| &node.location);
    let path = resolve(file, location);
    let text = read_text(&path).map_err(|error| section.error("file", error))?;
    let graph: Graph =
        text.parse().map_err(|error| section.error("file", format!("{}: {error}", path.display())))?;
    Ok(Topology::graph(graph))
}

/// The path of a file that another file names, relative to it.
pub fn resolve(file: &str, location: &Location) -> PathBuf {
    let beside = location.file().and_then(|file| Path::new(&**file).parent());
    beside.map_or_else(|| file.into(), |directory| directory.join(file))
}
