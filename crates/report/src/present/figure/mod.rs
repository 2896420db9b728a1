//! Figure of a kernel (C18).

mod axes;
mod curves;
mod distribution;
mod overlay;
mod panels;
mod scenario;

use std::collections::BTreeSet;

use panto_results::{Manifest, Record};

use super::group::Group;
use super::{param, phrases, placement};
use crate::chart::{Chart, Figure};

pub(super) use axes::of_parameter;
pub(super) use overlay::{RunRecords, overlay_figure};
pub(super) use panels::thinned;
pub use scenario::{is_scenario, scenario_figures};

/// Returns the figure of one kernel: time against the parameter on its axis, with a curve per
/// combination of the others, and below it the bandwidth, where bytes are moved. A barrier has its
/// minimum as well, a broadcast and a reduction their time against the number of ranks, and a
/// handler the distribution of its times. With a manifest, the figure names where it was measured.
pub fn figure(kernel: &str, records: &[Record], manifest: Option<&Manifest>) -> Figure {
    let group = Group::of(kernel, records);
    let charts = match group.short_name() {
        "handler" => distribution::charts(&group),
        _ => curves::charts(&group),
    };
    let charts = charts.into_iter().chain(curves::against_ranks(kernel, records));
    let origin = manifest.map(origin);
    Figure::new(charts.enumerate().map(|(index, chart)| match &origin {
        Some(origin) if index == 0 => with_origin(chart, origin),
        _ => chart,
    }))
}

/// Returns where and how the records were measured.
pub(super) fn origin(manifest: &Manifest) -> String {
    let Manifest { transport, host, cpu, cores, .. } = manifest;
    if let Some(machine) = &manifest.machine {
        return format!("{}, {} network", machine.topology, machine.network);
    }
    match placement::hosts(manifest) {
        1 => format!("{transport} on {host} ({cpu}, {cores} cores)"),
        _ => format!("{transport}, {} ({cpu} on the first)", placement::summary(&manifest.placement)),
    }
}

fn with_origin(chart: Chart, origin: &str) -> Chart {
    let subtitle = format!("{}; {origin}", chart.subtitle);
    chart.subtitle(subtitle)
}

/// Returns the name of a kernel as text: `Row broadcast`.
fn kernel_name(group: &Group) -> String {
    match group.short_name() {
        "io" => "I/O".into(),
        name => phrases::capitalised(&name.replace('-', " ")),
    }
}

/// Returns the metric, and the parameters that are the same for all points.
fn subtitle(group: &Group) -> String {
    let Some(first) = group.records.first() else { return String::new() };
    let mut metrics: Vec<String> =
        group.records.iter().map(|record| phrases::metric(record.metric)).collect();
    metrics.dedup();
    let metric = if metrics.len() == 1 { metrics.remove(0) } else { "several metrics, see the table".into() };
    let fixed = group.fixed().into_iter().map(|name| param::of(first, name));
    let simulated = simulated(group);
    simulated.into_iter().chain(std::iter::once(metric)).chain(fixed).collect::<Vec<_>>().join("; ")
}

/// Returns the machines that were simulated, if any.
fn simulated(group: &Group) -> Option<String> {
    let names: BTreeSet<&str> = group.records.iter().filter_map(|record| record.machine.as_deref()).collect();
    (!names.is_empty()).then(|| format!("simulated {}", names.into_iter().collect::<Vec<_>>().join(", ")))
}

/// Returns whether all times are one-way.
fn is_one_way(group: &Group) -> bool {
    group.records.iter().all(|record| phrases::is_one_way(record.metric))
}
