//! Presentation of COMMTEST: bandwidths by protocol and size, statistics, and the recommended
//! protocol (T6-T9).

mod figures;
mod matrix;
mod notes;
mod ranking;
mod statistics;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use panto_results::swap::{CacheMode, Loop};
use panto_results::{Point, Record, kernel, param};
use panto_units::bytes;

use crate::table::Table;

pub use figures::figures as swap_figures;
pub(super) use matrix::tables;

/// Returns whether a kernel belongs to this suite.
pub fn is_swap(kernel: &str) -> bool {
    kernel::suite_of(kernel) == kernel::swap::SUITE
}

/// Returns the statistics of each experiment and the fastest protocols at each size, each with a
/// heading.
pub fn swap_tables(records: &[Record]) -> Vec<(String, Table)> {
    let records: Vec<&Record> = records.iter().filter(|record| is_swap(&record.kernel)).collect();
    if records.iter().all(|record| record.summary().is_none()) {
        return Vec::new();
    }
    statistics::tables(&records).into_iter().chain(ranking::tables(&records)).collect()
}

/// Returns a summary of the suite's records: the statistics of each experiment, the fastest
/// protocols at each size, and the recommended protocol. Empty if there are no records.
pub fn swap_summary(records: &[Record]) -> String {
    let tables = swap_tables(records);
    if tables.is_empty() {
        return String::new();
    }
    let records: Vec<&Record> = records.iter().filter(|record| is_swap(&record.kernel)).collect();
    let notes = notes::notes(&records).into_iter().map(|note| format!("note: {note}"));
    let mut lines: Vec<String> =
        tables.iter().map(|(heading, table)| format!("{heading}\n{table}")).collect();
    lines.extend(notes);
    lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect()
}

/// Records of one experiment.
struct Experiment<'a> {
    kernel: &'a str,
    machine: Option<&'a str>,
    /// Parameters they have in common.
    point: Point,
    records: Vec<&'a Record>,
}

impl Experiment<'_> {
    /// Returns the common parameters as text: `swap/swap, 2MiB, basic loop, cold, between 0-1`.
    fn name(&self) -> String {
        let Self { kernel, machine, point, .. } = self;
        let text = |name: &str, phrase: &dyn Fn(&str) -> String| {
            Some(point.text(name)).filter(|text| !text.is_empty()).map(phrase)
        };
        let parts = [
            Some((*kernel).to_owned()),
            machine.map(|machine| format!("simulated {machine}")),
            point.number(param::VOLUME).map(bytes),
            text(param::LOOP, &|order| format!("{order} loop")),
            text(param::CACHE_MODE, &str::to_owned),
            text(param::BETWEEN, &|pairs| format!("between {pairs}")),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// Groups records that differ only in these parameters, in the order of COMMTEST: the largest
/// volume first.
fn experiments<'a>(records: &[&'a Record], differ: &[&str]) -> Vec<Experiment<'a>> {
    let mut groups: BTreeMap<_, Experiment<'a>> = BTreeMap::new();
    for &record in records {
        let mut point = record.point.clone();
        point.params.retain(|name, _| !differ.contains(&name.as_str()));
        let (kernel, machine) = (record.kernel.as_str(), record.machine.as_deref());
        let group = groups.entry((kernel, machine, sort_key(&point), point.clone()));
        group
            .or_insert_with(|| Experiment { kernel, machine, point, records: Vec::new() })
            .records
            .push(record);
    }
    groups.into_values().collect()
}

fn sort_key(point: &Point) -> impl Ord + use<> {
    let mode = point.text(param::CACHE_MODE).parse::<CacheMode>().ok();
    let order = point.text(param::LOOP).parse::<Loop>().ok();
    (
        point.ranks,
        point.text(param::BETWEEN).to_owned(),
        Reverse(point.number(param::VOLUME)),
        mode.and_then(|mode| CacheMode::ALL.iter().position(|each| *each == mode)),
        order.and_then(|order| Loop::ALL.iter().position(|each| *each == order)),
    )
}
