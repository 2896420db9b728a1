//! Reads results files of `panto bench`.

use std::path::Path;

use panto_results::Result;
use panto_results::quality::{Grade, assess, grade_of, run_quality};
use panto_results::{Manifest, Results};

use crate::key::Key;
use crate::run::Run;

pub(super) fn read(path: &Path, salvage: bool) -> Result<Run> {
    let results = if salvage { panto_results::salvage(path)? } else { panto_results::read(path)? };
    let mut run = Run { command: results.manifests.last().map(command), ..Run::default() };
    run.notes.extend(notes(path, &results));
    for manifest in &results.manifests {
        run.facts.add_manifest(manifest);
    }
    for record in results.records {
        if record.samples_ns.is_empty() {
            continue;
        }
        run.facts.add_record(&record);
        if grade_of(&assess(&record)) == Grade::Poor {
            *run.poor.entry(Key::of(&record)).or_default() += 1;
        }
        run.push(Key::of(&record), record.samples_ns);
    }
    Ok(run)
}

fn notes(path: &Path, results: &Results) -> Vec<String> {
    let name = path.display();
    let damage =
        results.damage.as_ref().map(|damage| format!("the rest of a damaged file was skipped: {damage}"));
    let stopped = results.is_incomplete() && damage.is_none();
    let stopped = stopped.then(|| format!("{name}: the run was stopped before all points were measured"));
    let empty = results.records.iter().filter(|record| record.samples_ns.is_empty()).count();
    let empty = (empty > 0).then(|| format!("{name}: {empty} points have no times and are skipped"));
    let quality = run_quality(&results.records).filter(|quality| quality.poor > 0);
    let poor = quality.map(|quality| {
        let count = quality.poor;
        format!(
            "{name}: {count} of {} points are poor and prove nothing ({})",
            quality.points,
            quality.verdict()
        )
    });
    let noisy = results.records.iter().filter(|record| record.steal.is_some_and(|part| part > 0.01)).count();
    let noisy = (noisy > 0).then(|| format!("{name}: steal time exceeds 1% at {noisy} points"));
    [damage, stopped, empty, poor, noisy].into_iter().flatten().collect()
}

/// Returns the command line that measured a run, without the path of the program, which may not
/// exist here.
fn command(manifest: &Manifest) -> String {
    let words = manifest.command.iter().skip(1).map(String::as_str);
    std::iter::once("panto").chain(words).collect::<Vec<_>>().join(" ")
}
