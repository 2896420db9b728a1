//! Invalid files: errors state what is wrong, where, and what to do.

use panto_compare::Run;

use super::support::{compared, echo, one_launch, text};

/// Asserts that the file is refused with an error that contains these words.
fn refused(content: &str, words: &[&str]) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = text(directory.path(), "file", content);
    let error = Run::open(&path, false).expect_err(content).to_string();
    for word in words {
        assert!(error.contains(word), "no `{word}` in: {error}");
    }
}

/// Returns lines of results without their checksums, as an editor leaves them.
fn without_checksums(lines: &str) -> String {
    let line =
        |line: &str| line.rsplit_once(",\"crc\"").map_or(line.to_owned(), |(rest, _)| format!("{rest}}}"));
    lines.lines().map(|text| line(text) + "\n").collect()
}

#[test]
fn files_without_results_are_refused() {
    refused("", &["empty", "panto bench"]);
    refused("\n \n", &["empty"]);
    refused("hello\nworld\n", &["neither", "panto bench", "OSU", "Intel"]);
    refused("{\"a\": 1}\n", &["line 1", "not a results file"]);
    refused("\u{0}\u{1}\u{2}", &["neither"]);
    refused("# OSU MPI Latency Test v5.8\n# Size  Latency (us)\n", &["neither"]);
}

#[test]
fn a_newer_format_is_refused() {
    refused("{\"line\":\"manifest\",\"format\":99}\n", &["format 99", "newer panto"]);
}

#[test]
fn invalid_numbers_are_refused_with_their_line() {
    let osu = |row: &str| format!("# OSU MPI Latency Test v5.8\n# Size  Latency (us)\n8  1.0\n{row}\n");
    refused(&osu("16  -1.0"), &["line 4", "-1.0"]);
    refused(&osu("16  nan"), &["line 4", "nan"]);
    refused(&osu("16"), &["line 4", "truncated"]);
    let directory = tempfile::tempdir().expect("a directory");
    let path = one_launch(directory.path(), "run.jsonl", vec![echo(8, vec![1.25; 3])]);
    let sound = without_checksums(&std::fs::read_to_string(&path).expect("text"));
    refused(&sound.replace("1.25", "-1.25"), &["line 2", "negative"]);
    refused(&sound.replace("1.25", "null"), &["line 2"]);
}

#[test]
fn a_truncated_file_is_refused_unless_salvaged() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = one_launch(directory.path(), "run.jsonl", vec![echo(8, vec![1.0; 9]), echo(16, vec![1.0; 9])]);
    let sound = std::fs::read_to_string(&path).expect("text");
    let cut = sound.rfind("samples_ns").expect("a second point");
    std::fs::write(&path, &sound[..cut]).expect("written");
    let error = Run::open(&path, false).expect_err("cut off").to_string();
    assert!(error.contains("line 3") && error.contains("--salvage"), "{error}");
    let run = Run::open(&path, true).expect("the first point");
    assert_eq!(run.points.len(), 1);
    assert!(run.notes[0].contains("skipped"), "{:?}", run.notes);
}

#[test]
fn every_prefix_of_a_file_is_read_or_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = one_launch(directory.path(), "run.jsonl", vec![echo(8, vec![1.0; 3])]);
    let sound = std::fs::read(&path).expect("bytes");
    for end in 0..sound.len() {
        let cut = directory.path().join("cut");
        std::fs::write(&cut, &sound[..end]).expect("written");
        let whole_lines = sound[..end].split(|byte| *byte == b'\n').count() - 1;
        let is_readable = Run::open(&cut, false).is_ok();
        assert!(!is_readable || (whole_lines >= 2 && sound[end - 1] == b'\n'), "{end}");
    }
}

#[test]
fn the_error_for_disjoint_runs_names_a_point_of_each() {
    let directory = tempfile::tempdir().expect("a directory");
    let old = one_launch(directory.path(), "old", vec![echo(8, vec![1.0; 9])]);
    let new = one_launch(directory.path(), "new", vec![echo(16, vec![1.0; 9])]);
    let error = compared(&old, &new).expect_err("no common size").to_string();
    for word in ["no point in common", "bytes=8", "bytes=16", "rerun the command of the first"] {
        assert!(error.contains(word), "no `{word}` in: {error}");
    }
}

#[test]
fn missing_files_are_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    for name in ["none", "a,b", "none/deeper"] {
        let error = Run::open(&directory.path().join(name), false).expect_err(name).to_string();
        assert!(error.contains("cannot read"), "{error}");
    }
    let error = Run::open(directory.path(), false).expect_err("an empty directory").to_string();
    assert!(error.contains("no file in"), "{error}");
}
