//! State that the ranks of one world share: the sleep protocol and deadlock detection.
//!
//! # Sleeping without losing a wakeup
//!
//! A waiting rank that finds nothing to do sets its `asleep` flag and *then* checks its ring once
//! more. A sender draws a ticket and *then* checks the waiting rank's `asleep` flag. These four
//! accesses (store of the flag, load of the ticket counter; increment of the counter, load of the
//! flag) are sequentially consistent, so they have one total order, and at least one side sees the
//! other's write: either the waiting rank finds the ticket and does not sleep, or the sender finds
//! the flag and wakes it. This is Dekker's pattern; release and acquire would not suffice, because
//! each side stores before it loads.
//!
//! Events that are not messages (a rendezvous was completed, the run failed) use a counter instead
//! of the ring: the other side increments `signals` before it checks the flag, and the waiting rank
//! compares `signals` with the value it read before it last looked for work.
//!
//! The waker clears the flag with a swap, so that only one of several wakers unparks the thread.
//! The sleeper parks until the flag is clear: a stale unpark token of the standard library's `park`
//! only makes it check the flag once more.
//!
//! A ticket that is drawn but not yet published keeps its receiver awake (`is_drained` is false).
//! The receiver yields then, since the sender may need the core to publish.
//!
//! # Deadlock detection
//!
//! A rank that sleeps is counted in `blocked`. The rank that makes `blocked` equal to the number of
//! live ranks, by falling asleep or by finishing, examines all of them. If every live rank is
//! asleep with an empty ring, and no rank woke up between the first and the last look (`wakes`), no
//! message is in flight and none ever will be: that is a deadlock, and every rank's wait is
//! reported. A rank that was woken but has not run yet does not count as asleep, because the waker
//! clears its flag first.
//!
//! Why no rank ran meanwhile: the examiner reads `wakes`, then finds all live ranks counted in
//! `blocked`. Any rank that acts later leaves `blocked` first, *then* increments `wakes`, and only
//! then acts. So the examiner, which reads `wakes` again at the end, sees a change. With the two
//! updates in the other order, a rank between them would still be counted as blocked although its
//! increment had been read already. All accesses to these counters are sequentially consistent, for
//! the same reason as above.
//!
//! Handlers are not ranks, but may send a message, which wakes a rank. `handling` counts the
//! messages that handlers have not finished with, and there is no deadlock while there are any. A
//! handler that finishes with the last of them without waking a rank looks for a deadlock itself.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::Thread;
use std::time::Instant;

use super::handlers::Handlers;
use super::ring::Ring;
use crate::deadlock;
use crate::error::Error;

/// What other ranks access of a rank.
#[derive(Default)]
pub(super) struct Inbox {
    pub(super) ring: Ring,
    pub(super) handlers: Arc<Handlers>,
    sleep: SleepState,
}

#[derive(Default)]
#[repr(align(128))]
struct SleepState {
    asleep: AtomicBool,
    finished: AtomicBool,
    signals: AtomicU64,
    thread: OnceLock<Thread>,
    waits_for: Mutex<String>,
}

impl Inbox {
    /// Wakes the rank if it sleeps. To be called after the ring or `signals` has changed.
    #[inline]
    pub(super) fn wake(&self) {
        if self.sleep.asleep.load(Ordering::SeqCst) {
            self.sleep.wake();
        }
    }

    /// Notifies the rank of an event other than a message.
    pub(super) fn signal(&self) {
        self.sleep.signals.fetch_add(1, Ordering::SeqCst);
        self.wake();
    }

    pub(super) fn signals(&self) -> u64 {
        self.sleep.signals.load(Ordering::SeqCst)
    }

    fn is_blocked(&self) -> bool {
        self.sleep.finished.load(Ordering::SeqCst)
            || (self.sleep.asleep.load(Ordering::SeqCst) && self.ring.is_drained())
    }
}

impl SleepState {
    #[cold]
    fn wake(&self) {
        if self.asleep.swap(false, Ordering::SeqCst)
            && let Some(thread) = self.thread.get()
        {
            thread.unpark();
        }
    }
}

/// State that the ranks of one world share.
pub(super) struct Shared {
    pub(super) inboxes: Box<[Inbox]>,
    pub(super) eager_limit: usize,
    pub(super) oversubscribed: bool,
    pub(super) origin: Instant,
    /// The cores that the world may use, before any rank was pinned.
    pub(super) cores: Arc<[usize]>,
    live: AtomicUsize,
    blocked: AtomicUsize,
    wakes: AtomicU64,
    detecting: Mutex<()>,
    failed: AtomicBool,
    failure: OnceLock<Error>,
    /// Messages that were given to handlers, and that these have not finished with.
    handling: AtomicUsize,
}

