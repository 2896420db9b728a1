//! Parameters of points, in words.

use panto_bench::results::Record;
use panto_bench::swap::Protocol;
use panto_bench::{Distance, Separation, Value, duration, param};
use panto_units as units;

/// The number of ranks, which is no parameter of its own but is shown like one.
pub(super) const RANKS: &str = "ranks";
/// The algorithm of a collective, where the same point was measured with several.
pub(super) const ALGORITHM: &str = "algorithm";

/// The machine that was simulated, where the points come from several, or some were measured.
pub(super) const MACHINE: &str = "machine";

/// The value of a parameter at a point.
pub(super) fn value(record: &Record, name: &str) -> Option<Value> {
    match name {
        RANKS => Some(Value::Number(record.point.ranks as u64)),
        ALGORITHM => record.algorithm.clone().map(Value::Text),
        MACHINE => record.machine.clone().map(Value::Text),
        _ => record.point.params.get(name).cloned(),
    }
}

/// Is it a number of bytes?
pub(super) fn is_size(name: &str) -> bool {
    matches!(name, param::BYTES | param::LOAD_BYTES | param::BLOCK | param::VOLUME)
}

/// Is it a number of nanoseconds?
pub(super) fn is_time(name: &str) -> bool {
    matches!(name, param::DELAY | param::COMPUTATION)
}

/// The head of a column, and the name in a phrase.
pub(super) fn header(name: &str) -> String {
    match name {
        param::BYTES => "size".into(),
        param::LOAD_BYTES => "load size".into(),
        _ => name.replace('_', " "),
    }
}

/// The value alone, as in a cell of a table.
pub(super) fn cell(name: &str, value: Option<&Value>) -> String {
    match value {
        Some(Value::Number(number)) if is_size(name) => units::bytes(*number),
        Some(Value::Number(number)) if name == param::LOAD => format!("{number}%"),
        Some(Value::Number(nanos)) if is_time(name) => duration(*nanos),
        Some(value) => value.to_string(),
        None => "-".into(),
    }
}

/// Where a value stands among others of its parameter: distances go from near to far, not by their names, and protocols by number.
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

/// The value with its name: `4 ranks`, `size 64KiB`.
pub(super) fn phrase(name: &str, value: Option<&Value>) -> String {
    let cell = cell(name, value);
    match (name, value) {
        (param::DISTANCE, Some(Value::Text(text))) => in_words(text),
        (_, None) => format!("no {}", header(name)),
        (param::LOAD, Some(Value::Number(0))) => "no load".into(),
        (RANKS | param::HOPS | param::PAIRS | param::MESSAGES, Some(Value::Number(number))) => {
            format!("{cell} {}", if *number == 1 { name.trim_end_matches('s') } else { name })
        }
        _ => format!("{} {cell}", header(name)),
    }
}

/// The value as the name of a curve: variants and algorithms speak for themselves.
pub(super) fn label(name: &str, value: Option<&Value>) -> String {
    match value {
        Some(Value::Text(text)) if name == MACHINE => format!("simulated {text}"),
        Some(Value::Text(text)) if name == param::DISTANCE => in_words(text),
        Some(Value::Text(_)) if matches!(name, param::LATE | param::PROGRESS) => phrase(name, value),
        Some(Value::Text(text)) => text.clone(),
        None if name == MACHINE => "measured".into(),
        _ => phrase(name, value),
    }
}

/// A distance as it stands behind other words. A file of another version may know others.
fn in_words(distance: &str) -> String {
    distance.parse().map_or_else(|_| distance.to_owned(), |known| Separation::Placed(known).to_string())
}

/// The phrase of a parameter of a point.
pub(super) fn of(record: &Record, name: &str) -> String {
    phrase(name, value(record, name).as_ref())
}
