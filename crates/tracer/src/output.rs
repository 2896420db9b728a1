//! The file of a rank: complete blocks, appended.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The file of a rank.
pub struct Output {
    file: File,
    path: PathBuf,
    /// Its length in bytes: all blocks up to here are complete.
    length: u64,
}

impl Output {
    /// Creates the file `<rank>.rank` in a folder. It must not exist: a second MPI program of the
    /// same run has the same ranks.
    pub fn create(folder: &Path, rank: u32) -> Result<Self, String> {
        let path = folder.join(format!("{rank}.rank"));
        // Opened for appending: what follows a block that could not be written goes where that was
        // cut off.
        match File::options().append(true).create_new(true).open(&path) {
            Ok(file) => Ok(Self { file, path, length: 0 }),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(format!(
                "{} is there already; trace one MPI program at a time. If each process says this, the launcher does not belong to the \
                     program's MPI",
                path.display()
            )),
            Err(error) => Err(format!("{}: {error}", path.display())),
        }
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends all bytes or none.
    pub fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let written = quietly(|| self.file.write_all(bytes));
        match written {
            Ok(()) => self.length += bytes.len() as u64,
            // A part of a block is useless. If it cannot be cut off, readers ignore it.
            Err(_) => drop(self.file.set_len(self.length)),
        }
        written
    }
}

/// Writes without the signal SIGXFSZ, which ends a program whose file reaches the limit of the
/// shell (`ulimit -f`). The error is enough here.
fn quietly(write: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    // SAFETY: all zero is a valid value of this C structure.
    let (mut wanted, mut before): (libc::sigset_t, libc::sigset_t) = unsafe { std::mem::zeroed() };
    // SAFETY: both sets are local variables; only this thread's mask changes, and is restored
    // below.
    unsafe {
        libc::sigemptyset(&raw mut wanted);
        libc::sigaddset(&raw mut wanted, libc::SIGXFSZ);
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const wanted, &raw mut before);
    }
    let outcome = write();
    if outcome.as_ref().is_err_and(|error| error.raw_os_error() == Some(libc::EFBIG)) {
        let at_once = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: takes the signal if it is pending for this thread; all arguments are local
        // variables.
        unsafe { libc::sigtimedwait(&raw const wanted, std::ptr::null_mut(), &raw const at_once) };
    }
    // SAFETY: `before` is the mask that was read above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut()) };
    outcome
}
