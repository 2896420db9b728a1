//! Typed access to the values of a table. Every error has the full key.

use panto_units::{Time, parse_bytes, parse_rate, parse_seconds, parse_span};

use crate::cost::PerByte;
use crate::machine::Speed;

use super::error::{Error, Location};
use super::schema::{join, wrong};
use super::tree::{Node, Table, Value};
use panto_units::suggest::hint;

/// A table with its full name.
#[derive(Clone, Copy)]
pub struct Section<'a> {
    table: Option<&'a Table>,
    /// Its location, or that of the table around it.
    pub location: &'a Location,
    path: &'a str,
}

impl<'a> Section<'a> {
    /// Creates a section from a table and its full name.
    pub fn new(table: &'a Table, path: &'a str, location: &'a Location) -> Self {
        Self { table: Some(table), location, path }
    }

    /// A table inside this one, empty if it is missing. `path` is its full name.
    pub fn inner(&self, name: &str, path: &'a str) -> Self {
        let node = self.node(name);
        Self {
            table: node.and_then(Node::table),
            location: node.map_or(self.location, |node| &node.location),
            path,
        }
    }

    /// The full name of a key.
    pub fn name(&self, key: &str) -> String {
        join(self.path, key)
    }

    pub fn node(&self, key: &str) -> Option<&'a Node> {
        self.table?.get(key)
    }

    pub fn has(&self, key: &str) -> bool {
        self.node(key).is_some()
    }

    /// Returns whether the table exists.
    pub fn exists(&self) -> bool {
        self.table.is_some()
    }

    /// An error about a key: at its value if it exists, else at the table.
    pub fn error(&self, key: &str, text: impl std::fmt::Display) -> Error {
        let location = self.node(key).map_or(self.location, |node| &node.location);
        Error::at(location, format!("`{}`: {text}", self.name(key)))
    }

    /// An error about a missing key.
    pub fn missing(&self, key: &str, expected: &str) -> Error {
        Error::at(self.location, format!("`{}` is missing, expected {expected}", self.name(key)))
    }

    fn wrong(&self, key: &str, node: &Node, expected: &str) -> Error {
        wrong(&node.location, &self.name(key), &node.value, expected)
    }

    fn read<T>(
        &self,
        key: &str,
        expected: &str,
        read: impl Fn(&'a Value) -> Option<T>,
    ) -> Result<Option<T>, Error> {
        let one = |node: &'a Node| read(&node.value).ok_or_else(|| self.wrong(key, node, expected));
        self.node(key).map(one).transpose()
    }

    pub fn text(&self, key: &str) -> Result<Option<&'a str>, Error> {
        self.read(key, "a string in quotes", text)
    }

    pub fn flag(&self, key: &str) -> Result<Option<bool>, Error> {
        self.read(key, "true or false", |value| match value {
            Value::Bool(flag) => Some(*flag),
            _ => None,
        })
    }

    /// A speed: a positive factor, or the figure that says it.
    pub fn speed(&self, key: &str) -> Result<Option<Speed>, Error> {
        let factor = |factor: f64| (factor.is_finite() && factor > 0.0).then_some(Speed::Factor(factor));
        self.read(key, "a number above 0 such as 1.5, or \"daxpy\"", |value| match value {
            Value::Number(number) => factor(*number),
            Value::Integer(integer) => factor(*integer as f64),
            Value::Text(text) if text == Speed::BY_DAXPY => Some(Speed::Daxpy),
            _ => None,
        })
    }

    pub fn count(&self, key: &str) -> Result<Option<u64>, Error> {
        self.read(key, "a non-negative integer", count)
    }

    pub fn counts(&self, key: &str) -> Result<Option<Vec<u64>>, Error> {
        self.read(key, "a list of integers such as [4, 4]", |value| match value {
            Value::List(list) => list.iter().map(|node| count(&node.value)).collect(),
            _ => None,
        })
    }

    pub fn time(&self, key: &str) -> Result<Option<Time>, Error> {
        let read = |value: &Value| parse_span(text(value)?).ok();
        self.read(key, "a time with a unit, from 0 to a day, such as \"39us\"", read)
    }

    /// A time above 0.
    pub fn duration(&self, key: &str) -> Result<Option<Time>, Error> {
        let read = |value: &Value| parse_span(text(value)?).ok().filter(|time| *time > Time::ZERO);
        self.read(key, "a time with a unit, above 0 and at most a day, such as \"100ns\"", read)
    }

    pub fn bytes(&self, key: &str) -> Result<Option<u64>, Error> {
        self.read(key, "a size such as \"1500B\" or \"4KiB\"", bytes)
    }

    /// A size above 0.
    pub fn positive_bytes(&self, key: &str) -> Result<Option<u64>, Error> {
        self.read(key, "a size above 0 such as \"1500B\" or \"4KiB\"", |value| {
            bytes(value).filter(|n| *n > 0)
        })
    }

    /// A rate, or the time of a byte.
    pub fn per_byte(&self, key: &str) -> Result<Option<PerByte>, Error> {
        self.read(key, "a rate such as \"57MB/s\", or the time of a byte such as \"0.41us\"", per_byte)
    }

    /// A list of rates, or of times of a byte.
    pub fn rates(&self, key: &str) -> Result<Option<Vec<PerByte>>, Error> {
        self.read(key, "a list of rates such as [\"16MB/s\", \"7MB/s\"]", |value| match value {
            Value::List(list) => list.iter().map(|node| per_byte(&node.value)).collect(),
            _ => None,
        })
    }

    /// One of these names.
    pub fn choice<T: Copy>(&self, key: &str, words: &[(&'static str, T)]) -> Result<Option<T>, Error> {
        let Some(node) = self.node(key) else { return Ok(None) };
        let word = text(&node.value).unwrap_or_default();
        let found = words.iter().find(|(name, _)| *name == word);
        found.map(|(_, choice)| Some(*choice)).ok_or_else(|| {
            let names: Vec<&str> = words.iter().map(|(name, _)| *name).collect();
            self.wrong(
                key,
                node,
                &format!("one of {}{}", names.join(", "), hint(word, names.iter().copied())),
            )
        })
    }
}

fn text(value: &Value) -> Option<&str> {
    match value {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

fn count(value: &Value) -> Option<u64> {
    match value {
        Value::Integer(integer) => u64::try_from(*integer).ok(),
        _ => None,
    }
}

/// A size; a number without a unit is in bytes.
fn bytes(value: &Value) -> Option<u64> {
    count(value).or_else(|| parse_bytes(text(value)?).ok())
}

fn per_byte(value: &Value) -> Option<PerByte> {
    let text = text(value)?;
    let seconds = parse_rate(text).map(|rate| 1.0 / rate).or_else(|_| parse_seconds(text));
    PerByte::from_secs(seconds.ok()?)
}
