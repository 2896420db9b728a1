//! With an MPI, the quickstart also traces a real program and predicts it.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::{PANTO, mpis};

#[test]
fn a_real_program_is_traced() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(launcher) = mpis::MPICH.launcher().filter(|_| mpis::MPICH.is_installed()) else { return };
    // Launchers look for their helper programs in their own folder, so a symbolic link does not
    // work.
    let mpirun = folder.path().join("mpirun");
    std::fs::write(&mpirun, format!("#!/bin/sh\nexec {} \"$@\"\n", launcher.display())).expect("written");
    std::fs::set_permissions(&mpirun, PermissionsExt::from_mode(0o755)).expect("it can be run");
    let path = format!("{}:/usr/bin:/bin", folder.path().display());
    let line = "quickstart -t 2s --quiet-wait 0s --force --keep kept";
    let output = Command::new(PANTO)
        .args(line.split(' '))
        .current_dir(folder.path())
        .env("PATH", path)
        .output()
        .expect("the binary starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("Traced an MPI job") && text.contains("on infiniband"), "{text}");
    assert!(folder.path().join("kept/mpi.panto").is_file());
}
