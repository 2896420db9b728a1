//! Writing results files.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use panto_container::line::seal;
use rustix::fs::{FlockOperation, flock};

use crate::launch::LaunchId;
use crate::{Error, Line, Result, read};

/// What to do with an existing file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExistingFile {
    /// Return an error, so that a repeated command does not overwrite measurements.
    Refuse,
    /// Replace it.
    Replace,
    /// Append this launch to it.
    Append,
}

/// An exclusive lock of a file until it is dropped. It is held for a line, not for a run: several
/// runs, on different hosts as well, may append to one file.
struct Locked<'a>(&'a File);

impl<'a> Locked<'a> {
    /// Waits for the lock. Some file systems have none; single writes and launch ids remain.
    fn new(file: &'a File) -> Self {
        while let Err(rustix::io::Errno::INTR) = flock(file, FlockOperation::LockExclusive) {}
        Self(file)
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        let _ = flock(self.0, FlockOperation::Unlock);
    }
}

/// Checks that a launch can be appended: one behind damaged lines could not be read again.
fn check_sound(path: &Path) -> Result<()> {
    let is_empty = std::fs::metadata(path).map_or(true, |file| file.len() == 0);
    if is_empty { Ok(()) } else { read(path).map(drop) }
}

/// A results file that is being written.
#[derive(Debug)]
pub struct Writer {
    file: File,
    path: PathBuf,
    /// The launch of the last manifest.
    launch: LaunchId,
}

impl Writer {
    /// Opens the file. Call this before measuring, so that errors are found early.
    pub fn create(path: &Path, existing: ExistingFile) -> Result<Self> {
        let mut options = OpenOptions::new();
        // Appended in any case: another process may append at the same time.
        let options = match existing {
            ExistingFile::Refuse => options.append(true).create_new(true),
            ExistingFile::Replace | ExistingFile::Append => options.append(true).create(true),
        };
        match options.open(path) {
            Ok(file) => {
                let writer = Self { file, path: path.into(), launch: LaunchId::new() };
                writer.prepare(existing)?;
                Ok(writer)
            }
            Err(_) if path.is_dir() => {
                Err(Error::usage(format!("{} is a directory; name a file in it", path.display())))
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Err(Error::usage(format!(
                "{} is there already; use --append to add to it, --force to replace it, or another name",
                path.display()
            ))),
            Err(source) => Err(Error::Io { failure: "cannot write", path: path.into(), source }),
        }
    }

    /// Checks what is in the file, or removes it.
    fn prepare(&self, existing: ExistingFile) -> Result<()> {
        let _locked = Locked::new(&self.file);
        let is_regular = self.file.metadata().is_ok_and(|file| file.is_file());
        match existing {
            ExistingFile::Append => check_sound(&self.path),
            ExistingFile::Replace if is_regular => self.file.set_len(0).map_err(|error| self.failed(error)),
            _ => Ok(()),
        }
    }

    /// Writes one line with a single call, so that a crash leaves no partial line. A manifest
    /// begins a launch, to which the lines after it belong.
    pub fn write(&mut self, line: &Line) -> Result<()> {
        if matches!(line, Line::Manifest(_)) {
            self.launch = LaunchId::new();
        }
        let text = serde_json::to_string(line).map_err(|error| self.failed(error.into()))?;
        let text = seal(&self.launch.tag(&text));
        let _locked = Locked::new(&self.file);
        (&self.file).write_all(text.as_bytes()).map_err(|error| self.failed(error))
    }

    fn failed(&self, source: std::io::Error) -> Error {
        Error::Io { failure: "cannot write", path: self.path.clone(), source }
    }
}
