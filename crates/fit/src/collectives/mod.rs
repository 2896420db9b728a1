//! Which algorithms carry out the collectives that were measured: each candidate of the schedules is simulated on the fitted machine,
//! in the same kernel at the same point, and the one that comes closest is the rule.

mod candidates;
mod choice;
mod rules;

use std::sync::Arc;

use panto_bench::Kernel;
use panto_bench::results::{Manifest, Record};
use panto_machine::{Machine, Rules};
use panto_schedule::{Algorithm, Collective};

use crate::fitted::RuleFile;
use crate::observe::seconds;
use candidates::Candidates;
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

/// The collectives of CoMet, the barrier first: others are closed by one.
const KERNELS: [(&str, Collective); 3] = [
    ("comet/barrier", Collective::Barrier),
    ("comet/reduction", Collective::Allreduce),
    ("comet/broadcast", Collective::Broadcast),
];

/// Finds the rules behind the collectives among the records.
pub fn detect(records: &[Record], manifests: &[Manifest], machine: &Machine, name: &str) -> Detected {
    let base = base(manifests);
    let mut machine = machine.clone();
    let mut found: Vec<(Collective, Chosen)> = Vec::new();
    let mut notes = Vec::new();
    for (kernel, collective) in KERNELS {
        let own: Vec<&Record> =
            records.iter().filter(|record| record.kernel == kernel && is_own(record, manifests)).collect();
        if own.is_empty() {
            continue;
        }
        let cells = cells(&own, &machine, manifests, collective);
        match choice::choose(&cells, |ranks, bytes| base.table().choose(collective, ranks, bytes)) {
            Ok(chosen) => {
                notes.push(chosen.note(collective));
                if let Some(algorithm) = chosen.single() {
                    machine.collectives.algorithms.insert(collective, algorithm);
                }
                found.push((collective, chosen));
            }
            Err(why) => notes.push(format!("{collective}: {why}; the rules of {base} are assumed")),
        }
    }
    written(&base, &found, notes, name)
}

/// Was the algorithm the message layer's own choice?
fn is_own(record: &Record, manifests: &[Manifest]) -> bool {
    let asked = || {
        manifests.iter().any(|manifest| manifest.command.iter().any(|word| word.starts_with("--algorithm")))
    };
    let simulated = record.machine.is_some();
    record.algorithm.as_deref() == Some("library") || simulated && !asked()
}

/// The library's published rules are the best guess where nothing was measured.
fn base(manifests: &[Manifest]) -> Rules {
    let is_open =
        |manifest: &Manifest| manifest.mpi.as_ref().is_some_and(|mpi| mpi.version.contains("Open MPI"));
    if manifests.iter().any(is_open) { Rules::OpenMpi } else { Rules::Mpich }
}

fn cells(
    records: &[&Record],
    machine: &Machine,
    manifests: &[Manifest],
    collective: Collective,
) -> Vec<Cell> {
    let mut candidates = Candidates::new(Arc::new(machine.clone()), manifests, collective);
    let predictions = candidates.predict(records);
    let cell = |record: &&Record| {
        let kernel: Kernel = record.kernel.parse().ok()?;
        let (problem, element) = candidates::problem(kernel, &record.point)?;
        let measured = seconds(record).filter(|seconds| *seconds > 0.0)?;
        let summary = record.summary()?;
        Some(Cell {
            ranks: problem.ranks,
            bytes: (problem.count * element) as u64,
            measured,
            doubt: summary.interval.relative_half_width(summary.median),
            predicted: predictions
                .iter()
                .filter_map(|(algorithm, times)| Some((*algorithm, *times.get(&record.point)?)))
                .collect(),
        })
    };
    let mut cells: Vec<Cell> = records.iter().filter_map(cell).collect();
    cells.sort_by_key(|cell| (cell.ranks, cell.bytes));
    cells.dedup_by_key(|cell| (cell.ranks, cell.bytes));
    cells
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
