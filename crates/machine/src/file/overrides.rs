//! Overrides on the command line: `--set KEY=VALUE`.

use super::error::{Error, Location};
use super::schema::{self, NETWORK, PIECE, ROOT};
use super::toml_file::parse_value;
use super::tree::{Node, Table, Value};
use panto_units::suggest::hint;

/// The most components of a key.
const MAX_DEPTH: usize = 12;

/// Applies overrides to a model, later ones over earlier ones.
///
/// They count as one more file with the model as its base, so that the order of
/// `send.standard=eager` and `send.limit=4K` does not matter. Only the pieces of a cost
/// (`link.pieces.0.latency`) are changed in place, afterwards.
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

/// Parses `KEY=VALUE` into the full key and the value.
fn parse(text: &str) -> Result<(Vec<&str>, Node), Error> {
    let location = Location::Set(text.into());
    let Some((key, value)) = text.split_once('=') else {
        return Err(Error::at(&location, "expected KEY=VALUE such as link.latency=2us"));
    };
    let mut path: Vec<&str> = key.trim().split('.').map(str::trim).collect();
    if path.iter().any(|part| part.is_empty()) || path.len() > MAX_DEPTH {
        return Err(Error::at(
            &location,
            format!("`{key}` is not a key such as link.latency or send.standard"),
        ));
    }
    match path[0] {
        "base" => {
            return Err(Error::at(&location, "the base cannot be overridden; name that machine instead"));
        }
        "intervals" => {
            return Err(Error::at(
                &location,
                "a value that is set here is exact; intervals belong in a model file",
            ));
        }
        "sources" => return Err(Error::at(&location, "sources cannot be set on the command line")),
        _ => {}
    }
    let known = |name: &str, keys: &[schema::Key]| keys.iter().any(|key| key.name == name);
    if !known(path[0], ROOT) {
        if !known(path[0], NETWORK) {
            let names = ROOT.iter().chain(NETWORK).map(|key| key.name);
            let hint = hint(path[0], names);
            return Err(Error::at(&location, format!("a model has no key `{}`{hint}", path[0])));
        }
        path.insert(0, "network");
    }
    Ok((path, parse_value(value.trim(), &location)))
}

fn nested(path: &[&str], node: Node) -> Result<Table, Error> {
    let location = node.location.clone();
    let wrap = |inner: Node, name: &&str| {
        Node::new(Value::Table(Table::from([((*name).to_owned(), inner)])), &location)
    };
    let mut root = path.iter().rev().fold(node, wrap);
    let Value::Table(table) = &mut root.value else { return Ok(Table::new()) };
    schema::check(table, ROOT, "")?;
    Ok(std::mem::take(table))
}

/// The position of the index of a piece in a key, and that index.
fn piece(path: &[&str]) -> Option<(usize, usize)> {
    let at = path.iter().position(|part| *part == "pieces")? + 1;
    Some((at, path.get(at)?.parse().ok()?))
}

fn set_piece(tree: &mut Table, path: &[&str], (at, index): (usize, usize), node: Node) -> Result<(), Error> {
    let location = node.location.clone();
    let list = path[..at].join(".");
    let absent = || {
        Error::at(&location, format!("`{list}` is not set; set the whole list, or use a model that has one"))
    };
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
            &location,
            format!("expected a key of the piece, such as {}.latency", path[..=at].join(".")),
        ));
    };
    let count = pieces.len();
    let Some(Value::Table(piece)) = pieces.get_mut(index).map(|node| &mut node.value) else {
        let numbers =
            if count == 1 { "piece 0 only".to_owned() } else { format!("{count} pieces, from 0 on") };
        return Err(Error::at(&location, format!("piece {index} is out of range: `{list}` has {numbers}")));
    };
    let mut over = Table::from([(key.to_owned(), node)]);
    schema::check(&mut over, PIECE, &path[..=at].join("."))?;
    schema::merge(piece, over, PIECE);
    Ok(())
}
