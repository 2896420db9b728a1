//! Points as one JSON object, for programs.

use std::collections::BTreeMap;

use panto_results::quality::{Grade, RunQuality, assess, grade_of, run_quality};
use panto_results::{Expected, Manifest, Metric, Record, RunEnd, StopReason, SyncMethod, Value};

use serde::Serialize;

use super::group::groups;
use super::model_residuals::{ModelResidual, model_residuals};
use super::phrases;

/// Returns an object of the manifest, the points without their raw samples, how the run ended
/// (`null` if it did not end by itself), and the findings that the caller derived. Times are
/// nanoseconds per operation.
///
/// # Panics
/// Never: all keys are strings, and values that are not finite become `null`.
pub fn json(
    manifest: &Manifest,
    records: &[Record],
    end: Option<&RunEnd>,
    findings: serde_json::Value,
) -> String {
    let groups = groups(records);
    let points = groups.iter().flat_map(|group| &group.records).map(|record| Point::of(record)).collect();
    let (model_residuals, quality) = (model_residuals(records), run_quality(records));
    let document = Document { manifest, points, model_residuals, end, quality, findings };
    serde_json::to_string_pretty(&document).expect("all names are strings")
}

#[derive(Serialize)]
struct Document<'a> {
    manifest: &'a Manifest,
    points: Vec<Point<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[serde(rename = "against")]
    model_residuals: Vec<ModelResidual>,
    end: Option<&'a RunEnd>,
    quality: Option<RunQuality>,
    findings: serde_json::Value,
}

#[derive(Serialize)]
struct Point<'a> {
    kernel: &'a str,
    ranks: usize,
    params: &'a BTreeMap<String, Value>,
    metric: MetricDescription,
    summary: Option<Summary>,
    /// The median from the first start to the last end, where the summary is of another time.
    #[serde(skip_serializing_if = "Option::is_none")]
    first_to_last_ns: Option<f64>,
    #[serde(rename = "bandwidth_Bps")]
    bandwidth: Option<f64>,
    moved: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    messages: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    messages_per_second: Option<f64>,
    batch: u64,
    late: u64,
    stop: StopReason,
    start: SyncMethod,
    empty_ns: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    clock_error_ns: Option<f64>,
    steal: Option<f64>,
    others: Option<f64>,
    disturbed: usize,
    grade: Option<Grade>,
    algorithm: Option<&'a str>,
    verified: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    wrong: Option<&'a str>,
    #[serde(skip_serializing_if = "<[f64]>::is_empty")]
    ranks_ns: &'a [f64],
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    figures: &'a BTreeMap<String, f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    machine: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<&'a Expected>,
    #[serde(skip_serializing_if = "Option::is_none")]
    residual: Option<f64>,
}

#[derive(Serialize)]
struct MetricDescription {
    words: String,
    one_way: bool,
    #[serde(flatten)]
    metric: Metric,
}

#[derive(Serialize)]
struct Summary {
    n: usize,
    median_ns: f64,
    low_ns: f64,
    high_ns: f64,
    confidence: f64,
    min_ns: f64,
    max_ns: f64,
    mean_ns: f64,
    stddev_ns: f64,
    p95_ns: f64,
    p99_ns: f64,
}

impl<'a> Point<'a> {
    fn of(record: &'a Record) -> Self {
        let summary = record.summary();
        Self {
            kernel: &record.kernel,
            ranks: record.point.ranks,
            params: &record.point.params,
            metric: MetricDescription::of(record.metric),
            bandwidth: summary.and_then(|summary| record.bandwidth(summary.median)),
            summary: summary.as_ref().map(Summary::of),
            first_to_last_ns: record.first_to_last(),
            moved: record.moved,
            messages: record.messages,
            messages_per_second: summary.and_then(|summary| record.message_rate(summary.median)),
            batch: record.batch,
            late: record.late,
            stop: record.stop,
            start: record.start,
            empty_ns: record.empty_ns,
            clock_error_ns: record.clock_error_ns,
            steal: record.steal,
            others: record.others,
            disturbed: record.disturbed_ns.len(),
            grade: record.machine.is_none().then(|| grade_of(&assess(record))),
            algorithm: record.algorithm.as_deref(),
            verified: record.verified,
            wrong: record.wrong.as_deref(),
            ranks_ns: &record.ranks_ns,
            figures: &record.figures,
            machine: record.machine.as_deref(),
            expected: record.expected.as_ref(),
            residual: record.residual(),
        }
    }
}

impl MetricDescription {
    fn of(metric: Metric) -> Self {
        Self { words: phrases::metric(metric), one_way: phrases::is_one_way(metric), metric }
    }
}

impl Summary {
    fn of(s: &panto_stats::Summary) -> Self {
        Self {
            n: s.n,
            median_ns: s.median,
            low_ns: s.interval.low,
            high_ns: s.interval.high,
            confidence: s.confidence,
            min_ns: s.min,
            max_ns: s.max,
            mean_ns: s.mean,
            stddev_ns: s.std_dev,
            p95_ns: s.p95,
            p99_ns: s.p99,
        }
    }
}
