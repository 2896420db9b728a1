//! What the measurements mean: the derived figures of C17, each with its interval.
//!
//! No single score: start-up times, times a byte, bandwidths and so on, one regime at a time. Whether a time
//! is one way is said in the label.

mod classic;
mod cm5;
mod cm5_rivals;
mod cm5_sizes;
mod collective;
mod curve;
mod growth;
mod load;
mod overlap;
mod scenario;
pub(crate) mod swap;

use std::collections::BTreeMap;

use panto_stats::Interval;
use serde::Serialize;

use crate::point::{Point, Value};
use crate::results::Record;

pub use overlap::{Gain, overlap_gain};
pub use scenario::{Beside, Share, beside};

/// A figure that was derived from measurements.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// The kernel whose points it comes from.
    pub kernel: String,
    /// The machine that was simulated; absent where the points were measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// What it is, in words.
    pub label: String,
    /// The figure.
    pub value: f64,
    /// Its unit.
    pub unit: Unit,
    /// A range around it; absent where none can be given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<(f64, f64)>,
    /// What the range is.
    pub interval_is: Range,
}

/// What the range around a figure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Range {
    /// Where the figure lies with 95 % confidence.
    Confidence,
    /// The middle half of the single values whose median the figure is.
    Quartiles,
    /// The least and the largest of them.
    Extremes,
}

/// The unit of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Seconds.
    Seconds,
    /// Seconds for each byte.
    SecondsPerByte,
    /// Bytes.
    Bytes,
    /// Bytes a second.
    BytesPerSecond,
    /// Messages a second.
    MessagesPerSecond,
    /// Per cent.
    Percent,
    /// A plain number.
    Number,
}

/// Everything that can be derived from these records, in the order of the kernels.
pub fn findings(records: &[Record]) -> Vec<Finding> {
    // A file may hold several launches, measured and simulated; their points make no common curve.
    let mut kernels: BTreeMap<(&str, Option<&str>), Vec<&Record>> = BTreeMap::new();
    for record in records {
        kernels.entry((&record.kernel, record.machine.as_deref())).or_default().push(record);
    }
    let each = |((kernel, machine), records): (_, Vec<&Record>)| {
        let machine: Option<&str> = machine;
        of_kernel(kernel, &records)
            .into_iter()
            .map(move |finding| Finding { machine: machine.map(str::to_owned), ..finding })
    };
    kernels.into_iter().flat_map(each).collect()
}

fn of_kernel(kernel: &str, records: &[&Record]) -> Vec<Finding> {
    match kernel {
        "comet/echo" | "comet/exchange" => curve::findings(kernel, records),
        "comet/broadcast" | "comet/reduction" | "comet/barrier" => collective::findings(kernel, records),
        "comet/contention" => load::findings(kernel, records),
        "comet/overlap" => overlap::findings(kernel, records),
        "comet/handler" => load::latencies(kernel, records),
        "comet/io" => load::rates(kernel, records),
        _ if kernel.starts_with("cm5/") => cm5::findings(kernel, records),
        "swap/swap" | "swap/sendrecv" => swap::findings(kernel, records),
        _ if kernel.starts_with("scenario/") => scenario::findings(kernel, records),
        _ if kernel.starts_with("classic/") => classic::findings(kernel, records),
        _ => growth::findings(kernel, records),
    }
}

impl Finding {
    fn new(kernel: &str, label: impl Into<String>, value: f64, unit: Unit) -> Self {
        Self {
            kernel: kernel.into(),
            machine: None,
            label: label.into(),
            value,
            unit,
            interval: None,
            interval_is: Range::Confidence,
        }
    }

    fn within(self, interval: Interval, scale: f64) -> Self {
        Self { interval: Some((interval.low * scale, interval.high * scale)), ..self }
    }
}

/// Records that differ in one parameter only, with that parameter's values in ascending order.
fn series<'a>(records: &[&'a Record], axis: &str) -> Vec<(Point, Vec<(u64, &'a Record)>)> {
    let mut groups: BTreeMap<Point, Vec<(u64, &'a Record)>> = BTreeMap::new();
    for record in records {
        let mut rest = record.point.clone();
        let x = match axis {
            "ranks" => Some(std::mem::replace(&mut rest.ranks, 0) as u64),
            _ => match rest.params.remove(axis) {
                Some(Value::Number(x)) => Some(x),
                _ => None,
            },
        };
        if let Some(x) = x {
            groups.entry(rest).or_default().push((x, record));
        }
    }
    for series in groups.values_mut() {
        series.sort_by_key(|(x, _)| *x);
    }
    groups.into_iter().collect()
}

/// The median in seconds.
fn seconds(record: &Record) -> Option<f64> {
    record.summary().map(|summary| summary.median * NANO)
}

const NANO: f64 = 1e-9;
