//! Watchdog of user code: a call that does not return ends the process with an error message.
//!
//! A rank only increments a counter when it enters and leaves user code; a thread checks
//! periodically whether the counters change. So the measured code is extended by two stores only.

use std::cell::Cell;
use std::io::Write;
use std::os::fd::{FromRawFd, RawFd};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use super::crash;
use crate::error::{Error, Result};

/// What the watchdog knows of a rank.
pub(super) struct CallState {
    pub(super) title: &'static str,
    pub(super) rank: usize,
    time_limit: Duration,
    /// The number of entries and exits: odd while the rank is inside.
    transitions: AtomicU64,
    /// Whether the rank is inside the message layer, called by user code.
    waits: AtomicBool,
}

/// A rank's side of its call state.
pub(super) struct Watched {
    state: Arc<CallState>,
    depth: Cell<u32>,
}

/// The call states of all ranks.
static CALL_STATES: Mutex<Vec<Weak<CallState>>> = Mutex::new(Vec::new());
/// The process whose watchdog thread runs: a forked child has none.
static WATCHED: AtomicU32 = AtomicU32::new(0);
/// The descriptor that error messages are written to.
static REPORT: AtomicI32 = AtomicI32::new(STDERR);
const STDERR: RawFd = 2;
/// Interval between two checks.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);
/// The exit code.
const EXIT_FAILURE: i32 = 1;

/// Redirects error messages to this descriptor. Crashes are left to the parent process then.
pub(crate) fn report_to(fd: RawFd) {
    REPORT.store(fd, Ordering::Relaxed);
}

/// Watches calls of a rank into user code with this title, each of which may take `time_limit`.
pub(super) fn register(title: &'static str, time_limit: Duration, rank: usize) -> Result<Watched> {
    let state = Arc::new(CallState {
        title,
        rank,
        time_limit,
        transitions: AtomicU64::new(0),
        waits: AtomicBool::new(false),
    });
    let mut states = lock();
    states.retain(|state| state.strong_count() > 0);
    states.push(Arc::downgrade(&state));
    drop(states);
    let me = std::process::id();
    if WATCHED.swap(me, Ordering::Relaxed) != me {
        std::thread::Builder::new()
            .name("watch".into())
            .stack_size(128 << 10)
            .spawn(watch_all)
            .map_err(|error| Error::Start(format!("cannot start the watchdog thread: {error}")))?;
        if REPORT.load(Ordering::Relaxed) == STDERR {
            crash::install_handlers();
        }
    }
    Ok(Watched { state, depth: Cell::new(0) })
}

impl Watched {
    /// Records that the rank enters user code.
    #[inline]
    pub(super) fn enter(&self) {
        if self.depth.replace(self.depth.get() + 1) == 0 {
            self.count();
            crash::set_current(Some(&self.state));
        }
    }

    /// Records that the rank has left user code.
    #[inline]
    pub(super) fn leave(&self) {
        let depth = self.depth.get() - 1;
        self.depth.set(depth);
        if depth == 0 {
            crash::set_current(None);
            self.count();
        }
    }

    /// Records whether the rank is inside the message layer.
    #[inline]
    pub(super) fn wait(&self, waits: bool) {
        self.state.waits.store(waits, Ordering::Relaxed);
    }

    /// Increments the counter. A load and a store suffice, because only the rank writes it.
    #[inline]
    fn count(&self) {
        let transitions = self.state.transitions.load(Ordering::Relaxed);
        self.state.transitions.store(transitions.wrapping_add(1), Ordering::Relaxed);
    }
}

fn lock() -> std::sync::MutexGuard<'static, Vec<Weak<CallState>>> {
    CALL_STATES.lock().unwrap_or_else(PoisonError::into_inner)
}

fn watch_all() {
    let mut seen: Vec<(Weak<CallState>, u64, Instant)> = Vec::new();
    loop {
        std::thread::sleep(CHECK_INTERVAL);
        let states: Vec<Arc<CallState>> = lock().iter().filter_map(Weak::upgrade).collect();
        let known =
            |state: &Arc<CallState>| seen.iter().find(|(known, ..)| known.as_ptr() == Arc::as_ptr(state));
        seen = states
            .iter()
            .map(|state| {
                let transitions = state.transitions.load(Ordering::Relaxed);
                let since =
                    known(state).filter(|(_, before, _)| *before == transitions).map(|(.., since)| *since);
                (Arc::downgrade(state), transitions, since.unwrap_or_else(Instant::now))
            })
            .collect();
        let is_inside = |state: &Arc<CallState>| state.transitions.load(Ordering::Relaxed) % 2 == 1;
        let mut watched = std::iter::zip(&states, &seen);
        let hung = watched.find(|(state, (_, transitions, since))| {
            transitions % 2 == 1 && since.elapsed() >= state.time_limit
        });
        if let Some((hung, _)) = hung {
            let inside: Vec<&Arc<CallState>> = states.iter().filter(|state| is_inside(state)).collect();
            end(&describe(hung, &inside));
        }
    }
}

/// Describes a hang. Ranks that wait for messages wait for those that do not.
fn describe(first: &CallState, inside: &[&Arc<CallState>]) -> String {
    let busy = |state: &&&Arc<CallState>| !state.waits.load(Ordering::Relaxed);
    let list = |ranks: Vec<usize>| match ranks[..] {
        [rank] => format!("rank {rank}"),
        _ => format!("ranks {}", ranks.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
    };
    let mut busy: Vec<usize> = inside.iter().filter(busy).map(|state| state.rank).collect();
    let mut all: Vec<usize> = inside.iter().map(|state| state.rank).collect();
    busy.sort_unstable();
    all.sort_unstable();
    let ranks = match (busy.is_empty(), busy.len() == all.len()) {
        (true, _) => format!("{} waiting for messages", list(all)),
        (false, true) => list(all),
        (false, false) => format!("{}, while the others wait for messages", list(busy)),
    };
    format!(
        "hung: {} has not returned for {}s on {ranks} (limit: --patience)",
        first.title,
        first.time_limit.as_secs_f64()
    )
}

/// Ends this process at once: the ranks' threads cannot be interrupted.
fn end(text: &str) -> ! {
    let fd = REPORT.load(Ordering::Relaxed);
    // SAFETY: the descriptor stays open while the process runs, and `ManuallyDrop` never closes it.
    let mut file = std::mem::ManuallyDrop::new(unsafe { std::fs::File::from_raw_fd(fd) });
    let text = if fd == STDERR {
        format!("panto: {text}; run aborted, completed measurements are kept\n")
    } else {
        crate::isolation::failure_message(text)
    };
    let _ = file.write_all(text.as_bytes());
    // SAFETY: exits without running destructors, whose locks the hung ranks may hold.
    unsafe { libc::_exit(EXIT_FAILURE) }
}
