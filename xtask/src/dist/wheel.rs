//! A wheel for pip: the Python package of `python/` with the binary among its scripts, so that
//! `panto` is on the path of the environment that it is installed into.
//!
//! setuptools builds the package, which is pure Python; the binary and its platform are added after
//! that. A wheel is a zip archive whose `RECORD` lists the hash of each file; `wheel pack` writes
//! it (PEP 427).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::target::Target;
use super::{VERSION, stage};
use crate::failure::{Failure, Result};
use crate::needs::pypi::PYTHON;
use crate::scratch::Scratch;
use crate::{python, shell};

/// The start of 1980, in seconds since 1970: zip archives know no earlier time.
const FIRST_TIME: u64 = 315_532_800;

/// What the package must be able to do once it is installed.
const TRIAL: &str = "import panto; assert panto.bench('barrier', on='infiniband', ranks=4).points; \
                     print(panto.binary(), panto.version())";

/// Packs a binary into a wheel in the folder, and returns its path.
pub fn pack(binary: &Path, target: Target, folder: &Path, seconds: u64) -> Result<PathBuf> {
    if !PYTHON.present() {
        PYTHON.install()?;
    }
    let scratch = Scratch::new("wheel")?;
    let time = seconds.max(FIRST_TIME).to_string();
    let pure = pure(scratch.path(), &time)?;
    shell::capture(wheel("unpack").arg("--dest").arg(scratch.path()).arg(pure))?;
    let tree = scratch.path().join(format!("panto_hpc-{VERSION}"));
    let program = tree.join(format!("panto_hpc-{VERSION}.data/scripts/panto"));
    stage::copy(binary, &program)?;
    let description = tree.join(format!("panto_hpc-{VERSION}.dist-info/WHEEL"));
    stage::write(&description, platform(&read(&description)?, &tags(target)))?;
    let packed =
        wheel("pack").arg("--dest-dir").arg(folder).arg(&tree).env("SOURCE_DATE_EPOCH", time).status();
    if !packed.is_ok_and(|status| status.success()) {
        return Err(Failure::failed("the wheel was not packed"));
    }
    wheel_in(folder, target.name)
}

/// Builds the package without a binary, from a copy: setuptools writes beside its sources.
fn pure(scratch: &Path, time: &str) -> Result<PathBuf> {
    let source = scratch.join("source");
    for name in ["pyproject.toml", "README.md", "LICENSE-APACHE", "LICENSE-MIT"] {
        stage::copy(&python::folder().join(name), &source.join(name))?;
    }
    let package = python::folder().join("src/panto");
    for file in stage::files(&package)? {
        let name = file.strip_prefix(&package).unwrap_or(&file);
        if !name.starts_with("__pycache__") {
            stage::copy(&file, &source.join("src/panto").join(name))?;
        }
    }
    let mut pip = Command::new(PYTHON.program("pip"));
    pip.args(["wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir"]).arg(scratch);
    shell::stream(pip.arg(&source).env("SOURCE_DATE_EPOCH", time))?;
    wheel_in(scratch, "none-any")
}

fn wheel(subcommand: &str) -> Command {
    let mut command = Command::new(PYTHON.program("python"));
    command.args(["-m", "wheel", subcommand]);
    command
}

/// Returns the platforms of a binary for glibc 2.17, by the name of PEP 600 and by the former one.
fn tags(target: Target) -> [String; 2] {
    [format!("py3-none-manylinux_2_17_{}", target.name), format!("py3-none-manylinux2014_{}", target.name)]
}

/// Returns the description of a pure wheel as that of one for platforms.
fn platform(description: &str, tags: &[String]) -> String {
    let kept = description.lines().filter(|line| !line.starts_with("Tag:") && !line.trim().is_empty());
    let lines = kept.map(|line| line.replace("Root-Is-Purelib: true", "Root-Is-Purelib: false"));
    let all: Vec<String> = lines.chain(tags.iter().map(|tag| format!("Tag: {tag}"))).collect();
    all.join("\n") + "\n"
}

/// Returns the wheel in a folder whose file name ends with a platform.
fn wheel_in(folder: &Path, platform: &str) -> Result<PathBuf> {
    let ending = format!("{platform}.whl");
    let is_wanted = |path: &PathBuf| path.to_string_lossy().ends_with(&ending);
    let found = stage::files(folder)?.into_iter().find(is_wanted);
    found.ok_or_else(|| Failure::failed(format!("there is no wheel for {platform} in {}", folder.display())))
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|error| Failure::failed(format!("{}: {error}", path.display())))
}

/// Installs a wheel into a new environment and uses it, without a network.
pub fn try_out(wheel: &Path) -> Result<()> {
    let scratch = Scratch::new("environment")?;
    shell::stream(Command::new("python3").args(["-m", "venv"]).arg(scratch.path()))?;
    let program = |name: &str| Command::new(scratch.path().join("bin").join(name));
    shell::stream(program("pip").args(["install", "--quiet", "--no-index", "--no-deps"]).arg(wheel))?;
    shell::stream(program("panto").arg("--version"))?;
    shell::stream(program("python").args(["-c", TRIAL]).env_remove("PANTO").current_dir(scratch.path()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::target::ALL;

    #[test]
    fn a_wheel_for_platforms_names_them() {
        let pure = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n\n";
        assert_eq!(
            platform(pure, &tags(ALL[0])),
            "Wheel-Version: 1.0\nRoot-Is-Purelib: false\n\
             Tag: py3-none-manylinux_2_17_x86_64\nTag: py3-none-manylinux2014_x86_64\n"
        );
    }
}
