//! The binary, run as a user runs it.

mod against;
mod bad_input;
mod balance;
mod calibrate;
mod classic;
mod cm5;
mod compare;
mod conformance;
mod export;
mod fit;
mod formats;
mod guide;
mod history;
mod implementations;
mod interrupted;
mod machines;
mod mbs;
mod outputs;
mod perform;
mod predict;
mod quickstart;
mod report;
mod reproduce;
mod samples;
mod scenario;
mod shell;
mod simulated;
mod swap;
mod sweep;
mod traces;
mod untrusted;
mod view;

use panto_testkit::jobs::compiled;
use panto_testkit::stencil;
use std::path::Path;
use std::process::{Command, Output};

/// Runs `panto` with these arguments.
fn panto<I: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = I>) -> Output {
    command().args(arguments).output().expect("the binary starts")
}

fn command() -> Command {
    Command::new(env!("CARGO_BIN_EXE_panto"))
}

/// Runs `panto` with the words of a line.
fn line(line: &str) -> Output {
    panto(line.split_whitespace())
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("text")
}

/// Asserts success and returns the standard output.
fn succeeds(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", stderr(output));
    stdout(output)
}

/// Measures a small results file.
fn measured(directory: &Path) -> std::path::PathBuf {
    let path = directory.join("run.jsonl");
    let quick = "bench comet/echo comet/barrier --ranks 2 --hops 1 --sizes 0,8,1K,64K -t 1s -o";
    let arguments = quick.split_whitespace().map(Into::into).chain([path.clone().into_os_string()]);
    succeeds(&panto(arguments));
    path
}
