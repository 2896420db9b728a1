//! Parses TOML into a tree with line numbers.

use std::sync::Arc;

use ::toml::Spanned;
use ::toml::de::{DeArray, DeTable, DeValue};

use super::error::{Error, Location};
use super::tree::{Node, Table, Value};

/// The offsets at which lines begin.
struct Lines {
    file: Arc<str>,
    starts: Vec<usize>,
}

impl Lines {
    fn new(text: &str, file: &Arc<str>) -> Self {
        let starts = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Self { file: file.clone(), starts: std::iter::once(0).chain(starts).collect() }
    }

    fn location(&self, offset: usize) -> Location {
        Location::Line(self.file.clone(), self.starts.partition_point(|start| *start <= offset))
    }
}

/// Parses a TOML file.
pub fn parse(text: &str, file: &Arc<str>) -> Result<Table, Error> {
    let lines = Lines::new(text, file);
    let parsed = DeTable::parse(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        Error::at(&lines.location(offset), format!("invalid TOML: {}", error.message()))
    })?;
    Ok(table(parsed.get_ref(), &|offset| lines.location(offset)))
}

/// Parses the value of a `--set`: as TOML if it is valid, else as a string, so that `2us` needs no
/// quotes.
pub fn parse_value(text: &str, location: &Location) -> Node {
    let here = |_| location.clone();
    match DeValue::parse(text) {
        Ok(value) => node(&value, &here),
        Err(_) => Node::text(text, location),
    }
}

fn table(table: &DeTable<'_>, location: &dyn Fn(usize) -> Location) -> Table {
    let entry = |(key, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| -> (String, Node) {
        let key: &std::borrow::Cow<'_, str> = key.get_ref();
        (key.to_string(), node(value, location))
    };
    let mut nodes: Table = table.iter().map(entry).collect();
    // The line of the key is more useful than that of a long value; of a table it is the header.
    for (key, _) in table {
        if let Some(node) = nodes.get_mut(key.get_ref().as_ref()) {
            node.location = location(key.span().start);
        }
    }
    nodes
}

fn node(value: &Spanned<DeValue<'_>>, location: &dyn Fn(usize) -> Location) -> Node {
    let here = location(value.span().start);
    let value = match value.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(integer) => i128::from_str_radix(integer.as_str(), integer.radix())
            .map_or_else(|_| Value::Other(integer.to_string()), Value::Integer),
        DeValue::Float(number) => {
            number.as_str().parse().map_or_else(|_| Value::Other(number.to_string()), Value::Number)
        }
        DeValue::Boolean(flag) => Value::Bool(*flag),
        DeValue::Datetime(moment) => Value::Other(moment.to_string()),
        DeValue::Array(array) => Value::List(list(array, location)),
        DeValue::Table(inner) => Value::Table(table(inner, location)),
    };
    Node { value, location: here }
}

fn list(array: &DeArray<'_>, location: &dyn Fn(usize) -> Location) -> Vec<Node> {
    array.iter().map(|value| node(value, location)).collect()
}
