//! The binary, run as a user runs it.

mod against;
mod bad_input;
mod balance;
mod calibrate;
mod classic;
mod cm5;
mod compare;
mod compatibility;
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
mod pipes;
mod predict;
mod quality;
mod quickstart;
mod readme;
mod report;
mod reproduce;
mod samples;
mod scale;
mod scenario;
mod shell;
mod simulated;
mod swap;
mod sweep;
mod traces;
mod untrusted;
mod view;

use panto_results::{
    ExistingFile, Line, Manifest, Metric, Point, Record, RunEnd, RunSettings, Writer, param,
};
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

/// Saves a quiet run of the same points, whatever other tests do meanwhile.
fn quiet(directory: &Path) -> std::path::PathBuf {
    let path = directory.join("run.jsonl");
    let mut records: Vec<Record> = [0, 8, 1 << 10, 64 << 10]
        .map(|bytes| {
            let point = Point::new(2).with(param::HOPS, 1).with(param::BYTES, bytes);
            let record = panto_testkit::records::record("comet/echo", point, 200.0 + 0.1 * bytes as f64);
            Record { moved: Some(bytes), metric: Metric::one_way(0), ..record }
        })
        .to_vec();
    records.push(panto_testkit::records::record("comet/barrier", Point::new(2), 300.0));
    let command = "panto bench comet/echo comet/barrier --ranks 2 --hops 1 --sizes 0,8,1K,64K";
    let manifest = Manifest {
        command: command.split(' ').map(str::to_owned).collect(),
        ..Manifest::new("threads", "two threads".into(), 2, RunSettings::default())
    };
    let mut writer = Writer::create(&path, ExistingFile::Refuse).expect("a file");
    writer.write(&Line::Manifest(Box::new(manifest))).expect("written");
    for record in &records {
        writer.write(&Line::Point(Box::new(record.clone()))).expect("written");
    }
    let (planned, measured) = (records.len(), records.len());
    let quality = panto_results::quality::run_quality(&records);
    writer.write(&Line::End(RunEnd { complete: true, planned, measured, quality })).expect("written");
    path
}
