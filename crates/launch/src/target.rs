//! The output file of a trace, and the directory of the ranks' files beside it.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::exposure::{check_private, create_private};
use panto_container::UNFINISHED_EXTENSION;

/// The output file of a trace, and the directory of the ranks' files beside it.
#[derive(Debug)]
pub struct Target {
    file: PathBuf,
    ranks: PathBuf,
}

/// Returns whether a name is that of a rank's file.
pub(crate) fn is_rank(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|end| end == "rank")
}

/// The extension of the lock file: the process that creates it combines.
const LOCK: &str = ".lock";

/// How often the removal of the directory is tried again.
const MAX_TRIES: u32 = 10;

/// Returns whether a file is not needed after the run: the library, also an unfinished one, markers
/// of ended ranks, the tracer's compute tokens.
fn is_auxiliary(name: &str) -> bool {
    [".so", ".done", LOCK].iter().any(|ending| name.ends_with(ending))
        || name.starts_with("token-")
        || Path::new(name).extension().is_some_and(|end| end == UNFINISHED_EXTENSION)
}

/// Fails if the file exists and is not to be replaced.
pub fn refuse_to_replace(file: &Path, force: bool) -> Result<()> {
    if force || !file.exists() {
        return Ok(());
    }
    Err(Error::Exists(file.to_owned()))
}

impl Target {
    /// Checks the output file before the program runs.
    pub fn new(file: PathBuf, force: bool) -> Result<Self> {
        if file.is_dir() {
            return Err(Error::IsDirectory(file));
        }
        refuse_to_replace(&file, force)?;
        let mut ranks =
            std::path::absolute(&file).map_err(|error| Error::write(&file, error))?.into_os_string();
        ranks.push(".ranks");
        Ok(Self { file, ranks: ranks.into() })
    }

    /// Returns the output file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Returns the directory of the ranks' files; absolute, because ranks may have other working
    /// directories.
    pub fn ranks(&self) -> &Path {
        &self.ranks
    }

