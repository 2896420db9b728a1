//! Fitted model files: a [`ModelWriter`] that records each figure with its confidence interval.

use panto_machine::write::{CostEntries, ModelWriter, format_time, format_time_per_byte};
use panto_stats::{Interval, ResidueClass};

use crate::estimate::Estimate;
use crate::fitted::{Parameter, Unit};
use crate::piecewise::{Piece, PiecewiseLinear};

/// A fitted model file that is being written.
#[derive(Debug, Default)]
pub struct Document {
    writer: ModelWriter,
    /// The figures written so far.
    pub parameters: Vec<Parameter>,
}

impl Document {
    /// Writes a key of the current table with a value in TOML.
    pub fn value(&mut self, key: &str, value: impl std::fmt::Display) {
        self.writer.value(key, value);
    }

    /// Writes a key of the current table with a string.
    pub fn string(&mut self, key: &str, text: &str) {
        self.writer.string(key, text);
    }

    /// Writes a key of the current table with a size in bytes.
    pub fn bytes(&mut self, key: &str, bytes: u64) {
        self.writer.bytes(key, bytes);
    }

    /// Writes a line `key = value` of the current table.
    pub fn line(&mut self, line: &str) {
        if let Some((key, value)) = line.split_once(" = ") {
            self.writer.value(key, value);
        }
    }

    /// Begins a table.
    pub fn table(&mut self, name: &str) {
        self.writer.table(name);
    }

    /// Adds the source of a figure or table.
    pub fn source(&mut self, key: &str, text: impl Into<String>) {
        self.writer.source(key, text);
    }

    /// Writes a time of the current table, whose name is `path`.
    pub fn time(&mut self, path: &str, name: &str, estimate: Estimate, method: &str) {
        self.writer.string(name, &format_time(estimate.value));
        self.record(&format!("{path}.{name}"), estimate, Unit::Seconds, method, format_time);
    }

    /// Writes the time of a byte of the current table, whose name is `path`.
    pub fn per_byte(&mut self, path: &str, name: &str, estimate: Estimate, method: &str) {
        self.writer.string(name, &format_time_per_byte(estimate.value));
        let key = format!("{path}.{name}");
        self.record(&key, estimate, Unit::SecondsPerByte, method, format_time_per_byte);
    }

    /// Writes a cost by size as a table.
    pub fn cost(&mut self, path: &str, law: &PiecewiseLinear, method: &str) {
        let rows = rows(law);
        let Some((last, pieces)) = rows.split_last() else { return self.writer.table(path) };
        let entries: Vec<CostEntries> = pieces.iter().map(Row::entries).collect();
        self.writer.cost(path, &entries, &figures(&last.piece));
        self.record_piece(path, &last.piece, method);
        for (index, row) in pieces.iter().enumerate() {
            self.record_piece(&format!("{path}.pieces.{index}"), &row.piece, method);
        }
    }

    fn record_piece(&mut self, path: &str, piece: &Piece, method: &str) {
        // Neither a start-up nor a rate of a model is negative.
        let around = |value: f64, margin: f64| Estimate {
            value,
            interval: Interval { low: (value - margin).max(0.0), high: value + margin },
        };
        let (latency, rate) = (
            around(piece.line.intercept, piece.intercept_margin),
            around(piece.line.slope, piece.slope_margin),
        );
        if has_latency(latency.value) {
            self.record(&format!("{path}.latency"), latency, Unit::Seconds, method, format_time);
        }
        if has_rate(rate.value) {
            let key = format!("{path}.per-byte");
            self.record(&key, rate, Unit::SecondsPerByte, method, format_time_per_byte);
        }
    }

    fn record(&mut self, key: &str, estimate: Estimate, unit: Unit, method: &str, format: fn(f64) -> String) {
        let Estimate { value, interval } = estimate;
        self.parameters.push(Parameter::new(key, value, unit, method).within(interval));
        // An interval begins above zero and contains the figure, as both are written.
        let (low, high) = (format(interval.low), format(interval.high));
        if interval.low > 0.0 && format(0.0) != low && low != high && interval.contains(value) {
            self.writer.interval(key, format!("{low}..{high}"));
        }
    }

    /// Returns the text of the file and its figures.
    pub fn finish(self) -> (String, Vec<Parameter>) {
        (self.writer.finish(), self.parameters)
    }
}

/// A piece of a cost with the sizes that it applies to.
struct Row {
    multiple_of: Option<u64>,
    up_to: Option<u64>,
    piece: Piece,
}

impl Row {
    fn entries(&self) -> CostEntries {
        let multiple_of = self.multiple_of.map(|modulus| ("multiple-of", modulus.to_string()));
        let up_to = self.up_to.map(|most| ("up-to", format!("\"{most}B\"")));
        multiple_of.into_iter().chain(up_to).chain(figures(&self.piece)).collect()
    }
}

/// The pieces in the order of precedence; the last applies to all sizes that the others leave.
fn rows(law: &PiecewiseLinear) -> Vec<Row> {
    let row = |class: ResidueClass, piece: &Piece| Row {
        multiple_of: match class {
            ResidueClass::Multiples(modulus) => Some(modulus),
            ResidueClass::All | ResidueClass::Others(_) => None,
        },
        up_to: piece.up_to,
        piece: *piece,
    };
    law.classes().flat_map(|(class, pieces)| pieces.iter().map(move |piece| row(class, piece))).collect()
}

/// The latency and rate of a piece, except those that are zero; a piece without either has a
/// latency of zero.
fn figures(piece: &Piece) -> CostEntries {
    let quoted = |text: String| format!("\"{text}\"");
    let latency = ("latency", quoted(format_time(piece.line.intercept)));
    let rate = ("per-byte", quoted(format_time_per_byte(piece.line.slope)));
    match (has_latency(piece.line.intercept), has_rate(piece.line.slope)) {
        (true, true) => vec![latency, rate],
        (false, true) => vec![rate],
        (_, false) => vec![latency],
    }
}

/// Returns whether a time is not zero as it is written.
fn has_latency(seconds: f64) -> bool {
    format_time(seconds) != format_time(0.0)
}

/// Returns whether the time of a byte is not zero as it is written.
fn has_rate(seconds: f64) -> bool {
    format_time_per_byte(seconds) != format_time_per_byte(0.0)
}
