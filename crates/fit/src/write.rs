//! The text of a model file: what `Model::load` reads, each figure with its source and its interval.

use std::fmt::Write as _;

use panto_stats::{Class, Interval};

use crate::estimate::Estimate;
use crate::fitted::{Parameter, Unit};
use crate::law::{Law, Piece};

/// A model file that is being written.
#[derive(Debug, Default)]
pub struct Document {
    text: String,
    sources: Vec<(String, String)>,
    intervals: Vec<(String, String)>,
    /// What was written, for whoever wants to show it.
    pub parameters: Vec<Parameter>,
}

impl Document {
    /// A line as it is.
    pub fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{line}");
    }

    /// The head of a table.
    pub fn table(&mut self, name: &str) {
        let _ = writeln!(self.text, "\n[{name}]");
    }

    /// Where a figure or a table comes from.
    pub fn source(&mut self, key: &str, text: impl Into<String>) {
        self.sources.push((key.into(), text.into()));
    }

    /// A figure of the table `path` that takes time.
    pub fn time(&mut self, path: &str, name: &str, estimate: Estimate, method: &str) {
        let _ = writeln!(self.text, "{name} = \"{}\"", time(estimate.value));
        self.keep(&format!("{path}.{name}"), estimate, Unit::Seconds, method, time);
    }

    /// A figure of the table `path` that is time for each byte.
    pub fn per_byte(&mut self, path: &str, name: &str, estimate: Estimate, method: &str) {
        let _ = writeln!(self.text, "{name} = \"{}\"", fine_time(estimate.value));
        self.keep(&format!("{path}.{name}"), estimate, Unit::SecondsPerByte, method, fine_time);
    }

    /// A cost by size as a table of its own; nothing where it is free.
    pub fn cost(&mut self, path: &str, law: &Law, method: &str) {
        self.table(path);
        let lines = lines(law);
        let Some((last, pieces)) = lines.split_last() else { return };
        for (name, value) in figures(&last.piece) {
            let _ = writeln!(self.text, "{name} = \"{value}\"");
        }
        self.keep_line(path, &last.piece, method);
        if pieces.is_empty() {
            return;
        }
        self.line("pieces = [");
        for (index, line) in pieces.iter().enumerate() {
            let _ = writeln!(self.text, "    {{ {} }},", line.words().join(", "));
            self.keep_line(&format!("{path}.pieces.{index}"), &line.piece, method);
        }
        self.line("]");
    }

    fn keep_line(&mut self, path: &str, piece: &Piece, method: &str) {
        // Neither a start-up nor a rate of a model is negative.
        let around = |value: f64, doubt: f64| Estimate {
            value,
            interval: Interval { low: (value - doubt).max(0.0), high: value + doubt },
        };
        let (latency, rate) = (
            around(piece.line.intercept, piece.intercept_doubt),
            around(piece.line.slope, piece.slope_doubt),
        );
        if is_long(latency.value) {
            self.keep(&format!("{path}.latency"), latency, Unit::Seconds, method, time);
        }
        if is_there(rate.value) {
            self.keep(&format!("{path}.per-byte"), rate, Unit::SecondsPerByte, method, fine_time);
        }
    }

    fn keep(&mut self, key: &str, estimate: Estimate, unit: Unit, method: &str, words: fn(f64) -> String) {
        let Estimate { value, interval } = estimate;
        self.parameters.push(Parameter::new(key, value, unit, method).within(interval));
        // An interval begins above zero and holds the figure, as both are written.
        let (low, high) = (words(interval.low), words(interval.high));
        if interval.low > 0.0 && words(0.0) != low && low != high && interval.contains(value) {
            self.intervals.push((key.into(), format!("{low}..{high}")));
        }
    }

    /// The whole file.
    pub fn finish(mut self) -> (String, Vec<Parameter>) {
        let tables = [
            ("sources", std::mem::take(&mut self.sources)),
            ("intervals", std::mem::take(&mut self.intervals)),
        ];
        for (name, entries) in tables.into_iter().filter(|(_, entries)| !entries.is_empty()) {
            self.table(name);
            for (key, text) in entries {
                let _ = writeln!(self.text, "\"{key}\" = {}", quoted(&text));
            }
        }
        (self.text, self.parameters)
    }
}

/// A text as TOML has it.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.push(' '),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

/// A line of a cost with the sizes that it holds for.
struct Row {
    multiple_of: Option<u64>,
    up_to: Option<u64>,
    piece: Piece,
}

impl Row {
    fn words(&self) -> Vec<String> {
        let up_to = self.up_to.map(|most| format!("up-to = \"{most}B\""));
        let multiple_of = self.multiple_of.map(|modulus| format!("multiple-of = {modulus}"));
        let figures = figures(&self.piece).into_iter().map(|(name, value)| format!("{name} = \"{value}\""));
        multiple_of.into_iter().chain(up_to).chain(figures).collect()
    }
}

/// The pieces in the order in which a model asks them; the last holds for what the others leave.
fn lines(law: &Law) -> Vec<Row> {
    let row = |class: Class, piece: &Piece| Row {
        multiple_of: match class {
            Class::Multiples(modulus) => Some(modulus),
            Class::All | Class::Others(_) => None,
        },
        up_to: piece.up_to,
        piece: *piece,
    };
    law.classes().flat_map(|(class, pieces)| pieces.iter().map(move |piece| row(class, piece))).collect()
}

fn figures(piece: &Piece) -> Vec<(&'static str, String)> {
    let latency = is_long(piece.line.intercept).then(|| ("latency", time(piece.line.intercept)));
    let rate = is_there(piece.line.slope).then(|| ("per-byte", fine_time(piece.line.slope)));
    let all: Vec<(&'static str, String)> = latency.into_iter().chain(rate).collect();
    // A piece must say something, or it would not say that it is free.
    if all.is_empty() { vec![("latency", time(0.0))] } else { all }
}

/// Is it as long as the least time that a file can say?
fn is_long(seconds: f64) -> bool {
    time(seconds) != time(0.0)
}

/// The same for each byte.
fn is_there(seconds: f64) -> bool {
    fine_time(seconds) != fine_time(0.0)
}

/// To the picosecond.
pub fn time(seconds: f64) -> String {
    let seconds = seconds.max(0.0);
    let (factor, unit, digits) = if seconds >= 1e-6 { (1e6, "us", 6) } else { (1e9, "ns", 3) };
    format!("{}{unit}", trimmed(seconds * factor, digits))
}

/// To the millionth of a picosecond, for times of a byte.
fn fine_time(seconds: f64) -> String {
    format!("{}ns", trimmed(seconds.max(0.0) * 1e9, 9))
}

fn trimmed(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_to_the_picosecond() {
        assert_eq!(time(62.775e-6), "62.775us");
        assert_eq!(time(0.0), "0ns");
        assert_eq!(time(4.16666e-10), "0.417ns");
        assert_eq!(fine_time(0.026_428_571_4e-6), "26.4285714ns");
    }

    #[test]
    fn texts_cannot_break_out() {
        assert_eq!(quoted("a \"b\" \\ c\nd"), "\"a \\\"b\\\" \\\\ c d\"");
    }
}
