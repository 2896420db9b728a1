//! Scratch files that exist only while they are measured.

use std::collections::hash_map::RandomState;
use std::fs::{File, OpenOptions};
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::path::{Path, PathBuf};

use panto_transport::{Selector, SendMode, Transport};

use crate::comet::tag;
use crate::error::{Error, Result};

/// The rank that creates the shared file.
const ROOT: usize = 0;

/// A file with an unguessable name, removed by the rank that created it, in all cases.
pub(super) struct Scratch {
    pub(super) file: File,
    pub(super) path: PathBuf,
    /// Whether this rank created it.
    pub(super) owned: bool,
}

/// Checks that the directory exists and that files can be created in it.
pub(super) fn check_directory(directory: &Path) -> Result<()> {
    if !directory.is_dir() {
        let problem =
            if directory.exists() { "not a directory; use another" } else { "no such directory; create it" };
        return Err(Error::usage(format!("--io-dir {}: {problem}", directory.display())));
    }
    Scratch::new(directory, random()).map(drop)
}

impl Scratch {
    /// Creates a file for the calling rank, or one for all ranks. Collective: all ranks must call
    /// it.
    pub(super) fn create<T: Transport>(transport: &T, directory: &Path, shared: bool) -> Result<Self> {
        match transport.rank() {
            _ if !shared => Self::new(directory, random()),
            ROOT => Self::share(transport, directory),
            _ => Self::join(transport, directory),
        }
    }

    /// Evicts the file from the page cache.
    pub(super) fn evict(&self) -> io::Result<()> {
        evict(&self.file)
    }

    fn new(directory: &Path, number: u64) -> Result<Self> {
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(name(directory, number));
        let failed =
            |source| Error::Io { failure: "cannot create a file in", path: directory.into(), source };
        Ok(Self { file: file.map_err(failed)?, path: name(directory, number), owned: true })
    }

    fn share<T: Transport>(transport: &T, directory: &Path) -> Result<Self> {
        let number = random();
        let scratch = Self::new(directory, number)?;
        for rank in (0..transport.size()).filter(|&rank| rank != ROOT) {
            transport.send(SendMode::Standard, &number.to_ne_bytes(), rank, tag::SHARED_FILE)?;
        }
        Ok(scratch)
    }

    fn join<T: Transport>(transport: &T, directory: &Path) -> Result<Self> {
        let mut number = [0; size_of::<u64>()];
        transport.receive(&mut number, Selector::new(ROOT, tag::SHARED_FILE))?;
        let path = name(directory, u64::from_ne_bytes(number));
        let file = OpenOptions::new().read(true).write(true).open(&path);
        let failed = |source| Error::Io { failure: "cannot open", path: path.clone(), source };
        Ok(Self { file: file.map_err(failed)?, path, owned: false })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if self.owned {
            // A failure cannot be reported here, and the next file has another name.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

fn name(directory: &Path, number: u64) -> PathBuf {
    directory.join(format!("panto-io-{number:016x}.tmp"))
}

/// Returns a random number: the standard library seeds its hash maps from the system's source of
/// randomness.
fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

#[cfg(target_os = "linux")]
fn evict(file: &File) -> io::Result<()> {
    Ok(rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed)?)
}

#[cfg(not(target_os = "linux"))]
fn evict(_: &File) -> io::Result<()> {
    Err(io::Error::new(
        io::ErrorKind::Unsupported,
        "files cannot be evicted from the page cache on this system",
    ))
}
