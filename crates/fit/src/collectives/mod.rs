//! Which algorithms carry out the collectives that were measured: each candidate of the schedules is simulated on the fitted machine,
//! in the same kernel at the same point, and the one that comes closest is the rule.

mod candidates;
mod choice;
mod rules;

use std::collections::BTreeMap;
use std::sync::Arc;

use panto_bench::results::{Manifest, Record};
use panto_bench::scenario::operation::LIBRARY;
use panto_bench::{Kernel, Point, param};
use panto_machine::{Machine, Rules};
use panto_schedule::{Algorithm, Collective, Problem};
use panto_stats::Summary;

use crate::fitted::RuleFile;
use candidates::{Candidates, Times};
use choice::{Cell, Chosen};

/// What is to be said of collectives in a model.
pub struct Detected {
    /// The lines of `[collectives]`.
    pub lines: Vec<String>,
    /// Where they come from.
    pub source: String,
    /// The rules, where they depend on sizes or numbers of ranks.
    pub file: Option<RuleFile>,
    /// What is worth knowing.
    pub notes: Vec<String>,
}

/// Finds the rules behind the collectives among the records.
pub fn detect(records: &[Record], manifests: &[Manifest], machine: &Machine, name: &str) -> Detected {
    let base = base(manifests);
    let mut machine = machine.clone();
    let mut found: Vec<(Collective, Chosen)> = Vec::new();
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
        match choice::choose(&cells(&own, &candidates, &base)) {
            Ok(chosen) => {
                notes.push(chosen.note(collective));
                found.push((collective, chosen));
                let table = Arc::new(rules::table(&base, &found));
                machine.collectives.rules = Rules::File { name: name.into(), table };
            }
            Err(why) => notes.push(format!("{collective}: {why}; the rules of {base} are assumed")),
        }
    }
    written(&base, &found, notes, name)
}

/// All collectives; others may be closed by a barrier, so that its rules must be known before theirs are looked for.
fn barrier_first() -> impl Iterator<Item = Collective> {
    let others = Collective::ALL.into_iter().filter(|collective| *collective != Collective::Barrier);
    std::iter::once(Collective::Barrier).chain(others)
}

/// A collective as the message layer carried it out.
struct Measured<'a> {
    record: &'a Record,
    kernel: Kernel,
    problem: Problem,
    element: usize,
}

impl<'a> Measured<'a> {
    /// Nothing if the record is no collective, or if somebody else than the message layer chose how it is done.
    fn new(record: &'a Record, manifests: &[Manifest]) -> Option<Self> {
        let kernel: Kernel = record.kernel.parse().ok()?;
        let (problem, element) = candidates::problem(kernel, &record.point)?;
        is_own(kernel, record, manifests).then_some(Self { record, kernel, problem, element })
    }
}

/// Was the algorithm the message layer's own choice?
fn is_own(kernel: Kernel, record: &Record, manifests: &[Manifest]) -> bool {
    if kernel == Kernel::ScenarioOnly {
        return record.point.text(param::IMPLEMENTATION) == LIBRARY;
    }
    let asked = || {
        manifests.iter().any(|manifest| manifest.command.iter().any(|word| word.starts_with("--algorithm")))
    };
    let simulated = record.machine.is_some();
    record.algorithm.as_deref() == Some(LIBRARY) || simulated && !asked()
}

/// The library's published rules are the best guess where nothing was measured.
fn base(manifests: &[Manifest]) -> Rules {
    let is_open =
        |manifest: &Manifest| manifest.mpi.as_ref().is_some_and(|mpi| mpi.version.contains("Open MPI"));
    if manifests.iter().any(is_open) { Rules::OpenMpi } else { Rules::Mpich }
}

/// What was measured beside what each candidate takes, by ranks and size.
fn cells(own: &[Measured<'_>], candidates: &Candidates, base: &Rules) -> Vec<Cell> {
    let mut launches: BTreeMap<(&str, &Point), Vec<&Measured<'_>>> = BTreeMap::new();
    for measured in own {
        let place = (measured.record.kernel.as_str(), &measured.record.point);
        launches.entry(place).or_default().push(measured);
    }
    let points: Vec<&Vec<&Measured<'_>>> = launches.values().collect();
    let mut cells: Vec<(Kernel, Cell)> = Vec::new();
    for same in points.chunk_by(|a, b| a[0].kernel == b[0].kernel) {
        let kernel = same[0][0].kernel;
        let records: Vec<&Record> = same.iter().map(|launches| launches[0].record).collect();
        let predictions = candidates.predict(kernel, &records);
        let cell = |launches: &&Vec<&Measured<'_>>| Some((kernel, cell(launches, &predictions, base)?));
        cells.extend(same.iter().filter_map(cell));
    }
    // Kernels are compared with themselves, so that all of them count. Of two that have the same point, the one that times a single call
    // from its first start to its last end says more than one that times many in a row on one rank.
    cells.sort_by_key(|(kernel, cell)| (cell.ranks, cell.bytes, *kernel != Kernel::ScenarioOnly));
    cells.dedup_by_key(|(_, cell)| (cell.ranks, cell.bytes));
    cells.into_iter().map(|(_, cell)| cell).collect()
}

/// One point, from all launches that have it.
fn cell(launches: &[&Measured<'_>], predictions: &[(Algorithm, Times)], base: &Rules) -> Option<Cell> {
    let Measured { record, problem, element, .. } = launches.first()?;
    let summaries: Vec<Summary> = launches.iter().filter_map(|one| one.record.summary()).collect();
    let medians: Vec<f64> = summaries.iter().map(|summary| summary.median).collect();
    let median = panto_stats::median(&medians).ok().filter(|median| *median > 0.0)?;
    let ends = summaries.iter().flat_map(|summary| [summary.interval.low, summary.interval.high]);
    let (low, high) = ends.fold((median, median), |(low, high), end| (low.min(end), high.max(end)));
    let of = |(algorithm, times): &(Algorithm, Times)| Some((*algorithm, *times.get(&record.point)?));
    Some(Cell {
        ranks: problem.ranks,
        bytes: (problem.count * element) as u64,
        usual: base.table().for_problem(problem, *element),
        measured: median * 1e-9,
        doubt: (high - low) / 2.0 / median,
        predicted: predictions.iter().filter_map(of).collect(),
    })
}

fn written(base: &Rules, found: &[(Collective, Chosen)], notes: Vec<String>, name: &str) -> Detected {
    let singles: Option<Vec<(Collective, Algorithm)>> =
        found.iter().map(|(collective, chosen)| Some((*collective, chosen.single()?))).collect();
    let source = if found.is_empty() {
        format!("assumed: the rules of {base}; no collective was measured")
    } else {
        format!(
            "fitted: of all schedules the one that comes closest on this machine; what was not measured as {base} does it"
        )
    };
    let Some(singles) = singles else {
        let file = RuleFile { name: format!("{}.rules", stem(name)), text: rules::text(base, found) };
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

/// A name as part of a file's name.
fn stem(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' };
    name.chars().map(plain).collect()
}
