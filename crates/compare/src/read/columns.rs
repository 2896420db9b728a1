//! The columns of a printed table, and the times in its rows.

use std::path::Path;

use panto_results::{Error, Result};

/// The unit of a column, from which the time of one operation follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    /// Microseconds.
    Micros,
    /// Millions of bytes per second, with messages of the row's size.
    Megabytes,
    /// Messages per second.
    Messages,
}

/// A column that holds a time, or a rate from which a time follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Column {
    /// Its index in a row.
    pub place: usize,
    pub measure: Measure,
    /// Distinguishes it from other times of the same row.
    pub variant: Option<&'static str>,
}

/// The columns of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Columns {
    /// Whether a row begins with a size.
    pub sized: bool,
    pub times: Vec<Column>,
}

/// One row: its message size in bytes and its times in nanoseconds.
#[derive(Debug, PartialEq)]
pub(super) struct Row {
    pub bytes: Option<u64>,
    pub times: Vec<(Option<&'static str>, f64)>,
}

/// A line below a header.
#[derive(Debug, PartialEq)]
pub(super) enum Line {
    Row(Row),
    /// A row without a time: the benchmark gave up at this size.
    Untimed,
    /// Any other output.
    Other,
}

impl Columns {
    /// Reads a line. Numbers that are not valid times are an error that names the line.
    pub fn read(&self, line: &str, at: (&Path, usize)) -> Result<Line> {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let Some(first) = fields.first().and_then(|field| field.parse::<f64>().ok()) else {
            return Ok(Line::Other);
        };
        if line.contains("time-out") {
            return Ok(Line::Untimed);
        }
        let bytes = self.sized.then_some(first as u64);
        let mut times = Vec::new();
        for column in &self.times {
            let Some(text) = fields.get(column.place) else {
                return Err(bad(at, "the line is truncated; remove it, or run the benchmark again".into()));
            };
            let Ok(number) = text.parse::<f64>() else { return Ok(Line::Other) };
            if !number.is_finite() || number < 0.0 {
                return Err(bad(at, format!("`{text}` is not a valid time; run the benchmark again")));
            }
            times.extend(column.measure.nanos(number, bytes).map(|nanos| (column.variant, nanos)));
        }
        Ok(if times.is_empty() { Line::Untimed } else { Line::Row(Row { bytes, times }) })
    }
}

impl Measure {
    /// Returns the time of one operation in nanoseconds; `None` if a rate is zero.
    fn nanos(self, number: f64, bytes: Option<u64>) -> Option<f64> {
        match self {
            Self::Micros => Some(number * 1e3),
            Self::Megabytes if number > 0.0 => bytes.map(|bytes| bytes as f64 / number * 1e3),
            Self::Messages if number > 0.0 => Some(1e9 / number),
            Self::Megabytes | Self::Messages => None,
        }
    }
}

fn bad((path, line): (&Path, usize), what: String) -> Error {
    Error::BadFile { path: path.into(), line, reason: what }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(measure: Measure) -> Columns {
        Columns { sized: true, times: vec![Column { place: 1, measure, variant: None }] }
    }

    fn read(measure: Measure, line: &str) -> Result<Line> {
        columns(measure).read(line, (Path::new("x"), 7))
    }

    #[test]
    fn every_unit_is_converted_to_a_time() {
        for (measure, nanos) in
            [(Measure::Micros, 2500.0), (Measure::Megabytes, 400.0), (Measure::Messages, 4e8)]
        {
            let row = Row { bytes: Some(1000), times: vec![(None, nanos)] };
            let row = if measure == Measure::Megabytes {
                Row { times: vec![(None, 400_000.0)], ..row }
            } else {
                row
            };
            assert_eq!(read(measure, "1000   2.5").expect("a row"), Line::Row(row));
        }
        assert_eq!(read(Measure::Megabytes, "0 0.00").expect("a row"), Line::Untimed);
    }

    #[test]
    fn other_lines_are_skipped_and_invalid_numbers_are_refused() {
        for line in ["mpirun: done", "2 processes were killed", "real 0m5.7s", ""] {
            assert_eq!(read(Measure::Micros, line).expect("no row"), Line::Other, "{line}");
        }
        assert_eq!(read(Measure::Micros, "4194304 time-out.").expect("no row"), Line::Untimed);
        for line in ["8 -1.5", "8 nan", "8 inf", "8"] {
            let error = read(Measure::Micros, line).expect_err(line).to_string();
            assert!(error.contains("line 7"), "{error}");
        }
    }
}
