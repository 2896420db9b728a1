//! Checks of the viewer's page: types of its modules, and the page itself in a browser. Nothing of this is needed to build Panto.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::failure::{Failure, Result};
use crate::scratch::Scratch;
use crate::shell;

/// Where the checks are.
fn folder() -> PathBuf {
    shell::root().join("crates/view/web-tests")
}

/// Are the packages there that the lock file names?
pub fn present() -> bool {
    let read = |name: &str| fs::read(folder().join(name)).ok();
    read("package-lock.json").is_some_and(|lock| read(INSTALLED) == Some(lock))
}

/// A copy of the lock file whose packages are installed.
const INSTALLED: &str = "node_modules/.installed.json";

/// Installs just what the lock file names.
pub fn install() -> Result<()> {
    shell::stream(Command::new("npm").args(["ci", "--no-audit", "--no-fund"]).current_dir(folder()))?;
    fs::copy(folder().join("package-lock.json"), folder().join(INSTALLED))
        .map(|_| ())
        .map_err(|error| Failure::failed(format!("cannot write {INSTALLED}: {error}")))
}

/// What people would type, at the root of the repository.
pub fn remedy() -> String {
    "npm ci --prefix crates/view/web-tests".into()
}

/// The modules are what their comments say.
pub fn types() -> Result<()> {
    shell::stream(node().args(["node_modules/typescript/bin/tsc", "--project", "tsconfig.json"]))
}

/// The page does in a browser what it should.
pub fn browser() -> Result<()> {
    let pages = Scratch::new("pages")?;
    let mut scenes = shell::cargo("run --quiet --package panto-view --example scenes -- pages");
    shell::stream(scenes.arg(pages.path()))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(shell::root().join("target"), PathBuf::from);
    let program = target.join("debug/examples/scenes");
    shell::stream(node().arg("browser.mjs").arg(program).arg(pages.path()))
}

fn node() -> Command {
    let mut command = Command::new("node");
    command.current_dir(folder());
    command
}
