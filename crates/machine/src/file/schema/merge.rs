//! Merges trees.

use super::Shape::{self, Cost, Operations, Pieces, Texts, Value as Single};
use super::{COST, Key, cost_shorthand};
use crate::file::tree::{Node, Table, Value};

/// Merges `over` into `base`: tables entry by entry, all other values as a whole, including the
/// shorthand of a cost. Both were checked.
pub fn merge(base: &mut Table, over: Table, keys: &'static [Key]) {
    let find = |name: &String| keys.iter().find(|key| key.name == name);
    // Removals come first: a dependent key that is set together with its choice must stay.
    for (key, node) in over.iter().filter_map(|(name, node)| Some((find(name)?, node))) {
        key.replaces.iter().for_each(|key| drop(base.remove(*key)));
        if base.get(key.name).is_some_and(|old| old.value != node.value) {
            key.dependents.iter().for_each(|key| drop(base.remove(*key)));
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
        (_, value) => drop(base.insert(name, Node { value, location: node.location })),
    }
}

/// Expands the shorthand of a cost into a table, so that a part of it can be replaced.
fn expand_cost(node: &mut Node) {
    if let Value::Text(text) = &node.value
        && let Some(key) = cost_shorthand(text)
    {
        let inner = Node::text(text.clone(), &node.location);
        node.value = Value::Table(Table::from([(key.to_owned(), inner)]));
    }
}
