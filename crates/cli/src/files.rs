//! Checks of files before a command reads and writes them, and writing of whole files.
//!
//! All commands treat an existing output file alike. What was measured, recorded or fitted
//! (results, traces, models) is replaced with `--force` only. What a command derives from other
//! files (reports, plots, timelines, exports, mappings) is replaced as a whole. An input file is
//! never replaced.

use std::path::Path;

use crate::failure::Failure;

/// Fails if a file cannot be written, so that no measurement is lost afterwards. An existing file
/// stays as it is.
pub fn check_output(output: &Path) -> Result<(), Failure> {
    if output.is_dir() {
        return Err(Failure::Usage(format!("{} is a directory; name a file", output.display())));
    }
    let is_new = !output.exists();
    let opened = std::fs::OpenOptions::new().append(true).create(true).open(output);
    opened.map_err(|error| Failure::write(output, &error))?;
    if is_new {
        std::fs::remove_file(output).map_err(|error| Failure::write(output, &error))?;
    }
    Ok(())
}

/// Fails if the output file is the input file.
pub fn refuse_overwrite(input: &Path, output: &Path) -> Result<(), Failure> {
    let is_same = input.canonicalize().ok().zip(output.canonicalize().ok()).is_some_and(|(a, b)| a == b);
    if !is_same {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "{} is the input file and would be overwritten; choose another output file",
        output.display()
    )))
}

/// Replaces a file by one with this content. If that fails, an existing file stays as it is.
pub fn replace(path: &Path, content: impl AsRef<[u8]>) -> Result<(), Failure> {
    panto_container::replace(path, content).map_err(|error| Failure::write(path, &error))
}
