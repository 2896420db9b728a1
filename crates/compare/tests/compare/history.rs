//! Versions in one file, each compared with the one before (S9).

use std::path::Path;

use panto_compare::{History, Settings, Verdict};
use panto_results::{Manifest, Record};

use super::support::{echo, manifest, write};

/// Returns samples around a time, with realistic noise.
fn around(nanos: f64) -> Vec<f64> {
    (0..40).map(|i| nanos * (1.0 + 0.002 * f64::from(i % 9))).collect()
}

fn launch(label: Option<&str>, records: Vec<Record>) -> (Manifest, Vec<Record>) {
    (Manifest { label: label.map(str::to_owned), ..manifest() }, records)
}

fn open(path: &Path) -> panto_results::Result<History> {
    History::open(path, &[], Settings::default(), false)
}

/// Returns the verdicts of the point with this message size, version by version.
fn verdicts(history: &History, bytes: u64) -> Vec<Option<Verdict>> {
    let series = history.series.iter().find(|one| one.key.number("bytes") == Some(bytes)).expect("measured");
    series.values.iter().map(|value| value.change.as_ref().map(|change| change.verdict)).collect()
}

#[test]
fn each_version_is_compared_with_the_one_before() {
    let directory = tempfile::tempdir().expect("a directory");
    let version =
        |label, small, large| launch(Some(label), vec![echo(8, around(small)), echo(64, around(large))]);
    let launches = [version("v1", 100.0, 500.0), version("v2", 100.0, 400.0), version("v3", 130.0, 400.0)];
    let history = open(&write(directory.path(), "h.jsonl", &launches)).expect("sound");
    let (same, slower, faster) = (Some(Verdict::Same), Some(Verdict::Slower), Some(Verdict::Faster));
    assert_eq!(verdicts(&history, 8), [None, same, slower]);
    assert_eq!(verdicts(&history, 64), [None, faster, same]);
    let latest: Vec<Verdict> = history.latest().map(|(_, change)| change.verdict).collect();
    assert_eq!(latest, [Verdict::Slower, Verdict::Same]);
}

#[test]
fn many_small_steps_add_up() {
    let directory = tempfile::tempdir().expect("a directory");
    let steps: Vec<_> = (0..6)
        .map(|step| launch(Some(&format!("v{step}")), vec![echo(8, around(100.0 * 1.03_f64.powi(step)))]))
        .collect();
    let history = open(&write(directory.path(), "h.jsonl", &steps)).expect("sound");
    assert!(verdicts(&history, 8).iter().flatten().all(|verdict| *verdict == Verdict::Same));
    let overall = history.series[0].overall.as_ref().expect("six versions");
    assert_eq!((overall.since, overall.verdict), (0, Verdict::Slower));
}

#[test]
fn launches_of_a_label_are_one_version_and_others_are_their_own() {
    let directory = tempfile::tempdir().expect("a directory");
    let launches = [
        launch(Some("a"), vec![echo(8, around(100.0))]),
        launch(None, vec![echo(8, around(100.0))]),
        launch(Some("a"), vec![echo(8, around(101.0))]),
        launch(None, vec![echo(8, around(100.0))]),
    ];
    let history = open(&write(directory.path(), "h.jsonl", &launches)).expect("sound");
    let versions: Vec<_> = history.versions.iter().map(|one| (one.label.as_deref(), one.launches)).collect();
    assert_eq!(versions, [(Some("a"), 2), (None, 1), (None, 1)]);
    assert_eq!(history.series[0].values[0].side.launches, 2);
}

#[test]
fn a_point_is_compared_with_the_last_version_that_has_it() {
    let directory = tempfile::tempdir().expect("a directory");
    let launches = [
        launch(Some("v1"), vec![echo(8, around(100.0)), echo(64, around(500.0))]),
        launch(Some("v2"), vec![echo(64, around(500.0))]),
        launch(Some("v3"), vec![echo(8, around(150.0))]),
    ];
    let history = open(&write(directory.path(), "h.jsonl", &launches)).expect("sound");
    let change = history.series[0].values[1].change.as_ref().expect("v1 has it too");
    assert_eq!((change.since, change.verdict), (0, Verdict::Slower));
}

#[test]
fn the_error_for_a_file_without_times_states_what_to_run() {
    let directory = tempfile::tempdir().expect("a directory");
    let error =
        open(&write(directory.path(), "h.jsonl", &[launch(None, vec![])])).expect_err("nothing in it");
    assert!(error.to_string().contains("--label"), "{error}");
}
