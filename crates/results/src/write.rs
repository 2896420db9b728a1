//! Writing results files.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

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
}

impl Writer {
    /// Opens the file. Call this before measuring, so that errors are found early.
    pub fn create(path: &Path, existing: ExistingFile) -> Result<Self> {
        if existing == ExistingFile::Append {
            check_sound(path)?;
        }
        let mut options = OpenOptions::new();
        let options = match existing {
            ExistingFile::Refuse => options.write(true).create_new(true),
            ExistingFile::Replace => options.write(true).create(true).truncate(true),
            ExistingFile::Append => options.append(true).create(true),
        };
        match options.open(path) {
            Ok(file) => Ok(Self { file, path: path.into() }),
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

    /// Writes one line with a single call, so that a crash leaves no partial line.
    pub fn write(&mut self, line: &Line) -> Result<()> {
        let failed = |source| Error::Io { failure: "cannot write", path: self.path.clone(), source };
        let mut text = serde_json::to_vec(line).map_err(|error| failed(error.into()))?;
        text.push(b'\n');
        self.file.write_all(&text).map_err(failed)
    }
}
