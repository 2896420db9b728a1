//! Checks of the viewer's page: the types of its modules, and the page in a browser. Building Panto
//! needs none of this.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::{Failure, Result};
use crate::scratch::Scratch;
use crate::shell;

/// Returns the folder of the checks.
fn folder() -> PathBuf {
    shell::root().join("crates/view/web-tests")
}

/// Returns whether the packages of the lock file are installed.
pub fn present() -> bool {
    let read = |name: &str| fs::read(folder().join(name)).ok();
    read("package-lock.json").is_some_and(|lock| read(INSTALLED) == Some(lock))
}

/// A copy of the lock file, written after its packages were installed.
const INSTALLED: &str = "node_modules/.installed.json";

/// Installs exactly the packages of the lock file.
pub fn install() -> Result<()> {
    shell::stream(Command::new("npm").args(["ci", "--no-audit", "--no-fund"]).current_dir(folder()))?;
    fs::copy(folder().join("package-lock.json"), folder().join(INSTALLED))
        .map(|_| ())
        .map_err(|error| Failure::failed(format!("cannot write {INSTALLED}: {error}")))
}

/// Returns the command that installs the packages, at the root of the repository.
pub fn remedy() -> String {
    "npm ci --prefix crates/view/web-tests".into()
}

/// Checks the types in the modules' comments.
pub fn types() -> Result<()> {
    shell::stream(node().args(["node_modules/typescript/bin/tsc", "--project", "tsconfig.json"]))
}

/// Tests the page in a browser.
pub fn browser() -> Result<()> {
    let pages = Scratch::new("pages")?;
    let mut scenes = shell::cargo("run --quiet --package panto-view --example scenes -- pages");
    shell::stream(scenes.arg(pages.path()))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(shell::root().join("target"), PathBuf::from);
    let program = target.join("debug/examples/scenes");
    shell::stream(node().arg("browser.mjs").arg(program).arg(pages.path()))
}

/// Draws the picture of the README of the pages in a folder.
pub fn picture(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).map_err(|error| Failure::failed(format!("{}: {error}", to.display())))?;
    shell::stream(node().arg("picture.mjs").args([from, to]))
}

fn node() -> Command {
    let mut command = Command::new("node");
    command.current_dir(folder());
    command
}
