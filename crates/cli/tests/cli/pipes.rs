//! A closed pipe ends every command quietly, as `panto info run.jsonl | head -1` closes one: no
//! panic, no message, and the exit code of success. Files are still written.

use std::path::Path;
use std::process::{Child, Stdio};

use super::{command, quiet, stencil};

/// Commands of one folder with a trace and results; later ones read files of earlier ones.
const COMMANDS: &[&str] = &[
    "machines",
    "machines show ipsc860",
    "machines show ipsc860 --format json",
    "bench --list",
    "bench comet/echo --on ipsc860 --ranks 4 --hops 1 --sizes 0,8 -o old.jsonl",
    "bench comet/echo --on ipsc860 --ranks 4 --hops 2 --sizes 0,8 -o old.jsonl --append",
    "bench comet/echo --on ipsc860 --ranks 4 --hops 2 --sizes 0,8 --format csv",
    "info old.jsonl",
    "info old.jsonl --format json",
    "info stencil.panto",
    "fit run.jsonl -o fitted.toml --force",
    "compare old.jsonl old.jsonl",
    "compare old.jsonl old.jsonl --format json",
    "history old.jsonl",
    "history old.jsonl --plot history.svg",
    "report old.jsonl -o old.html",
    "reproduce cm5 --html cm5.html",
    "simulate stencil.panto -m ipsc860 --timeline stencil.ptl",
    "simulate stencil.panto -m ipsc860 --format json",
    "sweep stencil.panto -m ipsc860,cm5",
    "balance stencil.panto -m cm5 --attempts 1 --steps 10 -o best.map",
    "convert stencil.panto -o stencil.goal",
    "export stencil.ptl -o stencil.csv",
    "view stencil.ptl --html view.html",
    "completions bash",
    "completions zsh",
    "man",
    "man --dir man",
    "man --markdown --dir markdown",
    "--version",
    "--help",
    "bench --help",
];

/// Returns the writing end of a pipe that has no reader.
fn closed() -> std::io::PipeWriter {
    let (_, writer) = std::io::pipe().expect("a pipe");
    writer
}

/// Runs a command whose output is a closed pipe. Returns its exit code, and what it wrote to
/// standard error if that is still open.
fn run(folder: &Path, line: &str, both: bool) -> (Option<i32>, String) {
    let mut command = command();
    command.args(line.split_whitespace()).current_dir(folder).stdout(closed());
    command.stderr(if both { Stdio::from(closed()) } else { Stdio::piped() });
    let output = command.spawn().and_then(Child::wait_with_output).expect("the binary starts");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_closed_pipe_ends_every_command_quietly() {
    for both in [false, true] {
        let folder = tempfile::tempdir().expect("a folder");
        stencil::write(folder.path(), 4, 40);
        quiet(folder.path());
        for line in COMMANDS {
            let (code, errors) = run(folder.path(), line, both);
            assert_eq!(code, Some(0), "{line}: {errors}");
            assert!(!errors.contains("panic") && !errors.contains("pipe"), "{line}: {errors}");
        }
        for name in
            ["old.jsonl", "fitted.toml", "old.html", "cm5.html", "stencil.ptl", "best.map", "view.html"]
        {
            assert!(folder.path().join(name).is_file(), "{name}");
        }
    }
}