    /// Creates the directory, for this user alone, for a command that starts all ranks. Files of an
    /// earlier run are removed only with `force`.
    pub fn create(&self, force: bool) -> Result<()> {
        if force && self.ranks.symlink_metadata().is_ok() {
            self.refuse_foreign_directory()?;
            if let Some(file) = self.foreign_file() {
                return Err(Error::ForeignFile { directory: self.ranks.clone(), file });
            }
            self.clear().map_err(|error| Error::write(&self.ranks, error))?;
        }
        create_private(&self.ranks).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => Error::Leftover(self.ranks.clone()),
            _ => Error::write(&self.file, error),
        })
    }

    /// Creates the directory, for this user alone, for a process of an MPI job, unless another
    /// process of this user has already done so.
    pub fn share(&self) -> Result<()> {
        match create_private(&self.ranks) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => self.refuse_foreign_directory(),
            created => created.map_err(|error| Error::write(&self.file, error)),
        }
    }

    /// Fails if the directory that exists may contain files of other users.
    fn refuse_foreign_directory(&self) -> Result<()> {
        match check_private(&self.ranks).map_err(|error| Error::write(&self.ranks, error))? {
            Some(reason) => Err(Error::NotPrivate { directory: self.ranks.clone(), reason }),
            None => Ok(()),
        }
    }

    /// Removes the directory with the files that a run creates, and no others. The lock is the last
    /// of them: a process that takes it afterwards finds that the others are gone.
    pub fn clear(&self) -> std::io::Result<()> {
        let mut tries = 0..MAX_TRIES;
        loop {
            self.remove(|name| (is_rank(name) || is_auxiliary(name)) && !name.ends_with(LOCK))?;
            self.remove(|name| name.ends_with(LOCK))?;
            match fs::remove_dir(&self.ranks) {
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
                // A process that ended meanwhile has left a file.
                Err(error)
                    if error.kind() == ErrorKind::DirectoryNotEmpty
                        && self.foreign_file().is_none()
                        && tries.next().is_some() => {}
                removed => return removed,
            }
        }
    }

    /// Removes auxiliary files, except for the lock, which another process may be about to take.
    pub fn tidy(&self) -> std::io::Result<()> {
        self.remove(|name| is_auxiliary(name) && !name.ends_with(LOCK))
    }

    /// Returns a file in the directory that no run creates.
    fn foreign_file(&self) -> Option<String> {
        let entries = fs::read_dir(&self.ranks).ok()?.flatten();
        let mut names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.find(|name| !is_rank(name) && !is_auxiliary(name))
    }

    fn remove(&self, is_ours: impl Fn(&str) -> bool) -> std::io::Result<()> {
        let entries = match fs::read_dir(&self.ranks) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            if entry.file_name().to_str().is_some_and(&is_ours) {
                match fs::remove_file(entry.path()) {
                    Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                    _ => {}
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn message(outcome: Result<()>) -> String {
        outcome.unwrap_err().to_string()
    }

    #[test]
    fn existing_files_are_kept() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("app.panto");
        let target = Target::new(file.clone(), false).unwrap();
        target.create(false).unwrap();
        fs::write(target.ranks().join("0.rank"), "precious").unwrap();
        assert!(message(target.create(false)).contains("panto trace combine"));
        target.create(true).unwrap();
        assert!(!target.ranks().join("0.rank").exists());
        fs::write(&file, "a trace").unwrap();
        assert!(message(Target::new(file.clone(), false).map(drop)).contains("--force"));
        assert!(Target::new(file, true).is_ok());
    }

    #[test]
    fn a_directory_is_rejected() {
        let directory = tempfile::tempdir().unwrap();
        assert!(message(Target::new(directory.path().to_owned(), true).map(drop)).contains("is a directory"));
    }

    #[test]
    fn a_directory_that_others_can_write_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let target = Target::new(directory.path().join("app.panto"), false).unwrap();
        target.share().unwrap();
        assert_eq!(fs::metadata(target.ranks()).unwrap().permissions().mode() & 0o777, 0o700);
        fs::set_permissions(target.ranks(), fs::Permissions::from_mode(0o777)).unwrap();
        assert!(message(target.share()).contains("every user"));
        assert!(message(target.create(true)).contains("every user"));
        fs::remove_dir(target.ranks()).unwrap();
        let elsewhere = directory.path().join("elsewhere");
        fs::create_dir(&elsewhere).unwrap();
        fs::write(elsewhere.join("0.rank"), "precious").unwrap();
        symlink(&elsewhere, target.ranks()).unwrap();
        assert!(message(target.share()).contains("symbolic link"));
        assert!(message(target.create(true)).contains("symbolic link"));
        assert!(elsewhere.join("0.rank").exists());
    }

    #[test]
    fn only_files_of_a_run_are_removed() {
        let directory = tempfile::tempdir().unwrap();
        let target = Target::new(directory.path().join("app.panto"), false).unwrap();
        target.share().unwrap();
        target.share().unwrap();
        for name in [
            "0.rank",
            "0.done",
            "combine.lock",
            "token-host.domain-0",
            "libpanto-tracer-1.so",
            ".it.so.1.part",
        ] {
            fs::write(target.ranks().join(name), "").unwrap();
        }
        target.tidy().unwrap();
        assert_eq!(fs::read_dir(target.ranks()).unwrap().count(), 2);
        target.clear().unwrap();
        assert!(!target.ranks().exists());
        target.create(false).unwrap();
        fs::write(target.ranks().join("mine.txt"), "").unwrap();
        assert!(target.clear().is_err());
        fs::write(target.ranks().join("0.rank"), "precious").unwrap();
        assert!(message(target.create(true)).contains("mine.txt"));
        assert!(target.ranks().join("0.rank").exists());
    }
}
