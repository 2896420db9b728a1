//! Where the quickstart puts its files.

use std::path::{Path, PathBuf};

use panto_bench::results::{Existing, Writer};

use crate::failure::Failure;

/// A directory that the user wants to keep, or one that goes away at the end.
pub struct Place {
    directory: PathBuf,
    is_kept: bool,
}

impl Place {
    pub fn new(keep: Option<&Path>) -> Result<Self, Failure> {
        let own = || std::env::temp_dir().join(format!("panto-quickstart-{}", std::process::id()));
        let directory = keep.map_or_else(own, Path::to_owned);
        let is_used = std::fs::read_dir(&directory).is_ok_and(|mut entries| entries.next().is_some());
        if is_used {
            return Err(Failure::Usage(format!(
                "{} is there already and not empty; name another directory",
                directory.display()
            )));
        }
        std::fs::create_dir_all(&directory).map_err(|error| Failure::write(&directory, &error))?;
        Ok(Self { directory, is_kept: keep.is_some() })
    }

    /// All samples, if they are kept: those that are there already stay.
    pub fn results(&self) -> Result<Option<Writer>, Failure> {
        let path = self.directory.join("results.jsonl");
        Ok(self.is_kept.then(|| Writer::create(&path, Existing::Append)).transpose()?)
    }

    pub fn machine(&self) -> PathBuf {
        self.directory.join("machine.toml")
    }

    pub fn program(&self, ranks: u32) -> PathBuf {
        self.directory.join(format!("program-{ranks}.panto"))
    }

    /// The trace of the real MPI program.
    pub fn trace(&self) -> PathBuf {
        self.directory.join("mpi.panto")
    }

    pub fn timeline(&self, machine: &str) -> PathBuf {
        self.directory.join(format!("timeline-{}.ptl", machine.replace(' ', "-")))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if !self.is_kept {
            let _ = std::fs::remove_dir_all(&self.directory);
        }
    }
}
