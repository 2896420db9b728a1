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
    /// Messages that are under way at once.
    pub const WINDOW: &str = "window";
    /// Cells along each side of a rank's own block.
    pub const SIDE: &str = "side";
    /// The process grid, such as `4x2`.
    pub const GRID: &str = "grid";
    /// A protocol of the suite `swap`, by its id.
    pub const PROTOCOL: &str = "protocol";
    /// Bytes that a rank sends altogether, in messages of another size.
    pub const VOLUME: &str = "volume";
    /// How the swaps of a volume follow each other.
    pub const LOOP: &str = "loop";
    /// What was done with caches before, and how often each message was sent.
    pub const WAY: &str = "way";
    /// Which ranks meet: pairs such as `0-2,1-3`, or `ring`.
    pub const BETWEEN: &str = "between";
    /// A set of messages that go at once, such as `(0,1),(2,3)`.
    pub const SET: &str = "set";
    /// How far away, from the nearest rank (1) on, where the distance is what is swept over.
    pub const LEVEL: &str = "level";
    /// Messages in a row.
    pub const MESSAGES: &str = "messages";
    /// Pairs of ranks that talk at once.
    pub const PAIRS: &str = "pairs";
    /// A collective operation, by its name.
    pub const COLLECTIVE: &str = "collective";
    /// Who carries a collective out: `library`, an algorithm, or somebody's own.
    pub const IMPLEMENTATION: &str = "implementation";
    /// A scenario of the suite `scenario`, by its name.
    pub const SCENARIO: &str = "scenario";
    /// Nanoseconds by which participants are late.
    pub const DELAY: &str = "delay";
    /// Who is late: `first`, `last`, or a participant's number.
    pub const LATE: &str = "late";
    /// Nanoseconds of computation while a collective is in flight.
    pub const COMPUTATION: &str = "computation";
    /// What moves a collective on while a rank computes: `none`, `poll` or `helper`.
    pub const PROGRESS: &str = "progress";
    /// Whether a collective blocks: `blocking` or `non-blocking`.
    pub const CALL: &str = "call";
}

/// A duration that was asked for, exactly: `64us`, `1.5ms`.
pub fn duration(nanos: u64) -> String {
    let units = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us")];
    let Some((size, unit)) = units.into_iter().find(|(size, _)| nanos >= *size) else {
        return format!("{nanos}ns");
    };
    format!("{}{unit}", panto_units::trim_zeros(&format!("{:.9}", nanos as f64 / size as f64)))
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

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn durations_are_exact() {
        let said = [0, 64, 1_000, 1_500, 64_000, 1_234_567, 2_000_000_000].map(duration);
        assert_eq!(said, ["0ns", "64ns", "1us", "1.5us", "64us", "1.234567ms", "2s"]);
    }
}
