//! `panto quickstart`, the first command that a newcomer runs.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::report::assert_asks_for_nothing;
use super::{command, line, stderr, succeeds};

#[test]
fn quickstart_says_what_matters_and_writes_a_page() {
    let directory = tempfile::tempdir().expect("a directory");
    let (path, kept) = (directory.path().join("report.html"), directory.path().join("kept"));
    let arguments =
        format!("quickstart -t 5s --quiet-wait 0s --force -o {} --keep {}", path.display(), kept.display());
    // No MPI is started here; `crates/cli/tests/mpi` tests the quickstart with one.
    let launchers = refusing_launchers(directory.path());
    let output = command()
        .args(arguments.split_whitespace())
        .env("PATH", launchers)
        .output()
        .expect("the binary starts");
    let text = succeeds(&output);
    for word in ["Quality", "Quality of the model", "this machine", "Predicted for 2", "Next:"] {
        assert!(text.contains(word), "no `{word}` in:\n{text}");
    }
    // Figures are withheld if other tests disturbed them.
    let is_poor = text.contains("Quality poor: ");
    let figures = ["An 8-byte message takes", "peak bandwidth", "barrier of"];
    let shown = figures.iter().filter(|word| text.contains(**word)).count();
    assert!(if is_poor { shown == 0 } else { shown > 0 }, "{text}");
    let steps = (1..=6).filter(|step| stderr(&output).contains(&format!("[{step}/6]"))).count();
    assert_eq!(steps, 6, "{}", stderr(&output));
    for word in ["OMPI_ALLOW_RUN_AS_ROOT=1 and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "mpiexec failed: no slots"]
    {
        assert!(stderr(&output).contains(word), "no `{word}` in:\n{}", stderr(&output));
    }
    let page = std::fs::read_to_string(&path).expect("written");
    assert!(page.starts_with("<!DOCTYPE html>"));
    assert!(page.matches("<svg").count() >= 10, "a plot a kernel");
    for heading in [
        "A program on more processors and other machines",
        "A prediction compared with a measurement",
        "Fitted machine",
    ] {
        assert!(page.contains(heading), "{heading}");
    }
    assert_asks_for_nothing(&page);
    for name in
        ["results.jsonl", "machine.toml", "program-2.panto", "program-64.panto", "timeline-this-machine.ptl"]
    {
        assert!(kept.join(name).is_file(), "{name}");
    }
    let again = "simulate program-16.panto -m machine.toml";
    let prediction = command().args(again.split(' ')).current_dir(&kept).output().expect("the binary starts");
    assert!(succeeds(&prediction).contains("16 ranks on 16 processors"));
    let refused = line(&arguments);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("not empty"), "{}", stderr(&refused));
}

/// Returns a folder with launchers that fail.
fn refusing_launchers(folder: &Path) -> PathBuf {
    let bin = folder.join("bin");
    std::fs::create_dir(&bin).expect("a folder");
    let words =
        [("mpirun", "mpirun has detected an attempt to run as root."), ("mpiexec", "no slots are free")];
    for (name, words) in words {
        let path = bin.join(name);
        std::fs::write(&path, format!("#!/bin/sh\necho '{words}' >&2\nexit 1\n")).expect("a script");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("it can be run");
    }
    bin
}

#[test]
fn ctrl_c_leaves_a_report_of_what_is_there() {
    let directory = tempfile::tempdir().expect("a directory");
    let (path, kept) = (directory.path().join("report.html"), directory.path().join("kept"));
    let mut child = command()
        .args(["quickstart", "-t", "120s", "--quiet-wait", "0s", "-o"])
        .arg(&path)
        .arg("--keep")
        .arg(&kept)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    while lines(&kept.join("results.jsonl")) < 3 {
        assert!(child.try_wait().expect("it runs").is_none(), "it ended by itself");
        std::thread::sleep(Duration::from_millis(50));
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill is there");
    assert!(sent.success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    let page = std::fs::read_to_string(&path).expect("written");
    assert!(page.contains("comet/") && !page.contains("One prediction beside reality"));
}

fn lines(path: &Path) -> usize {
    std::fs::read_to_string(path).map_or(0, |text| text.lines().count())
}
