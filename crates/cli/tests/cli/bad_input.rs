//! Invalid input causes a clear error that names the remedy, exit code 2, and no partial output.

use std::fs;

use super::{line, measured, panto, stderr};

/// Asserts exit code 2, and that the error message contains these words.
fn refused(command: &str, words: &[&str]) {
    let output = line(command);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{command}: {message}");
    assert!(output.stdout.is_empty(), "{command} printed something");
    for word in words {
        assert!(message.contains(word), "{command}: no `{word}` in: {message}");
    }
}

#[test]
fn unknown_names() {
    refused("bench comet/ecco", &["comet/ecco", "comet/echo", "--list"]);
    refused("bench echo --on moon", &["moon", "threads"]);
    refused("bench echo --shape sphere", &["sphere"]);
    refused("bench broadcast --algorithm magic", &["magic"]);
    refused("bench broadcast --algorithm pex", &["pex", "binomial"]);
    refused("bench echo --format pdf", &["pdf", "json"]);
}

#[test]
fn misspelled_names_are_corrected() {
    refused("bench ecco", &["`ecco`, did you mean `echo`?"]);
    refused("bench commet", &["`commet`, did you mean `comet`?"]);
    refused("bench comet/brodcast", &["did you mean `comet/broadcast`?"]);
    refused("bench echo --on infinband", &["unknown world, did you mean `infiniband`?"]);
    refused("bench echo --on thread", &["did you mean `threads`?"]);
    refused("machines show infinband", &["did you mean `infiniband`?"]);
    refused("reproduce ipsc680", &["did you mean `ipsc860`; use"]);
    refused("simualte", &["simulate"]);
}

#[test]
fn missing_files_are_said_to_be_missing() {
    refused("bench echo --on nothere.toml", &["cannot read nothere.toml: no such file"]);
    refused("bench echo --on ./nothere", &["cannot read ./nothere: no such file"]);
    refused("machines show nothere.toml", &["cannot read nothere.toml: no such file"]);
    for command in ["info", "fit", "report", "view", "history", "perform", "simulate -m cm5", "sweep -m cm5"]
    {
        refused(&format!("{command} nothere.file"), &["nothere.file: No such file"]);
    }
}

#[test]
fn what_was_measured_recorded_or_fitted_is_replaced_by_force_only() {
    let directory = tempfile::tempdir().expect("a directory");
    let files = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/files/0.1");
    let old = directory.path().join("old");
    let path = old.display();
    fs::write(directory.path().join("a.goal"), "num_ranks 1\nrank 0 {\nl1: calc 5\n}\n").expect("a file");
    let goal = directory.path().join("a.goal");
    for command in [
        format!("bench echo --on cm5 --ranks 2 --sizes 8 -o {path}"),
        format!("fit {files}/results.jsonl -o {path}"),
        format!("convert {} -o {path}", goal.display()),
        format!("trace -o {path} -- true"),
    ] {
        fs::write(&old, "old").expect("a file");
        refused(&command, &["--force"]);
        assert_eq!(fs::read(&old).expect("a file"), b"old", "{command}");
    }
}

#[test]
fn what_is_derived_is_replaced_as_a_whole() {
    let directory = tempfile::tempdir().expect("a directory");
    let files = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/files/0.1");
    for (command, name) in [
        ("report {}/results.jsonl -o", "report.html"),
        ("view {}/timeline.ptl --html", "view.html"),
        ("export {}/timeline.ptl -o", "a.pftrace"),
        ("simulate {}/trace.panto -m cm5 --timeline", "a.ptl"),
    ] {
        let path = directory.path().join(name);
        fs::write(&path, "old").expect("a file");
        let command = format!("{} {}", command.replace("{}", files), path.display());
        let output = line(&command);
        assert_eq!(output.status.code(), Some(0), "{command}: {}", stderr(&output));
        assert_ne!(fs::read(&path).expect("a file"), b"old", "{command}");
    }
}

#[test]
fn too_few_ranks() {
    refused("bench comet/exchange --ranks 1", &["comet/exchange", "2 ranks", "--ranks 2"]);
    refused("bench comet/contention --ranks 3", &["comet/contention", "4 ranks", "--ranks 4"]);
    refused("bench echo --ranks 0", &["at least 1 rank"]);
    refused("bench echo --ranks many", &["many"]);
    refused("bench barrier --ranks 100000", &["100000"]);
}

