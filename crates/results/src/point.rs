//! A point: one setting of a kernel's parameters.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// One setting of the parameters at which a kernel is measured.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Point {
    /// The number of ranks that take part.
    pub ranks: usize,
    /// The other parameters, by name ([`param`]).
    pub params: BTreeMap<String, Value>,
}

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// A size, a length or a count.
    Number(u64),
    /// A name, such as a variant.
    Text(String),
}

/// Names of parameters. A name means the same in every kernel.
pub mod param {
    /// The number of ranks, where it is an axis; it is a field of [`Point`](crate::Point), not a
    /// parameter.
    pub const RANKS: &str = "ranks";
    /// Bytes of a message.
    pub const BYTES: &str = "bytes";
    /// Hops between the ranks that communicate.
    pub const HOPS: &str = "hops";
    /// Distance between the ranks that communicate, by name, where their placement is known.
    pub const DISTANCE: &str = "distance";
    /// Rows and columns of the global matrix.
    pub const DIM: &str = "dim";
    /// Doubles in a vector.
    pub const LENGTH: &str = "length";
    /// Variant of the kernel.
    pub const VARIANT: &str = "variant";
    /// Background load, in per cent of the peak bandwidth.
    pub const LOAD: &str = "load";
    /// Bytes of a message of the background load.
    pub const LOAD_BYTES: &str = "load_bytes";
    /// Bytes of one block of a file.
    pub const BLOCK: &str = "block";
    /// Messages that are in flight at once.
    pub const WINDOW: &str = "window";
    /// Cells along each side of a rank's own block.
    pub const SIDE: &str = "side";
    /// The process grid, such as `4x2`.
    pub const GRID: &str = "grid";
    /// A protocol of the suite `swap`, by its id.
    pub const PROTOCOL: &str = "protocol";
    /// Bytes that a rank sends altogether, in messages of [`BYTES`].
    pub const VOLUME: &str = "volume";
    /// How the swaps of a volume follow each other.
    pub const LOOP: &str = "loop";
    /// State of the caches before a run, and whether each message is sent once or repeatedly. The
    /// name in files is older than the constant's.
    pub const CACHE_MODE: &str = "way";
    /// Which ranks communicate: pairs such as `0-2,1-3`, or `ring`.
    pub const BETWEEN: &str = "between";
    /// Set of concurrent messages, such as `(0,1),(2,3)`.
    pub const SET: &str = "set";
    /// Distance level, from the nearest rank (1), where the distance is the axis.
    pub const LEVEL: &str = "level";
    /// Back-to-back messages.
    pub const MESSAGES: &str = "messages";
    /// Pairs of ranks that communicate at once.
    pub const PAIRS: &str = "pairs";
    /// A collective operation, by its name.
    pub const COLLECTIVE: &str = "collective";
    /// Implementation of a collective: `library`, an algorithm, or a user-supplied one.
    pub const IMPLEMENTATION: &str = "implementation";
    /// A scenario of the suite `scenario`, by its name.
    pub const SCENARIO: &str = "scenario";
    /// Delay of late participants, in nanoseconds.
    pub const DELAY: &str = "delay";
    /// The late participant: `first`, `last`, or its number.
    pub const LATE: &str = "late";
    /// Computation while a collective is in flight, in nanoseconds.
    pub const COMPUTATION: &str = "computation";
    /// What progresses a collective while a rank computes: `none`, `poll` or `helper`.
    pub const PROGRESS: &str = "progress";
    /// Whether a collective blocks: `blocking` or `non-blocking`.
    pub const CALL: &str = "call";
}

/// Formats a duration exactly, such as `64us` or `1.5ms`.
pub fn duration(nanos: u64) -> String {
    let units = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us")];
    let Some((size, unit)) = units.into_iter().find(|(size, _)| nanos >= *size) else {
        return format!("{nanos}ns");
    };
    format!("{}{unit}", panto_units::trim_zeros(&format!("{:.9}", nanos as f64 / size as f64)))
}

/// Values of [`param::VARIANT`] that several modules use.
pub mod variant {
    /// Communication, then computation.
    pub const BLOCKING: &str = "blocking";
    /// Communication and computation at once.
    pub const OVERLAPPED: &str = "overlapped";
    /// A broadcast closed by a barrier.
    pub const CLOSED: &str = "barrier";
    /// A broadcast without a closing barrier.
    pub const OPEN: &str = "open";
}

impl Point {
    /// Returns a point without parameters.
    pub fn new(ranks: usize) -> Self {
        Self { ranks, params: BTreeMap::new() }
    }

    /// Returns the point with one more number.
    #[must_use]
    pub fn with(mut self, name: &str, value: u64) -> Self {
        self.params.insert(name.into(), Value::Number(value));
        self
    }

    /// Returns the point with one more text.
    #[must_use]
    pub fn with_text(mut self, name: &str, value: &str) -> Self {
        self.params.insert(name.into(), Value::Text(value.into()));
        self
    }

    /// Returns the parameter with this name, if it is a number.
    pub fn number(&self, name: &str) -> Option<u64> {
        match self.params.get(name) {
            Some(Value::Number(number)) => Some(*number),
            _ => None,
        }
    }

    /// Returns the parameter with this name, which the kernel itself has set.
    ///
    /// # Panics
    /// Panics if there is no such number, which is a bug of the kernel.
    pub fn get(&self, name: &str) -> usize {
        self.number(name).unwrap_or_else(|| panic!("the point {self} has no {name}")) as usize
    }

    /// Returns the parameter with this name if it is a text, else an empty string.
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
        let shown = [0, 64, 1_000, 1_500, 64_000, 1_234_567, 2_000_000_000].map(duration);
        assert_eq!(shown, ["0ns", "64ns", "1us", "1.5us", "64us", "1.234567ms", "2s"]);
    }
}
