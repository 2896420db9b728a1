//! A history for programs: JSON and CSV.

use panto_compare::{Change, History, Series, Value};
use serde::Serialize;

use super::{history_summary, name, point};
use crate::table::{Column, Table};

/// Returns one JSON object: the whole history, and its summary in sentences. Times are in
/// nanoseconds.
///
/// # Panics
/// Never: all keys are strings, and values that are not finite become `null`.
pub fn history_json(history: &History) -> String {
    #[derive(Serialize)]
    struct Document<'a> {
        summary: Vec<String>,
        #[serde(flatten)]
        history: &'a History,
    }
    let document = Document { summary: history_summary(history), history };
    serde_json::to_string_pretty(&document).expect("all names are strings")
}

const HEADS: [&str; 13] = [
    "kernel",
    "point",
    "version",
    "label",
    "median_ns",
    "low_ns",
    "high_ns",
    "samples",
    "launches",
    "since",
    "verdict",
    "ratio",
    "ratio_interval",
];

/// Returns one row per point and version.
pub fn history_csv(history: &History) -> String {
    let mut table = Table::new(HEADS.map(Column::text));
    for series in &history.series {
        for value in &series.values {
            table.row(row(history, series, value));
        }
    }
    table.to_csv()
}

fn row(history: &History, series: &Series, value: &Value) -> [String; HEADS.len()] {
    let change = value.change.as_ref();
    let of = |text: &dyn Fn(&Change) -> Option<String>| change.and_then(text).unwrap_or_default();
    [
        series.key.kernel.clone(),
        point(series, &[]),
        (value.version + 1).to_string(),
        name(&history.versions[value.version], value.version),
        value.side.median_ns.to_string(),
        value.low_ns.to_string(),
        value.high_ns.to_string(),
        value.side.samples.to_string(),
        value.side.launches.to_string(),
        of(&|change| Some((change.since + 1).to_string())),
        of(&|change| Some(change.verdict.to_string())),
        of(&|change| change.ratio.map(|ratio| ratio.to_string())),
        of(&|change| change.low.zip(change.high).map(|(low, high)| format!("{low}..{high}"))),
    ]
}
