//! COMMTEST as people read it: bandwidths by protocol and size, statistics, and which protocol to write (T6-T9).

mod figures;
mod matrix;
mod notes;
mod ranking;
mod statistics;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use panto_bench::results::Record;
use panto_bench::swap::{Loop, Way};
use panto_bench::{Point, param};
use panto_units::bytes;

use crate::table::Table;

pub use figures::figures as swap_figures;
pub(super) use matrix::tables;

/// Is it a kernel of this suite?
pub fn is_swap(kernel: &str) -> bool {
    kernel.starts_with("swap/")
}

/// The statistics of each experiment and the fastest protocols at each size, each with a heading.
pub fn swap_tables(records: &[Record]) -> Vec<(String, Table)> {
    let records: Vec<&Record> = records.iter().filter(|record| is_swap(&record.kernel)).collect();
    if records.iter().all(|record| record.summary().is_none()) {
        return Vec::new();
    }
    statistics::tables(&records).into_iter().chain(ranking::tables(&records)).collect()
}

/// What follows from records of the suite: the statistics of each experiment, the fastest protocols at each size, and what to write.
/// Empty if there are none.
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

/// Records that belong together.
struct Experiment<'a> {
    kernel: &'a str,
    machine: Option<&'a str>,
    /// What they have in common.
    point: Point,
    records: Vec<&'a Record>,
}

impl Experiment<'_> {
    /// `swap/swap, 2MiB, basic loop, cold, between 0-1`, as far as these are the same.
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
            text(param::WAY, &str::to_owned),
            text(param::BETWEEN, &|pairs| format!("between {pairs}")),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// Records that differ in nothing but these parameters, in the order of COMMTEST: the largest volume first.
fn experiments<'a>(records: &[&'a Record], differ: &[&str]) -> Vec<Experiment<'a>> {
    let mut groups: BTreeMap<_, Experiment<'a>> = BTreeMap::new();
    for &record in records {
        let mut point = record.point.clone();
        point.params.retain(|name, _| !differ.contains(&name.as_str()));
        let (kernel, machine) = (record.kernel.as_str(), record.machine.as_deref());
        let group = groups.entry((kernel, machine, standing(&point), point.clone()));
        group
            .or_insert_with(|| Experiment { kernel, machine, point, records: Vec::new() })
            .records
            .push(record);
    }
    groups.into_values().collect()
}

fn standing(point: &Point) -> impl Ord + use<> {
    let way = point.text(param::WAY).parse::<Way>().ok();
    let order = point.text(param::LOOP).parse::<Loop>().ok();
    (
        point.ranks,
        point.text(param::BETWEEN).to_owned(),
        Reverse(point.number(param::VOLUME)),
        way.and_then(|way| Way::ALL.iter().position(|each| *each == way)),
        order.and_then(|order| Loop::ALL.iter().position(|each| *each == order)),
    )
}
