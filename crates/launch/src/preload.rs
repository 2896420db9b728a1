//! The tracer library, unpacked where the traced program can load it.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::StatVfsMountFlags;
use rustix::process::geteuid;

use crate::environment::PRELOAD;
use crate::error::{Error, Result};
use crate::exposure::{create_private, exposure};

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
    /// into a temporary directory.
    pub fn unpack(library: TracerLibrary, ranks: &Path) -> Result<Self> {
        let Some(problem) = unfit(ranks) else {
            let path = ranks.join(library.name);
            write(library, &path)?;
            return Ok(Self { path, own_directory: None, problem: None });
        };
        if let Some(temporary) = unfit(&std::env::temp_dir()) {
            return Err(Error::NotLoadable { ranks: problem, temporary });
        }
        let directory = own_directory().map_err(|error| Error::write(std::env::temp_dir(), error))?;
        let path = directory.join(library.name);
        let preload = Self { path, own_directory: Some(directory), problem: Some(problem) };
        write(library, &preload.path)?;
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

/// Returns why programs cannot load a library from a directory, or should not, if so.
fn unfit(directory: &Path) -> Option<String> {
    let bytes = directory.as_os_str().as_bytes();
    if bytes.iter().any(|byte| byte.is_ascii_whitespace() || *byte == b':') {
        return Some(format!("{}: {PRELOAD} cannot contain spaces or colons", directory.display()));
    }
    let has_noexec = |flags: StatVfsMountFlags| flags.contains(StatVfsMountFlags::NOEXEC);
    if rustix::fs::statvfs(directory).is_ok_and(|about| has_noexec(about.f_flag)) {
        return Some(format!("{} is mounted with noexec", directory.display()));
    }
    exposure(directory)
}

/// Creates a directory that only this user can write to: a file with a known name in a shared
/// directory could be replaced by another user.
fn own_directory() -> std::io::Result<PathBuf> {
    let process = std::process::id();
    let names = (0..100).map(|number| std::env::temp_dir().join(format!("panto-{process}-{number}")));
    let mut outcome = Err(ErrorKind::AlreadyExists.into());
    for path in names {
        outcome = create_private(&path).map(|()| path);
        if !matches!(&outcome, Err(error) if error.kind() == ErrorKind::AlreadyExists) {
            break;
        }
    }
    outcome
}

/// Writes the library, unless it is there byte for byte. It gets its name when it is complete, so
/// that no process loads a part of it; another process may do the same at this moment, so the name
/// is never without a file.
fn write(library: TracerLibrary, path: &Path) -> Result<()> {
    if is_unpacked(library, path) {
        return Ok(());
    }
    panto_container::replace_name(path, library.bytes).map_err(|error| Error::write(path, error))
}

/// Returns whether a plain file of this user has exactly the bytes of the library.
fn is_unpacked(library: TracerLibrary, path: &Path) -> bool {
    let is_plain = |about: fs::Metadata| {
        about.is_file() && about.uid() == geteuid().as_raw() && about.len() == library.bytes.len() as u64
    };
    fs::symlink_metadata(path).is_ok_and(is_plain) && fs::read(path).is_ok_and(|bytes| bytes == library.bytes)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    const LIBRARY: TracerLibrary = TracerLibrary { name: "tracer-1.so", bytes: b"a library" };

    #[test]
    fn it_is_unpacked_once_and_completely() {
        let directory = tempfile::tempdir().unwrap();
        for _ in 0..2 {
            let preload = Preload::unpack(LIBRARY, directory.path()).unwrap();
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
            let preload = Preload::unpack(LIBRARY, &ranks).unwrap();
            let path = preload.path.clone();
            assert!(preload.problem().is_some_and(|problem| problem.contains(name)));
            assert!(path.is_file() && !path.starts_with(&ranks), "{}", path.display());
            drop(preload);
            assert!(!path.parent().unwrap().exists());
        }
    }
    /// A file of the right name and length is not trusted.
    #[test]
    fn a_planted_library_is_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(LIBRARY.name);
        fs::write(&path, b"an intrud").unwrap();
        Preload::unpack(LIBRARY, directory.path()).unwrap();
        assert_eq!(fs::read(&path).unwrap(), LIBRARY.bytes);
        let elsewhere = directory.path().join("elsewhere");
        fs::rename(&path, &elsewhere).unwrap();
        symlink(&elsewhere, &path).unwrap();
        Preload::unpack(LIBRARY, directory.path()).unwrap();
        assert!(fs::symlink_metadata(&path).unwrap().is_file());
    }

    #[test]
    fn it_is_unpacked_elsewhere_if_others_can_replace_the_folder() {
        let directory = tempfile::tempdir().unwrap();
        let ranks = directory.path().join("ranks");
        fs::create_dir(&ranks).unwrap();
        fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o777)).unwrap();
        let preload = Preload::unpack(LIBRARY, &ranks).unwrap();
        assert!(preload.problem().is_some_and(|problem| problem.contains("every user")));
        assert!(!preload.path().starts_with(directory.path()));
    }
}
