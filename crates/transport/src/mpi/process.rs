//! Other processes of this host, and when they end.

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::time::Duration;

/// A process that should not end before we do.
pub(super) struct Process {
    /// The rank that it is, unless it is the launcher.
    pub(super) rank: Option<usize>,
    pub(super) pid: u32,
    /// What the system tells its end by; old kernels and strict containers have no such thing.
    descriptor: Option<OwnedFd>,
}

impl Process {
    /// A process with this number.
    pub(super) fn open(pid: u32, rank: Option<usize>) -> Self {
        // SAFETY: the call takes two numbers.
        let descriptor = unsafe { libc::syscall(libc::SYS_pidfd_open, pid as libc::pid_t, 0) };
        let descriptor = i32::try_from(descriptor).ok().filter(|descriptor| *descriptor >= 0);
        // SAFETY: the system has just opened it for us.
        let descriptor = descriptor.map(|descriptor| unsafe { OwnedFd::from_raw_fd(descriptor) });
        Self { rank, pid, descriptor }
    }

    /// The process that started this one; none where that is the first process of all, which never ends before us.
    pub(super) fn parent() -> Option<Self> {
        // SAFETY: always succeeds.
        let parent = unsafe { libc::getppid() };
        u32::try_from(parent).ok().filter(|parent| *parent > 1).map(|parent| Self::open(parent, None))
    }

    /// Has somebody stopped it, as by SIGSTOP or a debugger?
    pub(super) fn is_stopped(&self) -> bool {
        matches!(self.state(), Some('T' | 't'))
    }

    /// What it does, in a letter; none if it is not listed.
    fn state(&self) -> Option<char> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.pid)).ok()?;
        stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next())
    }

    /// Has it ended, as far as the system's list of processes says? A process that nobody has asked about its end is still listed.
    fn is_gone(&self) -> bool {
        let listed = || std::path::Path::new("/proc/self/stat").exists();
        self.state().map_or_else(listed, |state| matches!(state, 'Z' | 'X'))
    }
}

/// The first of these processes that ends within a while.
pub(super) fn wait_for_any<'a>(
    processes: impl Iterator<Item = &'a Process>,
    while_: Duration,
) -> Option<&'a Process> {
    let (told, asked): (Vec<_>, Vec<_>) = processes.partition(|process| process.descriptor.is_some());
    let entry = |process: &&Process| libc::pollfd {
        fd: process.descriptor.as_ref().map_or(-1, AsRawFd::as_raw_fd),
        events: libc::POLLIN,
        revents: 0,
    };
    let mut entries: Vec<libc::pollfd> = told.iter().map(entry).collect();
    let (count, millis) = (entries.len() as libc::nfds_t, while_.as_millis() as libc::c_int);
    // SAFETY: as many entries as are said, each of an open descriptor.
    let found = unsafe { libc::poll(entries.as_mut_ptr(), count, millis) };
    let dead = entries.iter().position(|entry| found > 0 && entry.revents != 0).map(|place| told[place]);
    dead.or_else(|| asked.into_iter().find(|process| process.is_gone()))
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    const SHORT: Duration = Duration::from_millis(1);
    const LONG: Duration = Duration::from_secs(60);

    /// The end of a process is noticed, whether the system tells or must be asked.
    #[test]
    fn the_end_of_a_process_is_noticed() {
        for told in [true, false] {
            let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
            let mut process = Process::open(child.id(), Some(7));
            if !told {
                process.descriptor = None;
            }
            assert!(wait_for_any([&process].into_iter(), SHORT).is_none());
            drop(child.stdin.take());
            let dead = if told {
                wait_for_any([&process].into_iter(), LONG)
            } else {
                while !process.is_gone() {
                    std::thread::yield_now();
                }
                wait_for_any([&process].into_iter(), SHORT)
            };
            assert_eq!(dead.and_then(|dead| dead.rank), Some(7));
            child.wait().unwrap();
            assert!(process.is_gone());
        }
    }

    #[test]
    fn the_parent_is_there() {
        assert!(Process::parent().is_none_or(|parent| !parent.is_gone()));
    }
}
