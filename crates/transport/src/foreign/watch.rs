//! Watches over calls of a stranger's code: one that does not come back ends the process, with words.
//!
//! A rank only counts when it goes in and comes out; a thread looks now and then whether the count moves. So nothing but two stores
//! is added to what is measured.

use std::cell::Cell;
use std::io::Write;
use std::os::fd::{FromRawFd, RawFd};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use super::crash;
use super::load::Foreign;
use crate::error::{Error, Result};

/// What is known of a rank in a stranger's code.
pub(super) struct Slot {
    pub(super) title: &'static str,
    pub(super) rank: usize,
    patience: Duration,
    /// Odd while the rank is inside.
    turns: AtomicU64,
    /// Is it in the message layer, on the stranger's behalf?
    waits: AtomicBool,
}

/// A rank's own side of its slot.
pub(super) struct Post {
    slot: Arc<Slot>,
    depth: Cell<u32>,
}

/// Those that are watched.
static SLOTS: Mutex<Vec<Weak<Slot>>> = Mutex::new(Vec::new());
/// The process whose thread watches: a child of it has none.
static WATCHED: AtomicU32 = AtomicU32::new(0);
/// Where the last words go.
static REPORT: AtomicI32 = AtomicI32::new(STDERR);
const STDERR: RawFd = 2;
/// How often the thread looks.
const LOOK: Duration = Duration::from_millis(50);
/// What ends with this was not the user's wish.
const FAILED: i32 = 1;

/// From now on last words go there, and a crash is for somebody else to notice.
pub(crate) fn report_to(fd: RawFd) {
    REPORT.store(fd, Ordering::Relaxed);
}

pub(super) fn take_post(foreign: &Foreign, rank: usize) -> Result<Post> {
    let slot = Arc::new(Slot {
        title: foreign.title,
        rank,
        patience: foreign.patience,
        turns: AtomicU64::new(0),
        waits: AtomicBool::new(false),
    });
    let mut slots = lock();
    slots.retain(|slot| slot.strong_count() > 0);
    slots.push(Arc::downgrade(&slot));
    drop(slots);
    let me = std::process::id();
    if WATCHED.swap(me, Ordering::Relaxed) != me {
        std::thread::Builder::new()
            .name("watch".into())
            .stack_size(128 << 10)
            .spawn(look_after_all)
            .map_err(|error| Error::Start(format!("cannot start a thread: {error}")))?;
        if REPORT.load(Ordering::Relaxed) == STDERR {
            crash::name_culprits();
        }
    }
    Ok(Post { slot, depth: Cell::new(0) })
}

impl Post {
    /// The rank goes into the stranger's code.
    #[inline]
    pub(super) fn enter(&self) {
        if self.depth.replace(self.depth.get() + 1) == 0 {
            self.turn();
            crash::inside(Some(&self.slot));
        }
    }

    /// It is out again.
    #[inline]
    pub(super) fn leave(&self) {
        let depth = self.depth.get() - 1;
        self.depth.set(depth);
        if depth == 0 {
            crash::inside(None);
            self.turn();
        }
    }

    /// It waits in the message layer, or no longer.
    #[inline]
    pub(super) fn wait(&self, waits: bool) {
        self.slot.waits.store(waits, Ordering::Relaxed);
    }

    /// Only the rank counts, so it need not be atomic as a whole.
    #[inline]
    fn turn(&self) {
        let turns = self.slot.turns.load(Ordering::Relaxed);
        self.slot.turns.store(turns.wrapping_add(1), Ordering::Relaxed);
    }
}

fn lock() -> std::sync::MutexGuard<'static, Vec<Weak<Slot>>> {
    SLOTS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn look_after_all() {
    let mut seen: Vec<(Weak<Slot>, u64, Instant)> = Vec::new();
    loop {
        std::thread::sleep(LOOK);
        let slots: Vec<Arc<Slot>> = lock().iter().filter_map(Weak::upgrade).collect();
        let known = |slot: &Arc<Slot>| seen.iter().find(|(known, ..)| known.as_ptr() == Arc::as_ptr(slot));
        seen = slots
            .iter()
            .map(|slot| {
                let turns = slot.turns.load(Ordering::Relaxed);
                let since = known(slot).filter(|(_, before, _)| *before == turns).map(|(.., since)| *since);
                (Arc::downgrade(slot), turns, since.unwrap_or_else(Instant::now))
            })
            .collect();
        let is_inside = |slot: &Arc<Slot>| slot.turns.load(Ordering::Relaxed) % 2 == 1;
        let mut watched = std::iter::zip(&slots, &seen);
        let hung =
            watched.find(|(slot, (_, turns, since))| turns % 2 == 1 && since.elapsed() >= slot.patience);
        if let Some((hung, _)) = hung {
            let inside: Vec<&Arc<Slot>> = slots.iter().filter(|slot| is_inside(slot)).collect();
            end(&words(hung, &inside));
        }
    }
}

/// Whose fault it is: those that wait for a message wait for the others.
fn words(first: &Slot, inside: &[&Arc<Slot>]) -> String {
    let busy = |slot: &&&Arc<Slot>| !slot.waits.load(Ordering::Relaxed);
    let list = |ranks: Vec<usize>| match ranks[..] {
        [rank] => format!("rank {rank}"),
        _ => format!("ranks {}", ranks.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
    };
    let mut busy: Vec<usize> = inside.iter().filter(busy).map(|slot| slot.rank).collect();
    let mut all: Vec<usize> = inside.iter().map(|slot| slot.rank).collect();
    busy.sort_unstable();
    all.sort_unstable();
    let where_ = match (busy.is_empty(), busy.len() == all.len()) {
        (true, _) => format!("{} in wait for messages", list(all)),
        (false, true) => list(all),
        (false, false) => format!("{}, for which the others wait", list(busy)),
    };
    format!(
        "hung: {} has not come back for {}s on {where_} (the limit is --patience)",
        first.title,
        first.patience.as_secs_f64()
    )
}

/// Ends this process at once: the ranks cannot be asked.
fn end(text: &str) -> ! {
    let fd = REPORT.load(Ordering::Relaxed);
    // SAFETY: it is open as long as the process is, and never closed because the file is never dropped.
    let mut file = std::mem::ManuallyDrop::new(unsafe { std::fs::File::from_raw_fd(fd) });
    let text = if fd == STDERR {
        format!("panto: {text}; the run is ended, what was measured so far is kept\n")
    } else {
        crate::apart::last_words(text)
    };
    let _ = file.write_all(text.as_bytes());
    // SAFETY: ends the process without running anything else of it, which is what is wanted.
    unsafe { libc::_exit(FAILED) }
}
