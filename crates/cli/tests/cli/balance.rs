//! `panto balance`

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use panto_trace::{
    Action, Comm, Communicator, Datatype, Facts, Form, Head, Mode, Peer, Ranks, Recorder, Times, Type,
    stream_end, stream_start,
};
use serde_json::Value;

use crate::{command, panto, stderr, stdout, succeeds};

const SIZE: u32 = 8;

/// A rank that computes, sends to the right, and receives from the left, a few times; the higher the rank, the longer it computes.
fn stream(rank: u32) -> Vec<u8> {
    let mut out = stream_start(Head { is_whole: false, rank, ranks: SIZE }, &Facts::default());
    let mut recorder = Recorder::new(false);
    let [send, receive] = ["MPI_Send", "MPI_Recv"].map(|name| recorder.name(name));
    recorder.datatype(&Datatype { size: 8, extent: 8, is_derived: false });
    recorder.communicator(&Communicator {
        made_by: send,
        parent: None,
        ordinal: 0,
        tag: 0,
        rank,
        members: (0..SIZE).collect(),
        others: None,
        sources: Ranks::default(),
        destinations: Ranks::default(),
    });
    let around = SIZE as i32 - 1;
    let sends = Action::Send {
        mode: Mode::Standard,
        form: Form::Blocking,
        comm: Comm(0),
        to: Peer::Relative(if rank == SIZE - 1 { -around } else { 1 }),
        datatype: Type(0),
        bytes: 1000,
        tag: 0,
        request: None,
    };
    let receives = Action::Receive {
        form: Form::Blocking,
        comm: Comm(0),
        from: Peer::Relative(if rank == 0 { around } else { -1 }),
        datatype: Type(0),
        bytes: 1000,
        tag: 0,
        request: None,
        source: -1,
        got_tag: -1,
        got_bytes: -1,
    };
    for _ in 0..20 {
        let before = 1_000_000 * (1 + u64::from(rank));
        recorder.record(send, &sends, Times { before, ..Times::default() });
        recorder.record(receive, &receives, Times { before: 1000, ..Times::default() });
    }
    recorder.seal(0, &mut out);
    out.extend(stream_end(&Facts::default()));
    out
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

/// Runs a command on the trace, with these words behind it.
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
        "best so far",
        "wrap",
        "block",
        "anneal",
        "The best mapping",
    ] {
        assert!(text.contains(part), "{part} is not in:\n{text}");
    }
    assert!(stderr(&output).contains("wrote "), "{}", stderr(&output));
    let written = std::fs::read_to_string(&map).expect("written");
    assert!(
        written.starts_with("# the processor of each rank") && written.contains("predicted time"),
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
    assert_eq!(attempts[0]["end"], "a mapping came again");
    let least =
        attempts.iter().filter_map(|attempt| attempt["best"]["time_s"].as_f64()).fold(f64::MAX, f64::min);
    assert_eq!(found["best"]["time_s"], least);
    assert_ne!(json("--seed 2")["attempts"][0]["best"]["map"], attempts[0]["best"]["map"]);
    let own = json("--scheme greedy --map 2,2,2,2,1,1,0,0");
    assert_eq!(own["baselines"][2]["map"], serde_json::json!([2, 2, 2, 2, 1, 1, 0, 0]));
}

/// Does it listen to SIGTERM, which it asks for last? Without that, the signal would end it.
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
    assert!(stderr(&output).contains("stopped; "), "{}", stderr(&output));
    assert!(map.is_file());
}

#[test]
fn what_is_wrong_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let trace = trace(folder.path());
    for (words, said) in [
        ("--machine enigma", "enigma"),
        ("--machine ethernet10 --processors 0", "0 processors"),
        ("--machine ethernet10 --attempts 0", "--attempts"),
        ("--machine ethernet10 --processors 2 --map 0,7", "processor 7"),
        ("--machine ethernet10 --scheme random", "random"),
        ("--machine ethernet10 --processors 2 --attempts 1 --steps 20 -o /nowhere/best.map", "/nowhere"),
    ] {
        let output = on("balance", &trace, words);
        assert_eq!(output.status.code(), Some(2), "{words}: {}", stderr(&output));
        assert!(stderr(&output).contains(said), "{words}: {}", stderr(&output));
    }
}
