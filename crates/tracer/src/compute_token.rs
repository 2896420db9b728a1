//! The compute token: at most as many ranks of a host compute at a time as there are cores.
//!
//! When ranks outnumber cores, blocks of computation of several ranks take turns on a core and
//! evict each other's caches. With tokens, a rank computes only while it holds one, and releases it
//! inside MPI. There is a token for each core that the process may use. Tokens are locks on files
//! (`flock`), which the kernel releases when a process dies. A program whose ranks wait for each
//! other outside of MPI would deadlock, so tokens are used on request only, and only for programs
//! in which one thread calls MPI.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::os::fd::AsRawFd;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

static IS_USED: AtomicBool = AtomicBool::new(false);
static TOKEN: Mutex<Option<Token>> = Mutex::new(None);

/// Uses tokens from now on.
pub fn begin(folder: &Path, rank: u32) -> std::io::Result<()> {
    let token = Token::new(folder, rank)?;
    *TOKEN.lock().unwrap_or_else(PoisonError::into_inner) = Some(token);
    IS_USED.store(true, Ordering::Relaxed);
    Ok(())
}

/// Returns whether tokens are used.
#[inline]
pub fn is_used() -> bool {
    IS_USED.load(Ordering::Relaxed)
}

/// Stops using tokens: this process is no longer recorded, and would hold its token until it ends.
pub fn end() {
    IS_USED.store(false, Ordering::Relaxed);
    // A thread that holds the mutex here is in a signal handler that ends the program; the kernel
    // releases the token then.
    if let Some(mut token) = TOKEN.try_lock().ok().and_then(|mut token| token.take()) {
        token.release();
    }
}

/// Releases the token: the rank stops computing.
#[inline]
pub fn release() {
    change(Token::release);
}

/// Acquires a token: the rank is about to compute. Blocks until one is free.
#[inline]
pub fn take() {
    change(Token::take);
}

#[inline]
fn change(how: impl FnOnce(&mut Token)) {
    if is_used()
        && let Some(token) = TOKEN.lock().unwrap_or_else(PoisonError::into_inner).as_mut()
    {
        how(token);
    }
}

/// The tokens of a host, and which of them this rank holds.
struct Token {
    files: Vec<File>,
    held: Option<usize>,
    /// The token to wait for when none is free.
    own: usize,
}

impl Token {
    /// Opens the token files of this host.
    fn new(folder: &Path, rank: u32) -> std::io::Result<Self> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let host = host();
        let open = |core: usize| {
            let mut name = OsString::from("token-");
            name.push(&host);
            name.push(format!("-{core}"));
            OpenOptions::new().create(true).truncate(false).write(true).open(folder.join(name))
        };
        let files = (0..cores).map(open).collect::<std::io::Result<Vec<_>>>()?;
        let token = Self { files, held: None, own: rank as usize % cores };
        // Some file systems do not support locks.
        match lock(&token.files[token.own], libc::LOCK_SH | libc::LOCK_NB) {
            Err(error) if error.kind() != std::io::ErrorKind::WouldBlock => Err(error),
            outcome => {
                if outcome.is_ok() {
                    lock(&token.files[token.own], libc::LOCK_UN)?;
                }
                Ok(token)
            }
        }
    }

    /// Acquires any token that is free, or waits for the own one.
    fn take(&mut self) {
        if self.held.is_some() {
            return;
        }
        let count = self.files.len();
        let order = (0..count).map(|far| (self.own + far) % count);
        let free =
            order.into_iter().find(|core| lock(&self.files[*core], libc::LOCK_EX | libc::LOCK_NB).is_ok());
        let held = free.unwrap_or_else(|| {
            while let Err(error) = lock(&self.files[self.own], libc::LOCK_EX) {
                if error.kind() != std::io::ErrorKind::Interrupted {
                    break;
                }
            }
            self.own
        });
        self.held = Some(held);
    }

    /// Releases the token.
    fn release(&mut self) {
        if let Some(core) = self.held.take() {
            let _ = lock(&self.files[core], libc::LOCK_UN);
        }
    }
}

fn lock(file: &File, how: libc::c_int) -> std::io::Result<()> {
    // SAFETY: the file is open.
    if unsafe { libc::flock(file.as_raw_fd(), how) } == 0 {
        Ok(())
    } else {
        Err(std::io::Error::last_os_error())
    }
}

/// Returns the host's name.
pub fn host() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim().to_owned()
}
