//! Checks of the Python package in `python/`: its types, and its tests with a debug build of Panto.

use std::path::PathBuf;
use std::process::Command;

use crate::failure::Result;
use crate::needs::pypi::PYTHON;
use crate::shell;

/// Returns the folder of the package.
pub fn folder() -> PathBuf {
    shell::root().join("python")
}

/// Checks the types of the package and of its tests, and runs the tests.
pub fn check() -> Result<()> {
    let cache = shell::root().join("target/mypy");
    shell::stream(module("mypy").arg("--cache-dir").arg(cache))?;
    // What the step `tests` builds: one package alone has other features, and is compiled again.
    shell::stream(&mut shell::cargo("test --quiet --workspace --no-run"))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(shell::root().join("target"), PathBuf::from);
    let panto = target.join("debug/panto");
    shell::stream(module("pytest").args(["--quiet", "-p", "no:cacheprovider"]).env("PANTO", panto))
}

/// Returns a module of the environment as a program, in the folder of the package.
fn module(name: &str) -> Command {
    let mut command = Command::new(PYTHON.program("python"));
    command.args(["-m", name]).current_dir(folder()).env("PYTHONDONTWRITEBYTECODE", "1");
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_package_has_the_version_of_the_binary() {
        let text = std::fs::read_to_string(folder().join("pyproject.toml")).unwrap();
        let line = format!("version = \"{}\"", env!("CARGO_PKG_VERSION"));
        assert!(text.lines().any(|each| each == line), "{line}");
    }
}
