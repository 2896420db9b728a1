//! Progress of the recording is shown on a terminal only.

use std::process::Command;

use crate::{PANTO, Scene, USUAL, mpis};

/// Runs a command on a pseudo-terminal, and returns its output.
fn on_a_terminal(line: &str) -> String {
    let mut command = Command::new("script");
    command.args(["--quiet", "--return", "--command", &format!("stty rows 24 cols 80; {line}"), "/dev/null"]);
    let output = command.envs(mpis::ENVIRONMENT).output().expect("util-linux has it");
    assert!(output.status.success(), "{output:#?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_program_that_takes_its_time_has_a_status() {
    for mpi in USUAL {
        let Some(app) = mpi.app("hello") else { continue };
        let scene = Scene::new();
        let launcher: Vec<_> =
            mpi.launch_words(2).iter().map(|word| word.to_string_lossy().into_owned()).collect();
        let program = format!("{} {}; sleep 3", launcher.join(" "), app.display());
        let line = format!("{PANTO} trace -o {} -- sh -c '{program}'", scene.file().display());
        let shown = on_a_terminal(&line);
        let region_is_set = shown.find("\x1b[1;23r").unwrap_or_else(|| panic!("{}: {shown:?}", mpi.name));
        let region_is_whole = shown.find("\x1b[r").unwrap_or_else(|| panic!("{}: {shown:?}", mpi.name));
        let status = shown.find("panto: 2 ranks, ").unwrap_or_else(|| panic!("{}: {shown:?}", mpi.name));
        assert!(region_is_set < status && status < region_is_whole, "{}: {shown:?}", mpi.name);
        assert!(shown[region_is_whole..].contains("app.panto: 2 ranks, "), "{}: {shown:?}", mpi.name);
    }
}

#[test]
fn in_a_pipe_there_is_none() {
    let scene = Scene::new();
    let ended = scene.trace("").words("sleep 2").run();
    assert!(!ended.stderr.contains('\x1b') && !ended.stdout.contains('\x1b'), "{ended:#?}");
}
