//! Usage errors are reported before the program runs, so that no long run is lost.

use std::fs;
use std::path::Path;
use std::process::Command;

use panto_counter::{Counter, Event};

use crate::job::Job;
use crate::{PANTO, Scene, USUAL, on, said, says};

/// Runs a program that would create a file; asserts that it did not run, and that the error has
/// these words.
fn refused(scene: &Scene, options: &str, words: &[&str]) {
    let ended = scene.trace(options).words("touch").arg(scene.path("it-ran")).run();
    assert_eq!(ended.code, Some(2), "{options}: {ended:#?}");
    says(&ended, words);
    assert!(!scene.path("it-ran").exists(), "{options}");
}

#[test]
fn a_trace_is_not_overwritten() {
    let scene = Scene::new();
    fs::write(scene.file(), "precious").expect("writable");
    refused(&scene, "", &["app.panto exists", "--force"]);
    assert_eq!(fs::read(scene.file()).expect("still there"), b"precious");
}

/// The files of a run that was killed together with Panto are not overwritten.
#[test]
fn what_an_earlier_run_left_is_not_lost() {
    let scene = Scene::new();
    fs::create_dir(scene.ranks()).expect("writable");
    fs::write(scene.ranks().join("0.rank"), "precious").expect("writable");
    refused(&scene, "", &["app.panto.ranks exists", "panto trace combine", "--force"]);
    assert_eq!(fs::read(scene.ranks().join("0.rank")).expect("still there"), b"precious");
    let forced = scene.trace("--force").words("true").run();
    assert_eq!(forced.code, Some(2), "{forced:#?}");
    scene.is_tidy();
}

#[test]
fn a_trace_that_cannot_be_written() {
    let scene = Scene::new();
    fs::create_dir(scene.file()).expect("writable");
    refused(&scene, "", &["app.panto is a directory"]);
    for nowhere in ["/nowhere/at/all.panto", "/proc/all.panto"] {
        let mut command = Command::new(PANTO);
        command.args(["trace", "-o", nowhere, "--", "touch"]).arg(scene.path("it-ran"));
        let ended = Job::new(command).run();
        assert_eq!(ended.code, Some(2), "{ended:#?}");
        says(&ended, &["cannot write", nowhere]);
        assert!(!scene.path("it-ran").exists(), "{nowhere}");
    }
}

/// Many virtual machines have no hardware counters.
#[test]
fn instructions_that_cannot_be_counted() {
    if Counter::open(Event::Instructions).is_ok() {
        return eprintln!("skipped: instructions are counted here");
    }
    let scene = Scene::new();
    refused(&scene, "--clock instructions", &["cannot count instructions: ", "use --clock cpu"]);
    scene.is_tidy();
}

/// Where each rank is a `panto trace`, one of them prints the reason.
#[test]
fn instructions_that_no_rank_can_count() {
    if Counter::open(Event::Instructions).is_ok() {
        return eprintln!("skipped: instructions are counted here");
    }
    for mpi in USUAL.into_iter().filter(|mpi| mpi.app("compute").is_some()) {
        let scene = Scene::new();
        let job = on(&mpi, 2, Path::new(PANTO)).words("trace --clock instructions -o").arg(scene.file());
        let ended = job.words("-- touch").arg(scene.path("it-ran")).run();
        assert_ne!(ended.code, Some(0), "{ended:#?}");
        says(&ended, &["cannot count instructions: ", "use --clock cpu"]);
        assert_eq!(said(&ended).len(), 1, "{ended:#?}");
        assert!(!scene.path("it-ran").exists(), "{}", mpi.name);
        scene.is_tidy();
    }
}

#[test]
fn commands_that_cannot_start() {
    let scene = Scene::new();
    for (line, words) in [
        ("", "no command to trace"),
        ("no-such-program --at all", "cannot start `no-such-program`"),
        ("/etc/passwd", "cannot start `/etc/passwd`"),
    ] {
        let ended = scene.trace("").words(line).run();
        assert_eq!(ended.code, Some(2), "{line}: {ended:#?}");
        says(&ended, &[words]);
        scene.is_tidy();
    }
}
