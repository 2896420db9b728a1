//! What a model file says, with the place of every value. Files, bases, overrides and PUPPET's lines all become such trees.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::error::Place;

/// A value and where it was said.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    pub value: Value,
    pub place: Place,
}

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Text(String),
    Integer(i128),
    Number(f64),
    Flag(bool),
    List(Vec<Node>),
    Table(Table),
    /// Something that no key takes, as it was written: a date, a number of a hundred digits.
    Other(String),
}

/// Keys and values.
pub type Table = BTreeMap<String, Node>;

impl Node {
    pub fn new(value: Value, place: &Place) -> Self {
        Self { value, place: place.clone() }
    }

    pub fn text(text: impl Into<String>, place: &Place) -> Self {
        Self::new(Value::Text(text.into()), place)
    }

    pub fn integer(value: impl Into<i128>, place: &Place) -> Self {
        Self::new(Value::Integer(value.into()), place)
    }

    pub fn table(&self) -> Option<&Table> {
        match &self.value {
            Value::Table(table) => Some(table),
            _ => None,
        }
    }
}

/// Longer values are cut where they are shown.
const SHOWN: usize = 60;

impl Value {
    /// As a person would write it, however long: for `panto machines show`.
    pub fn written(&self) -> String {
        match self {
            Self::Text(text) | Self::Other(text) => text.clone(),
            Self::Integer(value) => value.to_string(),
            Self::Number(value) => value.to_string(),
            Self::Flag(value) => value.to_string(),
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

    /// As it was found, for an error: short, whatever it is.
    pub fn found(&self) -> String {
        match self {
            Self::Text(text) => format!("{:?}", cut(text)),
            Self::Other(text) => cut(text),
            Self::Integer(_) | Self::Number(_) | Self::Flag(_) => self.written(),
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
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
