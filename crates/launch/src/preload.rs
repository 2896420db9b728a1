//! The tracer library, unpacked where the traced program can load it.

use std::fs::{self, DirBuilder, File};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use rustix::fs::StatVfsMountFlags;

use crate::environment::PRELOAD;
use crate::error::{Error, Result};

/// The tracer as a file in memory.
#[derive(Debug, Clone, Copy)]
pub struct TracerLibrary {
    /// The file name; it must differ between versions, and end in `.so`.
    pub name: &'static str,
    /// The content.
    pub bytes: &'static [u8],
}

/// The library on disk. A temporary directory that was created for it is removed on drop.
#[derive(Debug)]
pub struct Preload {
    path: PathBuf,
    own_directory: Option<PathBuf>,
    problem: Option<String>,
}

impl Preload {
    /// Unpacks the library into the directory of the ranks' files, which all hosts see, or else
    /// into a temporary directory. `writer` is unique among processes that do so concurrently.
    pub fn unpack(library: TracerLibrary, ranks: &Path, writer: &str) -> Result<Self> {
        let Some(problem) = unfit(ranks) else {
            let path = ranks.join(library.name);
            write(library, &path, writer)?;
            return Ok(Self { path, own_directory: None, problem: None });
        };
        if let Some(temporary) = unfit(&std::env::temp_dir()) {
            return Err(Error::NotLoadable { ranks: problem, temporary });
        }
        let directory = own_directory().map_err(|error| Error::write(std::env::temp_dir(), error))?;
        let path = directory.join(library.name);
        let preload = Self { path, own_directory: Some(directory), problem: Some(problem) };
        write(library, &preload.path, writer)?;
        Ok(preload)
    }

    /// Returns the path of the library.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns why the library is in a temporary directory, which ranks on other hosts may not see;
    /// `None` if it is beside the ranks' files.
    pub fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
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
        return Some(format!("{}: {PRELOAD} cannot contain spaces or colons", directory.display()));
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
fn write(library: TracerLibrary, path: &Path, writer: &str) -> Result<()> {
    if path.metadata().is_ok_and(|data| data.len() == library.bytes.len() as u64) {
        return Ok(());
    }
    let partial = path.with_extension(format!("{writer}.so"));
    let written = File::create(&partial)
        .and_then(|mut file| file.write_all(library.bytes))
        .and_then(|()| fs::rename(&partial, path));
    written.map_err(|error| {
        let _ = fs::remove_file(&partial);
        Error::write(path, error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIBRARY: TracerLibrary = TracerLibrary { name: "tracer-1.so", bytes: b"a library" };

    #[test]
    fn it_is_unpacked_once_and_completely() {
        let directory = tempfile::tempdir().unwrap();
        for writer in ["0", "1"] {
            let preload = Preload::unpack(LIBRARY, directory.path(), writer).unwrap();
            assert_eq!(fs::read(preload.path()).unwrap(), LIBRARY.bytes);
            assert_eq!(preload.problem(), None);
        }
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn it_is_unpacked_elsewhere_if_the_path_is_unusable() {
        let directory = tempfile::tempdir().unwrap();
        for name in ["with space", "with:colon"] {
            let ranks = directory.path().join(name);
            fs::create_dir(&ranks).unwrap();
            let preload = Preload::unpack(LIBRARY, &ranks, "0").unwrap();
            let path = preload.path.clone();
            assert!(preload.problem().is_some_and(|problem| problem.contains(name)));
            assert!(path.is_file() && !path.starts_with(&ranks), "{}", path.display());
            drop(preload);
            assert!(!path.parent().unwrap().exists());
        }
    }
}
