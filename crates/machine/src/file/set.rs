//! `--set KEY=VALUE`.

use super::error::{Error, Place};
use super::native::parse_value;
use super::nearest::hint;
use super::schema::{self, NETWORK, PIECE, ROOT};
use super::tree::{Node, Table, Value};

/// Longer keys are none.
const DEEPEST: usize = 12;

/// Lays these overrides, the later over the earlier, on top of a model.
///
/// They count as one more file that is based on the model, so that the order of `send.standard=eager` and `send.limit=4K` does
/// not matter. Only a piece of a cost (`link.pieces.0.latency`) is changed in its place afterwards.
pub fn apply(tree: &mut Table, overrides: &[String]) -> Result<(), Error> {
    let mut overlay = Table::new();
    let mut inside = Vec::new();
    for text in overrides {
        let (path, node) = parse(text)?;
        match piece(&path) {
            Some(at) => inside.push((path, at, node)),
            None => schema::merge(&mut overlay, nested(&path, node)?, ROOT),
        }
    }
    schema::merge(tree, overlay, ROOT);
    inside.into_iter().try_for_each(|(path, at, node)| set_piece(tree, &path, at, node))
}

/// The full key and the value of `KEY=VALUE`.
fn parse(text: &str) -> Result<(Vec<&str>, Node), Error> {
    let place = Place::Set(text.into());
    let Some((key, value)) = text.split_once('=') else {
        return Err(Error::at(&place, "expected KEY=VALUE such as link.latency=2us"));
    };
    let mut path: Vec<&str> = key.trim().split('.').map(str::trim).collect();
    if path.iter().any(|part| part.is_empty()) || path.len() > DEEPEST {
        return Err(Error::at(&place, format!("`{key}` is not a key such as link.latency or send.standard")));
    }
    match path[0] {
        "base" => {
            return Err(Error::at(&place, "overrides begin where bases end; name that machine instead"));
        }
        "intervals" => {
            return Err(Error::at(&place, "what is set here is exact; intervals stand in a model file"));
        }
        "sources" => return Err(Error::at(&place, "the source of what is set here is the command line")),
        _ => {}
    }
    let known = |name: &str, keys: &[schema::Key]| keys.iter().any(|key| key.name == name);
    if !known(path[0], ROOT) {
        if !known(path[0], NETWORK) {
            let names = ROOT.iter().chain(NETWORK).map(|key| key.name);
            let hint = hint(path[0], names);
            return Err(Error::at(&place, format!("a model has no key `{}`{hint}", path[0])));
        }
        path.insert(0, "network");
    }
    Ok((path, parse_value(value.trim(), &place)))
}

fn nested(path: &[&str], node: Node) -> Result<Table, Error> {
    let place = node.place.clone();
    let wrap = |inner: Node, name: &&str| {
        Node::new(Value::Table(Table::from([((*name).to_owned(), inner)])), &place)
    };
    let mut root = path.iter().rev().fold(node, wrap);
    let Value::Table(table) = &mut root.value else { return Ok(Table::new()) };
    schema::check(table, ROOT, "")?;
    Ok(std::mem::take(table))
}

/// Which part of the key is the number of a piece.
fn piece(path: &[&str]) -> Option<(usize, usize)> {
    let at = path.iter().position(|part| *part == "pieces")? + 1;
    Some((at, path.get(at)?.parse().ok()?))
}

fn set_piece(tree: &mut Table, path: &[&str], (at, index): (usize, usize), node: Node) -> Result<(), Error> {
    let place = node.place.clone();
    let absent = || Error::at(&place, format!("there is no piece {index} in `{}`", path[..at].join(".")));
    let mut table = tree;
    for part in &path[..at - 1] {
        match table.get_mut(*part).map(|node| &mut node.value) {
            Some(Value::Table(inner)) => table = inner,
            _ => return Err(absent()),
        }
    }
    let Some(Value::List(pieces)) = table.get_mut("pieces").map(|node| &mut node.value) else {
        return Err(absent());
    };
    let [key] = path[at + 1..] else {
        return Err(Error::at(
            &place,
            format!("expected a key of the piece, such as {}.latency", path[..=at].join(".")),
        ));
    };
    let Some(Value::Table(piece)) = pieces.get_mut(index).map(|node| &mut node.value) else {
        return Err(absent());
    };
    let mut over = Table::from([(key.to_owned(), node)]);
    schema::check(&mut over, PIECE, &path[..=at].join("."))?;
    schema::merge(piece, over, PIECE);
    Ok(())
}
