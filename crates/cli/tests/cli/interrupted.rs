//! After Ctrl-C or a crash, the points measured so far are in the file.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::{command, line, stderr, stdout, succeeds};

/// Starts a run that would take a minute, and waits until its file has some points.
fn started(path: &Path) -> Child {
    let child = command()
        .args("bench comet/echo --ranks 2 -t 60s --precision 0.000001 -o".split_whitespace())
        .arg(path)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    while lines(path) < 4 {
        std::thread::sleep(Duration::from_millis(50));
    }
    child
}

fn lines(path: &Path) -> usize {
    std::fs::read_to_string(path).map_or(0, |text| text.lines().count())
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status().expect("kill is there");
    assert!(sent.success());
}

#[test]
fn ctrl_c_ends_the_run_and_shows_what_is_there() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("run.jsonl");
    let child = started(&path);
    signal(&child, "-INT");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    assert!(stdout(&output).contains("median"), "{}", stdout(&output));
    let info = line(&format!("info {}", path.display()));
    assert!(succeeds(&info).contains("comet/echo"));
    assert!(stderr(&info).contains("stopped before"), "{}", stderr(&info));
}

#[test]
fn a_killed_run_leaves_a_readable_file() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("run.jsonl");
    let mut child = started(&path);
    signal(&child, "-KILL");
    child.wait().expect("it ends");
    let text = succeeds(&line(&format!("info --salvage {}", path.display())));
    assert!(text.contains("comet/echo"), "{text}");
}

/// Returns whether a process handles Ctrl-C itself.
fn has_handlers(child: &Child) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // Signals are numbered from 1, and SIGINT is 2.
    caught.is_some_and(|mask| mask >> 1 & 1 == 1)
}

/// A sample of twenty minutes is not waited for.
#[test]
fn a_signal_wins_over_a_long_sample() {
    for name in ["-INT", "-TERM"] {
        let child = command()
            .args("bench echo --ranks 2 --sizes 1M --repetitions 10000000 -t 1000h".split_whitespace())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        while !has_handlers(&child) {
            std::thread::sleep(Duration::from_millis(10));
        }
        // Time to begin the sample; before it, the signal ends the run anyway.
        std::thread::sleep(Duration::from_secs(1));
        signal(&child, name);
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    }
}

#[test]
fn a_budget_wins_over_repetitions() {
    let output = line("bench echo --ranks 2 --sizes 1M --repetitions 10000000 -t 1s");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains("use fewer repetitions, or a longer -t"), "{}", stderr(&output));
}
