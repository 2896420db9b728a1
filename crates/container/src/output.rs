//! Output files that appear under their name only when they are complete.
//!
//! A file is written under a temporary name in the same folder and renamed at its end, so that a
//! full disk, an error or a signal leaves the previous file as it was. The temporary name is random
//! and must not exist (`O_EXCL`, which also refuses symbolic links): in a folder that others can
//! write to, no other user chooses which file is opened.
//!
//! Unfinished files are listed in this process. [`OutputFile`] removes its own when it is dropped;
//! a program that ends by a signal calls [`remove_unfinished_and_exit`].

use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The extension of temporary names.
pub const UNFINISHED_EXTENSION: &str = "part";

/// Bytes of the buffer of an output file.
const BUFFER: usize = 1 << 18;

/// Attempts to find a temporary name that is free. Each has 64 random bits.
const MAX_TRIES: u32 = 16;

/// The temporary files and folders of this process that are not finished.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A file that is written under a temporary name and renamed when complete. Until then, and if
/// writing fails, a previous file stays as it is.
///
/// Anything but a regular file (a pipe, a terminal) is written directly, and so is an existing file
/// in a folder in which no file can be created.
#[derive(Debug)]
pub struct OutputFile {
    names: Names,
    file: BufWriter<File>,
}

/// A file that is written and closed, but does not have its final name yet. Of several files that
/// belong together, none is renamed before all of them are complete.
#[derive(Debug)]
pub struct CompleteFile(Names);

/// The final name and, unless the file is written in place, the temporary one. The temporary file
/// is removed on drop.
#[derive(Debug)]
struct Names {
    target: PathBuf,
    temporary: Option<PathBuf>,
}

impl OutputFile {
    /// Creates a file that will replace `target`.
    pub fn create(target: &Path) -> io::Result<Self> {
        let previous = fs::metadata(target).ok();
        if previous.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if previous.as_ref().is_some_and(|previous| !previous.is_file()) {
            return Self::in_place(target, false);
        }
        // A symbolic link stands for its target.
        let target = target.canonicalize().unwrap_or_else(|_| target.to_owned());
        let (temporary, file) = match create_beside(&target) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied && previous.is_some() => {
                return Self::in_place(&target, true);
            }
            created => created?,
        };
        let output = Self::new(Names { target, temporary: Some(temporary) }, file);
        if let Some(previous) = previous {
            output.file.get_ref().set_permissions(previous.permissions())?;
        }
        Ok(output)
    }

    /// Opens what exists under the final name.
    fn in_place(target: &Path, truncate: bool) -> io::Result<Self> {
        let file = File::options().write(true).truncate(truncate).open(target)?;
        Ok(Self::new(Names { target: target.to_owned(), temporary: None }, file))
    }

    fn new(names: Names, file: File) -> Self {
        Self { names, file: BufWriter::with_capacity(BUFFER, file) }
    }

    /// Returns the final name.
    pub fn target(&self) -> &Path {
        &self.names.target
    }

    /// Writes what is buffered, down to the disk, and closes the file.
    pub fn complete(mut self) -> io::Result<CompleteFile> {
        self.file.flush()?;
        if self.names.temporary.is_some() {
            self.file.get_ref().sync_all()?;
        }
        Ok(CompleteFile(self.names))
    }

    /// Completes the file and gives it its final name.
    pub fn finish(self) -> io::Result<()> {
        self.complete()?.rename()
    }
}

impl CompleteFile {
    /// Returns the final name.
    pub fn target(&self) -> &Path {
        &self.0.target
    }

    /// Gives the file its final name.
    pub fn rename(mut self) -> io::Result<()> {
        if let Some(temporary) = &self.0.temporary {
            fs::rename(temporary, &self.0.target)?;
            forget(temporary);
            self.0.temporary = None;
        }
        Ok(())
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Names {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            let _ = fs::remove_file(temporary);
            forget(temporary);
        }
    }
}

/// Replaces a file by one with this content, or leaves it as it is.
pub fn replace(target: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
    let mut output = OutputFile::create(target)?;
    output.write_all(content.as_ref())?;
    output.finish()
}

/// Gives this name to a file with this content. Unlike [`replace`], a symbolic link of that name is
/// not followed but replaced, and so are permissions.
pub fn replace_name(target: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
    let (temporary, file) = create_beside(target)?;
    let names = Names { target: target.to_owned(), temporary: Some(temporary) };
    let mut output = OutputFile::new(names, file);
    output.write_all(content.as_ref())?;
    output.finish()
}

/// Removes the unfinished files and temporary folders of this process and ends it. Further files
/// cannot be created meanwhile.
pub fn remove_unfinished_and_exit(code: i32) -> ! {
    let unfinished = unfinished();
    for path in unfinished.iter() {
        if path.is_dir() {
            let _ = fs::remove_dir_all(path);
        } else {
            let _ = fs::remove_file(path);
        }
    }
    std::process::exit(code)
}

/// Creates a file with a random hidden name in the folder of the target, since renaming cannot
/// cross file systems.
fn create_beside(target: &Path) -> io::Result<(PathBuf, File)> {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let mut tries = 0;
    loop {
        let random = RandomState::new().hash_one(tries);
        let path = target.with_file_name(format!(".{name}.{random:016x}.{UNFINISHED_EXTENSION}"));
        // Listed under the lock, so that a signal finds either no file or a listed one.
        let mut unfinished = unfinished();
        match File::options().write(true).create_new(true).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tries < MAX_TRIES => tries += 1,
            Err(error) => return Err(error),
            Ok(file) => {
                unfinished.push(path.clone());
                return Ok((path, file));
            }
        }
    }
}

pub(crate) fn forget(path: &Path) {
    unfinished().retain(|other| other != path);
}

pub(crate) fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().flatten();
        let mut names: Vec<String> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_appears_when_it_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.html");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let mut output = OutputFile::create(&path).unwrap();
        output.write_all(b"new").unwrap();
        let complete = output.complete().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        complete.rename().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(names(folder.path()), ["page.html"]);
    }

    #[test]
    fn an_unfinished_file_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.html");
        fs::write(&path, "old").unwrap();
        let output = OutputFile::create(&path).unwrap();
        let temporary = output.names.temporary.clone().unwrap();
        assert!(unfinished().contains(&temporary));
        drop(output);
        assert!(!unfinished().contains(&temporary));
        assert_eq!((fs::read(&path).unwrap(), names(folder.path()).len()), (b"old".to_vec(), 1));
    }

    #[test]
    fn a_link_stands_for_its_target() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&real, "old").unwrap();
        symlink("real", &link).unwrap();
        replace(&link, "new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&real).unwrap(), b"new");
    }

    #[test]
    fn devices_are_written_and_folders_refused() {
        replace(Path::new("/dev/null"), "nothing").unwrap();
        assert!(fs::metadata("/dev/null").unwrap().permissions().mode() & 0o111 == 0);
        assert_eq!(replace(Path::new("/dev/full"), "x").unwrap_err().kind(), io::ErrorKind::StorageFull);
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(replace(folder.path(), "x").unwrap_err().kind(), io::ErrorKind::IsADirectory);
    }

    #[test]
    fn names_of_two_outputs_differ() {
        let folder = tempfile::tempdir().unwrap();
        let create = || OutputFile::create(&folder.path().join("it")).unwrap();
        let (one, other) = (create(), create());
        assert_ne!(one.names.temporary, other.names.temporary);
    }
}
