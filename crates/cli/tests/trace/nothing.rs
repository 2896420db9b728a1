//! Programs that cannot be traced: the error names the reason and a remedy.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Scene, USUAL, says};

/// Compiles a small program without MPI.
fn compiled(scene: &Scene, options: &[&str]) -> PathBuf {
    let (source, program) = (scene.path("small.c"), scene.path("small"));
    fs::write(&source, "int main(void) { return 0; }\n").expect("writable");
    let status = Command::new("gcc").args(options).arg("-o").arg(&program).arg(&source).status();
    assert!(status.expect("gcc is there").success());
    program
}

/// Asserts that a program that succeeds leaves no trace, with an error that names the reason.
fn leaves_nothing(scene: &Scene, program: &Path, words: &[&str]) {
    for mpi in USUAL.iter().filter(|mpi| mpi.is_installed()) {
        let ended = scene.trace_on(mpi, 2, program).run();
        assert_eq!(ended.code, Some(2), "{}: {ended:#?}", mpi.name);
        says(&ended, words);
        assert!(!scene.file().exists() && !scene.ranks().exists(), "{}", mpi.name);
    }
}

#[test]
fn a_program_without_mpi() {
    let scene = Scene::new();
    leaves_nothing(&scene, &compiled(&scene, &[]), &["small does not reference MPI"]);
}

#[test]
fn a_statically_linked_program() {
    let scene = Scene::new();
    leaves_nothing(
        &scene,
        &compiled(&scene, &["-static"]),
        &["small is statically linked", "without -static"],
    );
    leaves_nothing(&scene, &compiled(&scene, &["-static-pie"]), &["small is statically linked"]);
}

#[test]
fn a_program_with_the_rights_of_another() {
    let scene = Scene::new();
    let program = compiled(&scene, &[]);
    fs::set_permissions(&program, fs::Permissions::from_mode(0o4755)).expect("it is ours");
    leaves_nothing(&scene, &program, &["small is set-uid", "a copy without that bit"]);
}

#[test]
fn a_script_that_starts_no_mpi_program() {
    let scene = Scene::new();
    let script = scene.path("run.sh");
    fs::write(&script, "#!/bin/sh\nexit 0\n").expect("writable");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("it is ours");
    leaves_nothing(&scene, &script, &["run.sh is a script", "LD_PRELOAD"]);
}
