//! Blocks of computation of one thread, measured by an event.

use crate::counter::{Counter, Event};
use crate::rate::Rate;
use crate::refusal::Refusal;

/// A block of computation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// The events in it, without those of the measurement.
    pub count: u64,
    /// The time by which it is recorded, in nanoseconds.
    pub ns: u64,
}

/// Counts the events in each block of computation of one thread.
#[derive(Debug)]
pub struct BlockCounter {
    counter: Counter,
    /// The count at the beginning of the block.
    start: u64,
    rate: Rate,
}

impl BlockCounter {
    /// Begins to count an event of the calling thread.
    pub fn open(event: Event) -> Result<Self, Refusal> {
        let counter = Counter::open(event)?;
        let start = counter.read().ok_or(Refusal::InUse)?;
        Ok(Self { counter, start, rate: Rate::default() })
    }

    /// A block begins. Returns false if the event is no longer counted.
    #[inline]
    #[must_use]
    pub fn begin(&mut self) -> bool {
        let count = self.counter.read();
        self.start = count.unwrap_or(self.start);
        count.is_some()
    }

    /// Returns the events since the block began; none if they are no longer counted.
    #[inline]
    pub fn events(&self) -> Option<u64> {
        Some(self.counter.read()?.saturating_sub(self.start))
    }

    /// The block ends: returns what it is recorded by, from its CPU time and after `own` events of
    /// the measurement itself are subtracted. None if the event is no longer counted.
    #[inline]
    pub fn end(&mut self, cpu_ns: u64, own: u64) -> Option<Block> {
        let count = self.events()?.saturating_sub(own);
        Some(Block { count, ns: self.rate.add(cpu_ns, count) })
    }

    /// Returns the rate of all blocks so far.
    pub fn rate(&self) -> Rate {
        self.rate
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::hint::black_box;

    use super::*;
    use crate::rate::CALIBRATION_NS;

    /// Computes for some ten microseconds or more.
    pub fn work() {
        (0..20_000_u32).for_each(|number| {
            black_box(number);
        });
    }

    /// Returns a counter of an event that needs no hardware; none, with a message, where the system
    /// forbids even these.
    pub fn software_counter() -> Option<Counter> {
        let opened = Counter::open(Event::TaskClock);
        opened.inspect_err(|refusal| eprintln!("skipped: no software events here: {refusal}")).ok()
    }

    fn thread_ns() -> u64 {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: `time` is a local variable.
        assert_eq!(unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) }, 0);
        time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
    }

    /// Blocks are recorded by the CPU clock at first, and then by the counter and the rate at that
    /// moment.
    #[test]
    fn blocks_are_recorded_by_their_events() {
        if software_counter().is_none() {
            return;
        }
        let mut blocks = BlockCounter::open(Event::TaskClock).expect("it was opened a moment ago");
        let mut by_events = 0;
        while by_events < 20 {
            assert!(blocks.begin());
            let start = thread_ns();
            work();
            let cpu = thread_ns() - start;
            let before = blocks.rate();
            let block = blocks.end(cpu, 0).expect("software events are always counted");
            let after = blocks.rate();
            assert_eq!(after.cpu_ns() - before.cpu_ns(), cpu);
            assert_eq!(after.count() - before.count(), block.count);
            // The counter was read around the CPU clock, and counts the same nanoseconds.
            assert!(block.count > 0);
            if before.cpu_ns() < CALIBRATION_NS {
                assert_eq!(block.ns, cpu);
            } else {
                assert_eq!(block.ns, after.to_ns(block.count));
                by_events += 1;
            }
        }
    }

    #[test]
    fn own_events_are_subtracted() {
        if software_counter().is_none() {
            return;
        }
        let mut blocks = BlockCounter::open(Event::TaskClock).expect("it was opened a moment ago");
        assert!(blocks.begin());
        work();
        let block = blocks.end(1_000, u64::MAX).expect("software events are always counted");
        assert_eq!(block, Block { count: 0, ns: 1_000 });
    }
}
