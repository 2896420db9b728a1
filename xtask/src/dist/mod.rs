//! `cargo xtask dist`: packages for machines without a Rust toolchain and with an old glibc.

mod archive;
mod build;
mod debian;
mod elf;
mod metadata;
mod sbom;
mod stage;
mod target;
mod trial;
mod wheel;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::{Failure, Result};
use crate::{help, shell};
pub use stage::{copy, files, write};
use target::{ALL, Target};

const VERSION: &str = env!("CARGO_PKG_VERSION");

pub fn help() -> String {
    let targets = help::list(ALL.iter().map(|target| (target.name, target.triple)));
    format!(
        "cargo xtask dist [TARGET...]\n\
         Builds, checks, starts and packs the binary, which runs on glibc {}.{} and later; without names, for this\n\
         computer's processor. Targets:\n{targets}\
         An archive, a wheel, a Debian package, a bill of materials and checksums are in target/dist. zig is\n\
         installed from PyPI. A target of another processor is not started.\n\
         Examples:\n  cargo xtask dist\n  cargo xtask dist x86_64\n",
        build::GLIBC.0,
        build::GLIBC.1
    )
}

pub fn run(arguments: &[String]) -> Result<()> {
    let targets = select(arguments)?;
    if let Some(reason) = targets.iter().find_map(|target| build::missing_toolchain(*target)) {
        return Err(Failure::failed(reason));
    }
    debian::missing().map_or(Ok(()), Err)?;
    metadata::check()?;
    recreate(&folder())?;
    let native = build::build(native()?)?;
    for target in targets {
        println!("\n== {}: {}", target.name, target.triple);
        package(target, &native)?;
    }
    checksums()
}

/// Returns the named targets, or that of this computer.
fn select(arguments: &[String]) -> Result<Vec<Target>> {
    let known = |name: &String| ALL.iter().any(|target| target.name == name);
    if let Some(unknown) = arguments.iter().find(|name| !known(name)) {
        let names: Vec<&str> = ALL.iter().map(|target| target.name).collect();
        return Err(Failure::usage(format!("unknown target `{unknown}`; valid names: {}", names.join(", "))));
    }
    if arguments.is_empty() {
        return Ok(vec![native()?]);
    }
    let chosen = |target: &Target| arguments.iter().any(|name| name == target.name);
    Ok(ALL.into_iter().filter(chosen).collect())
}

/// Returns the target of this computer, whose binary prints man pages and completions.
fn native() -> Result<Target> {
    let native = ALL.into_iter().find(|target| target.is_native());
    native.ok_or_else(|| Failure::failed("packages are made on x86-64 or aarch64 only"))
}

fn folder() -> PathBuf {
    shell::root().join("target/dist")
}

/// Builds, checks, starts and packs the binary of a target.
fn package(target: Target, native: &Path) -> Result<()> {
    let name = format!("panto-{VERSION}-{}-linux", target.name);
    let binary = build::build(target)?;
    let (stripped, _debug) = build::split(&binary, &folder(), &name)?;
    build::check(&stripped)?;
    if target.is_native() {
        trial::run(&stripped)?;
    } else {
        println!("not started: this computer is another one");
    }
    let prefix = folder().join(&name);
    let bill = folder().join(format!("{name}.cdx.json"));
    sbom::write(&bill, target)?;
    stage::install(&stripped, native, &bill, &prefix)?;
    pack(&prefix, &stripped, target, &name)?;
    for leftover in [fs::remove_dir_all(&prefix), fs::remove_file(&stripped)] {
        leftover.map_err(|error| Failure::failed(format!("{}: {error}", prefix.display())))?;
    }
    Ok(())
}

/// Makes the packages of a target from the files of a prefix, and tries them.
fn pack(prefix: &Path, binary: &Path, target: Target, name: &str) -> Result<()> {
    let (folder, time) = (folder(), commit_time()?);
    archive::pack(&folder, name, &folder.join(format!("{name}.tar.gz")), time)?;
    let wheel = wheel::pack(binary, target, &folder, time)?;
    if target.is_native() {
        wheel::try_out(&wheel)?;
    }
    debian::try_out(&debian::pack(prefix, target, &folder, time)?, target)
}

/// Returns the time of the commit, in seconds since 1970, or 0 outside of a checkout.
fn commit_time() -> Result<u64> {
    let mut git = Command::new("git");
    git.args(["log", "-1", "--format=%ct"]).current_dir(shell::root());
    if !shell::root().join(".git").exists() {
        return Ok(0);
    }
    let text = shell::capture(&mut git)?;
    text.trim().parse().map_err(|_| Failure::failed(format!("git printed `{}` as a time", text.trim())))
}

/// Empties a folder.
fn recreate(folder: &Path) -> Result<()> {
    let failed = |error| Failure::failed(format!("{}: {error}", folder.display()));
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(failed)?;
    }
    fs::create_dir_all(folder).map_err(failed)
}

/// Writes the SHA-256 of each package to `SHA256SUMS`, and prints it.
fn checksums() -> Result<()> {
    let names: Vec<_> =
        files(&folder())?.iter().filter_map(|path| path.file_name().map(ToOwned::to_owned)).collect();
    let sums = shell::capture(Command::new("sha256sum").args(names).current_dir(folder()))?;
    write(&folder().join("SHA256SUMS"), &sums)?;
    print!("\n== target/dist\n{sums}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_native_target_unless_named() {
        let names = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(ToString::to_string).collect();
            select(&words).unwrap().iter().map(|target| target.name).collect::<Vec<_>>()
        };
        assert_eq!(names(&[]), [native().unwrap().name]);
        assert_eq!(names(&["aarch64", "x86_64"]), ["x86_64", "aarch64"]);
    }

    #[test]
    fn an_unknown_target_lists_the_valid_names() {
        let failure = select(&["sparc".to_owned()]).err().unwrap();
        assert!(failure.to_string().contains("`sparc`; valid names: x86_64, aarch64"));
    }
}
