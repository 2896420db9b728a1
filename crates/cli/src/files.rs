//! Files that are read and files that are written.

use std::path::Path;

use crate::failure::Failure;

/// Before a minute of measuring: can this be written at all? An older file stays until the new one is there.
pub fn check_output(output: &Path) -> Result<(), Failure> {
    if output.is_dir() {
        return Err(Failure::Usage(format!("{} is a directory; name a file in it", output.display())));
    }
    let is_new = !output.exists();
    let opened = std::fs::OpenOptions::new().append(true).create(true).open(output);
    opened.map_err(|error| Failure::write(output, &error))?;
    if is_new {
        std::fs::remove_file(output).map_err(|error| Failure::write(output, &error))?;
    }
    Ok(())
}

/// Refuses to write over what is read.
pub fn keep(input: &Path, output: &Path) -> Result<(), Failure> {
    let is_same = input.canonicalize().ok().zip(output.canonicalize().ok()).is_some_and(|(a, b)| a == b);
    if !is_same {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "{} is what is read, and would be lost: name another file to write to",
        output.display()
    )))
}
