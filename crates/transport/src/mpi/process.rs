//! Other processes of this host, and when they end.

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::time::Duration;

/// A process that should not end before this one.
pub(super) struct Process {
    /// Its rank; `None` for the launcher.
    pub(super) rank: Option<usize>,
    pub(super) pid: u32,
    /// Its pidfd, by which the kernel reports its end; old kernels and strict containers have none.
    descriptor: Option<OwnedFd>,
}

impl Process {
    /// Opens the process with this id.
    pub(super) fn open(pid: u32, rank: Option<usize>) -> Self {
        // SAFETY: the system call takes two integers.
        let descriptor = unsafe { libc::syscall(libc::SYS_pidfd_open, pid as libc::pid_t, 0) };
        let descriptor = i32::try_from(descriptor).ok().filter(|descriptor| *descriptor >= 0);
        // SAFETY: the kernel has just opened the descriptor, which has no other owner.
        let descriptor = descriptor.map(|descriptor| unsafe { OwnedFd::from_raw_fd(descriptor) });
        Self { rank, pid, descriptor }
    }

    /// Returns the process that started this one; `None` for process 1, which never ends before
    /// this one.
    pub(super) fn parent() -> Option<Self> {
        // SAFETY: takes no arguments and always succeeds.
        let parent = unsafe { libc::getppid() };
        u32::try_from(parent).ok().filter(|parent| *parent > 1).map(|parent| Self::open(parent, None))
    }

    /// Whether it is stopped, as by SIGSTOP or a debugger.
    pub(super) fn is_stopped(&self) -> bool {
        matches!(self.state(), Some('T' | 't'))
    }

    /// Returns its state letter in `/proc`; `None` if it is not listed.
    fn state(&self) -> Option<char> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.pid)).ok()?;
        stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next())
    }

    /// Whether it has ended, according to `/proc`. A zombie is still listed.
    fn has_ended(&self) -> bool {
        let listed = || std::path::Path::new("/proc/self/stat").exists();
        self.state().map_or_else(listed, |state| matches!(state, 'Z' | 'X'))
    }
}

/// Waits for the end of one of these processes, for at most `timeout`.
pub(super) fn wait_for_any<'a>(
    processes: impl Iterator<Item = &'a Process>,
    timeout: Duration,
) -> Option<&'a Process> {
    let (by_pidfd, by_proc): (Vec<_>, Vec<_>) = processes.partition(|process| process.descriptor.is_some());
    let entry = |process: &&Process| libc::pollfd {
        fd: process.descriptor.as_ref().map_or(-1, AsRawFd::as_raw_fd),
        events: libc::POLLIN,
        revents: 0,
    };
    let mut entries: Vec<libc::pollfd> = by_pidfd.iter().map(entry).collect();
    let (count, millis) = (entries.len() as libc::nfds_t, timeout.as_millis() as libc::c_int);
    // SAFETY: `entries` has `count` entries, each with an open descriptor.
    let found = unsafe { libc::poll(entries.as_mut_ptr(), count, millis) };
    let dead = entries.iter().position(|entry| found > 0 && entry.revents != 0).map(|place| by_pidfd[place]);
    dead.or_else(|| by_proc.into_iter().find(|process| process.has_ended()))
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    const SHORT: Duration = Duration::from_millis(1);
    const LONG: Duration = Duration::from_secs(60);

    /// The end of a process is detected by its pidfd and through `/proc`.
    #[test]
    fn the_end_of_a_process_is_detected() {
        for by_pidfd in [true, false] {
            let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
            let mut process = Process::open(child.id(), Some(7));
            if !by_pidfd {
                process.descriptor = None;
            }
            assert!(wait_for_any([&process].into_iter(), SHORT).is_none());
            drop(child.stdin.take());
            let dead = if by_pidfd {
                wait_for_any([&process].into_iter(), LONG)
            } else {
                while !process.has_ended() {
                    std::thread::yield_now();
                }
                wait_for_any([&process].into_iter(), SHORT)
            };
            assert_eq!(dead.and_then(|dead| dead.rank), Some(7));
            child.wait().unwrap();
            assert!(process.has_ended());
        }
    }

    #[test]
    fn the_parent_is_alive() {
        assert!(Process::parent().is_none_or(|parent| !parent.has_ended()));
    }
}
