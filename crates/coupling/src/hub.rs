//! The end of the simulation: takes messages, and writes replies.

use std::io;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::layout::{MAX_RANKS, REPLY, RING};
use crate::mapping::Mapping;
use crate::message::{self, Kind};

/// The end of the simulation.
pub struct Hub {
    mapping: Mapping,
    /// For each rank, the words that were taken.
    taken: Vec<u64>,
    words: Vec<u64>,
}

/// What [`Hub::wait`] has waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitOutcome {
    /// A rank has written a message, or attached itself.
    Messages,
    /// The time is over.
    Timeout,
}

impl Hub {
    /// Creates the memory. The file must not exist.
    pub fn create(path: &Path) -> io::Result<Self> {
        let mapping = Mapping::create(path)?;
        Ok(Self { mapping, taken: vec![0; MAX_RANKS as usize], words: Vec::new() })
    }

    /// Returns the number of ranks, once the first is attached.
    pub fn ranks(&self) -> Option<u32> {
        Some(self.mapping.header().ranks.load(Ordering::Acquire)).filter(|ranks| *ranks != 0)
    }

    /// Returns the process of a rank, once it is attached.
    pub fn process(&self, rank: u32) -> Option<u32> {
        Some(self.mapping.rank(rank).process.load(Ordering::Acquire)).filter(|process| *process != 0)
    }

    /// Publishes how many times as fast the processor of a rank is as this host's.
    pub fn set_speed(&self, rank: u32, speed: f64) {
        self.mapping.rank(rank).speed.store(speed.to_bits(), Ordering::Release);
    }

    /// Takes the next message of a rank; `None` if there is none. An error if it makes no sense.
    pub fn take(&mut self, rank: u32) -> Result<Option<(Kind, &[u64])>, &'static str> {
        let (block, taken) = (self.mapping.rank(rank), &mut self.taken[rank as usize]);
        let available = block.written.0.load(Ordering::Acquire).wrapping_sub(*taken);
        if available == 0 {
            return Ok(None);
        }
        let word = |place: u64| block.ring[place as usize % RING].load(Ordering::Relaxed);
        let (kind, length) = message::parse_head(word(*taken)).ok_or("an unknown message")?;
        if available > RING as u64 || (length as u64) >= available {
            return Err("an incomplete message");
        }
        self.words.clear();
        self.words.extend((1..=length as u64).map(|place| word(*taken + place)));
        *taken += 1 + length as u64;
        block.taken.0.store(*taken, Ordering::Release);
        // A rank with a full ring waits for room.
        block.sleeper.wake();
        Ok(Some((kind, &self.words)))
    }

    /// Returns whether a rank has written messages that were not taken.
    pub fn has_message(&self, rank: u32) -> bool {
        self.mapping.rank(rank).written.0.load(Ordering::Acquire) != self.taken[rank as usize]
    }

    /// Replies to a rank's question.
    ///
    /// # Panics
    /// If the reply is longer than [`message::MAX_REPLY`].
    pub fn reply(&self, rank: u32, words: &[u64]) {
        assert!(words.len() <= REPLY, "a reply of {} words", words.len());
        let block = self.mapping.rank(rank);
        block.reply_length.store(words.len() as u64, Ordering::Relaxed);
        for (place, word) in block.reply.iter().zip(words) {
            place.store(*word, Ordering::Relaxed);
        }
        block.replies.0.fetch_add(1, Ordering::Release);
        block.sleeper.wake();
    }

    /// Waits until `is_ready` returns true, which is looked at whenever a rank writes a message.
    pub fn wait(&self, timeout: Duration, is_ready: impl FnMut() -> bool) -> WaitOutcome {
        if self.mapping.header().hub.wait(timeout, is_ready) {
            WaitOutcome::Messages
        } else {
            WaitOutcome::Timeout
        }
    }

    /// Ends all ranks: those that wait return with an error.
    pub fn end(&self) {
        self.mapping.header().is_over.store(1, Ordering::Release);
        for rank in 0..self.ranks().unwrap_or(0).min(MAX_RANKS) {
            self.mapping.rank(rank).sleeper.wake();
        }
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        self.end();
    }
}
