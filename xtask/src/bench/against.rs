//! Runs of a benchmark as files, and whether a later run is slower: the guard against regressions.
//!
//! A file has one line for each figure, a JSON object with its name and the seconds of each round.
//! Two runs are compared by the statistics of `panto compare`: the ratio of medians with its
//! bootstrap interval and a Mann-Whitney test, corrected for the number of figures (Holm 1979). A
//! machine whose speed differs between two runs makes all figures slower or faster, so runs are
//! comparable on a quiet machine only.

use std::path::Path;

use panto_stats::{Comparison, Verdict, compare_family};
use serde_json::{Value, json};

use crate::failure::{Failure, Result};

/// The seconds of each round of one figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    pub name: String,
    pub seconds: Vec<f64>,
}

/// Writes a run to a file.
pub fn save(file: &Path, run: &[Series]) -> Result<()> {
    let line = |series: &Series| format!("{}\n", json!({ "name": series.name, "seconds": series.seconds }));
    std::fs::write(file, run.iter().map(line).collect::<String>())
        .map_err(|error| Failure::failed(format!("cannot write {}: {error}", file.display())))
}

/// Reads a run from a file.
pub fn read(file: &Path) -> Result<Vec<Series>> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| Failure::failed(format!("cannot read {}: {error}", file.display())))?;
    let series = |(nth, line): (usize, &str)| {
        parse(line).ok_or_else(|| {
            let file = file.display();
            Failure::failed(format!("{file}, line {}: not a figure that `bench --save` wrote", nth + 1))
        })
    };
    text.lines().enumerate().map(series).collect()
}

fn parse(line: &str) -> Option<Series> {
    let value: Value = serde_json::from_str(line).ok()?;
    let seconds: Option<Vec<f64>> = value["seconds"].as_array()?.iter().map(Value::as_f64).collect();
    Some(Series { name: value["name"].as_str()?.to_owned(), seconds: seconds? })
}

/// Prints how a run compares with an earlier one. Fails if a figure is slower, or if the runs have
/// no figure in common.
pub fn compare(earlier: &[Series], run: &[Series]) -> Result<()> {
    let comparisons = comparisons(earlier, run)?;
    println!("\nratio to the earlier run (95 % interval); p by Mann-Whitney and Holm");
    for (name, comparison) in &comparisons {
        println!("  {name}: {comparison}");
    }
    let slower = comparisons.iter().filter(|(_, comparison)| comparison.verdict == Verdict::Slower).count();
    match slower {
        0 => Ok(()),
        _ => Err(Failure::failed(format!(
            "{slower} of {} figures are slower than in the earlier run; repeat both on a quiet machine to confirm",
            comparisons.len()
        ))),
    }
}

fn comparisons(earlier: &[Series], run: &[Series]) -> Result<Vec<(String, Comparison)>> {
    let counterpart = |now: &Series| earlier.iter().find(|before| before.name == now.name);
    let (names, pairs): (Vec<String>, Vec<_>) = run
        .iter()
        .filter_map(|now| Some((now.name.clone(), (counterpart(now)?.seconds.clone(), now.seconds.clone()))))
        .unzip();
    if names.is_empty() {
        return Err(Failure::failed("the earlier run has none of these figures; measure the same parts"));
    }
    let compared = compare_family(&pairs)
        .map_err(|error| Failure::failed(format!("the runs cannot be compared: {error}")))?;
    Ok(names.into_iter().zip(compared).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    fn series(name: &str, level: f64) -> Series {
        let seconds = (0..7).map(|round| level * (1.0 + f64::from(round) / 100.0)).collect();
        Series { name: name.to_owned(), seconds }
    }

    fn run(ring: f64, halo: f64) -> Vec<Series> {
        vec![series("ring", ring), series("halo, one core", halo)]
    }

    #[test]
    fn a_saved_run_is_read_again() {
        let scratch = Scratch::new("against").unwrap();
        let file = scratch.path().join("run.jsonl");
        save(&file, &run(0.5, 2.0)).unwrap();
        assert_eq!(read(&file).unwrap(), run(0.5, 2.0));
        std::fs::write(&file, "{\"name\": \"ring\"}\n").unwrap();
        let message = read(&file).unwrap_err().to_string();
        assert!(message.ends_with("line 1: not a figure that `bench --save` wrote"), "{message}");
    }

    #[test]
    fn a_slower_figure_is_found_among_others() {
        let message = compare(&run(0.5, 2.0), &run(0.5, 2.4)).unwrap_err().to_string();
        assert!(message.starts_with("1 of 2 figures are slower"), "{message}");
        compare(&run(0.5, 2.0), &run(0.4, 2.0)).unwrap();
    }

    #[test]
    fn seven_rounds_suffice_for_all_figures_of_a_run() {
        let many = |level: f64| (0..24).map(|nth| series(&nth.to_string(), level)).collect::<Vec<_>>();
        let message = compare(&many(1.0), &many(1.2)).unwrap_err().to_string();
        assert!(message.starts_with("24 of 24"), "{message}");
    }

    #[test]
    fn runs_without_a_common_figure_are_an_error() {
        let message = compare(&run(0.5, 2.0), &[series("dissemination", 1.0)]).unwrap_err().to_string();
        assert!(message.contains("measure the same parts"), "{message}");
    }
}