#[test]
fn sizes_that_are_none() {
    refused("bench echo --sizes 1e3x", &["1e3x", "64KiB"]);
    refused("bench echo --sizes=-5", &["-5", "64KiB"]);
    let output = panto(["bench", "echo", "--sizes", "12 parsecs"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("12 parsecs"));
    refused("bench echo --sizes 64..8", &["64..8", "ends before"]);
    refused("bench echo --time-budget 10", &["10", "30s"]);
    refused("bench echo --precision 2", &["precision"]);
}

#[test]
fn shapes_that_do_not_fit() {
    refused("bench guard --ranks 4 --mesh 3x2", &["3x2", "6 cells", "4 ranks"]);
    refused("bench guard --ranks 4 --mesh two", &["two"]);
    refused("bench guard --ranks 4 --dims 1", &["1"]);
    refused("bench echo --ranks 4 --hops 7", &["7 hops", "4 ranks"]);
    refused("bench echo --ranks 4 --shape torus:1x3", &["1x3", "4"]);
}

#[test]
fn memory_bombs() {
    refused("bench echo --sizes 10T", &["of memory", "available"]);
    refused("bench transpose --dims 10000000", &["of memory"]);
    refused("bench reduction --lengths 1000000000000000000", &["of memory"]);
    refused("bench io --io-dir . --io-size 100T", &["of memory"]);
}

#[test]
fn negative_numbers() {
    refused("bench echo --sizes -5", &["-5", "64KiB"]);
    refused("bench echo --ranks -3", &["-3"]);
    refused("bench echo -t -1s", &["-1s"]);
}

#[test]
fn a_kernel_that_a_suite_needs_and_cannot_run() {
    refused("bench contention --ranks 4 --hops 5", &["5 hops"]);
}

#[test]
fn a_wrong_sweep_writes_no_file() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("run.jsonl");
    refused(&format!("bench echo --ranks 2 --hops 9 -o {}", path.display()), &["9 hops"]);
    assert!(!path.exists());
}

#[test]
fn an_output_that_cannot_be_written() {
    refused("bench echo -o /nowhere/at/all.jsonl -t 1s", &["/nowhere/at/all.jsonl"]);
    refused("bench echo --plot /proc/nowhere -t 1s", &["/proc/nowhere"]);
    refused("quickstart -o /nowhere/report.html -t 1s", &["/nowhere/report.html"]);
}

#[test]
fn results_are_not_overwritten() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = measured(directory.path());
    let before = fs::read(&path).expect("written");
    refused(&format!("bench barrier -t 1s -o {}", path.display()), &["--append", "--force"]);
    assert_eq!(fs::read(&path).expect("still there"), before);
}

#[test]
fn damaged_result_files() {
    let directory = tempfile::tempdir().expect("a directory");
    let whole = fs::read(measured(directory.path())).expect("written");
    let info = |bytes: &[u8], words: &[&str]| {
        let path = directory.path().join("damaged.jsonl");
        fs::write(&path, bytes).expect("writable");
        let command = format!("info {}", path.display());
        refused(&command, words);
    };
    info(&whole[..whole.len() / 2], &["damaged.jsonl", "line", "--salvage"]);
    info(b"", &["empty"]);
    info(b"\x00\xff\xfe\n", &["line 1"]);
    info(b"{\"hello\":1}\n", &["not a results file"]);
    info(b"{\"line\":\"manifest\",\"format\":99}\n", &["format 99", "newer"]);
    refused("info /nowhere.jsonl", &["/nowhere.jsonl"]);
    refused("info /proc", &["/proc"]);
}

/// A file that is truncated anywhere causes an error and no panic; `--salvage` reads the intact
/// part.
#[test]
fn a_file_cut_anywhere_is_answered() {
    let directory = tempfile::tempdir().expect("a directory");
    let whole = fs::read(measured(directory.path())).expect("written");
    let path = directory.path().join("cut.jsonl");
    for cut in (1..whole.len()).step_by(whole.len() / 23) {
        fs::write(&path, &whole[..cut]).expect("writable");
        for salvage in [false, true] {
            let flag = if salvage { "--salvage " } else { "" };
            let output = line(&format!("info {flag}{}", path.display()));
            assert!(matches!(output.status.code(), Some(0 | 2)), "{cut}: {}", stderr(&output));
        }
    }
}
