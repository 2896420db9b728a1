//! The progress of a search, its end in time, and Ctrl-C.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use panto_predict::balance::Watch;
use panto_units::{TIME, Time, on_ladder};

use crate::failure::Failure;
use crate::interrupt;
use crate::progress::Progress;

/// Sees how a search goes.
pub struct Watcher {
    progress: Progress,
    interrupt: Arc<AtomicBool>,
    /// When the time is over; never, if the clock does not go so far.
    deadline: Option<Instant>,
    /// The search was told that it is over.
    is_stopped: AtomicBool,
    /// The least time so far, in picoseconds.
    best: AtomicU64,
}

impl Watcher {
    /// For so long, and about so many mappings.
    pub fn new(limit: Duration, mappings: usize) -> Result<Self, Failure> {
        let interrupt = interrupt::listen()?;
        let progress = Progress::new();
        progress.begin("balance", mappings);
        Ok(Self {
            progress,
            interrupt,
            deadline: Instant::now().checked_add(limit),
            is_stopped: AtomicBool::new(false),
            best: AtomicU64::new(u64::MAX),
        })
    }

    /// Takes the bar away.
    pub fn clear(&self) {
        self.progress.clear();
    }

    /// Did the user stop it?
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// Did it end before all was tried?
    pub fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }
}

impl Watch for Watcher {
    fn is_over(&self) -> bool {
        let over = self.is_interrupted() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if over {
            self.is_stopped.store(true, Ordering::Relaxed);
        }
        over
    }

    fn tried(&self, time: Time) {
        let least = self.best.fetch_min(time.as_picos(), Ordering::Relaxed).min(time.as_picos());
        self.progress.step(format!("best {}", on_ladder(Time::from_picos(least).as_secs(), TIME, 4)));
    }
}
