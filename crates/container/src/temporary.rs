//! Folders for files that are not kept.

use std::fs::{self, DirBuilder};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::output::{forget, unfinished};

/// Attempts to find a name that is free. Each has 64 random bits.
const MAX_TRIES: u32 = 16;

/// A folder in the system's temporary folder that only this user can access. It is removed with its
/// content on drop, and by [`remove_unfinished_and_exit`](crate::remove_unfinished_and_exit).
#[derive(Debug)]
pub struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    /// Creates the folder.
    pub fn create() -> io::Result<Self> {
        let mut tries = 0;
        loop {
            let random = RandomState::new().hash_one(tries);
            let path = std::env::temp_dir().join(format!("panto-{random:016x}"));
            // Listed under the lock, so that a signal finds either no folder or a listed one.
            let mut unfinished = unfinished();
            match DirBuilder::new().mode(0o700).create(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tries < MAX_TRIES => tries += 1,
                Err(error) => {
                    return Err(io::Error::new(error.kind(), format!("{}: {error}", path.display())));
                }
                Ok(()) => {
                    unfinished.push(path.clone());
                    return Ok(Self(path));
                }
            }
        }
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
        forget(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_folder_is_private_and_removed_with_its_content() {
        let folder = TemporaryFolder::create().unwrap();
        let path = folder.path().to_owned();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        fs::write(path.join("file"), "content").unwrap();
        drop(folder);
        assert!(!path.exists());
    }
}
