//! Points as comma-separated values, for programs.

use std::collections::BTreeSet;

use panto_results::quality::{grade_of, point_doubts};
use panto_results::{Manifest, Record};
use panto_units::trim_zeros;

use super::group::groups;
use super::phrases;
use crate::table::{Column, Table};

const FIGURES: [&str; 21] = [
    "metric",
    "n",
    "batch",
    "median_ns",
    "low_ns",
    "high_ns",
    "min_ns",
    "max_ns",
    "mean_ns",
    "stddev_ns",
    "p95_ns",
    "p99_ns",
    "bandwidth_Bps",
    "late",
    "stop",
    "start",
    "steal",
    "algorithm",
    "verified",
    "machine",
    "clock_error_ns",
];

/// Columns of a model's values, if any record has one; the residual is a fraction of the median.
const EXPECTED: [&str; 3] = ["model", "model_ns", "residual"];

/// Columns of the launch that a point is from, and how far it can be believed: good, fair or poor.
const ORIGIN: [&str; 3] = ["label", "launch", "verdict"];

/// Number of columns from the summary of the samples: from `median_ns` to `p99_ns`.
const SUMMARY: usize = 9;

/// Returns one row per point, with a column for every parameter that occurs. Missing values are
/// empty. Times are nanoseconds per operation, `steal` is a fraction, `machine` is the simulated
/// machine. Launches are numbered from 1, and have the label that the user gave them; the verdict
/// of a simulated point is empty.
pub fn csv<'a>(launches: impl IntoIterator<Item = (Option<&'a Manifest>, &'a [Record])>) -> String {
    let launches: Vec<(Option<&Manifest>, &[Record])> = launches.into_iter().collect();
    let records = || launches.iter().flat_map(|(_, records)| *records);
    let params: BTreeSet<&str> = records().flat_map(|r| r.point.params.keys().map(String::as_str)).collect();
    let expected: &[&str] = if records().any(|r| r.expected.is_some()) { &EXPECTED } else { &[] };
    let heads = ["kernel", "ranks"].into_iter().chain(params.iter().copied()).chain(FIGURES);
    let heads = heads.chain(expected.iter().copied()).chain(ORIGIN);
    let mut table = Table::new(heads.map(Column::text));
    for (number, (manifest, records)) in (1..).zip(launches) {
        let label = manifest.and_then(|manifest| manifest.label.clone()).unwrap_or_default();
        let groups = groups(records);
        let records: Vec<&Record> = groups.iter().flat_map(|group| group.records.iter().copied()).collect();
        for (record, verdict) in records.iter().zip(verdicts(&records)) {
            let values = params.iter().map(|name| cell(record.point.params.get(*name)));
            let place = [record.kernel.clone(), record.point.ranks.to_string()];
            let model = self::expected(record).into_iter().take(expected.len());
            let origin = [label.clone(), number.to_string(), verdict];
            table.row(place.into_iter().chain(values).chain(figures(record)).chain(model).chain(origin));
        }
    }
    table.to_csv()
}

/// Returns the grade of each measured point.
fn verdicts(records: &[&Record]) -> Vec<String> {
    let doubts = point_doubts(records).into_iter().zip(records);
    let verdict = |(doubts, record): (Vec<_>, &&Record)| match (&record.machine, record.samples_ns.is_empty())
    {
        (None, false) => grade_of(&doubts).to_string(),
        _ => String::new(),
    };
    doubts.map(verdict).collect()
}

fn figures(record: &Record) -> impl Iterator<Item = String> {
    let bandwidth = record.summary().and_then(|summary| record.bandwidth(summary.median));
    let before =
        [phrases::metric(record.metric), record.samples_ns.len().to_string(), record.batch.to_string()];
    let after = [
        bandwidth.map(number).unwrap_or_default(),
        record.late.to_string(),
        record.stop.to_string(),
        phrases::start_name(record.start).into(),
        record.steal.map(|part| trim_zeros(&format!("{part:.6}")).to_owned()).unwrap_or_default(),
        record.algorithm.clone().unwrap_or_default(),
        record.verified.to_string(),
        record.machine.clone().unwrap_or_default(),
        record.clock_error_ns.map(number).unwrap_or_default(),
    ];
    before.into_iter().chain(summary(record)).chain(after)
}

fn expected(record: &Record) -> [String; EXPECTED.len()] {
    let residual = record.residual().map(|part| trim_zeros(&format!("{part:.6}")).to_owned());
    match &record.expected {
        Some(expected) => [expected.machine.clone(), number(expected.time_ns), residual.unwrap_or_default()],
        None => Default::default(),
    }
}

fn summary(record: &Record) -> [String; SUMMARY] {
    let Some(s) = record.summary() else { return Default::default() };
    let interval = s.interval;
    [s.median, interval.low, interval.high, s.min, s.max, s.mean, s.std_dev, s.p95, s.p99].map(number)
}

fn cell(value: Option<&panto_results::Value>) -> String {
    value.map(ToString::to_string).unwrap_or_default()
}

/// Formats a number with three decimals; no clock resolves less than a picosecond.
fn number(value: f64) -> String {
    trim_zeros(&format!("{value:.3}")).to_owned()
}
