//! Runs MPI jobs of the `panto` binary under every MPI that is installed.

pub mod compiled;
pub mod job;
pub mod mpis;
pub mod network;

use std::path::PathBuf;

/// Returns the path of the `panto` binary of the running test's build.
///
/// Cargo puts a test into `target/PROFILE/deps` and the binaries of its package one folder above.
pub fn panto() -> PathBuf {
    let test = std::env::current_exe().expect("the path of the running test is known");
    let profile = test.ancestors().nth(2).expect("a test runs from target/PROFILE/deps");
    profile.join("panto")
}
