//! PUPPET's grammar (figure 4.1 of its thesis, P11), with words for what the figure has none for.
//!
//! Each line becomes keys of the native format, so that all checks are those of the native format. Options that hold for some
//! operations only are kept for each operation; the latest line that holds for an operation decides.

mod words;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use panto_schedule::Collective;

use super::error::{Error, Place};
use super::nearest::hint;
use super::tree::{Node, Table, Value};

use words::{NEEDED, OPTIONS, operation};

/// The options of one network: of each the latest line.
type Options<'a> = BTreeMap<&'static str, (Vec<&'a str>, Place)>;

/// Is it written in PUPPET's grammar? Its files are called `.puppet` or `.model`, or begin with one of its commands.
pub fn is_puppet(text: &str, path: Option<&Path>) -> bool {
    match path.and_then(Path::extension) {
        Some(extension) if extension == "puppet" || extension == "model" => true,
        Some(extension) if extension == "toml" => false,
        _ => {
            let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
            let mut words = first.unwrap_or_default().split_whitespace();
            let command = words.next().is_some_and(|word| words::commands().any(|name| name == word));
            command && words.next() != Some("=")
        }
    }
}

/// Reads a file in PUPPET's grammar.
pub fn parse(text: &str, file: &Arc<str>) -> Result<Table, Error> {
    let origin = Place::File(file.clone());
    let mut collectives = Table::from([("rules".to_owned(), Node::text("puppet", &origin))]);
    let operations = std::iter::once(None).chain(Collective::ALL.map(Some));
    let mut options: BTreeMap<Option<Collective>, Options<'_>> =
        operations.map(|operation| (operation, Options::new())).collect();
    for (number, line) in text.lines().enumerate() {
        let place = Place::Line(file.clone(), number + 1);
        let words: Vec<&str> = line.split('#').next().unwrap_or_default().split_whitespace().collect();
        let Some((&command, arguments)) = words.split_first() else { continue };
        if words::GLOBAL.contains(&command) {
            let (key, node) = global(command, arguments, &place)?;
            collectives.insert(key.to_owned(), node);
        } else {
            let option =
                OPTIONS.iter().find(|name| **name == command).ok_or_else(|| unknown(command, &place))?;
            let (arguments, operations) = restriction(arguments, &place)?;
            words::translate(option, &arguments, &place)?;
            for (operation, options) in &mut options {
                if operations.as_ref().is_none_or(|some| some.contains(operation)) {
                    options.insert(*option, (arguments.clone(), place.clone()));
                }
            }
        }
    }
    tree(&options, collectives, &origin)
}

fn unknown(command: &str, place: &Place) -> Error {
    let short: String = command.chars().take(60).collect();
    let hint = match hint(command, words::commands()) {
        none if none.is_empty() => format!("; it knows {}", words::commands().collect::<Vec<_>>().join(", ")),
        hint => hint,
    };
    Error::at(place, format!("a PUPPET model has no command `{short}`{hint}"))
}

fn global(command: &str, arguments: &[&str], place: &Place) -> Result<(&'static str, Node), Error> {
    match (command, arguments) {
        ("barrier-size", [size]) => Ok(("barrier-bytes", words::bytes(command, size, place)?)),
        ("coll-sendtype", ["nospace"]) => Ok(("send", Node::text("no-space", place))),
        ("coll-sendtype", [kind @ ("buffered" | "synchronous")]) => Ok(("send", Node::text(*kind, place))),
        ("barrier-size", _) => Err(words::wrong(command, arguments, "one size in bytes", place)),
        _ => Err(words::wrong(command, arguments, "buffered, synchronous or nospace", place)),
    }
}

type Restricted<'a> = (Vec<&'a str>, Option<Vec<Option<Collective>>>);

/// Splits `... for MPI_Bcast MPI_Reduce`.
fn restriction<'a>(arguments: &[&'a str], place: &Place) -> Result<Restricted<'a>, Error> {
    let Some(at) = arguments.iter().position(|word| *word == "for") else {
        return Ok((arguments.to_vec(), None));
    };
    let names = &arguments[at + 1..];
    if names.is_empty() {
        return Err(Error::at(place, "`for` needs operations such as MPI_Bcast"));
    }
    let operations = names.iter().map(|name| operation(name, place)).collect::<Result<_, _>>()?;
    Ok((arguments[..at].to_vec(), Some(operations)))
}

/// The networks of all operations, as the native format has them.
fn tree(
    options: &BTreeMap<Option<Collective>, Options<'_>>,
    collectives: Table,
    origin: &Place,
) -> Result<Table, Error> {
    let table = |table: Table| Node::new(Value::Table(table), origin);
    let mut networks = Table::new();
    let common = &options[&None];
    let network = network(common, None, origin)?;
    for (operation, own) in options {
        if let Some(operation) = operation
            && own != common
        {
            networks.insert(operation.name().into(), table(self::network(own, Some(*operation), origin)?));
        }
    }
    let mut tree = Table::from([
        ("network".to_owned(), table(network)),
        ("collectives".to_owned(), table(collectives)),
        ("multitasking".to_owned(), Node::new(Value::Flag(true), origin)),
    ]);
    if !networks.is_empty() {
        tree.insert("networks".into(), table(networks));
    }
    Ok(tree)
}

fn network(options: &Options<'_>, operation: Option<Collective>, origin: &Place) -> Result<Table, Error> {
    let missing: Vec<&str> = NEEDED.into_iter().filter(|name| !options.contains_key(name)).collect();
    if !missing.is_empty() {
        let whose = operation.map_or("messages between two ranks".into(), |operation| format!("{operation}"));
        let text = format!(
            "the network of {whose} lacks {}: a network needs {}",
            missing.join(", "),
            NEEDED.join(", ")
        );
        return Err(Error::at(origin, text));
    }
    let mut table = Table::new();
    for (option, (arguments, place)) in options {
        for (path, node) in words::translate(option, arguments, place)? {
            insert(&mut table, path, node);
        }
    }
    words::complete(&mut table, origin);
    Ok(table)
}

/// Puts a value where `link.latency` or `topology` says.
fn insert(table: &mut Table, path: &str, node: Node) {
    let Some((outer, inner)) = path.split_once('.') else {
        table.insert(path.into(), node);
        return;
    };
    let place = node.place.clone();
    let entry = table.entry(outer.into()).or_insert_with(|| Node::new(Value::Table(Table::new()), &place));
    if let Value::Table(table) = &mut entry.value {
        table.insert(inner.into(), node);
    }
}
