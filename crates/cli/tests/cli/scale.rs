//! `panto scale` and `panto extrapolate` of small traces: what is refused, and what is admitted.

use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::{command, stderr, stencil, succeeds};

fn run(folder: &Path, line: &str) -> Output {
    command().args(line.split_whitespace()).current_dir(folder).output().expect("the binary starts")
}

/// Returns a folder with `9.panto`, `16.panto` and `25.panto`.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for side in [3, 4, 5] {
        let trace = stencil::write(folder.path(), side, 10);
        std::fs::rename(trace, folder.path().join(format!("{}.panto", side * side))).expect("it was written");
    }
    folder
}

#[test]
fn a_reversed_range_is_an_error() {
    let output = run(Path::new("."), "scale 9.panto 16.panto -m infiniband --ranks 64..16");
    let error = stderr(&output);
    assert!(!output.status.success() && error.contains("is empty") && error.contains("16..64"), "{error}");
}

/// Two traces leave nothing to validate the laws of computation with.
#[test]
fn two_traces_have_no_intervals() {
    let folder = folder();
    let missing = "two traces give no estimate of the error; a third would";
    let text = succeeds(&run(folder.path(), "scale 9.panto 16.panto -m infiniband --ranks 64"));
    assert!(text.contains(missing) && !text.contains(".."), "{text}");
    assert!(succeeds(&run(folder.path(), "extrapolate 9.panto 16.panto")).contains(missing));
    let of = |traces: &str| -> Value {
        let line = format!("scale {traces} -m infiniband --ranks 64 --format json");
        serde_json::from_str(&succeeds(&run(folder.path(), &line))).expect("JSON")
    };
    let (two, three) = (of("9.panto 16.panto"), of("9.panto 16.panto 25.panto"));
    assert!(two["computation_error"].is_null() && two["points"][2]["interval_s"].is_null(), "{two:#}");
    assert!(three["computation_error"].is_f64() && three["points"][3]["interval_s"].is_array(), "{three:#}");
}

#[test]
fn a_check_counts_what_differs() {
    let folder = folder();
    let text = succeeds(&run(folder.path(), "extrapolate 9.panto 16.panto --check 25.panto"));
    assert!(text.contains("none on any rank") && text.contains("none of any pair"), "{text}");
}
