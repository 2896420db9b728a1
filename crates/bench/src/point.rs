//! One place in a sweep.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// One combination of parameters at which a kernel is measured.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Point {
    /// How many ranks take part.
    pub ranks: usize,
    /// Everything else, by name.
    pub params: BTreeMap<String, Value>,
}

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// A size, a length, a count.
    Number(u64),
    /// A variant.
    Text(String),
}

/// The parameters that kernels share. A name means the same in every kernel.
pub mod param {
    /// Bytes of a message.
    pub const BYTES: &str = "bytes";
    /// Hops between the ranks that communicate.
    pub const HOPS: &str = "hops";
    /// The same in words, where it is known where ranks run.
    pub const DISTANCE: &str = "distance";
    /// Rows and columns of the global matrix.
    pub const DIM: &str = "dim";
    /// Doubles in a vector.
    pub const LENGTH: &str = "length";
    /// How the kernel was carried out.
    pub const VARIANT: &str = "variant";
    /// Background load, in per cent of the peak bandwidth.
    pub const LOAD: &str = "load";
    /// Bytes of a message of the background load.
    pub const LOAD_BYTES: &str = "load_bytes";
    /// Bytes of one block of a file.
    pub const BLOCK: &str = "block";
}

/// Values of [`param::VARIANT`] that more than one place must know.
pub mod variant {
    /// Communication, then computation.
    pub const BLOCKING: &str = "blocking";
    /// Both at once.
    pub const OVERLAPPED: &str = "overlapped";
    /// A broadcast that a barrier closes.
    pub const CLOSED: &str = "barrier";
    /// A broadcast without one.
    pub const OPEN: &str = "open";
}

impl Point {
    /// A point without parameters.
    pub fn new(ranks: usize) -> Self {
        Self { ranks, params: BTreeMap::new() }
    }

    /// The same with one more number.
    #[must_use]
    pub fn with(mut self, name: &str, value: u64) -> Self {
        self.params.insert(name.into(), Value::Number(value));
        self
    }

    /// The same with one more text.
    #[must_use]
    pub fn with_text(mut self, name: &str, value: &str) -> Self {
        self.params.insert(name.into(), Value::Text(value.into()));
        self
    }

    /// A number, if there is one of this name.
    pub fn number(&self, name: &str) -> Option<u64> {
        match self.params.get(name) {
            Some(Value::Number(number)) => Some(*number),
            _ => None,
        }
    }

    /// A number that the kernel itself put into the point.
    ///
    /// # Panics
    /// If it did not: that is a bug of the kernel.
    pub fn get(&self, name: &str) -> usize {
        self.number(name).unwrap_or_else(|| panic!("the point {self} has no {name}")) as usize
    }

    /// A text, or "".
    pub fn text(&self, name: &str) -> &str {
        match self.params.get(name) {
            Some(Value::Text(text)) => text,
            _ => "",
        }
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ranks={}", self.ranks)?;
        self.params.iter().try_for_each(|(name, value)| write!(f, " {name}={value}"))
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => text.fmt(f),
        }
    }
}
