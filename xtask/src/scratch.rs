//! Temporary folders.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Result};

/// A new, empty folder for temporary files; removed when dropped.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Result<Self> {
        let path = std::env::temp_dir().join(format!("panto-{name}-{}", std::process::id()));
        fs::create_dir(&path).map_err(|error| {
            Failure::failed(format!(
                "cannot create {}: {error}; set TMPDIR to another folder",
                path.display()
            ))
        })?;
        Ok(Self(path))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            eprintln!("warning: {} was not removed: {error}", self.0.display());
        }
    }
}
