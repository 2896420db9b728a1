//! Writing blocks, and the end of the file.

use std::io;

use panto_recording::block_age;
use panto_trace::{Metadata, key, stream_end};

use super::{Rank, give_up};
use crate::{clock, counting, overhead, ticks};

/// The most events of a block.
const MOST_EVENTS: u32 = 1 << 16;
/// The bytes of a block, before it is packed, from which on it is written.
const MOST_BYTES: usize = 1 << 20;

impl Rank {
    /// Writes the block of a rank that no longer calls MPI, if it is old.
    pub fn flush_if_old(&mut self) {
        if self.is_old(ticks::now()) && (self.recorder.events() > 0 || !self.spins.is_empty()) {
            self.flush();
        }
    }

    #[inline]
    fn is_old(&self, now: u64) -> bool {
        now > self.block_ends
    }

    /// Writes the block after a call if it is full or old. Returns whether it was written.
    #[inline]
    pub fn after_call(&mut self, now: u64) -> bool {
        let is_time = self.recorder.events() >= MOST_EVENTS || self.is_old(now);
        if is_time {
            self.flush();
        }
        is_time
    }

    /// Starts the time of a new block.
    pub(super) fn start_block(&mut self) {
        self.block_started = ticks::now();
        let longest = clock::get().millisecond.saturating_mul(block_age(self.blocks));
        self.blocks = self.blocks.saturating_add(1);
        self.block_ends = self.block_started.saturating_add(longest);
    }

    /// Ends the block if it is large. Called where more than a repetition was added: repetitions
    /// are a few bytes each, and the number of events bounds them.
    #[inline]
    pub(super) fn weigh(&mut self) {
        if self.recorder.bytes() >= MOST_BYTES {
            self.block_ends = 0;
        }
    }

    /// Writes the events that are not yet written as a block.
    pub fn flush(&mut self) {
        if self.is_stopped {
            return;
        }
        let start = ticks::now();
        self.end_spins();
        self.packed.clear();
        let wall = ticks::to_ns(self.block_started.saturating_sub(self.started));
        if let Some(live) = &mut self.live {
            live.define(&mut self.recorder);
        }
        self.recorder.seal(wall, &mut self.packed);
        self.start_block();
        let packed = std::mem::take(&mut self.packed);
        if let Err(error) = self.output.append(&packed) {
            self.stop(&error);
        }
        self.packed = packed;
        overhead::note_own(ticks::now().saturating_sub(start));
    }

    /// Stops recording: the file cannot be written any more.
    fn stop(&mut self, error: &io::Error) {
        self.is_on = false;
        self.is_stopped = true;
        let mut metadata = Metadata::default();
        let why = format!("{}: {error}", self.output.path().display());
        metadata.set(key::STOPPED, &why);
        // A full disk may still have room for these few bytes.
        let _ = self.output.append(&stream_end(&metadata));
        give_up(&format!("{why}; the trace has the calls up to here"));
    }

    pub(super) fn close(&mut self, why: Option<&str>) {
        self.flush();
        if self.is_stopped {
            return;
        }
        let mut metadata = Metadata::default();
        metadata.set(key::CALLS, &self.calls);
        let (now, monotonic) = ticks::with_monotonic();
        metadata.set(key::WALL, &ticks::to_ns(now.saturating_sub(self.started)));
        metadata.set(key::MONOTONIC_END, &monotonic);
        self.costs.add_to(&mut metadata);
        counting::add_to(&mut metadata);
        if let Some(why) = why {
            metadata.set(key::STOPPED, why);
        }
        if let Err(error) = self.output.append(&stream_end(&metadata)) {
            give_up(&format!("{}: {error}", self.output.path().display()));
        }
    }
}
