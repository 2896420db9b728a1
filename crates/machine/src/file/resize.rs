//! Enlarges a machine.

use super::build::{Kind, inherited, kind};
use super::error::{Error, Location};
use super::schema::{self, NETWORK, SIZES};
use super::section::Section;
use super::tree::{Node, Table, Value};

/// Enlarges all regular topologies of a model to at least `processors` processors.
pub fn resize(tree: &mut Table, processors: usize, name: &str) -> Result<(), Error> {
    let location = Location::Size(processors);
    let own: Vec<String> = tree
        .get("networks")
        .and_then(Node::table)
        .into_iter()
        .flatten()
        .filter(|(_, node)| node.table().is_some_and(has_size))
        .map(|(name, _)| name.clone())
        .collect();
    for operation in own {
        let entry = |tree: &Table| tree.get("networks")?.table()?.get(&operation)?.table().cloned();
        let table = inherited(tree, entry(tree).as_ref());
        let sizes = sizes(&table, processors, name, &location)?;
        if let Some(Value::Table(networks)) = tree.get_mut("networks").map(|node| &mut node.value)
            && let Some(Value::Table(network)) = networks.get_mut(&operation).map(|node| &mut node.value)
        {
            schema::merge(network, sizes, NETWORK);
        }
    }
    if let Some(Value::Table(network)) = tree.get_mut("network").map(|node| &mut node.value) {
        let sizes = sizes(network, processors, name, &location)?;
        schema::merge(network, sizes, NETWORK);
    }
    Ok(())
}

fn has_size(table: &Table) -> bool {
    table.contains_key("topology") || SIZES.iter().any(|key| table.contains_key(*key))
}

/// Returns whether the command line sets the size of the network.
pub fn is_size_set(tree: &Table) -> bool {
    let set = |table: &Table| {
        let keys = ["topology", "map"];
        let mut nodes = SIZES.iter().chain(&keys).filter_map(|key| table.get(*key));
        nodes.any(|node| matches!(node.location, Location::Set(_)))
    };
    tree.get("network").and_then(Node::table).is_some_and(set)
}

/// The keys that replace the current size.
fn sizes(network: &Table, processors: usize, name: &str, location: &Location) -> Result<Table, Error> {
    let section = Section::new(network, "network", location);
    let refuse = |why: String| Err(Error::new(format!("{name} cannot have {processors} processors: {why}")));
    if let Some(most) = section.count("most")?.filter(|most| *most < processors as u64) {
        return refuse(format!("the machine was built with at most {most}"));
    }
    if section.has("map") {
        return refuse("it has a map of ranks to processors".into());
    }
    let per_node = section.inner("nodes", "network.nodes").count("size")?.unwrap_or(1).max(1);
    let needed = (processors as u64).div_ceil(per_node).max(1);
    let kind = kind(&section)?;
    let Some((key, value)) = size(kind, &section, needed)? else {
        return refuse("its topology is a graph from a file".into());
    };
    let node = |n: &u64| Node::integer(*n, location);
    let value = match value {
        Size::One(n) => Value::Integer(n.into()),
        Size::List(list) => Value::List(list.iter().map(node).collect()),
    };
    Ok(Table::from([(key.to_owned(), Node::new(value, location))]))
}

enum Size {
    One(u64),
    List(Vec<u64>),
}

fn size(kind: Kind, section: &Section<'_>, needed: u64) -> Result<Option<(&'static str, Size)>, Error> {
    let count = |key: &str| Ok(section.count(key)?.unwrap_or(1).max(1));
    Ok(Some(match kind {
        Kind::Complete | Kind::Linear | Kind::Ring | Kind::Star | Kind::Bus => {
            ("processors", Size::One(needed))
        }
        Kind::Hypercube => {
            let dimensions = needed.checked_next_power_of_two().map_or(64, u64::trailing_zeros);
            ("dimensions", Size::One(dimensions.into()))
        }
        Kind::Mesh | Kind::Torus => {
            let dimensions = section.counts("dims")?.map_or(1, |dims| dims.len());
            ("dims", Size::List(squarest(needed, dimensions)))
        }
        Kind::Tree => {
            let (arity, leaves) = (count("arity")?.max(2), section.flag("leaves")?.unwrap_or(false));
            ("levels", Size::One(levels(needed, arity, leaves)))
        }
        Kind::FatTree => {
            let arity = count("arity")?.max(2);
            let widths = section.counts("widths")?.unwrap_or_default();
            ("widths", Size::List(grown(widths, arity, levels(needed, arity, true))))
        }
        Kind::Dragonfly => {
            let group = count("routers")?.saturating_mul(count("hosts")?);
            ("groups", Size::One(needed.div_ceil(group)))
        }
        Kind::Graph => return Ok(None),
    }))
}

/// The extents of a grid with at least `processors` processors, as equal as possible.
fn squarest(processors: u64, dimensions: usize) -> Vec<u64> {
    let mut left = processors;
    (1..=dimensions as u32)
        .rev()
        .map(|dimensions| {
            let root = (left as f64).powf(1.0 / f64::from(dimensions)).round() as u64;
            let enough = |extent: &u64| extent.saturating_pow(dimensions) >= left;
            let extent = (root.saturating_sub(1).max(1)..=root + 1).find(enough).unwrap_or(left);
            left = left.div_ceil(extent);
            extent
        })
        .collect()
}

/// The levels of a tree with at least `processors` leaves, or vertices.
fn levels(processors: u64, arity: u64, leaves_only: bool) -> u64 {
    let (mut levels, mut leaves, mut vertices) = (0, 1_u64, 1_u64);
    while processors > if leaves_only { leaves } else { vertices } {
        levels += 1;
        leaves = leaves.saturating_mul(arity);
        vertices = vertices.saturating_add(leaves);
    }
    levels
}

/// The widths of a fat tree with more levels, each wider than the one below by the same factor as
/// the last.
fn grown(mut widths: Vec<u64>, arity: u64, levels: u64) -> Vec<u64> {
    while (widths.len() as u64) < levels {
        let next = match widths[..] {
            [.., below, last] if below > 0 => last.saturating_mul(last) / below,
            [.., last] => last.saturating_mul(arity),
            [] => 1,
        };
        widths.push(next.max(1));
    }
    widths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_are_square_and_large_enough() {
        assert_eq!(squarest(16, 2), [4, 4]);
        assert_eq!(squarest(17, 2), [5, 4]);
        assert_eq!(squarest(64, 3), [4, 4, 4]);
        for processors in 1..500 {
            for dimensions in 1..4 {
                let product: u64 = squarest(processors, dimensions).iter().product();
                assert!(
                    product >= processors && product <= 2 * processors + 8,
                    "{processors} {dimensions}: {product}"
                );
            }
        }
    }

    #[test]
    fn trees_have_enough_levels() {
        assert_eq!(
            (levels(1, 2, true), levels(16, 4, true), levels(17, 4, true), levels(7, 2, false)),
            (0, 2, 3, 2)
        );
        assert_eq!(grown(vec![1, 2, 4], 4, 5), [1, 2, 4, 8, 16]);
        assert_eq!(grown(vec![1, 2, 4, 16], 4, 5), [1, 2, 4, 16, 64]);
        assert_eq!(grown(vec![1], 4, 2), [1, 4]);
    }
}
