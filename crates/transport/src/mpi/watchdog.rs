//! The watchdog of a job: MPI does not report that a rank has died, and the others would wait
//! forever.
//!
//! A thread ends this process with an error message when another rank of its host dies, when the
//! launcher exits, or when this rank has completed no operation for too long. Launchers end the
//! other processes then. Completed measurements are on disk by that time. The thread blocks in
//! `poll` on the pidfds of the watched processes, so it does not disturb measurements; it wakes up
//! regularly to check for progress.

use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::process::{Process, wait_for_any};
use crate::placement::Placement;

/// The state that a rank shares with its watchdog thread.
#[derive(Default)]
pub(super) struct Watchdog {
    heartbeats: AtomicU64,
    off: AtomicBool,
    /// The exit code with which the process is about to exit, if it is.
    leaving: OnceLock<u8>,
    /// The rank and the processes that it watches, once they are known.
    assignment: Mutex<Arc<Assignment>>,
}

/// A rank, and the processes that it watches.
#[derive(Default)]
struct Assignment {
    rank: Option<usize>,
    /// Whether it is the lowest rank of its host, which reports first.
    is_first: bool,
    peers: Vec<Process>,
}

/// The beginning of the message of a rank that exits because `MPI_Finalize` did not return. All its
/// results are complete, but a launcher may report a failure.
pub const FINALIZE_TIMEOUT: &str = "MPI_Finalize did not return";

/// Maximum interval between two checks for progress.
const MAX_CHECK_INTERVAL: Duration = Duration::from_secs(2);
/// Minimum interval between two checks for progress.
const MIN_CHECK_INTERVAL: Duration = Duration::from_millis(200);
/// How long ranks wait before they report: rank 0, the first rank of a host, and others. Usually
/// the launcher has ended them by then.
const REPORT_DELAYS: [Duration; 3] = [Duration::ZERO, Duration::from_millis(500), Duration::from_secs(1)];
/// Maximum duration of `MPI_Finalize`. MPICH 4.0 over TCP hangs there occasionally: one half waits
/// for messages, the other for the launcher.
const FINALIZE_LIMIT: Duration = Duration::from_secs(10);
/// Additional time for all but rank 0: ranks finish at different times on a busy host.
const EXTRA_FINALIZE_LIMIT: Duration = Duration::from_secs(4);
/// The exit code of an aborted job.
const EXIT_FAILURE: i32 = 1;

impl Watchdog {
    /// Records that an operation is complete. A load and a store suffice, because only the rank
    /// writes it.
    #[inline]
    pub(super) fn heartbeat(&self) {
        self.heartbeats.store(self.heartbeats.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    }

    /// Ends the watch: processes may exit from now on.
    pub(super) fn end(&self) {
        self.off.store(true, Ordering::Relaxed);
    }

    /// Ends the watch and limits the time of `MPI_Finalize`, which is about to be called.
    pub(super) fn leave(&self, code: u8) {
        let _ = self.leaving.set(code);
        self.end();
    }

    /// Starts the watchdog before MPI, whose start may hang too.
    pub(super) fn start(stall_time: Duration) -> std::io::Result<Arc<Self>> {
        let watchdog = Arc::new(Self::default());
        let monitor = Monitor { watchdog: Arc::clone(&watchdog), launcher: Process::parent(), stall_time };
        std::thread::Builder::new()
            .name("watchdog".into())
            .stack_size(128 << 10)
            .spawn(move || monitor.run())?;
        Ok(watchdog)
    }

    /// Assigns the processes to watch. The lowest rank of a host watches all others of it, and the
    /// second one the first: that suffices, since each of them ends the job.
    pub(super) fn assign(&self, rank: usize, placements: &[Placement]) {
        let here: Vec<usize> = (0..placements.len())
            .filter(|&other| placements[other].shares_processes(&placements[rank]))
            .collect();
        let watched: &[usize] = match here.as_slice() {
            [first, others @ ..] if *first == rank => others,
            [first, second, ..] if *second == rank => std::slice::from_ref(first),
            _ => &[],
        };
        let peers = watched.iter().map(|&rank| Process::open(placements[rank].pid, Some(rank))).collect();
        let assignment = Assignment { rank: Some(rank), is_first: here.first() == Some(&rank), peers };
        *self.assignment.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(assignment);
    }
}

struct Monitor {
    watchdog: Arc<Watchdog>,
    launcher: Option<Process>,
    stall_time: Duration,
}

impl Monitor {
    fn run(self) {
        let interval = (self.stall_time / 8).clamp(MIN_CHECK_INTERVAL, MAX_CHECK_INTERVAL);
        let (mut heartbeats, mut still, mut last) = (0, Duration::ZERO, Instant::now());
        while !self.watchdog.off.load(Ordering::Relaxed) {
            self.wait_for_death(interval);
            // The time in which the whole job was suspended does not count.
            let passed = last.elapsed().min(interval * 2);
            last = Instant::now();
            let now = self.watchdog.heartbeats.load(Ordering::Relaxed);
            still = if now == heartbeats { still + passed } else { Duration::ZERO };
            heartbeats = now;
            if still >= self.stall_time {
                self.end(&self.stalled(), false);
                still = Duration::ZERO;
            }
        }
        if let Some(&code) = self.watchdog.leaving.get() {
            self.leave(code);
        }
    }

