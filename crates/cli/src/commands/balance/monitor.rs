//! The progress bar of a search, its time limit, and Ctrl-C.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use panto_predict::balance::Monitor;
use panto_units::{TIME, Time, in_units};

use crate::failure::Failure;
use crate::interrupt;
use crate::progress::Progress as Bar;

/// Shows the progress of a search, and stops it at the time limit or at Ctrl-C.
pub struct Progress {
    bar: Bar,
    interrupt: Arc<AtomicBool>,
    /// The time limit; `None` if it is beyond the range of the clock.
    deadline: Option<Instant>,
    /// Whether the search was stopped.
    is_stopped: AtomicBool,
    /// The shortest makespan so far, in picoseconds.
    best: AtomicU64,
}

impl Progress {
    /// Starts a search with this time limit and about this many mappings.
    pub fn new(limit: Duration, mappings: usize) -> Result<Self, Failure> {
        let interrupt = interrupt::listen()?;
        let bar = Bar::new();
        bar.begin("balance", mappings);
        Ok(Self {
            bar,
            interrupt,
            deadline: Instant::now().checked_add(limit),
            is_stopped: AtomicBool::new(false),
            best: AtomicU64::new(u64::MAX),
        })
    }

    /// Removes the bar.
    pub fn clear(&self) {
        self.bar.clear();
    }

    /// Returns whether the user stopped the search.
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// Returns whether the search ended early.
    pub fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }
}

impl Monitor for Progress {
    fn should_stop(&self) -> bool {
        let over = self.is_interrupted() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if over {
            self.is_stopped.store(true, Ordering::Relaxed);
        }
        over
    }

    fn evaluated(&self, time: Time) {
        let least = self.best.fetch_min(time.as_picos(), Ordering::Relaxed).min(time.as_picos());
        self.bar.step(&format!("best {}", in_units(Time::from_picos(least).as_secs(), TIME, 4)));
    }
}
