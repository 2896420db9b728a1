//! Checks the keys of a tree against the schema.

use panto_schedule::Collective;

use super::Shape::{self, Cost, Operations, Pieces, Texts, Value as Single};
use super::{COST, Key, PIECE, cost_shorthand, join};
use crate::file::error::{Error, Location};
use crate::file::tree::{Node, Table, Value};
use panto_units::suggest::hint;

/// Checks that all keys are known and that tables are where they must be. The keys of string tables
/// are flattened to full names.
pub fn check(table: &mut Table, keys: &'static [Key], path: &str) -> Result<(), Error> {
    for (name, node) in table {
        let Some(key) = keys.iter().find(|key| key.name == name) else {
            return Err(unknown(name, keys.iter().map(|key| key.name), path, node));
        };
        check_shape(node, &key.shape, &join(path, name))?;
    }
    Ok(())
}

fn check_shape(node: &mut Node, shape: &'static Shape, path: &str) -> Result<(), Error> {
    let location = node.location.clone();
    match (shape, &mut node.value) {
        (Single, _) => Ok(()),
        (Shape::Table(keys), Value::Table(table)) => check(table, keys, path),
        (Cost, Value::Table(table)) => check(table, COST, path),
        (Cost, Value::Text(text)) if cost_shorthand(text).is_some() => Ok(()),
        (Pieces, Value::List(list)) => list.iter_mut().enumerate().try_for_each(|(index, node)| {
            let path = format!("{path}.{index}");
            match &mut node.value {
                Value::Table(table) => check(table, PIECE, &path),
                other => Err(wrong(
                    &node.location,
                    &path,
                    other,
                    "a table such as { up-to = \"100B\", latency = \"79us\" }",
                )),
            }
        }),
        (Operations(shape), Value::Table(table)) => table.iter_mut().try_for_each(|(name, node)| {
            if name.parse::<Collective>().is_err() {
                return Err(unknown(name, Collective::ALL.map(Collective::name), path, node));
            }
            check_shape(node, shape, &join(path, name))
        }),
        (Texts, Value::Table(table)) => {
            *table = flattened(table, path)?;
            Ok(())
        }
        (Cost, other) => Err(wrong(
            &location,
            path,
            other,
            "a time such as \"39us\", a rate such as \"35.5MB/s\", or a table of latency, bandwidth or per-byte, \
             packet and pieces",
        )),
        (Pieces, other) => Err(wrong(&location, path, other, "a list of tables")),
        (_, other) => Err(wrong(&location, path, other, "a table")),
    }
}

/// Flattens a table of strings: `network.link.latency = "..."` without quotes is a table in a
/// table.
fn flattened(table: &Table, path: &str) -> Result<Table, Error> {
    let mut flat = Table::new();
    for (key, node) in table {
        match &node.value {
            Value::Text(_) => {
                flat.insert(key.clone(), node.clone());
            }
            Value::Table(inner) => {
                let inner = flattened(inner, &join(path, key))?;
                flat.extend(inner.into_iter().map(|(rest, node)| (join(key, &rest), node)));
            }
            other => return Err(wrong(&node.location, &join(path, key), other, "a string in quotes")),
        }
    }
    Ok(flat)
}

/// An error about a value.
pub fn wrong(location: &Location, path: &str, found: &Value, expected: &str) -> Error {
    Error::at(location, format!("`{path}` is {}, expected {expected}", found.found()))
}

fn unknown(name: &str, known: impl IntoIterator<Item = &'static str>, path: &str, node: &Node) -> Error {
    let known: Vec<&str> = known.into_iter().collect();
    let inside = if path.is_empty() { "a model".into() } else { format!("`{path}`") };
    let short: String = name.chars().take(60).collect();
    let hint = match hint(name, known.iter().copied()) {
        far if far.is_empty() => format!("; valid keys: {}", known.join(", ")),
        hint => hint,
    };
    Error::at(&node.location, format!("{inside} has no key `{short}`{hint}"))
}
