//! The parts of a page that are about more than one file, or about a timeline.

use std::path::Path;

use panto_bench::param;
use panto_bench::results::{Expected, Record};
use panto_compare::{Comparison, Settings, compare};
use panto_machine::{Description, Machine, one_way};
use panto_report::html::{Block, Section};
use panto_timeline::{RankSummary, Timeline};

use super::input::{Input, Run};
use crate::failure::Failure;
use crate::{out, timeline};

/// What changes up to here are of no practical weight, as for `panto compare`.
const SETTINGS: Settings = Settings { threshold: 0.05, confidence: 0.95 };
/// With more ranks, the first of them are in the table.
const MOST_RANKS: usize = 64;

/// Each further run beside the first. Runs that have nothing in common are not compared, and that is said.
pub fn compared(runs: &[Run], lenient: bool) -> Vec<Option<Comparison>> {
    let Some((first, others)) = runs.split_first() else { return Vec::new() };
    let compared = |other: &Run| {
        let both = panto_compare::Run::open_both(&first.path, &other.path, lenient);
        match both.and_then(|(old, new)| compare(old, new, SETTINGS)) {
            Ok(found) => Some(Comparison { old: first.name.clone(), new: other.name.clone(), ..found }),
            Err(why) => {
                out::note(format_args!("panto: {} and {} are not compared: {why}", first.name, other.name));
                None
            }
        }
    };
    others.iter().map(compared).collect()
}

/// The runs, with what the first of the models says beside each point that it can say something of.
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

/// A model tells without a simulation what a lone message between neighbours takes.
fn expected(record: &Record, machine: &Machine) -> Record {
    let near = record.point.number(param::HOPS).is_none_or(|hops| hops == 1)
        && record.point.text(param::DISTANCE).is_empty();
    let bytes = record.point.number(param::BYTES).filter(|_| near && record.kernel == "comet/echo");
    let Some(bytes) = bytes.filter(|_| record.expected.is_none()) else { return record.clone() };
    let distance = Description::of(machine).near.distance;
    let time = one_way(&machine.network, machine.protocol, bytes, distance);
    let expected = Expected { machine: machine.name.clone(), time_ns: time.as_nanos() };
    Record { expected: Some(expected), ..record.clone() }
}

/// Two timelines are one above the other; others have sections of their own.
pub fn timelines(inputs: &[Input]) -> Result<Vec<Section>, Failure> {
    let paths: Vec<&Path> = inputs.iter().filter_map(Input::timeline).collect();
    let groups = if paths.len() == panto_view::MOST_TIMELINES {
        vec![paths.as_slice()]
    } else {
        paths.chunks(1).collect()
    };
    groups.into_iter().filter(|group| !group.is_empty()).map(timeline_section).collect()
}

/// The viewer of these timelines, and what each rank did.
pub fn timeline_section(paths: &[&Path]) -> Result<Section, Failure> {
    let names = names(paths);
    let mut section = Section::new("timeline", format!("Timeline: {}", names.join(" and ")));
    let viewer = panto_view::fragment(paths, &panto_view::Options::for_report());
    let viewer = viewer.map_err(|error| Failure::Usage(error.to_string()))?;
    section = section.block(Block::Embedded(viewer));
    for (path, name) in paths.iter().zip(&names) {
        let timeline = Timeline::open(path)?;
        let ranks: Vec<RankSummary> = timeline.summary()?.ranks().take(timeline.ranks() as usize).collect();
        section = section.block(summary(name, &timeline, &ranks));
    }
    Ok(section)
}

/// File names say enough, unless two are the same.
fn names(paths: &[&Path]) -> Vec<String> {
    let short: Vec<String> = paths
        .iter()
        .map(|path| path.file_name().unwrap_or_default().to_string_lossy().into_owned())
        .collect();
    match short.as_slice() {
        [one, other] if one == other => paths.iter().map(|path| path.display().to_string()).collect(),
        _ => short,
    }
}

fn summary(name: &str, timeline: &Timeline, ranks: &[RankSummary]) -> Block {
    let facts: Vec<String> =
        timeline.about().facts.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    let shown = &ranks[..ranks.len().min(MOST_RANKS)];
    let mut blocks = vec![Block::paragraph(facts.join("; ")), timeline::table(shown).into()];
    if shown.len() < ranks.len() {
        blocks.push(Block::paragraph(format!("The first {} of {} ranks.", shown.len(), ranks.len())));
    }
    Block::Details { summary: format!("Each rank of {name}"), blocks }
}
