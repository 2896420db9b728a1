//! What a rank does between messages.

use std::num::NonZeroU64;
use std::time::{Duration, Instant};

use panto_units::Time;
use rustix::thread::set_current_timer_slack;

use crate::transport::{Transport, Work};

/// What becomes of computation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Computation {
    /// The rank keeps its core busy for so long.
    Busy,
    /// It sleeps for so long, and others may have the core.
    Sleep,
    /// It takes no time.
    None,
}

/// Spends time, as much in all as it should.
pub(super) struct Clerk<'a, T> {
    transport: &'a T,
    computation: Computation,
    /// Times of computation that are used in their order,
    times: &'a [Time],
    /// and those that are left of them.
    left: &'a [Time],
    /// What was slept too long and is still to be made up for: nobody wakes to the microsecond.
    owed: Duration,
    memory: Memory,
}

/// Where bytes are copied and combined.
#[derive(Default)]
struct Memory {
    from: Vec<u8>,
    to: Vec<u8>,
}

impl<'a, T: Transport> Clerk<'a, T> {
    pub(super) fn new(transport: &'a T, computation: Computation, times: &'a [Time]) -> Self {
        if computation == Computation::Sleep {
            // Usually a sleep may last 50 us longer, to save power. Where that is refused, more is owed, and made up for.
            let _ = set_current_timer_slack(NonZeroU64::new(1));
        }
        Self { transport, computation, times, left: times, owed: Duration::ZERO, memory: Memory::default() }
    }

    /// Everything from the start.
    pub(super) fn begin(&mut self) {
        self.left = self.times;
        self.owed = Duration::ZERO;
    }

    /// Computes for so long.
    pub(super) fn compute(&mut self, time: Time) {
        match self.computation {
            _ if time == Time::ZERO => {}
            Computation::None => {}
            Computation::Busy => self.transport.compute(time),
            // Nobody sleeps on a clock that only computation moves.
            Computation::Sleep if self.transport.is_virtual() => self.transport.compute(time),
            Computation::Sleep => self.sleep(time.into()),
        }
    }

    /// Computes for the next time of the list.
    pub(super) fn compute_listed(&mut self) {
        if let Some((first, rest)) = self.left.split_first() {
            self.left = rest;
            self.compute(*first);
        }
    }

    fn sleep(&mut self, time: Duration) {
        let Some(rest) = time.checked_sub(self.owed).filter(|rest| !rest.is_zero()) else {
            self.owed -= time;
            return;
        };
        let start = Instant::now();
        std::thread::sleep(rest);
        self.owed = start.elapsed().saturating_sub(rest);
    }

    /// Copies so many bytes.
    pub(super) fn copy(&mut self, bytes: usize) {
        let Memory { from, to } = &mut self.memory;
        for buffer in [&mut *from, &mut *to] {
            buffer.resize(bytes.max(buffer.len()), 1);
        }
        to[..bytes].copy_from_slice(std::hint::black_box(&from[..bytes]));
        self.transport.charge(Work::Copy(bytes));
    }

    /// Combines so many bytes with as many others.
    pub(super) fn reduce(&mut self, bytes: usize) {
        let Memory { from, to } = &mut self.memory;
        for buffer in [&mut *from, &mut *to] {
            buffer.resize(bytes.max(buffer.len()), 1);
        }
        for (into, from) in to[..bytes].iter_mut().zip(std::hint::black_box(&from[..bytes])) {
            *into = into.wrapping_add(*from);
        }
        self.transport.charge(Work::Reduce(bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threads::Threads;
    use crate::world::World;

    #[test]
    fn what_was_slept_too_long_is_made_up_for() {
        let slept = Threads::default().run(1, |transport| {
            let mut clerk = Clerk::new(transport, Computation::Sleep, &[]);
            clerk.owed = Duration::from_millis(5);
            clerk.compute(Time::from_nanos(2_000_000));
            clerk.compute(Time::from_nanos(1_000_000));
            Ok::<_, crate::Error>(clerk.owed)
        });
        assert_eq!(slept.unwrap(), [Duration::from_millis(2)]);
    }
}
