//! Folders for files that are not kept, and folders that appear when they are complete.

use std::fs::{self, DirBuilder};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::output::{UNFINISHED_EXTENSION, forget, unfinished};

/// Attempts to find a name that is free. Each has 64 random bits.
const MAX_TRIES: u32 = 16;

/// A folder in the system's temporary folder that only this user can access. It is removed with its
/// content on drop, and by [`remove_unfinished_and_exit`](crate::remove_unfinished_and_exit).
#[derive(Debug)]
pub struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    /// Creates the folder.
    pub fn create() -> io::Result<Self> {
        let temporary = std::env::temp_dir();
        create_listed(0o700, |random| temporary.join(format!("panto-{random:016x}"))).map(Self)
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

/// A folder that is written under a temporary name beside its own, and renamed when all its files
/// are complete. It is removed with its content if it is dropped before that.
#[derive(Debug)]
pub struct OutputFolder {
    target: PathBuf,
    temporary: PathBuf,
}

impl OutputFolder {
    /// Creates a folder that will be `target`, which must not exist, or be an empty folder.
    pub fn create(target: &Path) -> io::Result<Self> {
        let is_free = match fs::read_dir(target) {
            Ok(mut entries) => entries.next().is_none(),
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        };
        if !is_free {
            return Err(io::Error::new(
                io::ErrorKind::AlreadyExists,
                "exists already; remove it, or name a new folder",
            ));
        }
        // A path such as `folder/` names the folder, and so does `./folder/.`.
        let target: PathBuf = target.components().collect();
        let name = target.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let beside = |random| target.with_file_name(format!(".{name}.{random:016x}.{UNFINISHED_EXTENSION}"));
        // The user's mask takes permissions away, as from the folders of other programs.
        let temporary = create_listed(0o777, beside)?;
        Ok(Self { target, temporary })
    }

    /// Returns where files are written until the folder is complete.
    pub fn path(&self) -> &Path {
        &self.temporary
    }

    /// Gives the folder its name.
    pub fn finish(self) -> io::Result<()> {
        fs::rename(&self.temporary, &self.target)
    }
}

impl Drop for OutputFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.temporary);
        forget(&self.temporary);
    }
}

/// Creates a folder with these permissions, under a name of 64 random bits, and lists it as
/// unfinished.
fn create_listed(mode: u32, name: impl Fn(u64) -> PathBuf) -> io::Result<PathBuf> {
    let mut tries = 0;
    loop {
        let path = name(RandomState::new().hash_one(tries));
        // Listed under the lock, so that a signal finds either no folder or a listed one.
        let mut unfinished = unfinished();
        match DirBuilder::new().mode(mode).create(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tries < MAX_TRIES => tries += 1,
            Err(error) => {
                return Err(io::Error::new(error.kind(), format!("{}: {error}", path.display())));
            }
            Ok(()) => {
                unfinished.push(path.clone());
                return Ok(path);
            }
        }
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

    #[test]
    fn an_output_folder_appears_when_it_is_complete_and_replaces_nothing() {
        let parent = TemporaryFolder::create().unwrap();
        let target = parent.path().join("archive");
        let entries = || fs::read_dir(parent.path()).unwrap().count();
        drop(OutputFolder::create(&target).unwrap());
        assert_eq!(entries(), 0);
        let folder = OutputFolder::create(&target.join("")).unwrap();
        fs::write(folder.path().join("file"), "content").unwrap();
        assert!(!target.exists());
        folder.finish().unwrap();
        assert_eq!((fs::read(target.join("file")).unwrap(), entries()), (b"content".to_vec(), 1));
        assert_eq!(OutputFolder::create(&target).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    }
}
