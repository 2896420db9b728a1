//! `panto perform` executes the messages of a trace (P22).

use serde_json::Value;

use crate::{stderr, stencil, succeeds};

fn run(folder: &std::path::Path, line: &str) -> std::process::Output {
    crate::command().args(line.split_whitespace()).current_dir(folder).output().expect("the binary starts")
}

#[test]
fn messages_of_a_trace_on_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    stencil::write(folder.path(), 2, 10);
    let table = succeeds(&run(folder.path(), "perform stencil.panto --on threads"));
    assert!(table.contains("replaced by sleep") && table.contains("makespan"), "{table}");
    let warm = succeeds(&run(folder.path(), "perform stencil.panto --on threads --warm-up 2"));
    assert!(warm.contains("2 warm-up runs") && warm.contains("one run"), "{warm}");
    let line = "perform stencil.panto --on threads --computation none -r 3 -w 2 --format json";
    let found: Value = serde_json::from_str(&succeeds(&run(folder.path(), line))).expect("JSON");
    let (longest, ranks) = (found["time_s"].as_array().unwrap(), found["ranks_s"].as_array().unwrap());
    assert_eq!((longest.len(), ranks.len()), (3, 3));
    for (longest, ranks) in longest.iter().zip(ranks) {
        let times: Vec<f64> = ranks.as_array().unwrap().iter().map(|time| time.as_f64().unwrap()).collect();
        assert_eq!(times.len(), 4);
        assert_eq!(longest.as_f64(), times.into_iter().reduce(f64::max));
    }
}

#[test]
fn unsupported_worlds_are_rejected() {
    let folder = tempfile::tempdir().expect("a folder");
    stencil::write(folder.path(), 2, 1);
    for (line, words) in [
        ("perform stencil.panto --on cm5", "panto simulate"),
        ("perform nowhere.panto", "nowhere.panto"),
        ("perform stencil.panto --rules unknown-rules", "unknown-rules"),
        ("perform stencil.panto -r 0", "0"),
    ] {
        let output = run(folder.path(), line);
        assert_eq!(output.status.code(), Some(2), "{line}: {}", stderr(&output));
        assert!(stderr(&output).contains(words), "{line}: {}", stderr(&output));
    }
}
