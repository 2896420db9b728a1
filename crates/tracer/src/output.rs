//! The file of a rank: whole blocks, appended.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The file of a rank.
pub struct Output {
    file: File,
    path: PathBuf,
    /// How long it is: up to here blocks are whole.
    length: u64,
}

impl Output {
    /// Makes the file `<rank>.rank` in a folder. It must be new: a second MPI program of the same run has the same ranks.
    pub fn create(folder: &Path, rank: u32) -> Result<Self, String> {
        let path = folder.join(format!("{rank}.rank"));
        // Appending: what follows a block that could not be written goes where that was cut off.
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

    /// Its name.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends all or nothing.
    pub fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let written = quietly(|| self.file.write_all(bytes));
        match written {
            Ok(()) => self.length += bytes.len() as u64,
            // What was written of it is no block. If it cannot be cut off, readers do so.
            Err(_) => drop(self.file.set_len(self.length)),
        }
        written
    }
}

/// A file that reaches the limit of the shell (`ulimit -f`) brings a signal that ends the program. The error alone is enough here.
fn quietly(write: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    // SAFETY: all zero is a value of this C structure.
    let (mut wanted, mut before): (libc::sigset_t, libc::sigset_t) = unsafe { std::mem::zeroed() };
    // SAFETY: the sets are ours; only this thread's mask changes, and is put back below.
    unsafe {
        libc::sigemptyset(&raw mut wanted);
        libc::sigaddset(&raw mut wanted, libc::SIGXFSZ);
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const wanted, &raw mut before);
    }
    let outcome = write();
    if outcome.as_ref().is_err_and(|error| error.raw_os_error() == Some(libc::EFBIG)) {
        let at_once = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: takes the signal that is pending for this thread, if it is.
        unsafe { libc::sigtimedwait(&raw const wanted, std::ptr::null_mut(), &raw const at_once) };
    }
    // SAFETY: puts back what was there.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut()) };
    outcome
}