    /// Ends the process if `MPI_Finalize` does not return. Rank 0 is first, since the launcher ends
    /// the others when one has exited, before they can report.
    fn leave(&self, code: u8) {
        let wait = if self.assignment().rank == Some(0) {
            FINALIZE_LIMIT
        } else {
            FINALIZE_LIMIT + EXTRA_FINALIZE_LIMIT
        };
        std::thread::sleep(wait);
        let text = format!("panto: {FINALIZE_TIMEOUT}; exiting without it, results are complete");
        let _ = writeln!(std::io::stderr(), "{text}");
        // SAFETY: exits without running destructors; all results are written.
        unsafe { libc::_exit(code.into()) }
    }

    /// Waits for the unexpected end of a watched process, for at most `interval`.
    fn wait_for_death(&self, interval: Duration) {
        let assignment = self.assignment();
        let interval = if assignment.rank.is_none() { MIN_CHECK_INTERVAL } else { interval };
        let dead = wait_for_any(assignment.peers.iter().chain(&self.launcher), interval)
            .map(|dead| (dead.rank, dead.pid));
        match dead {
            None => {}
            // Only the first rank of a host watches this process, so it reports at once; a first
            // rank that died may have ended the job itself, and reported why.
            Some((Some(rank), pid)) => {
                self.end(&format!("rank {rank} (process {pid}) has died"), self.assignment().is_first);
            }
            Some((None, _)) => self.end("the launcher has exited", false),
        }
    }

    fn stalled(&self) -> String {
        let limit = format!("{}s", self.stall_time.as_secs_f64());
        let hint = "the limit (--stall-time)";
        let assignment = self.assignment();
        let stopped = assignment.peers.iter().find(|peer| peer.is_stopped());
        let still = |rank: usize| format!("rank {rank} has completed no operation for {limit}, {hint}");
        match (assignment.rank, stopped) {
            (Some(rank), Some(Process { rank: Some(other), pid, .. })) => {
                format!("{}: rank {other} (process {pid}) is stopped", still(rank))
            }
            (Some(rank), _) => {
                format!("{}: another rank hangs, has died, or is slower than that", still(rank))
            }
            (None, _) => format!(
                "MPI_Init has not returned for {limit}, {hint}: not all ranks have started, or they cannot reach each other"
            ),
        }
    }

    fn assignment(&self) -> Arc<Assignment> {
        Arc::clone(&self.watchdog.assignment.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Ends this process at once: the rank's thread is inside MPI and cannot be interrupted.
    fn end(&self, why: &str, at_once: bool) {
        let assignment = self.assignment();
        let delay = if assignment.rank == Some(0) { 0 } else { 2 - usize::from(assignment.is_first) };
        std::thread::sleep(REPORT_DELAYS[if at_once { 0 } else { delay }]);
        // The job may have ended meanwhile.
        if self.watchdog.off.load(Ordering::Relaxed) {
            return;
        }
        let _ = writeln!(std::io::stderr(), "panto: {why}; job aborted, completed measurements are kept");
        // SAFETY: exits without running destructors, whose locks the rank's thread may hold.
        unsafe { libc::_exit(EXIT_FAILURE) }
    }
}
