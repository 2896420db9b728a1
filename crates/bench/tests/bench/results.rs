//! Results files: written records are read back, and damage is reported.

use std::path::Path;

use panto_bench::Settings;
use panto_results::{
    Error, ExistingFile, Line, Manifest, MpiInfo, Point, Record, RunEnd, Writer, param, read, salvage,
};
use panto_transport::Placement;
use proptest::prelude::*;

use crate::support::record;

fn manifest() -> Manifest {
    Manifest::new("threads", "eager up to 4KiB".into(), 2, Settings::default().for_manifest())
}

fn write(path: &Path, records: &[Record], existing: ExistingFile) {
    let mut writer = Writer::create(path, existing).expect("writable");
    writer.write(&Line::Manifest(Box::new(manifest()))).expect("written");
    for record in records {
        writer.write(&Line::Point(Box::new(record.clone()))).expect("written");
    }
    let end = RunEnd { complete: true, planned: records.len(), measured: records.len(), quality: None };
    writer.write(&Line::End(end)).expect("written");
}

fn some_records() -> Vec<Record> {
    let point = |bytes| Point::new(2).with(param::BYTES, bytes).with_text(param::VARIANT, "a \"b\"\n");
    (0..5).map(|bytes| record("comet/echo", &point(bytes), vec![1.5, 2.25, bytes as f64])).collect()
}

/// Optional fields are written if they have values, and files without them are read.
#[test]
fn placement_mpi_and_clocks_are_optional() {
    let mpi = MpiInfo {
        version: "MPICH 4.0.2".into(),
        standard: "4.0".into(),
        abi: "MPICH".into(),
        path: "/lib/libmpich.so.12".into(),
        found: "beside mpiexec".into(),
    };
    let place =
        Placement { host: "a".into(), cores: vec![0, 1, 2, 5], cache: Some(0), ..Placement::default() };
    let settings = Settings { places: vec![place], ..Settings::default() };
    let placed = Manifest::under_mpi(mpi, "words".into(), "clocks".into(), 4, settings.for_manifest());
    let text = serde_json::to_string(&placed).expect("JSON");
    let cores = r#""placement":[{"rank":0,"host":"a","node":0,"cores":"0-2,5","cache":0,"pid":0}]"#;
    assert!(text.contains(cores), "{text}");
    assert_eq!(serde_json::from_str::<Manifest>(&text).expect("the same"), placed);
    let plain = serde_json::to_string(&manifest()).expect("JSON");
    assert!(!plain.contains(r#""placement":"#) && !plain.contains(r#""mpi":"#), "{plain}");
    let record = record("comet/echo", &Point::new(2), vec![1.0]);
    assert!(!serde_json::to_string(&record).expect("JSON").contains("clock_error"));
}

#[test]
fn launches_can_be_added() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("run.jsonl");
    write(&path, &some_records(), ExistingFile::Refuse);
    write(&path, &some_records(), ExistingFile::Append);
    let results = read(&path).expect("sound");
    assert_eq!((results.manifests.len(), results.records.len(), results.ends.len()), (2, 10, 2));
    assert!(!results.is_incomplete());
}

#[test]
fn nothing_is_added_to_a_damaged_file() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("run.jsonl");
    write(&path, &some_records(), ExistingFile::Refuse);
    let whole = std::fs::read(&path).expect("written");
    std::fs::write(&path, &whole[..whole.len() - 5]).expect("writable");
    assert!(matches!(Writer::create(&path, ExistingFile::Append), Err(Error::BadFile { .. })));
    std::fs::write(&path, "a letter").expect("writable");
    assert!(Writer::create(&path, ExistingFile::Append).is_err());
    assert_eq!(std::fs::read(&path).expect("there"), b"a letter");
}

#[test]
fn an_existing_file_is_not_overwritten() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("run.jsonl");
    write(&path, &some_records(), ExistingFile::Refuse);
    assert!(matches!(Writer::create(&path, ExistingFile::Refuse), Err(Error::Usage(_))));
    write(&path, &[], ExistingFile::Replace);
    assert_eq!(read(&path).expect("sound").records.len(), 0);
}

#[test]
fn the_valid_part_of_a_truncated_file_is_read() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("run.jsonl");
    write(&path, &some_records(), ExistingFile::Refuse);
    let whole = std::fs::read(&path).expect("written");
    let ends: Vec<usize> = (0..whole.len()).filter(|&at| whole[at] == b'\n').map(|at| at + 1).collect();
    for cut in 0..=whole.len() {
        std::fs::write(&path, &whole[..cut]).expect("writable");
        let lines = ends.iter().filter(|&&end| end <= cut).count();
        let results = salvage(&path).expect("readable");
        assert_eq!(results.manifests.len(), lines.min(1));
        assert_eq!(results.records, some_records()[..lines.saturating_sub(1).min(5)]);
        let at_an_end = ends.contains(&cut);
        assert_eq!(read(&path).is_ok(), at_an_end, "cut at {cut}");
        assert_eq!(results.damage.is_none(), at_an_end);
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(7),
        cases: 64,
        ..ProptestConfig::default()
    })]

    #[test]
    fn what_is_written_is_read_back(
        samples in prop::collection::vec(0.0_f64..1e12, 0..50),
        bytes in any::<u64>(),
        text in ".*",
        ranks in 1_usize..10_000,
    ) {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("run.jsonl");
        let point = Point::new(ranks).with(param::BYTES, bytes).with_text(param::VARIANT, &text);
        let records = vec![Record { moved: Some(bytes), ..record("x/y", &point, samples) }];
        write(&path, &records, ExistingFile::Refuse);
        prop_assert_eq!(read(&path).expect("sound").records, records);
    }

    #[test]
    fn a_flipped_bit_never_panics(at in any::<prop::sample::Index>(), bit in 0_u8..8) {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("run.jsonl");
        write(&path, &some_records(), ExistingFile::Refuse);
        let mut bytes = std::fs::read(&path).expect("written");
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        std::fs::write(&path, &bytes).expect("writable");
        let _ = (read(&path), salvage(&path));
    }
}
