//! `assumed = ["network.hop", "processor"]`: the figures of a file that no document has.
//!
//! An entry is a figure or a table, and covers what the same file has under that key: a figure that
//! another file or the command line replaces is no longer assumed. What rests on such figures can
//! be found by simulating the machine without their cost, which [`free`] makes.

use panto_units::suggest::hint;

use super::cost_kind::NO_LIMIT;
use super::error::{Error, Location};
use super::figures;
use super::intervals::{Measure, measure};
use super::tree::{Node, Table, Value};

/// An entry of the list.
#[derive(Debug, Clone, PartialEq)]
pub struct Assumed {
    key: String,
    location: Location,
}

/// The time of an unsuccessful poll, which must not be 0, is never made free.
const POLL: &str = "processor.poll";

impl Assumed {
    /// Returns whether the entry covers a figure: the figure or a table around it, in the same
    /// file.
    pub fn covers(&self, key: &str, node: &Node) -> bool {
        is_under(key, &self.key)
            && node.location.file().is_some()
            && node.location.file() == self.location.file()
    }
}

/// Returns whether a key is another or is in the table of that name.
fn is_under(key: &str, table: &str) -> bool {
    key.strip_prefix(table).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Parses the list of a file, whose own figures are in `tree`.
pub fn read(list: &Node, tree: &Table) -> Result<Vec<Assumed>, Error> {
    let Value::List(entries) = &list.value else {
        return Err(wrong(list, "a list of keys such as [\"network.hop\", \"processor\"]"));
    };
    entries.iter().map(|entry| one(entry, tree)).collect()
}

fn one(entry: &Node, tree: &Table) -> Result<Assumed, Error> {
    let Value::Text(key) = &entry.value else {
        return Err(wrong(entry, "the key of a figure in quotes"));
    };
    let known = figures::nodes(tree);
    if !known.iter().any(|(figure, _)| is_under(figure, key)) {
        let hint = hint(key, known.iter().map(|(figure, _)| figure.as_str()));
        let text = format!("`assumed`: the file has no figure `{key}`{hint}");
        return Err(Error::at(&entry.location, text));
    }
    Ok(Assumed { key: key.clone(), location: entry.location.clone() })
}

fn wrong(node: &Node, expected: &str) -> Error {
    Error::at(&node.location, format!("`assumed` is {}, expected {expected}", node.value.found()))
}

/// Returns the `--set` arguments under which assumed times and rates cost nothing. Figures without
/// a cost of their own, such as a topology or an eager limit, are not changed.
pub fn free(tree: &Table, assumed: &[Assumed]) -> Vec<(String, String)> {
    let free = |(key, node): (String, &Node)| {
        if key == POLL || !assumed.iter().any(|assumed| assumed.covers(&key, node)) {
            return None;
        }
        let value = match measure(&key, &node.value)?.0 {
            Measure::Time => "0us",
            Measure::Rate => NO_LIMIT,
            Measure::Factor => return None,
        };
        let set = format!("{key}={value}");
        Some((key, set))
    };
    figures::nodes(tree).into_iter().filter_map(free).collect()
}
