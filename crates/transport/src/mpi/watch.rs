//! Watches over the job, because MPI says nothing when a rank is gone: everybody would wait for ever.
//!
//! A thread ends this process, with words, when another rank of its host dies, when the launcher is gone, or when this rank has completed
//! no operation for too long. Launchers end the other processes then. What was measured is on disk by that time. The thread sleeps in
//! the system until something happens, or until it is time to look whether the rank goes on: it should not be in the way.

use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::process::{Process, wait_for_any};
use crate::place::Place;

/// What the rank says to the thread that watches over it.
#[derive(Default)]
pub(super) struct Watch {
    beats: AtomicU64,
    off: AtomicBool,
    /// The exit code with which the process is about to end, if it is.
    leaving: OnceLock<u8>,
    /// Who this rank is and whom it watches, once that is known.
    post: Mutex<Arc<Post>>,
}

/// A rank's place in the job.
#[derive(Default)]
struct Post {
    rank: Option<usize>,
    /// Is it the lowest rank of its host? It speaks first.
    is_first: bool,
    peers: Vec<Process>,
}

/// The longest that the thread sleeps: the limit need not be met to the second.
const LONGEST_LOOK: Duration = Duration::from_secs(2);
/// And the shortest.
const SHORTEST_LOOK: Duration = Duration::from_millis(200);
/// How long ranks wait before they speak: the first of all, the first of a host, and others. Mostly the launcher has ended them by then.
const AFTER_YOU: [Duration; 3] = [Duration::ZERO, Duration::from_millis(500), Duration::from_secs(1)];
/// The most that the end of MPI may take. MPICH 4.0 hangs there now and then when ranks are connected by TCP: one half waits for
/// messages, the other for the launcher.
const LAST_MOMENT: Duration = Duration::from_secs(10);
/// How much longer all but the first rank give it: ranks come to their end at different times on a busy host.
const AFTER_THE_FIRST: Duration = Duration::from_secs(4);
/// What ends with this was not the user's wish.
const FAILED: i32 = 1;

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

    /// The job is over, and MPI is about to be ended: it should not take long.
    pub(super) fn leave(&self, code: u8) {
        let _ = self.leaving.set(code);
        self.end();
    }

    /// Starts to watch, before MPI is started: that may hang too.
    pub(super) fn start(stall_time: Duration) -> std::io::Result<Arc<Self>> {
        let watch = Arc::new(Self::default());
        let guard = Guard { watch: Arc::clone(&watch), launcher: Process::parent(), stall_time };
        std::thread::Builder::new().name("watch".into()).stack_size(128 << 10).spawn(move || guard.run())?;
        Ok(watch)
    }

    /// The job has begun, and this is who takes part. The lowest rank of a host watches over all others of it, and the second one over the
    /// first: that is enough, since each of them ends the job.
    pub(super) fn take_post(&self, rank: usize, places: &[Place]) {
        let here: Vec<usize> =
            (0..places.len()).filter(|&other| places[other].shares_processes(&places[rank])).collect();
        let watched: &[usize] = match here.as_slice() {
            [first, others @ ..] if *first == rank => others,
            [first, second, ..] if *second == rank => std::slice::from_ref(first),
            _ => &[],
        };
        let peers = watched.iter().map(|&rank| Process::open(places[rank].pid, Some(rank))).collect();
        let post = Post { rank: Some(rank), is_first: here.first() == Some(&rank), peers };
        *self.post.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(post);
    }
}

struct Guard {
    watch: Arc<Watch>,
    launcher: Option<Process>,
    stall_time: Duration,
}

impl Guard {
    fn run(self) {
        let look = (self.stall_time / 8).clamp(SHORTEST_LOOK, LONGEST_LOOK);
        let (mut beats, mut still, mut last) = (0, Duration::ZERO, Instant::now());
        while !self.watch.off.load(Ordering::Relaxed) {
            self.look_for_death(look);
            // A job that was suspended as a whole has not hung meanwhile.
            let passed = last.elapsed().min(look * 2);
            last = Instant::now();
            let now = self.watch.beats.load(Ordering::Relaxed);
            still = if now == beats { still + passed } else { Duration::ZERO };
            beats = now;
            if still >= self.stall_time {
                self.end(&self.stalled(), false);
                still = Duration::ZERO;
            }
        }
        if let Some(&code) = self.watch.leaving.get() {
            self.leave(code);
        }
    }

    /// The process ends long before this does, or MPI keeps it from ending. The first rank goes first, since the launcher ends the others
    /// when one has gone, and nobody could then say why.
    fn leave(&self, code: u8) {
        let wait = if self.post().rank == Some(0) { LAST_MOMENT } else { LAST_MOMENT + AFTER_THE_FIRST };
        std::thread::sleep(wait);
        let text =
            "panto: MPI_Finalize does not return; the job is ended without it, the results are complete";
        let _ = writeln!(std::io::stderr(), "{text}");
        // SAFETY: everything was written, and there is nothing else to do.
        unsafe { libc::_exit(code.into()) }
    }

    /// Waits a while for the end of a process that must not end.
    fn look_for_death(&self, look: Duration) {
        let post = self.post();
        let look = if post.rank.is_none() { SHORTEST_LOOK } else { look };
        let dead =
            wait_for_any(post.peers.iter().chain(&self.launcher), look).map(|dead| (dead.rank, dead.pid));
        match dead {
            None => {}
            // Nobody else watches over that one; but the first may have ended the job itself, and then it has said why.
            Some((Some(rank), pid)) => {
                self.end(&format!("rank {rank} (process {pid}) is gone"), self.post().is_first);
            }
            Some((None, _)) => self.end("the launcher is gone", false),
        }
    }

    fn stalled(&self) -> String {
        let limit = format!("{}s", self.stall_time.as_secs_f64());
        let hint = "which is the limit (--stall-time)";
        let post = self.post();
        let stopped = post.peers.iter().find(|peer| peer.is_stopped());
        let still = |rank: usize| format!("rank {rank} has completed no operation for {limit}, {hint}");
        match (post.rank, stopped) {
            (Some(rank), Some(Process { rank: Some(other), pid, .. })) => {
                format!("{}: rank {other} (process {pid}) is stopped", still(rank))
            }
            (Some(rank), _) => {
                format!("{}: another rank hangs, is gone, or is slower than that", still(rank))
            }
            (None, _) => format!(
                "a process has tried to start MPI for {limit}, {hint}: not all ranks have come, or they cannot reach each other"
            ),
        }
    }

    fn post(&self) -> Arc<Post> {
        Arc::clone(&self.watch.post.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Ends this process at once: the rank's own thread sits in MPI and cannot be asked.
    fn end(&self, why: &str, alone_knows: bool) {
        let post = self.post();
        let politeness = if post.rank == Some(0) { 0 } else { 2 - usize::from(post.is_first) };
        std::thread::sleep(AFTER_YOU[if alone_knows { 0 } else { politeness }]);
        // The job may have ended while we looked.
        if self.watch.off.load(Ordering::Relaxed) {
            return;
        }
        let _ =
            writeln!(std::io::stderr(), "panto: {why}; the job is ended, what was measured so far is kept");
        // SAFETY: ends the process without running anything else of it, which is what is wanted.
        unsafe { libc::_exit(FAILED) }
    }
}
