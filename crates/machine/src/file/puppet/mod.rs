//! PUPPET's grammar (figure 4.1 of its thesis, P11), with extensions for what the figure does not
//! cover.
//!
//! Each line is translated into keys of the TOML format, which also does all checks. Options that
//! apply to some operations only are kept for each operation; the last line that applies to an
//! operation decides.

mod grammar;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use panto_schedule::Collective;

use super::error::{Error, Location};
use super::tree::{Node, Table, Value};
use panto_units::suggest::hint;

use grammar::{NEEDED, OPTIONS, operation};

/// The options of one network, the last line of each.
type Options<'a> = BTreeMap<&'static str, (Vec<&'a str>, Location)>;

/// Returns whether a text is in PUPPET's grammar: its extension is `.puppet` or `.model`, or it
/// begins with one of the grammar's commands.
pub fn is_puppet(text: &str, path: Option<&Path>) -> bool {
    match path.and_then(Path::extension) {
        Some(extension) if extension == "puppet" || extension == "model" => true,
        Some(extension) if extension == "toml" => false,
        _ => {
            let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
            let mut words = first.unwrap_or_default().split_whitespace();
            let command = words.next().is_some_and(|word| grammar::commands().any(|name| name == word));
            command && words.next() != Some("=")
        }
    }
}

/// Parses a file in PUPPET's grammar.
pub fn parse(text: &str, file: &Arc<str>) -> Result<Table, Error> {
    let origin = Location::File(file.clone());
    let mut collectives = Table::from([("rules".to_owned(), Node::text("puppet", &origin))]);
    let operations = std::iter::once(None).chain(Collective::ALL.map(Some));
    let mut options: BTreeMap<Option<Collective>, Options<'_>> =
        operations.map(|operation| (operation, Options::new())).collect();
    for (number, line) in text.lines().enumerate() {
        let location = Location::Line(file.clone(), number + 1);
        let words: Vec<&str> = line.split('#').next().unwrap_or_default().split_whitespace().collect();
        let Some((&command, arguments)) = words.split_first() else { continue };
        if grammar::GLOBAL.contains(&command) {
            let (key, node) = global(command, arguments, &location)?;
            collectives.insert(key.to_owned(), node);
        } else {
            let option =
                OPTIONS.iter().find(|name| **name == command).ok_or_else(|| unknown(command, &location))?;
            let (arguments, operations) = restriction(arguments, &location)?;
            grammar::translate(option, &arguments, &location)?;
            for (operation, options) in &mut options {
                if operations.as_ref().is_none_or(|some| some.contains(operation)) {
                    options.insert(*option, (arguments.clone(), location.clone()));
                }
            }
        }
    }
    tree(&options, collectives, &origin)
}

fn unknown(command: &str, location: &Location) -> Error {
    let short: String = command.chars().take(60).collect();
    let hint = match hint(command, grammar::commands()) {
        none if none.is_empty() => {
            format!("; commands: {}", grammar::commands().collect::<Vec<_>>().join(", "))
        }
        hint => hint,
    };
    Error::at(location, format!("a PUPPET model has no command `{short}`{hint}"))
}

fn global(command: &str, arguments: &[&str], location: &Location) -> Result<(&'static str, Node), Error> {
    match (command, arguments) {
        ("barrier-size", [size]) => Ok(("barrier-bytes", grammar::bytes(command, size, location)?)),
        ("coll-sendtype", ["nospace"]) => Ok(("send", Node::text("no-space", location))),
        ("coll-sendtype", [kind @ ("buffered" | "synchronous")]) => Ok(("send", Node::text(*kind, location))),
        ("barrier-size", _) => Err(grammar::wrong(command, arguments, "one size in bytes", location)),
        _ => Err(grammar::wrong(command, arguments, "buffered, synchronous or nospace", location)),
    }
}

type Restricted<'a> = (Vec<&'a str>, Option<Vec<Option<Collective>>>);

/// Splits off the operations of `... for MPI_Bcast MPI_Reduce`.
fn restriction<'a>(arguments: &[&'a str], location: &Location) -> Result<Restricted<'a>, Error> {
    let Some(at) = arguments.iter().position(|word| *word == "for") else {
        return Ok((arguments.to_vec(), None));
    };
    let names = &arguments[at + 1..];
    if names.is_empty() {
        return Err(Error::at(location, "`for` needs operations such as MPI_Bcast"));
    }
    let operations = names.iter().map(|name| operation(name, location)).collect::<Result<_, _>>()?;
    Ok((arguments[..at].to_vec(), Some(operations)))
}

/// The networks of all operations in the TOML format.
fn tree(
    options: &BTreeMap<Option<Collective>, Options<'_>>,
    collectives: Table,
    origin: &Location,
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
        ("multitasking".to_owned(), Node::new(Value::Bool(true), origin)),
    ]);
    if !networks.is_empty() {
        tree.insert("networks".into(), table(networks));
    }
    Ok(tree)
}

fn network(options: &Options<'_>, operation: Option<Collective>, origin: &Location) -> Result<Table, Error> {
    let missing: Vec<&str> = NEEDED.into_iter().filter(|name| !options.contains_key(name)).collect();
    if !missing.is_empty() {
        let whose = operation.map_or("point-to-point messages".into(), |operation| format!("{operation}"));
        let text = format!(
            "the network of {whose} is missing {}: a network needs {}",
            missing.join(", "),
            NEEDED.join(", ")
        );
        return Err(Error::at(origin, text));
    }
    let mut table = Table::new();
    for (option, (arguments, location)) in options {
        for (path, node) in grammar::translate(option, arguments, location)? {
            insert(&mut table, path, node);
        }
    }
    grammar::complete(&mut table, origin);
    Ok(table)
}

/// Inserts a value at a path such as `link.latency` or `topology`.
fn insert(table: &mut Table, path: &str, node: Node) {
    let Some((outer, inner)) = path.split_once('.') else {
        table.insert(path.into(), node);
        return;
    };
    let location = node.location.clone();
    let entry = table.entry(outer.into()).or_insert_with(|| Node::new(Value::Table(Table::new()), &location));
    if let Value::Table(table) = &mut entry.value {
        table.insert(inner.into(), node);
    }
}
