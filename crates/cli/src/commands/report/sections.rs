//! The sections of a page that combine several files.

use std::path::Path;

use panto_compare::{Comparison, Settings, compare};
use panto_machine::{Description, Machine, one_way};
use panto_report::html::Section;
use panto_report::present::{TraceReport, machine_section, saved_section, sweep_section, timeline_section};
use panto_results::{Expected, Record, kernel, param};
use panto_trace::Summary;

use super::input::{Input, Run};
use crate::failure::Failure;
use crate::print;

/// The defaults of `panto compare`.
const SETTINGS: Settings = Settings { threshold: 0.05, confidence: 0.95 };

/// Compares each further run with the first; `None`, with a note, for runs without common points.
pub fn compared(runs: &[Run], lenient: bool) -> Vec<Option<Comparison>> {
    let Some((first, others)) = runs.split_first() else { return Vec::new() };
    let compared = |other: &Run| {
        let both = panto_compare::Run::open_both(&first.path, &other.path, lenient);
        match both.and_then(|(old, new)| compare(old, new, SETTINGS)) {
            Ok(found) => Some(Comparison { old: first.name.clone(), new: other.name.clone(), ..found }),
            Err(why) => {
                print::note(format_args!("panto: cannot compare {} and {}: {why}", first.name, other.name));
                None
            }
        }
    };
    others.iter().map(compared).collect()
}

/// Returns the runs with the expectations of the first model.
pub fn with_models(inputs: &[Input]) -> Vec<Run> {
    let model = inputs.iter().find_map(Input::model);
    let runs = inputs.iter().filter_map(Input::run).cloned();
    let Some(model) = model else { return runs.collect() };
    let beside = |run: Run| {
        let records = run.records.iter().map(|record| expected(record, model.machine())).collect();
        Run { records, ..run }
    };
    runs.map(beside).collect()
}

/// Adds the model's time of a single message between neighbours, which needs no simulation.
fn expected(record: &Record, machine: &Machine) -> Record {
    let near = record.point.number(param::HOPS).is_none_or(|hops| hops == 1)
        && record.point.text(param::DISTANCE).is_empty();
    let bytes = record.point.number(param::BYTES).filter(|_| near && record.kernel == kernel::comet::ECHO);
    let Some(bytes) = bytes.filter(|_| record.expected.is_none()) else { return record.clone() };
    let distance = Description::of(machine).near.distance;
    let time = one_way(&machine.network, machine.protocol, bytes, distance);
    let expected = Expected { machine: machine.name.clone(), time_ns: time.as_nanos() };
    Record { expected: Some(expected), ..record.clone() }
}

/// Returns the sections of all files that are not results: timelines, then file after file.
pub fn others(inputs: &[Input], group: &dyn Fn(&str) -> String) -> Result<Vec<Section>, Failure> {
    let timelines = timelines(inputs)?.into_iter();
    let mut found: Vec<Section> = timelines.map(|section| section.in_group(&group("Timelines"))).collect();
    for input in inputs {
        let section = match input {
            Input::Results(_) | Input::Timeline(_) => continue,
            Input::Trace(trace, _) => TraceReport::new(trace, &Summary::of(trace)?).section(),
            Input::Saved(kind, document, name) => saved_section(name, *kind, document),
            Input::Sweep(rows, name) => sweep_section(name, rows),
            Input::Machine(model, _) => machine_section(model),
        };
        found.push(section.in_group(&group(&input.name())));
    }
    Ok(found)
}

/// Returns the sections of timelines: one for exactly two timelines, else one for each.
fn timelines(inputs: &[Input]) -> Result<Vec<Section>, Failure> {
    let paths: Vec<&Path> = inputs.iter().filter_map(Input::timeline).collect();
    let groups = if paths.len() == panto_view::MAX_TIMELINES {
        vec![paths.as_slice()]
    } else {
        paths.chunks(1).collect()
    };
    groups.into_iter().filter(|group| !group.is_empty()).map(|group| Ok(timeline_section(group)?)).collect()
}
