//! Output files that appear under their name only when complete.

use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// A file that is written under a temporary name and renamed when complete. If writing fails, a
/// previous file stays. Anything but a regular file (a pipe, a terminal) is written directly.
#[derive(Debug)]
pub struct Output {
    target: PathBuf,
    temporary: Option<PathBuf>,
    file: BufWriter<File>,
}

impl Output {
    pub fn create(target: &Path) -> Result<Self> {
        let failed = |error| Error::file(target, error);
        let about = std::fs::metadata(target);
        if about.is_ok_and(|about| !about.is_file() && !about.is_dir()) {
            let file = File::options().write(true).open(target).map_err(failed)?;
            return Ok(Self { target: target.to_owned(), temporary: None, file: BufWriter::new(file) });
        }
        // A symbolic link stands for its target.
        let target = target.canonicalize().unwrap_or_else(|_| target.to_owned());
        if target.is_dir() {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        }
        let temporary = beside(&target);
        let file = File::create(&temporary).map_err(failed)?;
        Ok(Self { target, temporary: Some(temporary), file: BufWriter::with_capacity(1 << 18, file) })
    }

    pub fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(|error| Error::file(&self.target, error))
    }

    pub fn text(&mut self, text: fmt::Arguments<'_>) -> Result<()> {
        self.file.write_fmt(text).map_err(|error| Error::file(&self.target, error))
    }

    /// Renames a set of files after all of them have been written completely.
    pub fn finish<const N: usize>(mut outputs: [Self; N]) -> Result<()> {
        for output in &mut outputs {
            let written = output.file.flush().and_then(|()| match output.temporary {
                Some(_) => output.file.get_ref().sync_all(),
                None => Ok(()),
            });
            written.map_err(|error| Error::file(&output.target, error))?;
        }
        for output in &mut outputs {
            if let Some(temporary) = &output.temporary {
                let named = std::fs::rename(temporary, &output.target);
                named.map_err(|error| Error::file(&output.target, error))?;
                output.temporary = None;
            }
        }
        Ok(())
    }
}

impl Drop for Output {
    /// Removes the temporary file of an output that was not finished.
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            let _ = std::fs::remove_file(temporary);
        }
    }
}

/// Returns a hidden temporary name in the same folder, since renaming cannot cross file systems.
fn beside(target: &Path) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    target.with_file_name(format!(".{name}.{}.part", std::process::id()))
}
