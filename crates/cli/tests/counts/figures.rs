//! What a rank passed through MPI, in the figures that `apps/README.md` defines.

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::path::Path;

/// The figures of a rank for one function, or for one function and one peer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Figures {
    pub calls: u64,
    /// Bytes sent.
    pub bytes: u64,
    /// Bytes of the receive buffers.
    pub capacity: u64,
    /// Requests completed.
    pub completed: u64,
    /// Calls of test and probe functions that found nothing.
    pub failed: u64,
}

/// A function, or a function and a rank of `MPI_COMM_WORLD`.
pub type Key = (String, Option<u32>);

/// All figures of a rank.
#[derive(Debug, Default)]
pub struct Counts(pub BTreeMap<Key, Figures>);

impl Counts {
    /// Returns the figures of a function.
    pub fn of(&mut self, function: &str) -> &mut Figures {
        self.0.entry((function.to_owned(), None)).or_default()
    }

    /// Returns the figures of a function with a peer.
    pub fn with(&mut self, function: &str, peer: u32) -> &mut Figures {
        self.0.entry((function.to_owned(), Some(peer))).or_default()
    }

    /// Reads the output of the counter, or of a program that counts for itself.
    pub fn read(path: &Path) -> Self {
        let text =
            std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self(text.lines().map(|line| entry(line).unwrap_or_else(|| panic!("what is `{line}`?"))).collect())
    }

    /// Returns the figures that differ or that only one side has.
    pub fn differences(&self, counted: &Self) -> Vec<String> {
        let keys = self.0.keys().chain(counted.0.keys().filter(|key| !self.0.contains_key(*key)));
        let differing = keys.filter(|key| self.0.get(*key) != counted.0.get(*key));
        let side = |counts: &Self, key: &Key| {
            counts.0.get(key).map_or_else(|| "nothing".to_owned(), ToString::to_string)
        };
        differing
            .map(|key| {
                let peer = key.1.map(|peer| format!(" to {peer}")).unwrap_or_default();
                format!("{}{peer}: traced {}, counted {}", key.0, side(self, key), side(counted, key))
            })
            .collect()
    }
}

impl Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { calls, bytes, capacity, completed, failed } = self;
        write!(f, "{calls} calls, {bytes} bytes, {capacity} capacity, {completed} completed, {failed} failed")
    }
}

/// Parses `MPI_Test calls 37 completed 5 failed 32` or `peer MPI_Isend 3 calls 100 bytes 102400`.
fn entry(line: &str) -> Option<(Key, Figures)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (key, rest) = match words.as_slice() {
        ["peer", function, peer, rest @ ..] => ((String::from(*function), Some(peer.parse().ok()?)), rest),
        [function, rest @ ..] => ((String::from(*function), None), rest),
        [] => return None,
    };
    let mut figures = Figures::default();
    for pair in rest.chunks(2) {
        let [name, number] = pair else { return None };
        let figure = match *name {
            "calls" => &mut figures.calls,
            "bytes" => &mut figures.bytes,
            "capacity" => &mut figures.capacity,
            "completed" => &mut figures.completed,
            "failed" => &mut figures.failed,
            _ => return None,
        };
        *figure = number.parse().ok()?;
    }
    Some((key, figures))
}
