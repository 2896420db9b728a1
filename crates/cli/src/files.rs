//! Files that are read and files that are written.

use std::path::Path;

use crate::failure::Failure;

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
