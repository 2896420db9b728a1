//! Builds the preloaded library of `panto trace`, which the binary carries inside itself: one file
//! is the whole product.

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
    for changed in ["tracer", "recording", "trace", "container", "calls", "mpi"].map(|name| crates.join(name))
    {
        for part in ["src", "Cargo.toml"] {
            println!("cargo::rerun-if-changed={}", changed.join(part).display());
        }
    }
    for changed in ["../Cargo.toml", "../Cargo.lock"] {
        println!("cargo::rerun-if-changed={}", crates.join(changed).display());
    }
    println!("cargo::rerun-if-changed=build.rs");
    embed(&build(&crates.join("tracer/Cargo.toml"))?)
}

/// Builds the library with the cargo that builds the binary, in a folder of its own: the other one
/// is locked.
fn build(manifest: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let folder = PathBuf::from(variable("OUT_DIR")?).join("tracer");
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