impl Shared {
    pub(super) fn new(ranks: usize, eager_limit: usize, cores: Arc<[usize]>) -> Self {
        Self {
            inboxes: (0..ranks).map(|_| Inbox::default()).collect(),
            eager_limit,
            oversubscribed: ranks > cores.len(),
            origin: Instant::now(),
            cores,
            live: AtomicUsize::new(ranks),
            blocked: AtomicUsize::new(0),
            wakes: AtomicU64::new(0),
            detecting: Mutex::new(()),
            failed: AtomicBool::new(false),
            failure: OnceLock::new(),
            handling: AtomicUsize::new(0),
        }
    }

    /// Whether more ranks than cores are runnable now. Ranks that sleep do not count: two that
    /// exchange messages while the others sleep may spin. Relaxed loads suffice, because the result
    /// only selects a backoff.
    #[inline]
    pub(super) fn is_oversubscribed_now(&self) -> bool {
        let awake = || self.live.load(Ordering::Relaxed).saturating_sub(self.blocked.load(Ordering::Relaxed));
        self.oversubscribed && awake() > self.cores.len()
    }

    /// Makes the calling thread this rank.
    pub(super) fn enter(&self, rank: usize) {
        let _ = self.inboxes[rank].sleep.thread.set(std::thread::current());
    }

    /// Marks the rank as finished: it will neither send nor receive.
    pub(super) fn leave(&self, rank: usize) {
        self.inboxes[rank].sleep.finished.store(true, Ordering::SeqCst);
        let live = self.live.fetch_sub(1, Ordering::SeqCst) - 1;
        if live > 0 && self.blocked.load(Ordering::SeqCst) == live {
            self.detect_deadlock();
        }
    }

    /// Sleeps until there may be something to do. `signals` is the value of the counter before the
    /// rank last looked for work; `waits_for` describes what it waits for, for deadlock reports.
    #[cold]
    pub(super) fn sleep(&self, rank: usize, signals: u64, waits_for: impl FnOnce() -> String) {
        let inbox = &self.inboxes[rank];
        let sleep = &inbox.sleep;
        sleep.asleep.store(true, Ordering::SeqCst);
        if !inbox.ring.is_drained() || inbox.signals() != signals || self.failure().is_some() {
            sleep.asleep.store(false, Ordering::SeqCst);
            // A ticket that is drawn but not published belongs to a sender that may need this core.
            std::thread::yield_now();
            return;
        }
        *sleep.waits_for.lock().unwrap_or_else(PoisonError::into_inner) = waits_for();
        if self.blocked.fetch_add(1, Ordering::SeqCst) + 1 == self.live.load(Ordering::SeqCst) {
            self.detect_deadlock();
        }
        while sleep.asleep.load(Ordering::SeqCst) {
            std::thread::park();
        }
        // In this order: see "Deadlock detection".
        self.blocked.fetch_sub(1, Ordering::SeqCst);
        self.wakes.fetch_add(1, Ordering::SeqCst);
    }

    /// Returns the error that ended the run, if it has ended.
    #[inline]
    pub(super) fn failure(&self) -> Option<&Error> {
        if self.failed.load(Ordering::Acquire) { self.failure.get() } else { None }
    }

    /// Ends the run for all ranks. Returns the first cause, which may be another error.
    #[cold]
    pub(super) fn fail(&self, error: Error) -> Error {
        let first = self.failure.get_or_init(|| error).clone();
        self.failed.store(true, Ordering::SeqCst);
        self.inboxes.iter().for_each(Inbox::signal);
        first
    }

    /// Counts a message that is given to a handler. The calling rank runs, so no deadlock is
    /// detected meanwhile.
    pub(super) fn handles(&self) {
        self.handling.fetch_add(1, Ordering::SeqCst);
    }

    /// A handler has finished with a message, and has sent what it returned.
    pub(super) fn handled(&self) {
        if self.handling.fetch_sub(1, Ordering::SeqCst) == 1 && self.all_blocked() {
            self.detect_deadlock();
        }
    }

    #[cold]
    fn detect_deadlock(&self) {
        let _one_at_a_time = self.detecting.lock().unwrap_or_else(PoisonError::into_inner);
        let wakes = self.wakes.load(Ordering::SeqCst);
        // In this order: what a handler has sent is in an inbox when it is no longer counted.
        let is_quiet = self.all_blocked() && self.handling.load(Ordering::SeqCst) == 0;
        let stuck = is_quiet && self.inboxes.iter().all(Inbox::is_blocked);
        if stuck && self.all_blocked() && self.wakes.load(Ordering::SeqCst) == wakes {
            self.fail(Error::Deadlock(self.describe().into()));
        }
    }

    /// Whether all live ranks are asleep. All may have finished since the check was triggered.
    fn all_blocked(&self) -> bool {
        let (blocked, live) = (self.blocked.load(Ordering::SeqCst), self.live.load(Ordering::SeqCst));
        live > 0 && blocked == live
    }

    fn describe(&self) -> String {
        deadlock::report(self.inboxes.len(), |rank| {
            let sleep = &self.inboxes[rank].sleep;
            if sleep.finished.load(Ordering::SeqCst) {
                return "has finished".into();
            }
            sleep.waits_for.lock().unwrap_or_else(PoisonError::into_inner).clone()
        })
    }
}
