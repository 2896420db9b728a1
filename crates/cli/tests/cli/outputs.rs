//! Output files are replaced as a whole: a full disk or a signal leaves the previous file as it
//! was, and nothing beside it.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::{command, stderr, stencil, succeeds};

fn run(folder: &Path, line: &str) -> Output {
    command().args(line.split_whitespace()).current_dir(folder).output().expect("the binary starts")
}

/// Returns a folder with a trace and its timeline.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    stencil::write(folder.path(), 4, 400);
    std::fs::remove_dir_all(folder.path().join("ranks")).expect("the files of the ranks");
    succeeds(&run(folder.path(), "simulate stencil.panto --machine ipsc860 --timeline stencil.ptl"));
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// A limit to the size of files fails as a full disk does, after some blocks have been written.
#[test]
fn a_full_disk_leaves_the_previous_file() {
    let folder = folder();
    let path = folder.path();
    let of_a_rank = path.join("a.ti_files/rank-0.txt");
    std::fs::create_dir(path.join("a.ti_files")).expect("a folder");
    std::fs::write(&of_a_rank, "the previous one").expect("writable");
    for (line, output) in [
        ("report stencil.ptl -o", "a.html"),
        ("view stencil.ptl --html", "a.html"),
        ("convert stencil.panto -o", "a.goal"),
        ("convert stencil.panto -o", "a.ti"),
        ("export stencil.ptl -o", "a.paje"),
        ("export stencil.ptl -o", "a.pftrace"),
        ("trace combine stencil.panto --force -o", "a.panto"),
    ] {
        std::fs::write(path.join(output), "the previous one").expect("writable");
        let before = names(path);
        let limited = format!("ulimit -f 1; exec \"$0\" {line} {output}");
        let mut shell = Command::new("bash");
        shell.args(["-c", &limited, env!("CARGO_BIN_EXE_panto")]).current_dir(path);
        let ended = shell.output().expect("bash is there");
        assert_eq!(ended.status.code(), Some(2), "{line}: {ended:?}");
        assert!(stderr(&ended).contains("File too large"), "{line}: {}", stderr(&ended));
        assert_eq!(std::fs::read(path.join(output)).expect("still there"), b"the previous one", "{line}");
        assert_eq!(names(path), before, "{line}");
        assert_eq!(names(&path.join("a.ti_files")), ["rank-0.txt"], "{line}");
        assert_eq!(std::fs::read(&of_a_rank).expect("still there"), b"the previous one", "{line}");
    }
}

/// A signal while the output is written. The reader of a pipe does not read, so the export cannot
/// end before the signal.
#[test]
fn an_interrupted_export_leaves_nothing() {
    let folder = folder();
    let path = folder.path();
    assert!(Command::new("mkfifo").arg(path.join("a.states.csv")).status().expect("coreutils").success());
    // Opened by a process that never reads: both ends are there, and the pipe fills up.
    let pipe = path.join("a.states.csv");
    let both_ends = std::fs::File::options().read(true).write(true).open(&pipe).expect("a pipe");
    let before = names(path);
    for signal in ["INT", "TERM", "HUP"] {
        let mut child = command()
            .args(["export", "stencil.ptl", "-o", "a.csv"])
            .current_dir(path)
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary starts");
        while names(path) == before {
            assert!(child.try_wait().expect("a child").is_none(), "it ended early");
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        let sent = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status();
        assert!(sent.expect("kill is there").success());
        let code = child.wait().expect("it ends").code();
        assert!(code > Some(128), "{signal}: {code:?}");
        assert_eq!(names(path), before, "{signal}");
    }
    drop(both_ends);
}
