//! Which algorithms the measured collectives use.
//!
//! Every algorithm that the schedules know is simulated on the fitted machine, in the same kernel
//! at the same point. The rules are the sequence of algorithms with the least misfit plus a cost
//! for each change ([`choice`]).

mod candidates;
mod choice;
mod rules;

use std::collections::BTreeMap;
use std::sync::Arc;

use panto_bench::Kernel;
use panto_machine::{Machine, Rules};
use panto_results::scenario::LIBRARY;
use panto_results::{Manifest, MpiInfo, Point, Record, param};
use panto_schedule::{Algorithm, Collective, Problem};
use panto_stats::Summary;

use crate::fitted::RuleFile;
use candidates::{Candidates, Times};
use choice::{PointTimes, SelectedRules};

/// What a model states about collectives.
pub struct Detected {
    /// Lines of `[collectives]`.
    pub lines: Vec<String>,
    /// Source of these lines.
    pub source: String,
    /// Rules file, where the algorithm depends on sizes or numbers of ranks.
    pub file: Option<RuleFile>,
    /// Notes for the user.
    pub notes: Vec<String>,
}

/// Finds the rules behind the collectives among the records.
pub fn detect(records: &[Record], manifests: &[Manifest], machine: &Machine, name: &str) -> Detected {
    let base = published_rules(manifests);
    let mut machine = machine.clone();
    let mut found: Vec<(Collective, SelectedRules)> = Vec::new();
    let mut notes = Vec::new();
    for collective in barrier_first() {
        let own: Vec<Measured<'_>> = records
            .iter()
            .filter(|record| record.absent.is_none() && record.wrong.is_none())
            .filter_map(|record| Measured::new(record, manifests))
            .filter(|measured| measured.problem.collective == collective)
            .collect();
        if own.is_empty() {
            continue;
        }
        let candidates = Candidates::new(Arc::new(machine.clone()), manifests, collective);
        match choice::choose(&comparisons(&own, &candidates, &base)) {
            Ok(chosen) => {
                notes.push(chosen.note(collective));
                found.push((collective, chosen));
                let table = Arc::new(rules::table(&base, &found));
                machine.collectives.rules = Rules::File { name: name.into(), table };
            }
            Err(why) => notes.push(format!("{collective}: {why}; the rules of {base} are assumed")),
        }
    }
    detected(&base, &found, notes, name)
}

/// Returns all collectives, barriers first: other collectives may be closed by a barrier, whose
/// rules must be known then.
fn barrier_first() -> impl Iterator<Item = Collective> {
    let others = Collective::ALL.into_iter().filter(|collective| *collective != Collective::Barrier);
    std::iter::once(Collective::Barrier).chain(others)
}

/// A record of a collective whose algorithm the message layer chose.
struct Measured<'a> {
    record: &'a Record,
    kernel: Kernel,
    problem: Problem,
    element: usize,
}

impl<'a> Measured<'a> {
    /// Returns `None` if the record is no collective, or if its algorithm was given.
    fn new(record: &'a Record, manifests: &[Manifest]) -> Option<Self> {
        let kernel: Kernel = record.kernel.parse().ok()?;
        let (problem, element) = candidates::problem(kernel, &record.point)?;
        is_library_choice(kernel, record, manifests).then_some(Self { record, kernel, problem, element })
    }
}

/// Returns whether the message layer chose the algorithm.
fn is_library_choice(kernel: Kernel, record: &Record, manifests: &[Manifest]) -> bool {
    if kernel == Kernel::ScenarioOnly {
        return record.point.text(param::IMPLEMENTATION) == LIBRARY;
    }
    let is_simulated = record.machine.is_some();
    let is_requested = || manifests.iter().any(Manifest::requests_algorithm);
    record.algorithm.as_deref() == Some(LIBRARY) || is_simulated && !is_requested()
}

/// Returns the published rules of the library, for collectives that were not measured.
fn published_rules(manifests: &[Manifest]) -> Rules {
    let is_open_mpi = |manifest: &Manifest| manifest.mpi.as_ref().is_some_and(MpiInfo::is_open_mpi);
    if manifests.iter().any(is_open_mpi) { Rules::OpenMpi } else { Rules::Mpich }
}

