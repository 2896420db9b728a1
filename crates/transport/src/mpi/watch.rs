//! Watches over the job, because MPI says nothing when a rank is gone: everybody would wait for ever.
//!
//! A thread ends this process, with words, when another rank of its host dies, when the launcher is gone, or when this rank has completed
//! no operation for too long. Launchers end the other processes then. What was measured is on disk by that time.

use std::io::Write;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::place::Place;

/// What the rank says to the thread that watches over it.
#[derive(Default)]
pub(super) struct Watch {
    beats: AtomicU64,
    off: AtomicBool,
}

impl Watch {
    /// An operation is complete. Only the rank itself says so, and so it need not be atomic as a whole.
    #[inline]
    pub(super) fn beat(&self) {
        self.beats.store(self.beats.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    }

    /// The job is over: nobody needs to be there any more.
    pub(super) fn end(&self) {
        self.off.store(true, Ordering::Relaxed);
    }

    /// Starts to watch over this rank among the others of its host.
    pub(super) fn start(rank: usize, places: &[Place], stall_time: Duration) -> std::io::Result<Arc<Self>> {
        let watch = Arc::new(Self::default());
        let guard = Guard {
            watch: Arc::clone(&watch),
            rank,
            peers: peers(rank, places),
            is_first: ranks_here(rank, places).first() == Some(&rank),
            launcher: parent(),
            stall_time,
        };
        std::thread::Builder::new().name("watch".into()).stack_size(128 << 10).spawn(move || guard.run())?;
        Ok(watch)
    }
}

/// How often it looks for what nobody tells it.
const LOOK: Duration = Duration::from_millis(200);
/// A rank that does not speak leaves the other one this time to do so.
const AFTER_YOU: Duration = Duration::from_secs(1);
/// What ends with this was not the user's wish.
const FAILED: i32 = 1;

/// Another rank whose process is watched.
struct Peer {
    rank: usize,
    pid: u32,
    process: OwnedFd,
}

struct Guard {
    watch: Arc<Watch>,
    rank: usize,
    peers: Vec<Peer>,
    /// Is it the lowest rank of its host? It speaks for the others.
    is_first: bool,
    launcher: Option<u32>,
    stall_time: Duration,
}

impl Guard {
    fn run(self) {
        let (mut beats, mut since) = (0, Instant::now());
        while !self.watch.off.load(Ordering::Relaxed) {
            if let Some(dead) = self.wait_for_death() {
                // Nobody else watches over that one.
                self.end(&format!("rank {} (process {}) is gone", dead.rank, dead.pid), true);
            }
            if self.launcher.is_some() && parent() != self.launcher {
                self.end("the launcher is gone", self.is_first);
            }
            let now = self.watch.beats.load(Ordering::Relaxed);
            if now != beats {
                (beats, since) = (now, Instant::now());
            } else if since.elapsed() >= self.stall_time {
                self.end(&self.stalled(), self.is_first);
            }
        }
    }

    fn stalled(&self) -> String {
        let limit = panto_units::time(self.stall_time.as_secs_f64());
        format!(
            "rank {} has completed no operation for {limit}, which is the limit (--stall-time): another rank hangs or \
             is gone",
            self.rank
        )
    }

    /// The first peer that dies within a short while.
    fn wait_for_death(&self) -> Option<&Peer> {
        let entry =
            |peer: &Peer| libc::pollfd { fd: peer.process.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        let mut entries: Vec<libc::pollfd> = self.peers.iter().map(entry).collect();
        // SAFETY: as many entries as are said, each of an open descriptor.
        let found = unsafe {
            libc::poll(entries.as_mut_ptr(), entries.len() as libc::nfds_t, LOOK.as_millis() as i32)
        };
        let dead = entries.iter().position(|entry| found > 0 && entry.revents != 0);
        dead.map(|place| &self.peers[place])
    }

    /// Ends this process at once: the rank's own thread sits in MPI and cannot be asked.
    fn end(&self, why: &str, speaks: bool) {
        if !speaks {
            std::thread::sleep(AFTER_YOU);
        }
        // The job may have ended while we looked.
        if self.watch.off.load(Ordering::Relaxed) {
            return;
        }
        if speaks {
            let _ = writeln!(
                std::io::stderr(),
                "panto: {why}; the job is ended, what was measured so far is kept"
            );
        }
        // SAFETY: ends the process without running anything else of it, which is what is wanted.
        unsafe { libc::_exit(FAILED) }
    }
}

/// The lowest rank of a host watches over all others of it, and the second one over the first: that is enough, since each of them ends
/// the job.
fn peers(rank: usize, places: &[Place]) -> Vec<Peer> {
    let here = ranks_here(rank, places);
    let watched: &[usize] = match here.as_slice() {
        [first, others @ ..] if *first == rank => others,
        [first, second, ..] if *second == rank => std::slice::from_ref(first),
        _ => &[],
    };
    watched.iter().filter_map(|&rank| Peer::open(rank, places[rank].pid)).collect()
}

fn ranks_here(rank: usize, places: &[Place]) -> Vec<usize> {
    (0..places.len()).filter(|&other| places[other].shares_processes(&places[rank])).collect()
}

impl Peer {
    /// A process that cannot be watched is not; it may be another user's.
    fn open(rank: usize, pid: u32) -> Option<Self> {
        // SAFETY: the call takes two numbers.
        let descriptor = unsafe { libc::syscall(libc::SYS_pidfd_open, pid as libc::pid_t, 0) };
        let descriptor = i32::try_from(descriptor).ok().filter(|descriptor| *descriptor >= 0)?;
        // SAFETY: the system has just opened it for us.
        Some(Self { rank, pid, process: unsafe { OwnedFd::from_raw_fd(descriptor) } })
    }
}

/// The process that started this one; none where that is the first process of all, which never ends before us.
fn parent() -> Option<u32> {
    // SAFETY: always succeeds.
    let parent = unsafe { libc::getppid() };
    u32::try_from(parent).ok().filter(|parent| *parent > 1)
}
