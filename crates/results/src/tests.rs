//! Results files: what is written is read, by two writers as well, and damage is found.

use std::path::Path;

use panto_units::Time;

use crate::{
    ExistingFile, Line, Manifest, Point, Record, RunEnd, RunSettings, Samples, Writer, read, salvage,
};

fn manifest(label: &str) -> Line {
    let manifest = Manifest::new("threads", "settings".into(), 2, RunSettings::default());
    Line::Manifest(Box::new(Manifest { label: Some(label.into()), ..manifest }))
}

fn record(kernel: &str) -> Record {
    let samples = Samples { nanos: vec![1.5, 2.25], ..Samples::exact(Time::ZERO) };
    Record::new(kernel, &Point::new(2), samples)
}

fn point(kernel: &str) -> Line {
    Line::Point(Box::new(record(kernel)))
}

fn writer(path: &Path, existing: ExistingFile, label: &str) -> Writer {
    let mut writer = Writer::create(path, existing).expect("writable");
    writer.write(&manifest(label)).expect("written");
    writer
}

/// Returns the label of each launch with the kernels of its records.
fn labels(path: &Path) -> Vec<(String, Vec<String>)> {
    let results = read(path).expect("a sound file");
    let kernels = |records: &[Record]| records.iter().map(|record| record.kernel.clone()).collect();
    let label = |manifest: &Manifest| manifest.label.clone().unwrap_or_default();
    results.launches().map(|(manifest, records)| (label(manifest), kernels(records))).collect()
}

fn expected(launches: &[(&str, &[&str])]) -> Vec<(String, Vec<String>)> {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    launches.iter().map(|(label, kernels)| ((*label).to_owned(), owned(kernels))).collect()
}

#[test]
fn launches_that_append_at_the_same_time_do_not_mix() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("h.jsonl");
    let mut one = writer(&path, ExistingFile::Append, "one");
    let mut other = writer(&path, ExistingFile::Append, "other");
    one.write(&point("a/a")).expect("written");
    other.write(&point("b/a")).expect("written");
    one.write(&point("a/b")).expect("written");
    let end = RunEnd { complete: true, planned: 2, measured: 2, quality: None };
    one.write(&Line::End(end.clone())).expect("written");
    other.write(&point("b/b")).expect("written");
    other.write(&Line::End(end)).expect("written");
    assert_eq!(labels(&path), expected(&[("one", &["a/a", "a/b"]), ("other", &["b/a", "b/b"])]));
    assert!(!read(&path).expect("a sound file").is_incomplete());
}

#[test]
fn a_file_that_is_replaced_during_a_run_is_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("h.jsonl");
    let mut one = writer(&path, ExistingFile::Append, "one");
    let mut other = writer(&path, ExistingFile::Replace, "other");
    other.write(&point("b/a")).expect("written");
    one.write(&point("a/a")).expect("written");
    let error = read(&path).expect_err("one has no manifest").to_string();
    assert!(error.contains("h.jsonl, line 3: the manifest of this line's launch is missing"), "{error}");
    let kept = salvage(&path).expect("a sound beginning");
    assert_eq!((kept.manifests.len(), kept.records.len()), (1, 1));
}

#[test]
fn every_flipped_bit_is_an_error_that_names_the_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("h.jsonl");
    writer(&path, ExistingFile::Refuse, "one").write(&point("a/a")).expect("written");
    let sound = std::fs::read(&path).expect("written");
    // A bit of every byte, each at another place.
    for bit in (0..8 * sound.len()).step_by(7) {
        let mut damaged = sound.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        std::fs::write(&path, &damaged).expect("writable");
        let error = read(&path).expect_err("a flipped bit").to_string();
        assert!(error.contains("h.jsonl, line "), "bit {bit}: {error}");
    }
    assert!(Writer::create(&path, ExistingFile::Append).is_err(), "a launch behind damage");
}

/// Files of earlier versions have neither launch ids nor checksums, and can be appended to.
#[test]
fn lines_without_launch_and_checksum_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("h.jsonl");
    let lines =
        [manifest("old"), point("a/a")].map(|line| serde_json::to_string(&line).expect("JSON") + "\n");
    std::fs::write(&path, lines.concat()).expect("writable");
    assert_eq!(labels(&path), expected(&[("old", &["a/a"])]));
    writer(&path, ExistingFile::Append, "new").write(&point("b/a")).expect("written");
    assert_eq!(labels(&path), expected(&[("old", &["a/a"]), ("new", &["b/a"])]));
    assert_eq!(read(&path).expect("a sound file").records[0], record("a/a"));
}

/// The first pass of a point is replaced by all of them, and remains if the run was killed.
#[test]
fn a_first_pass_stands_in_for_a_point_until_it_is_complete() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("h.jsonl");
    let mut writer = writer(&path, ExistingFile::Refuse, "one");
    let first = |kernel: &str| Record { provisional: true, batch: 7, ..record(kernel) };
    for record in [first("a/1"), first("a/2"), record("a/1"), record("a/1")] {
        writer.write(&Line::Point(Box::new(record))).expect("written");
    }
    let records = read(&path).expect("a sound file").records;
    let found: Vec<(&str, u64)> =
        records.iter().map(|record| (record.kernel.as_str(), record.batch)).collect();
    assert_eq!(found, [("a/1", 1), ("a/1", 1), ("a/2", 7)], "a repeated point is not replaced");
}

/// An interval of the median that the passes contradict would claim more than was measured.
#[test]
fn the_interval_contains_the_medians_of_the_passes() {
    let pass = |center: f64| (0..20).map(move |place| center + f64::from(place % 5) * 0.01);
    let nanos: Vec<f64> = [100.0, 110.0, 105.0].into_iter().flat_map(pass).collect();
    let pooled = Record { samples_ns: nanos.clone(), ..record("a/a") };
    let passes = Record { passes: vec![20; 3], ..pooled.clone() };
    let interval = passes.summary().expect("there are samples").interval;
    assert!(interval.low <= 100.02 && interval.high >= 110.02, "{interval:?}");
    let interval = pooled.summary().expect("there are samples").interval;
    assert!(interval.low > 104.0 || interval.high < 106.0, "{interval:?}");
}
