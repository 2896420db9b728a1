//! What the ranks of one world share, and how they sleep.
//!
//! # Falling asleep without missing a message
//!
//! The receiver announces that it sleeps and *then* looks at its ring once more; a sender draws its ticket
//! and *then* asks whether the receiver sleeps. All four accesses are sequentially consistent, so at least
//! one side sees the other: the receiver does not fall asleep, or the sender wakes it. Events that are not
//! messages (a rendezvous was completed, the run failed) count the bell up before they ask, and the receiver
//! compares the bell with what it showed before it last looked for work.
//!
//! # Naming a deadlock
//!
//! A rank that sleeps is counted as blocked. Whoever makes the number of blocked ranks equal to that of the
//! live ones looks at all of them: if each sleeps with an empty ring, and nobody woke up between the first
//! and the last look (`wakes`), then no rank ran while we looked, nothing is on its way, and nothing ever
//! will be. A rank that has been called but not yet woken is not asleep any more in this sense, because the
//! caller takes the `asleep` mark away first.
//!
//! Why nobody ran: the looker reads `wakes`, then finds all live ranks counted as blocked. A rank that acts
//! after that has taken itself out of `blocked` after that, and counted `wakes` up *after* taking itself out
//! and before it acts. So the looker, which reads `wakes` again at the end, sees that it changed. (The other
//! way round, a rank between the two counters would pass for blocked and have been counted as awake already.)

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::Thread;
use std::time::Instant;

use super::listener::Listeners;
use super::ring::Ring;
use crate::deadlock;
use crate::error::Error;

/// What others know of a rank.
#[derive(Default)]
pub(super) struct Mailbox {
    pub(super) ring: Ring,
    pub(super) listeners: Arc<Listeners>,
    bell: Bell,
}

#[derive(Default)]
#[repr(align(128))]
struct Bell {
    asleep: AtomicBool,
    finished: AtomicBool,
    rings: AtomicU64,
    thread: OnceLock<Thread>,
    waits_for: Mutex<String>,
}

impl Mailbox {
    /// Wakes the rank if it sleeps. Call after the ring or the bell has changed.
    #[inline]
    pub(super) fn wake(&self) {
        if self.bell.asleep.load(Ordering::SeqCst) {
            self.bell.wake();
        }
    }

    /// Tells the rank that something other than a message happened.
    pub(super) fn ring_bell(&self) {
        self.bell.rings.fetch_add(1, Ordering::SeqCst);
        self.wake();
    }

    pub(super) fn rings(&self) -> u64 {
        self.bell.rings.load(Ordering::SeqCst)
    }

    fn is_stuck(&self) -> bool {
        self.bell.finished.load(Ordering::SeqCst)
            || (self.bell.asleep.load(Ordering::SeqCst) && self.ring.is_drained())
    }
}

impl Bell {
    #[cold]
    fn wake(&self) {
        if self.asleep.swap(false, Ordering::SeqCst)
            && let Some(thread) = self.thread.get()
        {
            thread.unpark();
        }
    }
}

/// What the ranks of one world share.
pub(super) struct Shared {
    pub(super) mailboxes: Box<[Mailbox]>,
    pub(super) eager_limit: usize,
    pub(super) oversubscribed: bool,
    pub(super) origin: Instant,
    /// What the world was given, before any rank was pinned.
    pub(super) cores: Arc<[usize]>,
    live: AtomicUsize,
    blocked: AtomicUsize,
    wakes: AtomicU64,
    looking: Mutex<()>,
    failed: AtomicBool,
    failure: OnceLock<Error>,
}

impl Shared {
    pub(super) fn new(ranks: usize, eager_limit: usize, cores: Arc<[usize]>) -> Self {
        Self {
            mailboxes: (0..ranks).map(|_| Mailbox::default()).collect(),
            eager_limit,
            oversubscribed: ranks > cores.len(),
            origin: Instant::now(),
            cores,
            live: AtomicUsize::new(ranks),
            blocked: AtomicUsize::new(0),
            wakes: AtomicU64::new(0),
            looking: Mutex::new(()),
            failed: AtomicBool::new(false),
            failure: OnceLock::new(),
        }
    }

