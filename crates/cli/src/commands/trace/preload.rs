//! The tracer library: embedded in this binary, and unpacked where the traced program can load it.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, File};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use rustix::fs::StatVfsMountFlags;

use crate::failure::Failure;
use crate::print;

/// The library, embedded by the build script.
const LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libpanto_tracer.so"));

/// The file name; the checksum distinguishes versions.
const NAME: &str = concat!("libpanto-tracer-", env!("PANTO_TRACER_CHECKSUM"), ".so");

/// The environment variable of the dynamic linker.
pub const VARIABLE: &str = "LD_PRELOAD";

/// The library on disk. A temporary directory that was created for it is removed on drop.
pub struct Preload {
    path: PathBuf,
    own_directory: Option<PathBuf>,
}

impl Preload {
    /// Unpacks the library into the directory of the ranks' files, which all hosts see. `writer` is
    /// unique among processes that do so concurrently.
    pub fn unpack(ranks: &Path, writer: &str) -> Result<Self, Failure> {
        let Some(why) = unfit(ranks) else {
            let path = ranks.join(NAME);
            write(&path, writer)?;
            return Ok(Self { path, own_directory: None });
        };
        let directory = own_directory().map_err(|error| Failure::write(&std::env::temp_dir(), &error))?;
        let preload = Self { path: directory.join(NAME), own_directory: Some(directory) };
        if let Some(too) = unfit(&std::env::temp_dir()) {
            return Err(Failure::Usage(format!(
                "{why}, and {too}; choose another location with -o, or another temporary directory with TMPDIR"
            )));
        }
        write(&preload.path, writer)?;
        print::note(format_args!(
            "panto: {why}; the tracer is in {} instead, where ranks on other hosts cannot load it",
            preload.path.display()
        ));
        Ok(preload)
    }

    /// Returns the value of the variable: this library before those that are already preloaded.
    pub fn value(&self, present: Option<&OsStr>) -> OsString {
        let mut value = self.path.clone().into_os_string();
        if let Some(present) = present.filter(|present| !present.is_empty()) {
            value.push(":");
            value.push(present);
        }
        value
    }
}

impl Drop for Preload {
    fn drop(&mut self) {
        if let Some(directory) = &self.own_directory {
            let _ = fs::remove_file(&self.path);
            let _ = fs::remove_dir(directory);
        }
    }
}

/// Returns why programs cannot load a library from a directory, if they cannot.
fn unfit(directory: &Path) -> Option<String> {
    let bytes = directory.as_os_str().as_bytes();
    if bytes.iter().any(|byte| byte.is_ascii_whitespace() || *byte == b':') {
        return Some(format!("{}: {VARIABLE} cannot contain spaces or colons", directory.display()));
    }
    let flags = rustix::fs::statvfs(directory).ok()?.f_flag;
    flags
        .contains(StatVfsMountFlags::NOEXEC)
        .then(|| format!("{} is mounted with noexec", directory.display()))
}

/// Creates a directory that only this user can write to: a file with a known name in a shared
/// directory could be replaced by another user.
fn own_directory() -> std::io::Result<PathBuf> {
    let process = std::process::id();
    let names = (0..100).map(|number| std::env::temp_dir().join(format!("panto-{process}-{number}")));
    let mut outcome = Err(std::io::ErrorKind::AlreadyExists.into());
    for path in names {
        outcome = DirBuilder::new().mode(0o700).create(&path).map(|()| path);
        if !matches!(&outcome, Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists) {
            break;
        }
    }
    outcome
}

/// Writes the library under a temporary name and renames it, so that no process loads a partial
/// file.
fn write(path: &Path, writer: &str) -> Result<(), Failure> {
    if path.metadata().is_ok_and(|data| data.len() == LIBRARY.len() as u64) {
        return Ok(());
    }
    let partial = path.with_extension(format!("{writer}.so"));
    let written = File::create(&partial)
        .and_then(|mut file| file.write_all(LIBRARY))
        .and_then(|()| fs::rename(&partial, path));
    written.map_err(|error| {
        let _ = fs::remove_file(&partial);
        Failure::write(path, &error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_unpacked_once_and_completely() {
        let directory = tempfile::tempdir().unwrap();
        for writer in ["0", "1"] {
            let preload = Preload::unpack(directory.path(), writer).unwrap();
            assert_eq!(fs::read(&preload.path).unwrap(), LIBRARY);
        }
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn it_is_unpacked_elsewhere_if_the_path_is_unusable() {
        let directory = tempfile::tempdir().unwrap();
        for name in ["with space", "with:colon"] {
            let ranks = directory.path().join(name);
            fs::create_dir(&ranks).unwrap();
            let preload = Preload::unpack(&ranks, "0").unwrap();
            let path = preload.path.clone();
            assert!(path.is_file() && !path.starts_with(&ranks), "{}", path.display());
            drop(preload);
            assert!(!path.parent().unwrap().exists());
        }
    }

    #[test]
    fn other_libraries_stay_preloaded() {
        let preload = Preload { path: "/ranks/it.so".into(), own_directory: None };
        assert_eq!(preload.value(None), "/ranks/it.so");
        assert_eq!(preload.value(Some(OsStr::new(""))), "/ranks/it.so");
        assert_eq!(preload.value(Some(OsStr::new("/a.so b.so"))), "/ranks/it.so:/a.so b.so");
    }
}
