//! `year` and `groups`: what a machine is, for lists of machines.

use super::error::Error;
use super::schema::wrong;
use super::tree::{Node, Table, Value};

/// The years that a machine can be of.
const YEARS: std::ops::RangeInclusive<i128> = 1940..=2100;

/// Reads the year and the groups of a model.
pub fn read(tree: &Table) -> Result<(Option<u16>, Vec<String>), Error> {
    let year = tree.get("year").map(year).transpose()?;
    let groups = tree.get("groups").map(groups).transpose()?;
    Ok((year, groups.unwrap_or_default()))
}

fn year(node: &Node) -> Result<u16, Error> {
    match node.value {
        Value::Integer(year) if YEARS.contains(&year) => Ok(year as u16),
        _ => Err(wrong(&node.location, "year", &node.value, "a year such as 2024")),
    }
}

fn groups(node: &Node) -> Result<Vec<String>, Error> {
    let name = |node: &Node| match &node.value {
        Value::Text(name) if is_name(name) => Some(name.clone()),
        _ => None,
    };
    let names = match &node.value {
        Value::List(list) => list.iter().map(name).collect(),
        _ => None,
    };
    let expected = "a list of lower-case words such as [\"modern\", \"ethernet\"]";
    names.ok_or_else(|| wrong(&node.location, "groups", &node.value, expected))
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-')
}