    /// Do more ranks than cores want to run just now? Ranks that sleep do not count: two that talk while the others
    /// wait may spin as if they were alone. The counts may be a moment old; they only decide how to wait.
    #[inline]
    pub(super) fn is_crowded(&self) -> bool {
        let awake = || self.live.load(Ordering::Relaxed).saturating_sub(self.blocked.load(Ordering::Relaxed));
        self.oversubscribed && awake() > self.cores.len()
    }

    /// The calling thread is this rank from now on.
    pub(super) fn enter(&self, rank: usize) {
        let _ = self.mailboxes[rank].bell.thread.set(std::thread::current());
    }

    /// The rank will neither send nor receive any more.
    pub(super) fn leave(&self, rank: usize) {
        self.mailboxes[rank].bell.finished.store(true, Ordering::SeqCst);
        let live = self.live.fetch_sub(1, Ordering::SeqCst) - 1;
        if live > 0 && self.blocked.load(Ordering::SeqCst) == live {
            self.look_for_deadlock();
        }
    }

    /// Sleeps until there may be something to do. `rings` is what the bell showed before the rank last
    /// looked; `waits_for` says what it waits for, for the report of a deadlock.
    #[cold]
    pub(super) fn sleep(&self, rank: usize, rings: u64, waits_for: impl FnOnce() -> String) {
        let mailbox = &self.mailboxes[rank];
        let bell = &mailbox.bell;
        bell.asleep.store(true, Ordering::SeqCst);
        if !mailbox.ring.is_drained() || mailbox.rings() != rings || self.failure().is_some() {
            bell.asleep.store(false, Ordering::SeqCst);
            // A ticket that is drawn but not published belongs to a sender that needs the core.
            std::thread::yield_now();
            return;
        }
        *bell.waits_for.lock().unwrap_or_else(PoisonError::into_inner) = waits_for();
        if self.blocked.fetch_add(1, Ordering::SeqCst) + 1 == self.live.load(Ordering::SeqCst) {
            self.look_for_deadlock();
        }
        while bell.asleep.load(Ordering::SeqCst) {
            std::thread::park();
        }
        // In this order, see above.
        self.blocked.fetch_sub(1, Ordering::SeqCst);
        self.wakes.fetch_add(1, Ordering::SeqCst);
    }

    /// The error that ended the run, if it has ended.
    #[inline]
    pub(super) fn failure(&self) -> Option<&Error> {
        if self.failed.load(Ordering::Acquire) { self.failure.get() } else { None }
    }

    /// Ends the run for all ranks. The first cause counts.
    #[cold]
    pub(super) fn fail(&self, error: Error) -> Error {
        let first = self.failure.get_or_init(|| error).clone();
        self.failed.store(true, Ordering::SeqCst);
        self.mailboxes.iter().for_each(Mailbox::ring_bell);
        first
    }

    #[cold]
    fn look_for_deadlock(&self) {
        let _one_at_a_time = self.looking.lock().unwrap_or_else(PoisonError::into_inner);
        let wakes = self.wakes.load(Ordering::SeqCst);
        let stuck = self.all_blocked() && self.mailboxes.iter().all(Mailbox::is_stuck);
        if stuck && self.all_blocked() && self.wakes.load(Ordering::SeqCst) == wakes {
            self.fail(Error::Deadlock(self.describe().into()));
        }
    }

    /// Do all live ranks sleep, if there are any? All may have finished since somebody thought of looking.
    fn all_blocked(&self) -> bool {
        let (blocked, live) = (self.blocked.load(Ordering::SeqCst), self.live.load(Ordering::SeqCst));
        live > 0 && blocked == live
    }

    fn describe(&self) -> String {
        deadlock::report(self.mailboxes.len(), |rank| {
            let bell = &self.mailboxes[rank].bell;
            if bell.finished.load(Ordering::SeqCst) {
                return "has finished".into();
            }
            bell.waits_for.lock().unwrap_or_else(PoisonError::into_inner).clone()
        })
    }
}
