//! Writing blocks, and the end of the file.

use std::io;

use panto_trace::{Facts, key, stream_end};

use super::{Rank, give_up};
use crate::{clock, costs, ticks};

/// Blocks have at most so many events ...
const MOST_EVENTS: u32 = 1 << 16;
/// ... and about so many bytes before they are packed.
const MOST_BYTES: usize = 1 << 20;
/// A block is written when it is older than this, so that a program that calls rarely loses little when it is killed.
const OLDEST_MILLISECONDS: u64 = 1_000;

impl Rank {
    /// For a rank that does not call any more.
    pub fn flush_if_old(&mut self) {
        if self.is_old(ticks::now()) && (self.recorder.events() > 0 || !self.spins.is_empty()) {
            self.flush();
        }
    }

    #[inline]
    fn is_old(&self, now: u64) -> bool {
        now > self.block_ends
    }

    /// After each call: writes the block if it is time. Did it?
    #[inline]
    pub fn after_call(&mut self, now: u64) -> bool {
        let is_time = self.recorder.events() >= MOST_EVENTS || self.is_old(now);
        if is_time {
            self.flush();
        }
        is_time
    }

    /// A block begins now.
    pub(super) fn start_block(&mut self) {
        self.block_started = ticks::now();
        let longest = clock::get().millisecond.saturating_mul(OLDEST_MILLISECONDS);
        self.block_ends = self.block_started.saturating_add(longest);
    }

    /// Ends the block if it is large, after more than a repetition was added: these are a few bytes each, and not many in a block.
    #[inline]
    pub(super) fn weigh(&mut self) {
        if self.recorder.bytes() >= MOST_BYTES {
            self.block_ends = 0;
        }
    }

    /// Writes what waits.
    pub fn flush(&mut self) {
        if self.is_stopped {
            return;
        }
        let start = ticks::now();
        self.end_spins();
        self.packed.clear();
        let wall = ticks::to_ns(self.block_started.saturating_sub(self.started));
        self.recorder.seal(wall, &mut self.packed);
        self.start_block();
        let packed = std::mem::take(&mut self.packed);
        if let Err(error) = self.output.append(&packed) {
            self.stop(&error);
        }
        self.packed = packed;
        costs::note_own(ticks::now().saturating_sub(start));
    }

    /// The file cannot be written any more.
    fn stop(&mut self, error: &io::Error) {
        self.is_on = false;
        self.is_stopped = true;
        let mut facts = Facts::default();
        let why = format!("{}: {error}", self.output.path().display());
        facts.set(key::STOPPED, &why);
        // A disk that is full may still have room for these few bytes.
        let _ = self.output.append(&stream_end(&facts));
        give_up(&format!("{why}; the trace has the calls up to here"));
    }

    pub(super) fn close(&mut self, why: Option<&str>) {
        self.flush();
        if self.is_stopped {
            return;
        }
        let mut facts = Facts::default();
        facts.set(key::CALLS, &self.calls);
        facts.set(key::WALL, &ticks::to_ns(ticks::now().saturating_sub(self.started)));
        self.costs.tell(&mut facts);
        if let Some(why) = why {
            facts.set(key::STOPPED, why);
        }
        if let Err(error) = self.output.append(&stream_end(&facts)) {
            give_up(&format!("{}: {error}", self.output.path().display()));
        }
    }
}
