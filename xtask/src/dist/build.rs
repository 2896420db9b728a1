//! Builds the portable binary: zig's linker knows the symbols of every glibc, and links against
//! the oldest one that is supported. `crates/cli/build.rs` builds the tracer with the same linker,
//! because it inherits the environment.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::elf;
use super::target::Target;
use crate::failure::{Failure, Result};
use crate::needs::pypi::ZIGBUILD;
use crate::shell;

/// The oldest glibc that the binary runs on: that of RHEL 7, the oldest system on clusters.
pub const GLIBC: (u32, u32) = (2, 17);

/// The largest binary, in bytes.
const MOST_BYTES: u64 = 20_000_000;

/// The profile in `Cargo.toml`.
const PROFILE: &str = "portable";

/// Names the compiler for other processors, if it is another one: that of a distribution which has
/// the standard library for them.
const CROSS_COMPILER: &str = "PANTO_CROSS_RUSTC";

/// Builds the binary and returns its path, with symbols and lines.
pub fn build(target: Target) -> Result<PathBuf> {
    if !ZIGBUILD.present() {
        ZIGBUILD.install()?;
    }
    let triple = format!("{}.{}.{}", target.triple, GLIBC.0, GLIBC.1);
    let mut command = Command::new(ZIGBUILD.program("cargo-zigbuild"));
    command.args(["zigbuild", "--locked", "--package", "panto", "--profile", PROFILE, "--target", &triple]);
    command.arg("--target-dir").arg(folder()).current_dir(shell::root());
    command.envs(cross_compiler(target).map(|compiler| ("RUSTC", compiler)));
    shell::stream(command.env("PATH", path_with_tools()?).env("RUSTFLAGS", remapped_paths()))?;
    Ok(folder().join(target.triple).join(PROFILE).join("panto"))
}

fn folder() -> PathBuf {
    shell::root().join("target/portable")
}

fn cross_compiler(target: Target) -> Option<OsString> {
    if target.is_native() { None } else { std::env::var_os(CROSS_COMPILER) }
}

/// Returns the search path, with the environment that has zig first.
fn path_with_tools() -> Result<OsString> {
    let tools = ZIGBUILD.program("python3").parent().map(Path::to_path_buf);
    let old = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(tools.into_iter().chain(std::env::split_paths(&old)))
        .map_err(|error| Failure::failed(format!("PATH: {error}")))
}

/// Returns the flags that keep this computer's folders out of the binary.
fn remapped_paths() -> String {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")));
    let remap = |from: &Path, to: &str| format!("--remap-path-prefix={}={to}", from.display());
    let own = remap(&shell::root(), "/panto");
    [Some(own), home.map(|home| remap(&home, "/cargo"))].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// Returns why the rest of the toolchain for a target is missing, after an attempt to install it.
pub fn missing_toolchain(target: Target) -> Option<String> {
    let compiler = cross_compiler(target).unwrap_or("rustc".into());
    let rustc = |arguments: &[&str]| shell::capture(Command::new(&compiler).args(arguments)).ok();
    let libraries = || {
        let folder = rustc(&["--print", "target-libdir", "--target", target.triple])?;
        Path::new(folder.trim()).is_dir().then_some(())
    };
    let installed = || shell::works(Command::new("rustup").args(["target", "add", target.triple]));
    if libraries().is_some() || (installed() && libraries().is_some()) {
        return None;
    }
    Some(format!(
        "Rust's standard library for {0} is missing; `rustup target add {0}` installs it, or \
         {CROSS_COMPILER} names a compiler that has it",
        target.triple
    ))
}

/// Splits a binary into one without symbols and a file of its symbols and lines, which debuggers
/// find by its name. Both are put into the folder.
pub fn split(binary: &Path, folder: &Path, name: &str) -> Result<(PathBuf, PathBuf)> {
    let (stripped, debug) = (folder.join("panto"), folder.join(format!("{name}.debug")));
    let objcopy = objcopy()?;
    shell::stream(Command::new(&objcopy).arg("--only-keep-debug").args([binary, &debug]))?;
    let link = format!("--add-gnu-debuglink={}", debug.display());
    shell::stream(Command::new(&objcopy).args(["--strip-all", &link]).args([binary, &stripped]))?;
    Ok((stripped, debug))
}

/// Returns the objcopy of the Rust toolchain, which knows all targets.
fn objcopy() -> Result<PathBuf> {
    let print = |what: &[&str]| shell::capture(Command::new("rustc").args(what));
    let folder = print(&["--print", "target-libdir"])?;
    let bin = Path::new(folder.trim()).with_file_name("bin");
    let program = bin.join("rust-objcopy");
    if program.is_file() {
        return Ok(program);
    }
    Err(Failure::failed(format!("there is no {}; it comes with Rust 1.84 and later", program.display())))
}

/// Fails if a binary or the tracer inside would not run on the oldest glibc, or is too large.
pub fn check(binary: &Path) -> Result<()> {
    let bytes = fs::read(binary)
        .map_err(|error| Failure::failed(format!("cannot read {}: {error}", binary.display())))?;
    let checked = check_versions(&bytes, GLIBC).and_then(|()| check_size(bytes.len() as u64));
    let tracer = || elf::embedded(&bytes).ok_or("has no library inside".to_owned());
    let checked = checked.and_then(|()| tracer()).and_then(|library| {
        check_versions(library, GLIBC).map_err(|text| format!("the tracer inside: {text}"))
    });
    checked.map_err(|text| Failure::failed(format!("{}: {text}", shell::shown(binary))))
}

fn check_versions(file: &[u8], glibc: (u32, u32)) -> std::result::Result<(), String> {
    let needed = elf::needed_versions(file).ok_or("not a 64-bit little-endian ELF file")?;
    let newer: Vec<String> =
        needed.iter().filter(|version| version.is_newer_than(glibc)).map(ToString::to_string).collect();
    if newer.is_empty() {
        return Ok(());
    }
    let (major, minor) = glibc;
    Err(format!("needs what glibc {major}.{minor} does not have: {}", newer.join(", ")))
}

fn check_size(bytes: u64) -> std::result::Result<(), String> {
    if bytes <= MOST_BYTES {
        return Ok(());
    }
    Err(format!("has {bytes} bytes; at most {MOST_BYTES} are allowed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_binary_that_needs_a_newer_glibc_is_refused() {
        let program = fs::read(std::env::current_exe().unwrap()).unwrap();
        assert_eq!(check_versions(&program, (9, 0)), Ok(()));
        let error = check_versions(&program, (2, 1)).unwrap_err();
        assert!(error.contains("what glibc 2.1 does not have: GLIBC_2."), "{error}");
        assert!(check_versions(b"text", GLIBC).unwrap_err().contains("ELF"));
    }

    #[test]
    fn a_large_binary_is_refused() {
        assert_eq!(check_size(MOST_BYTES), Ok(()));
        assert!(check_size(MOST_BYTES + 1).unwrap_err().contains("20000001 bytes"));
    }
}
