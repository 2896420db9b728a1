//! Which topology, and how large.

use std::path::{Path, PathBuf};

use crate::file::error::{Error, Place};
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
    /// The keys that say how large it is.
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

/// The kind that a section names.
pub fn kind(section: &Section<'_>) -> Result<Kind, Error> {
    let names = KINDS.map(|(name, _)| name).join(", ");
    section.choice("topology", &KINDS)?.ok_or_else(|| section.missing("topology", &format!("one of {names}")))
}

/// The topology that a section describes.
pub fn topology(section: &Section<'_>) -> Result<Topology, Error> {
    let kind = kind(section)?;
    let strange = |key: &&&str| section.has(key) && !kind.sizes().contains(key);
    if let Some(key) = SIZES.iter().find(strange) {
        let name = KINDS.iter().find(|(_, other)| *other == kind).map_or("", |(name, _)| name);
        let text = format!("topology {name} does not take this; it takes {}", kind.sizes().join(", "));
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
    let said = kind.sizes().iter().copied().find(|key| section.has(key));
    made.map_err(blame(said.unwrap_or("topology")))
}

fn needed(section: &Section<'_>, key: &str) -> Result<u64, Error> {
    section.count(key)?.ok_or_else(|| missing(section, key, "a whole number"))
}

fn list(section: &Section<'_>, key: &str) -> Result<Vec<u64>, Error> {
    section.counts(key)?.ok_or_else(|| missing(section, key, "a list of whole numbers such as [4, 4]"))
}

/// What is missing is missing where the topology was chosen.
fn missing(section: &Section<'_>, key: &str, expected: &str) -> Error {
    let text = format!("`{}` is missing, expected {expected}", section.name(key));
    section
        .node("topology")
        .map_or_else(|| section.missing(key, expected), |node| Error::at(&node.place, text))
}

fn dimensions(section: &Section<'_>) -> Result<u64, Error> {
    if let Some(dimensions) = section.count("dimensions")? {
        if section.has("processors") {
            return Err(section.error("processors", "`dimensions` says the same; give one of them"));
        }
        return Ok(dimensions);
    }
    let processors =
        section.count("processors")?.ok_or_else(|| missing(section, "dimensions", "a whole number"))?;
    if !processors.is_power_of_two() {
        return Err(section
            .error("processors", format!("found {processors}, a hypercube has 2, 4, 8, ... processors")));
    }
    Ok(u64::from(processors.trailing_zeros()))
}

fn graph(section: &Section<'_>) -> Result<Topology, Error> {
    let file =
        section.text("file")?.ok_or_else(|| missing(section, "file", "the name of a file of links"))?;
    let place = section.node("file").map_or(section.place, |node| &node.place);
    let path = resolve(file, place);
    let text = read_text(&path).map_err(|error| section.error("file", error))?;
    let graph: Graph =
        text.parse().map_err(|error| section.error("file", format!("{}: {error}", path.display())))?;
    Ok(Topology::graph(graph))
}

/// A file that another file names lies beside it.
pub fn resolve(file: &str, place: &Place) -> PathBuf {
    let beside = place.file().and_then(|file| Path::new(&**file).parent());
    beside.map_or_else(|| file.into(), |directory| directory.join(file))
}
