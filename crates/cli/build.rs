//! Builds the preloaded library of `panto trace`, which the binary carries inside itself: one file
//! is the whole product. Tells the binary its version, commit and target.

use std::env;
use std::error::Error;
use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The profile of the library, whatever the binary's own is.
const PROFILE: &str = "tracer";
const LIBRARY: &str = "libpanto_tracer.so";

/// What the outer cargo means for the binary alone: its flags, its wrappers (clippy is one) and its
/// folder.
const NOT_FOR_THE_LIBRARY: [&str; 5] = [
    "CARGO_ENCODED_RUSTFLAGS",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_WRAPPER",
    "CARGO_TARGET_DIR",
    "CARGO_BUILD_TARGET_DIR",
];

fn main() -> Result<(), Box<dyn Error>> {
    let crates = Path::new(&variable("CARGO_MANIFEST_DIR")?).join("..");
    for changed in
        ["tracer", "recording", "trace", "container", "calls", "counter", "coupling", "daxpy", "mpi", "units"]
            .map(|name| crates.join(name))
    {
        for part in ["src", "Cargo.toml"] {
            println!("cargo::rerun-if-changed={}", changed.join(part).display());
        }
    }
    for changed in ["../Cargo.toml", "../Cargo.lock"] {
        println!("cargo::rerun-if-changed={}", crates.join(changed).display());
    }
    println!("cargo::rerun-if-changed=build.rs");
    let origin = [commit(&crates.join("..")), Some(variable("TARGET")?)].into_iter().flatten();
    let origin = origin.collect::<Vec<_>>().join(", ");
    println!("cargo::rustc-env=PANTO_VERSION={} ({origin})", variable("CARGO_PKG_VERSION")?);
    embed(&build(&crates.join("tracer/Cargo.toml"))?)
}

/// Returns the commit of a release build, if its source is a checkout. Other builds name none,
/// because each commit would compile the last and largest crate again.
fn commit(root: &Path) -> Option<String> {
    let is_release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let top = is_release.then(|| git(root, &["--show-toplevel"]))??;
    // A source archive may be unpacked inside another repository.
    if Path::new(&top).canonicalize().ok()? != root.canonicalize().ok()? {
        return None;
    }
    let log = root.join(git(root, &["--git-path", "logs/HEAD"])?);
    println!("cargo::rerun-if-changed={}", log.display());
    git(root, &["--short=12", "HEAD"])
}

/// Returns what `git rev-parse` prints, if it succeeds.
fn git(root: &Path, words: &[&str]) -> Option<String> {
    let output = Command::new("git").arg("rev-parse").args(words).current_dir(root).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

/// Builds the library with the cargo that builds the binary, in a folder of its own: the other one
/// is locked. `check`, `clippy`, `doc` and `build` run this script in folders of their own, so the
/// library is built beside these, once for all of them.
fn build(manifest: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let own = PathBuf::from(variable("OUT_DIR")?);
    let folder = own.ancestors().nth(2).ok_or("OUT_DIR has no folder above it")?.join("panto-tracer");
    let target = variable("TARGET")?;
    let mut cargo = Command::new(variable("CARGO")?);
    cargo.args(["build", "--lib", "--locked", "--profile", PROFILE, "--target", &target, "--manifest-path"]);
    cargo.arg(manifest).arg("--target-dir").arg(&folder);
    for name in NOT_FOR_THE_LIBRARY {
        cargo.env_remove(name);
    }
    let status = cargo.status()?;
    if !status.success() {
        return Err(format!("the tracer was not built ({status}); {cargo:?} shows why").into());
    }
    Ok(folder.join(target).join(PROFILE).join(LIBRARY))
}

/// Puts it where `include_bytes!` finds it, with its checksum.
fn embed(library: &Path) -> Result<(), Box<dyn Error>> {
    let bytes = fs::read(library).map_err(|error| format!("{}: {error}", library.display()))?;
    fs::write(Path::new(&variable("OUT_DIR")?).join(LIBRARY), &bytes)?;
    let mut hasher = DefaultHasher::new();
    hasher.write(&bytes);
    println!("cargo::rustc-env=PANTO_TRACER_CHECKSUM={:016x}", hasher.finish());
    Ok(())
}

fn variable(name: &str) -> Result<String, Box<dyn Error>> {
    env::var(name).map_err(|error| format!("{name}: {error}").into())
}
