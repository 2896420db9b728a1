//! The end of a rank: writes messages, and waits for replies.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::layout::{MAX_RANKS, REPLY, RING, RankBlock};
use crate::mapping::Mapping;
use crate::message::{self, Kind};

/// How long a rank sleeps at most before it looks whether the hub is still there.
const PATIENCE: Duration = Duration::from_millis(200);

/// The run is over: the simulation has ended, and the rank must end, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended;

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the simulation has ended")
    }
}

impl std::error::Error for Ended {}

/// The end of a rank.
pub struct RankEnd {
    mapping: Mapping,
    rank: u32,
    /// Words that were written, as in the shared memory.
    written: u64,
    /// Replies that were taken.
    replies: u64,
    /// The process of the hub.
    hub: u32,
}

impl RankEnd {
    /// Attaches this process as a rank to the memory that a [`Hub`](crate::Hub) has created.
    /// `hub` is the hub's process.
    pub fn attach(path: &Path, rank: u32, ranks: u32, hub: u32) -> io::Result<Self> {
        let mapping = Mapping::open(path)?;
        if ranks > MAX_RANKS {
            return Err(io::Error::other(format!("{ranks} ranks; up to {MAX_RANKS} can run")));
        }
        let header = mapping.header();
        let others = header.ranks.compare_exchange(0, ranks, Ordering::AcqRel, Ordering::Acquire).err();
        if let Some(others) = others.filter(|others| *others != ranks) {
            return Err(io::Error::other(format!(
                "this process is in a job of {ranks} ranks, and others are in one of {others}"
            )));
        }
        let process = &mapping.rank(rank).process;
        if process.compare_exchange(0, std::process::id(), Ordering::AcqRel, Ordering::Acquire).is_err() {
            return Err(io::Error::other(format!("rank {rank} runs already in another process")));
        }
        mapping.header().hub.wake();
        Ok(Self { mapping, rank, written: 0, replies: 0, hub })
    }

    fn block(&self) -> &RankBlock {
        self.mapping.rank(self.rank)
    }

    /// Sends a message to the hub. Waits while the ring is full.
    ///
    /// # Panics
    /// If the message is longer than [`message::MAX_WORDS`].
    pub fn report(&mut self, kind: Kind, words: &[u64]) -> Result<(), Ended> {
        assert!(words.len() <= message::MAX_WORDS, "a message of {} words", words.len());
        let (end, written) = (self.written + 1 + words.len() as u64, self.written);
        let has_room = |block: &RankBlock| end - block.taken.0.load(Ordering::Acquire) <= RING as u64;
        if !has_room(self.block()) {
            self.wait(has_room)?;
        }
        let block = self.block();
        let head = message::head(kind, words.len());
        for (place, word) in (written..).zip(std::iter::once(&head).chain(words)) {
            block.ring[place as usize % RING].store(*word, Ordering::Relaxed);
        }
        block.written.0.store(end, Ordering::Release);
        self.written = end;
        self.mapping.header().hub.wake();
        Ok(())
    }

    /// The rank makes no more calls.
    pub fn end(&mut self) -> Result<(), Ended> {
        self.report(Kind::End, &[])?;
        self.mapping.header().ended.fetch_add(1, Ordering::AcqRel);
        Ok(())
    }

    /// Returns whether no rank makes a call any more.
    pub fn have_all_ended(&self) -> bool {
        let header = self.mapping.header();
        header.ended.load(Ordering::Acquire) >= header.ranks.load(Ordering::Acquire)
    }

    /// Waits for the next reply, and appends its words; returns false if it has not come in this
    /// time. Without a time it waits for as long as the run lasts.
    pub fn reply(&mut self, words: &mut Vec<u64>, timeout: Option<Duration>) -> Result<bool, Ended> {
        let wanted = self.replies + 1;
        let is_there = |block: &RankBlock| block.replies.0.load(Ordering::Acquire) >= wanted;
        match timeout {
            None => self.wait(is_there)?,
            Some(timeout) => {
                let block = self.block();
                if !block.sleeper.wait(timeout, || is_there(block)) {
                    return if self.is_over() { Err(Ended) } else { Ok(false) };
                }
            }
        }
        self.replies = wanted;
        let block = self.block();
        let length = (block.reply_length.load(Ordering::Relaxed) as usize).min(REPLY);
        words.extend(block.reply[..length].iter().map(|word| word.load(Ordering::Relaxed)));
        Ok(true)
    }

    /// Returns how many times as fast the rank's processor is as this host's, once the hub has
    /// published it; it has when it replies.
    pub fn speed(&self) -> Option<f64> {
        let speed = f64::from_bits(self.block().speed.load(Ordering::Acquire));
        (speed > 0.0 && speed.is_finite()).then_some(speed)
    }

    fn wait(&self, is_ready: impl Fn(&RankBlock) -> bool) -> Result<(), Ended> {
        let block = self.block();
        while !is_ready(block) {
            if self.is_over() {
                return Err(Ended);
            }
            block.sleeper.wait(PATIENCE, || is_ready(block) || self.is_ended());
        }
        Ok(())
    }

    /// Returns whether the run is over: the hub has ended it, or is gone.
    pub fn is_over(&self) -> bool {
        self.is_ended() || !is_alive(self.hub)
    }

    fn is_ended(&self) -> bool {
        self.mapping.header().is_over.load(Ordering::Acquire) != 0
    }
}

/// What a rank's process needs to know of a run from anywhere: whether it is over, and when others
/// have sent something by the real MPI.
pub struct Watch {
    mapping: Mapping,
    rank: u32,
    ranks: u32,
    hub: u32,
}

impl Watch {
    /// Opens the memory of a run for a rank. `hub` is the hub's process.
    pub fn open(path: &Path, rank: u32, ranks: u32, hub: u32) -> io::Result<Self> {
        Ok(Self { mapping: Mapping::open(path)?, rank, ranks, hub })
    }

    /// Returns the number of ranks.
    pub fn ranks(&self) -> u32 {
        self.ranks
    }

    /// Sleeps until another rank calls [`Watch::sent`] for this one, or for this time, unless
    /// `is_ready` returns true before; returns what it returned last.
    pub fn pause(&self, timeout: Duration, is_ready: impl FnMut() -> bool) -> bool {
        self.mapping.rank(self.rank).mail.pause(timeout, is_ready)
    }

    /// Something was sent to a rank, which may sleep.
    pub fn sent(&self, to: u32) {
        if to < self.ranks {
            self.mapping.rank(to).mail.wake();
        }
    }

    /// Returns whether the run is over: the hub has ended it, or is gone.
    pub fn is_over(&self) -> bool {
        self.mapping.header().is_over.load(Ordering::Acquire) != 0 || !is_alive(self.hub)
    }
}

/// Returns whether a process exists.
fn is_alive(process: u32) -> bool {
    // SAFETY: signal 0 is never sent; the call only checks that the process exists.
    let is_known = unsafe { libc::kill(process as libc::pid_t, 0) } == 0;
    is_known || io::Error::last_os_error().raw_os_error() == Some(libc::EPERM)
}
