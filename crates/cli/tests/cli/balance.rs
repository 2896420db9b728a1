//! `panto balance` searches for a mapping of ranks to processors.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use panto_trace::{Builder, CallForm, Metadata};
use serde_json::Value;

use crate::{command, panto, stderr, stdout, succeeds};

const SIZE: u32 = 8;

/// Records a rank that repeatedly computes, sends to the right and receives from the left. Higher
/// ranks compute for longer.
fn stream(rank: u32) -> Vec<u8> {
    let mut calls = Builder::new(rank, SIZE, 8);
    for _ in 0..20 {
        calls.compute(1_000_000 * (1 + u64::from(rank)));
        calls.send(CallForm::Blocking, (rank + 1) % SIZE, 0, 1000);
        calls.compute(1000);
        calls.receive(CallForm::Blocking, Some((rank + SIZE - 1) % SIZE), Some(0), 1000);
    }
    calls.finish(&Metadata::default())
}

fn trace(folder: &Path) -> PathBuf {
    let ranks = folder.join("ranks");
    std::fs::create_dir_all(&ranks).expect("a folder");
    for rank in 0..SIZE {
        std::fs::write(ranks.join(format!("{rank}.rank")), stream(rank)).expect("a file");
    }
    let target = folder.join("app.panto");
    let words = ["trace".as_ref(), "combine".as_ref(), ranks.as_os_str(), "-o".as_ref(), target.as_os_str()];
    succeeds(&panto(words));
    target
}

/// Runs a command on the trace, followed by the words of a line.
fn on(what: &str, trace: &Path, words: &str) -> Output {
    let start = [what.as_ref(), trace.as_os_str()];
    panto(start.into_iter().chain(words.split_whitespace().map(AsRef::as_ref)))
}

const QUICK: &str = "--machine ethernet10 --processors 3 --attempts 2 --steps 100";

#[test]
fn the_best_mapping_is_written_and_can_be_simulated() {
    let folder = tempfile::tempdir().expect("a folder");
    let (trace, map) = (trace(folder.path()), folder.path().join("best.map"));
    let output = on("balance", &trace, &format!("{QUICK} -o {}", map.display()));
    let text = succeeds(&output);
    for part in [
        "app.panto on ethernet10: 8 ranks on 3 processors",
        "scheme  attempt  iteration",
        "start: random",
        "start: by computation",
        "best",
        "wrap",
        "block",
        "anneal",
        "Best mapping",
    ] {
        assert!(text.contains(part), "{part} is not in:\n{text}");
    }
    assert!(stderr(&output).contains("wrote "), "{}", stderr(&output));
    let written = std::fs::read_to_string(&map).expect("written");
    assert!(
        written.starts_with("# processor of each rank") && written.contains("predicted time"),
        "{written}"
    );
    let simulate = |map: &str| -> f64 {
        let words = format!("--machine ethernet10 --processors 3 --format json --map {map}");
        let value: Value = serde_json::from_str(&succeeds(&on("simulate", &trace, &words))).expect("JSON");
        value["time_s"].as_f64().expect("a number")
    };
    let (best, wrap) = (simulate(&map.display().to_string()), simulate("wrap"));
    assert!(best < wrap, "{best} {wrap}");
}

#[test]
fn a_seed_finds_the_same_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let trace = trace(folder.path());
    let json = |more: &str| -> Value {
        let output = on("balance", &trace, &format!("{QUICK} --format json {more}"));
        serde_json::from_str(&succeeds(&output)).expect("JSON")
    };
    let found = json("");
    assert_eq!(found, json(""));
    assert_eq!([&found["ranks"], &found["processors"]], [8, 3]);
    let attempts = found["attempts"].as_array().expect("a list");
    assert_eq!(attempts.len(), 5);
    assert_eq!(attempts[0]["end"], "a mapping repeated");
    let least =
        attempts.iter().filter_map(|attempt| attempt["best"]["time_s"].as_f64()).fold(f64::MAX, f64::min);
    assert_eq!(found["best"]["time_s"], least);
    assert_ne!(json("--seed 2")["attempts"][0]["best"]["map"], attempts[0]["best"]["map"]);
    let own = json("--scheme greedy --map 2,2,2,2,1,1,0,0");
    assert_eq!(own["baselines"][2]["map"], serde_json::json!([2, 2, 2, 2, 1, 1, 0, 0]));
}

/// Returns whether the process handles SIGTERM. It installs that handler last; before that, the
/// signal would kill it.
fn listens(process: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("it runs");
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).expect("Linux says it");
    u64::from_str_radix(caught.trim(), 16).is_ok_and(|signals| signals >> 14 & 1 == 1)
}

#[test]
fn ctrl_c_keeps_the_best_so_far() {
    let folder = tempfile::tempdir().expect("a folder");
    let (trace, map) = (trace(folder.path()), folder.path().join("best.map"));
    let mut child = command();
    child.arg("balance").arg(&trace).arg("-o").arg(&map).stdout(Stdio::piped()).stderr(Stdio::piped());
    let long = "--machine ethernet10 --processors 3 --scheme anneal --attempts 1000 --steps 100000 -t 1h";
    let child = child.args(long.split_whitespace()).spawn().expect("the binary starts");
    while !listens(child.id()) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill is there");
    assert!(sent.success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    assert!(stdout(&output).contains("best"), "{}", stdout(&output));
    assert!(stderr(&output).contains("stopped after "), "{}", stderr(&output));
    assert!(map.is_file());
}

#[test]
fn what_is_wrong_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let trace = trace(folder.path());
    for (words, said) in [
        ("--machine enigma", "enigma"),
        ("--machine ethernet10 --processors 0", "at least 1 processor"),
        ("--machine ethernet10 --attempts 0", "--attempts"),
        ("--machine ethernet10 --attempts 18446744073709551615", "is not in 1..=1000000"),
        ("--machine ethernet10 --steps 18446744073709551615", "is not in 0..=1000000000"),
        ("--machine ethernet10 --processors 2 --map 0,7", "processor 7"),
        ("--machine ethernet10 --scheme random", "random"),
        ("--machine ethernet10 --processors 2 --attempts 1 --steps 20 -o /nowhere/best.map", "/nowhere"),
    ] {
        let output = on("balance", &trace, words);
        assert_eq!(output.status.code(), Some(2), "{words}: {}", stderr(&output));
        assert!(stderr(&output).contains(said), "{words}: {}", stderr(&output));
    }
}
