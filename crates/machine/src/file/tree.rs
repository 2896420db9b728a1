//! The contents of a model file as a tree, with the location of every value. Files, bases,
//! overrides and PUPPET's lines all become such trees.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::error::Location;

/// A value with its location.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    pub value: Value,
    pub location: Location,
}

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Text(String),
    Integer(i128),
    Number(f64),
    Bool(bool),
    List(Vec<Node>),
    Table(Table),
    /// A value that no key accepts, as in the file: a date, a number of a hundred digits.
    Other(String),
}

/// Keys and values.
pub type Table = BTreeMap<String, Node>;

impl Node {
    pub fn new(value: Value, location: &Location) -> Self {
        Self { value, location: location.clone() }
    }

    pub fn text(text: impl Into<String>, location: &Location) -> Self {
        Self::new(Value::Text(text.into()), location)
    }

    pub fn integer(value: impl Into<i128>, location: &Location) -> Self {
        Self::new(Value::Integer(value.into()), location)
    }

    pub fn table(&self) -> Option<&Table> {
        match &self.value {
            Value::Table(table) => Some(table),
            _ => None,
        }
    }
}

/// The most characters of a value in an error.
const MAX_SHOWN: usize = 60;

impl Value {
    /// The value as in a file, however long: for `panto machines show`.
    pub fn written(&self) -> String {
        match self {
            Self::Text(text) | Self::Other(text) => text.clone(),
            Self::Integer(value) => value.to_string(),
            Self::Number(value) => value.to_string(),
            Self::Bool(value) => value.to_string(),
            Self::List(list) => {
                let items: Vec<String> = list.iter().map(|node| node.value.written()).collect();
                format!("[{}]", items.join(", "))
            }
            Self::Table(table) => {
                let items: Vec<String> =
                    table.iter().map(|(key, node)| format!("{key} = {}", node.value.written())).collect();
                format!("{{ {} }}", items.join(", "))
            }
        }
    }

    /// The value for an error, shortened.
    pub fn found(&self) -> String {
        match self {
            Self::Text(text) => format!("{:?}", cut(text)),
            Self::Other(text) => cut(text),
            Self::Integer(_) | Self::Number(_) | Self::Bool(_) => self.written(),
            Self::List(list) => {
                let mut shown = String::from("[");
                for (index, node) in list.iter().take(8).enumerate() {
                    let _ =
                        write!(shown, "{}{}", if index > 0 { ", " } else { "" }, node.value.kind_or_value());
                }
                shown + if list.len() > 8 { ", ...]" } else { "]" }
            }
            Self::Table(_) => "a table".into(),
        }
    }

    fn kind_or_value(&self) -> String {
        match self {
            Self::List(_) => "a list".into(),
            other => other.found(),
        }
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
