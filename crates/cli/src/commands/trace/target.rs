//! Where a trace goes, and where the ranks' own files are until then.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// The file that is asked for, and the folder of the ranks' files beside it.
pub struct Target {
    file: PathBuf,
    ranks: PathBuf,
}

/// Is this the name of a rank's file?
fn is_rank(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|end| end == "rank")
}

/// Who has made this file combines.
const LOCK: &str = ".lock";

/// Is it one that is of no use after the run: the library, marks of ranks that ended, the tracer's compute tokens?
fn is_aid(name: &str) -> bool {
    [".so", ".done", LOCK].iter().any(|ending| name.ends_with(ending)) || name.starts_with("token-")
}

/// A trace took a run to make; it is not replaced without being asked.
pub fn refuse_to_replace(file: &Path, force: bool) -> Result<(), Failure> {
    if force || !file.exists() {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "{} is there already; use --force to replace it, or another name",
        file.display()
    )))
}

impl Target {
    /// Makes sure that there is a place for the trace, before the program runs.
    pub fn new(file: PathBuf, force: bool) -> Result<Self, Failure> {
        if file.is_dir() {
            return Err(Failure::Usage(format!("{} is a folder; name a file with -o", file.display())));
        }
        refuse_to_replace(&file, force)?;
        let mut ranks =
            std::path::absolute(&file).map_err(|error| Failure::write(&file, &error))?.into_os_string();
        ranks.push(".ranks");
        Ok(Self { file, ranks: ranks.into() })
    }

    /// The file that is asked for.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The folder of the ranks' files; its path is absolute, because ranks may run elsewhere.
    pub fn ranks(&self) -> &Path {
        &self.ranks
    }

    /// Makes the folder for a command that starts all ranks. What an earlier run left there is not lost without being asked.
    pub fn create(&self, force: bool) -> Result<(), Failure> {
        if force {
            if let Some(other) = self.stranger() {
                return Err(Failure::Usage(format!(
                    "{} is in the way: {other} there is not of a trace. Move it, or use another name",
                    self.ranks.display()
                )));
            }
            self.clear().map_err(|error| Failure::write(&self.ranks, &error))?;
        }
        fs::create_dir(&self.ranks).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => Failure::Usage(format!(
                "{0} is there already: an earlier run was cut off. `panto trace combine {0} -o FILE` makes a trace of it, --force \
                 replaces it",
                self.ranks.display()
            )),
            _ => Failure::write(&self.file, &error),
        })
    }

    /// Makes the folder for a process that is a rank itself: others may have been faster.
    pub fn share(&self) -> Result<(), Failure> {
        match fs::create_dir(&self.ranks) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(Failure::write(&self.file, &error)),
            _ => Ok(()),
        }
    }

    /// Takes the folder away, with everything that a run puts there and nothing else.
    pub fn clear(&self) -> std::io::Result<()> {
        self.remove(|name| is_rank(name) || is_aid(name))?;
        match fs::remove_dir(&self.ranks) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Takes everything away but the ranks' files, and the lock: another process may still be about to take it.
    pub fn tidy(&self) -> std::io::Result<()> {
        self.remove(|name| is_aid(name) && !name.ends_with(LOCK))
    }

    /// Something in the folder that no run puts there.
    fn stranger(&self) -> Option<String> {
        let entries = fs::read_dir(&self.ranks).ok()?.flatten();
        let mut names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.find(|name| !is_rank(name) && !is_aid(name))
    }

    fn remove(&self, is_ours: impl Fn(&str) -> bool) -> std::io::Result<()> {
        let entries = match fs::read_dir(&self.ranks) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            if entry.file_name().to_str().is_some_and(&is_ours) {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(outcome: Result<(), Failure>) -> String {
        outcome.unwrap_err().to_string()
    }

    #[test]
    fn what_is_there_is_not_lost() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("app.panto");
        let target = Target::new(file.clone(), false).unwrap();
        target.create(false).unwrap();
        fs::write(target.ranks().join("0.rank"), "precious").unwrap();
        assert!(said(target.create(false)).contains("panto trace combine"));
        target.create(true).unwrap();
        assert!(!target.ranks().join("0.rank").exists());
        fs::write(&file, "a trace").unwrap();
        assert!(said(Target::new(file.clone(), false).map(drop)).contains("--force"));
        assert!(Target::new(file, true).is_ok());
    }

    #[test]
    fn a_folder_is_no_trace() {
        let folder = tempfile::tempdir().unwrap();
        assert!(said(Target::new(folder.path().to_owned(), true).map(drop)).contains("is a folder"));
    }

    #[test]
    fn only_what_a_run_put_there_is_taken_away() {
        let folder = tempfile::tempdir().unwrap();
        let target = Target::new(folder.path().join("app.panto"), false).unwrap();
        target.share().unwrap();
        target.share().unwrap();
        for name in ["0.rank", "0.done", "combine.lock", "token-host.domain-0", "libpanto-tracer-1.so"] {
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
        assert!(said(target.create(true)).contains("mine.txt"));
        assert!(target.ranks().join("0.rank").exists());
    }
}
