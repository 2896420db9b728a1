//! The compute token: at most one rank computes on each core of a host.
//!
//! When ranks outnumber cores, blocks of computation of several ranks take turns on a core and cool each other's caches. With tokens, a rank
//! computes only while it holds one; it gives it up inside MPI. There is one for each core that the process may use. They are locks on
//! files, which the kernel takes back from a process that dies. A program whose ranks wait for each other outside of MPI would wait
//! forever, so tokens are used on request only.

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

/// The rank does not compute any more.
#[inline]
pub fn give() {
    change(Token::give);
}

/// The rank wants to compute.
#[inline]
pub fn take() {
    change(Token::take);
}

#[inline]
fn change(how: impl FnOnce(&mut Token)) {
    if IS_USED.load(Ordering::Relaxed)
        && let Some(token) = TOKEN.lock().unwrap_or_else(PoisonError::into_inner).as_mut()
    {
        how(token);
    }
}

/// The tokens of a host, and which of them this rank holds.
struct Token {
    files: Vec<File>,
    held: Option<usize>,
    /// The one to wait for.
    own: usize,
}

impl Token {
    /// The tokens of this host.
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
        Ok(Self { files, held: None, own: rank as usize % cores })
    }

    /// Takes one: any that is free, or waits for its own.
    fn take(&mut self) {
        if self.held.is_some() {
            return;
        }
        let count = self.files.len();
        let order = (0..count).map(|far| (self.own + far) % count);
        let free = order.into_iter().find(|core| lock(&self.files[*core], libc::LOCK_EX | libc::LOCK_NB));
        let held = free.unwrap_or_else(|| {
            while !lock(&self.files[self.own], libc::LOCK_EX) {}
            self.own
        });
        self.held = Some(held);
    }

    /// Gives it up.
    fn give(&mut self) {
        if let Some(core) = self.held.take() {
            lock(&self.files[core], libc::LOCK_UN);
        }
    }
}

fn lock(file: &File, how: libc::c_int) -> bool {
    // SAFETY: the file is open.
    unsafe { libc::flock(file.as_raw_fd(), how) == 0 }
}

/// The host's name.
pub fn host() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim().to_owned()
}
