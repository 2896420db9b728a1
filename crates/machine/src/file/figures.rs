//! The figures of a model, each with its source.

use panto_schedule::Collective;

use super::assumed::Assumed;
use super::schema::{COST, DESCRIPTION, Key, PIECE, ROOT, Shape, join};
use super::tree::{Node, Table, Value};

/// A figure of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// The key, as `--set` takes it.
    pub key: String,
    /// The value as in the file.
    pub value: String,
    /// The document and page, or that it is assumed and why; without those, the line or option that
    /// sets it.
    pub source: String,
    /// Whether the model names a source.
    pub sourced: bool,
    /// Whether the model lists the figure as assumed: no document has it.
    pub assumed: bool,
}

/// All figures of a model, in the order of the schema.
pub fn figures(tree: &Table, sources: &[Table], assumed: &[Assumed]) -> Vec<Figure> {
    let is_assumed = |key: &str, node: &Node| assumed.iter().any(|assumed| assumed.covers(key, node));
    let figure = |(key, node): (String, &Node)| figure(&key, node, sources, is_assumed(&key, node));
    nodes(tree).into_iter().map(figure).collect()
}

/// All figures with their full keys.
pub fn nodes(tree: &Table) -> Vec<(String, &Node)> {
    let mut nodes = Vec::new();
    for key in ROOT.iter().filter(|key| !DESCRIPTION.contains(&key.name)) {
        if let Some(node) = tree.get(key.name) {
            visit(node, &key.shape, key.name, &mut |name, node| nodes.push((name.to_owned(), node)));
        }
    }
    nodes
}

fn visit<'a>(node: &'a Node, shape: &Shape, path: &str, each: &mut dyn FnMut(&str, &'a Node)) {
    match (&node.value, shape) {
        (Value::Table(table), Shape::Table(keys)) => visit_keys(table, keys, path, each),
        (Value::Table(table), Shape::Cost) => visit_keys(table, COST, path, each),
        (Value::Table(table), Shape::Operations(shape)) => {
            for name in Collective::ALL.map(Collective::name) {
                if let Some(node) = table.get(name) {
                    visit(node, shape, &join(path, name), each);
                }
            }
        }
        (Value::List(list), Shape::Pieces) if !list.is_empty() => {
            for (index, node) in list.iter().enumerate() {
                if let Value::Table(table) = &node.value {
                    visit_keys(table, PIECE, &format!("{path}.{index}"), each);
                }
            }
        }
        _ => each(path, node),
    }
}

fn visit_keys<'a>(table: &'a Table, keys: &'static [Key], path: &str, each: &mut dyn FnMut(&str, &'a Node)) {
    for key in keys {
        if let Some(node) = table.get(key.name) {
            visit(node, &key.shape, &join(path, key.name), each);
        }
    }
}

fn figure(key: &str, node: &Node, sources: &[Table], assumed: bool) -> Figure {
    let source = sources.iter().find_map(|sources| source(key, node, sources));
    Figure {
        key: key.to_owned(),
        value: node.value.written(),
        sourced: source.is_some(),
        source: source.unwrap_or_else(|| node.location.to_string()),
        assumed,
    }
}

/// The source of a key or of the smallest table around it, if the file that has the figure names
/// it: a source does not apply to a figure that another file or the command line replaces.
fn source(key: &str, node: &Node, sources: &Table) -> Option<String> {
    let around = std::iter::successors(Some(key), |key| key.rsplit_once('.').map(|(around, _)| around));
    let found = around
        .filter_map(|key| sources.get(key))
        .find(|source| source.location.file() == node.location.file())?;
    node.location.file()?;
    match &found.value {
        Value::Text(text) => Some(text.clone()),
        _ => None,
    }
}
