//! One tree on top of another.

use super::Shape::{self, Cost, Operations, Pieces, Texts, Value as Single};
use super::{COST, Key, short_cost};
use crate::file::tree::{Node, Table, Value};

/// Lays `over` on top of `base`: tables entry by entry, all else as a whole, also a cost in short. Both were checked.
pub fn merge(base: &mut Table, over: Table, keys: &'static [Key]) {
    let find = |name: &String| keys.iter().find(|key| key.name == name);
    // All goes before anything comes: a detail that comes with its choice must stay.
    for (key, node) in over.iter().filter_map(|(name, node)| Some((find(name)?, node))) {
        key.rivals.iter().for_each(|rival| drop(base.remove(*rival)));
        if base.get(key.name).is_some_and(|old| old.value != node.value) {
            key.details.iter().for_each(|detail| drop(base.remove(*detail)));
        }
    }
    for (name, node) in over {
        if let Some(key) = find(&name) {
            merge_entry(base, name, node, &key.shape);
        }
    }
}

fn merge_entry(base: &mut Table, name: String, node: Node, shape: &'static Shape) {
    let mut old = base.get_mut(&name);
    if let (Some(old), Cost, Value::Table(_)) = (&mut old, shape, &node.value) {
        expand_cost(old);
    }
    match (old.map(|old| &mut old.value), node.value) {
        (Some(Value::Table(old)), Value::Table(new)) => match shape {
            Shape::Table(keys) => merge(old, new, keys),
            Cost => merge(old, new, COST),
            Operations(shape) => {
                for (name, node) in new {
                    merge_entry(old, name, node, shape);
                }
            }
            Single | Pieces | Texts => old.extend(new),
        },
        (_, value) => drop(base.insert(name, Node { value, place: node.place })),
    }
}

/// A cost in short becomes a table, to change a part of it.
fn expand_cost(node: &mut Node) {
    if let Value::Text(text) = &node.value
        && let Some(key) = short_cost(text)
    {
        let inner = Node::text(text.clone(), &node.place);
        node.value = Value::Table(Table::from([(key.to_owned(), inner)]));
    }
}