/// Returns measured and predicted times, by ranks and size.
fn comparisons(own: &[Measured<'_>], candidates: &Candidates, base: &Rules) -> Vec<PointTimes> {
    let mut launches: BTreeMap<(&str, &Point), Vec<&Measured<'_>>> = BTreeMap::new();
    for measured in own {
        let place = (measured.record.kernel.as_str(), &measured.record.point);
        launches.entry(place).or_default().push(measured);
    }
    let points: Vec<&Vec<&Measured<'_>>> = launches.values().collect();
    let mut cells: Vec<(Kernel, PointTimes)> = Vec::new();
    for same in points.chunk_by(|a, b| a[0].kernel == b[0].kernel) {
        let kernel = same[0][0].kernel;
        let records: Vec<&Record> = same.iter().map(|launches| launches[0].record).collect();
        let predictions = candidates.predict(kernel, &records);
        let cell =
            |launches: &&Vec<&Measured<'_>>| Some((kernel, point_times(launches, &predictions, base)?));
        cells.extend(same.iter().filter_map(cell));
    }
    // Each kernel is compared with itself, so records of all kernels count. Of two with the same
    // point, the one that times a single call from its first start to its last end is preferred to
    // one that times many in a row on one rank.
    cells.sort_by_key(|(kernel, cell)| (cell.ranks, cell.bytes, *kernel != Kernel::ScenarioOnly));
    cells.dedup_by_key(|(_, cell)| (cell.ranks, cell.bytes));
    cells.into_iter().map(|(_, cell)| cell).collect()
}

/// Returns one point, from all launches that have it.
fn point_times(
    launches: &[&Measured<'_>],
    predictions: &[(Algorithm, Times)],
    base: &Rules,
) -> Option<PointTimes> {
    let Measured { record, problem, element, .. } = launches.first()?;
    let summaries: Vec<Summary> = launches.iter().filter_map(|one| one.record.summary()).collect();
    let medians: Vec<f64> = summaries.iter().map(|summary| summary.median).collect();
    let median = panto_stats::median(&medians).ok().filter(|median| *median > 0.0)?;
    let ends = summaries.iter().flat_map(|summary| [summary.interval.low, summary.interval.high]);
    let (low, high) = ends.fold((median, median), |(low, high), end| (low.min(end), high.max(end)));
    let of = |(algorithm, times): &(Algorithm, Times)| Some((*algorithm, *times.get(&record.point)?));
    Some(PointTimes {
        ranks: problem.ranks,
        bytes: (problem.count * element) as u64,
        published: base.table().for_problem(problem, *element),
        measured: median * 1e-9,
        uncertainty: (high - low) / 2.0 / median,
        predicted: predictions.iter().filter_map(of).collect(),
    })
}

fn detected(base: &Rules, found: &[(Collective, SelectedRules)], notes: Vec<String>, name: &str) -> Detected {
    let singles: Option<Vec<(Collective, Algorithm)>> =
        found.iter().map(|(collective, chosen)| Some((*collective, chosen.single()?))).collect();
    let source = if found.is_empty() {
        format!("assumed: the rules of {base}; no collective was measured")
    } else {
        format!(
            "fitted: the algorithm whose simulation on this machine comes closest; the rules of {base} for collectives that were not measured"
        )
    };
    let Some(singles) = singles else {
        let file = RuleFile { name: format!("{}.rules", file_stem(name)), text: rules::text(base, found) };
        return Detected {
            lines: vec![format!("rules = \"{}\"", file.name)],
            source,
            file: Some(file),
            notes,
        };
    };
    let own = singles
        .into_iter()
        .map(|(collective, algorithm)| format!("algorithm.{collective} = \"{algorithm}\""));
    Detected {
        lines: std::iter::once(format!("rules = \"{base}\"")).chain(own).collect(),
        source,
        file: None,
        notes,
    }
}

/// Returns a name with everything but letters, digits, `-` and `_` replaced.
fn file_stem(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' };
    name.chars().map(plain).collect()
}
