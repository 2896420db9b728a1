//! Parameters of points as text.

use panto_results::swap::Protocol;
use panto_results::{Distance, Record, Separation, Value, duration, param};
use panto_units as units;

/// Number of ranks, which is not a parameter of its own but is shown like one.
pub(super) const RANKS: &str = "ranks";
/// Algorithm of a collective, where the same point was measured with several.
pub(super) const ALGORITHM: &str = "algorithm";

/// Simulated machine, where the points come from several, or some were measured.
pub(super) const MACHINE: &str = "machine";

/// Returns the value of a parameter at a point.
pub(super) fn value(record: &Record, name: &str) -> Option<Value> {
    match name {
        RANKS => Some(Value::Number(record.point.ranks as u64)),
        ALGORITHM => record.algorithm.clone().map(Value::Text),
        MACHINE => record.machine.clone().map(Value::Text),
        _ => record.point.params.get(name).cloned(),
    }
}

/// Returns whether a parameter is a number of bytes.
pub(super) fn is_size(name: &str) -> bool {
    matches!(name, param::BYTES | param::LOAD_BYTES | param::BLOCK | param::VOLUME)
}

/// Returns whether a parameter is a time in nanoseconds.
pub(super) fn is_time(name: &str) -> bool {
    matches!(name, param::DELAY | param::COMPUTATION)
}

/// Returns the heading of a column, which is also the name in a phrase.
pub(super) fn header(name: &str) -> String {
    match name {
        param::BYTES => "size".into(),
        param::LOAD_BYTES => "load size".into(),
        _ => name.replace('_', " "),
    }
}

/// Formats the value alone, as in a cell of a table.
pub(super) fn cell(name: &str, value: Option<&Value>) -> String {
    match value {
        Some(Value::Number(number)) if is_size(name) => units::bytes(*number),
        Some(Value::Number(number)) if name == param::LOAD => format!("{number}%"),
        Some(Value::Number(nanos)) if is_time(name) => duration(*nanos),
        Some(value) => value.to_string(),
        None => "-".into(),
    }
}

/// Returns the sort key of a value: distances from near to far, protocols by number.
pub(super) fn place(name: &str, value: Option<Value>) -> (usize, Option<Value>) {
    let placed = match &value {
        Some(Value::Text(text)) if name == param::DISTANCE => text.parse::<Distance>().ok(),
        _ => None,
    };
    let protocol = match &value {
        Some(Value::Text(text)) if name == param::PROTOCOL => text.parse::<Protocol>().ok(),
        _ => None,
    };
    (placed.map_or(0, Distance::hops) + protocol.map_or(0, |protocol| protocol.place()), value)
}

/// Formats the value with its name: `4 ranks`, `size 64KiB`.
pub(super) fn phrase(name: &str, value: Option<&Value>) -> String {
    let cell = cell(name, value);
    match (name, value) {
        (param::DISTANCE, Some(Value::Text(text))) => distance_text(text),
        (_, None) => format!("no {}", header(name)),
        (param::LOAD, Some(Value::Number(0))) => "no load".into(),
        (RANKS | param::HOPS | param::PAIRS | param::MESSAGES, Some(Value::Number(number))) => {
            format!("{cell} {}", if *number == 1 { name.trim_end_matches('s') } else { name })
        }
        _ => format!("{} {cell}", header(name)),
    }
}

/// Formats the value as the name of a curve: variants and algorithms need no parameter name.
pub(super) fn label(name: &str, value: Option<&Value>) -> String {
    match value {
        Some(Value::Text(text)) if name == MACHINE => format!("simulated {text}"),
        Some(Value::Text(text)) if name == param::DISTANCE => distance_text(text),
        Some(Value::Text(_)) if matches!(name, param::LATE | param::PROGRESS) => phrase(name, value),
        Some(Value::Text(text)) => text.clone(),
        None if name == MACHINE => "measured".into(),
        _ => phrase(name, value),
    }
}

/// Formats a distance. A file of another version may have unknown ones.
fn distance_text(distance: &str) -> String {
    distance.parse().map_or_else(|_| distance.to_owned(), |known| Separation::Placed(known).to_string())
}

/// Formats a parameter of a point with its name.
pub(super) fn of(record: &Record, name: &str) -> String {
    phrase(name, value(record, name).as_ref())
}
