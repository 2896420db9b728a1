//! TOML as a tree with lines.

use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use super::error::{Error, Place};
use super::tree::{Node, Table, Value};

/// Where lines begin, to find the line of a byte.
struct Lines {
    file: Arc<str>,
    starts: Vec<usize>,
}

impl Lines {
    fn new(text: &str, file: &Arc<str>) -> Self {
        let starts = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Self { file: file.clone(), starts: std::iter::once(0).chain(starts).collect() }
    }

    fn place(&self, offset: usize) -> Place {
        Place::Line(self.file.clone(), self.starts.partition_point(|start| *start <= offset))
    }
}

/// Reads a file in the native format.
pub fn parse(text: &str, file: &Arc<str>) -> Result<Table, Error> {
    let lines = Lines::new(text, file);
    let parsed = DeTable::parse(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        Error::at(&lines.place(offset), format!("this is not TOML: {}", error.message()))
    })?;
    Ok(table(parsed.get_ref(), &|offset| lines.place(offset)))
}

/// Reads the value of a `--set`: TOML if it is, else a text, so that `2us` needs no quotes.
pub fn parse_value(text: &str, place: &Place) -> Node {
    let here = |_| place.clone();
    match DeValue::parse(text) {
        Ok(value) => node(&value, &here),
        Err(_) => Node::text(text, place),
    }
}

fn table(table: &DeTable<'_>, place: &dyn Fn(usize) -> Place) -> Table {
    let entry = |(key, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| -> (String, Node) {
        let key: &std::borrow::Cow<'_, str> = key.get_ref();
        (key.to_string(), node(value, place))
    };
    let mut nodes: Table = table.iter().map(entry).collect();
    // The line of a key says more than the line on which a long value begins; for tables it is the header.
    for (key, _) in table {
        if let Some(node) = nodes.get_mut(key.get_ref().as_ref()) {
            node.place = place(key.span().start);
        }
    }
    nodes
}

fn node(value: &Spanned<DeValue<'_>>, place: &dyn Fn(usize) -> Place) -> Node {
    let here = place(value.span().start);
    let value = match value.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(integer) => i128::from_str_radix(integer.as_str(), integer.radix())
            .map_or_else(|_| Value::Other(integer.to_string()), Value::Integer),
        DeValue::Float(number) => {
            number.as_str().parse().map_or_else(|_| Value::Other(number.to_string()), Value::Number)
        }
        DeValue::Boolean(flag) => Value::Flag(*flag),
        DeValue::Datetime(moment) => Value::Other(moment.to_string()),
        DeValue::Array(array) => Value::List(list(array, place)),
        DeValue::Table(inner) => Value::Table(table(inner, place)),
    };
    Node { value, place: here }
}

fn list(array: &DeArray<'_>, place: &dyn Fn(usize) -> Place) -> Vec<Node> {
    array.iter().map(|value| node(value, place)).collect()
}
