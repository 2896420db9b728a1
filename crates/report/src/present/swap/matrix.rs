//! Bandwidths of one experiment: a row per protocol, a column per message size.

use std::collections::{BTreeMap, BTreeSet};

use panto_results::swap::Protocol;
use panto_results::{Record, param};
use panto_units::{RATE, bytes};

use super::super::group::Group;
use super::super::notation::Notation;
use super::super::phrases;
use super::{Experiment, experiments};
use crate::table::{Column, Table};

/// Mark of a size that was not measured because it equals another.
const SAME: &str = "=";
/// Mark of a size of a protocol that was not measured at all; the caption has the reason.
const ABSENT: &str = "absent";

/// Returns a table per experiment.
pub(in crate::present) fn tables(group: &Group) -> Vec<(String, Table)> {
    experiments(&group.records, &[param::PROTOCOL, param::BYTES]).iter().map(table).collect()
}

/// Records of one protocol by size; of several launches the last.
type Row<'a> = BTreeMap<u64, &'a Record>;

fn table(experiment: &Experiment) -> (String, Table) {
    let rows = rows(experiment);
    let sizes: BTreeSet<u64> = rows.values().flat_map(|row| row.keys().copied()).collect();
    let rates: Vec<f64> =
        rows.values().flat_map(BTreeMap::values).filter_map(|record| rate(record)).collect();
    let notation = Notation::of(rates.iter().copied(), RATE);
    let columns = sizes.iter().map(|size| notation.column(&bytes(*size)));
    let mut table = Table::new([Column::text("protocol")].into_iter().chain(columns));
    let is_absent = |row: &Row| row.values().all(|record| record.absent.is_some());
    // A table without rows would show nothing.
    let has_rows = !rows.values().all(is_absent);
    for (place, row) in rows.iter().filter(|(_, row)| !has_rows || !is_absent(row)) {
        let same = if has_rows { SAME } else { ABSENT };
        let cell = |size: &u64| match row.get(size) {
            Some(record) if record.absent.is_some() => same.to_owned(),
            Some(record) => rate(record).map_or("-".into(), |rate| notation.cell(rate)),
            None => "-".into(),
        };
        let name = Protocol::ALL.get(*place).map_or_else(|| "?".into(), Protocol::to_string);
        table.row(std::iter::once(name).chain(sizes.iter().map(cell)));
    }
    let parts = caption(experiment).into_iter().chain(missing(&rows, sizes.len()));
    let caption = parts.collect::<Vec<_>>().join("; ");
    (format!("{}: bandwidth of both directions, by message size", experiment.name()), table.caption(caption))
}

fn rows<'a>(experiment: &Experiment<'a>) -> BTreeMap<usize, Row<'a>> {
    let mut rows: BTreeMap<usize, Row> = BTreeMap::new();
    for &record in &experiment.records {
        let place = record.point.text(param::PROTOCOL).parse::<Protocol>();
        let place = place.map_or(usize::MAX, |protocol| protocol.place());
        rows.entry(place).or_default().insert(record.point.number(param::BYTES).unwrap_or(0), record);
    }
    rows
}

fn rate(record: &Record) -> Option<f64> {
    record.bandwidth(record.summary()?.median)
}

fn caption(experiment: &Experiment) -> Option<String> {
    let measured = experiment.records.iter().find(|record| record.absent.is_none())?;
    Some(format!("time: {}; start: {}", measured.metric, phrases::start(measured.start)))
}

/// Returns what was not measured, and why.
fn missing(rows: &BTreeMap<usize, Row>, sizes: usize) -> Vec<String> {
    let mut reasons: Vec<String> = Vec::new();
    for (place, row) in rows {
        let mut by_reason: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
        for (size, record) in row {
            if let Some(why) = &record.absent {
                by_reason.entry(why).or_default().push(*size);
            }
        }
        let id = Protocol::ALL.get(*place).map_or_else(|| "?".into(), Protocol::id);
        reasons.extend(by_reason.into_iter().map(|(why, which)| {
            let which = if which.len() == sizes { String::new() } else { span(&which) };
            format!("{id}{which}: {}", phrases::one_line(why))
        }));
    }
    reasons
}

fn span(sizes: &[u64]) -> String {
    match sizes {
        [one] => format!(" at {}", bytes(*one)),
        [first, .., last] => format!(" from {} to {}", bytes(*first), bytes(*last)),
        [] => String::new(),
    }
}
