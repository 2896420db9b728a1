//! The directory of the quickstart's files.

use std::path::{Path, PathBuf};

use panto_results::{ExistingFile, Writer};

use crate::failure::Failure;

/// A directory that the user keeps, or a temporary one that is removed at the end.
pub struct Workspace {
    directory: PathBuf,
    is_kept: bool,
}

impl Workspace {
    /// Creates the directory.
    pub fn new(keep: Option<&Path>) -> Result<Self, Failure> {
        let own = || std::env::temp_dir().join(format!("panto-quickstart-{}", std::process::id()));
        let directory = keep.map_or_else(own, Path::to_owned);
        let is_used = std::fs::read_dir(&directory).is_ok_and(|mut entries| entries.next().is_some());
        if is_used {
            return Err(Failure::Usage(format!(
                "{} exists and is not empty; choose another directory",
                directory.display()
            )));
        }
        std::fs::create_dir_all(&directory).map_err(|error| Failure::write(&directory, &error))?;
        Ok(Self { directory, is_kept: keep.is_some() })
    }

    /// Opens the results file for appending, if the directory is kept.
    pub fn results(&self) -> Result<Option<Writer>, Failure> {
        let path = self.directory.join("results.jsonl");
        Ok(self.is_kept.then(|| Writer::create(&path, ExistingFile::Append)).transpose()?)
    }

    /// Returns the path of the model of this machine.
    pub fn machine(&self) -> PathBuf {
        self.directory.join("machine.toml")
    }

    /// Returns the path of the trace of the example program.
    pub fn program(&self, ranks: u32) -> PathBuf {
        self.directory.join(format!("program-{ranks}.panto"))
    }

    /// Returns the path of the trace of the MPI job.
    pub fn mpi_trace(&self) -> PathBuf {
        self.directory.join("mpi.panto")
    }

    /// Returns the path of the timeline on a machine.
    pub fn timeline(&self, machine: &str) -> PathBuf {
        self.directory.join(format!("timeline-{}.ptl", machine.replace(' ', "-")))
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        if !self.is_kept {
            let _ = std::fs::remove_dir_all(&self.directory);
        }
    }
}
