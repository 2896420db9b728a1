//! What a rank does between messages.

use std::num::NonZeroU64;
use std::time::{Duration, Instant};

use panto_units::Time;
use rustix::thread::set_current_timer_slack;

use crate::transport::{Transport, Work};

/// How computation is executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Computation {
    /// The rank keeps its core busy.
    Busy,
    /// The rank sleeps, and leaves the core to others.
    Sleep,
    /// Computation takes no time.
    None,
}

/// Spends the time of computation, exactly in total.
pub(super) struct LocalWork<'a, T> {
    transport: &'a T,
    computation: Computation,
    /// Computation times, used in order.
    times: &'a [Time],
    /// Computation times that are not used yet.
    left: &'a [Time],
    /// Time slept too long, to be subtracted from later sleeps: wakeups are not precise to the
    /// microsecond.
    owed: Duration,
    memory: Memory,
}

/// Memory for copies and reductions.
#[derive(Default)]
struct Memory {
    from: Vec<u8>,
    to: Vec<u8>,
}

impl<'a, T: Transport> LocalWork<'a, T> {
    pub(super) fn new(transport: &'a T, computation: Computation, times: &'a [Time]) -> Self {
        if computation == Computation::Sleep {
            // By default a sleep may last 50 us longer, to save power. Failure only makes `owed`
            // larger.
            let _ = set_current_timer_slack(NonZeroU64::new(1));
        }
        Self { transport, computation, times, left: times, owed: Duration::ZERO, memory: Memory::default() }
    }

    /// Starts from the beginning.
    pub(super) fn begin(&mut self) {
        self.left = self.times;
        self.owed = Duration::ZERO;
    }

    /// Computes for this time.
    pub(super) fn compute(&mut self, time: Time) {
        match self.computation {
            _ if time == Time::ZERO => {}
            Computation::None => {}
            Computation::Busy => self.transport.compute(time),
            // A virtual clock advances by computation only, not while sleeping.
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

    /// Copies `bytes` bytes.
    pub(super) fn copy(&mut self, bytes: usize) {
        let Memory { from, to } = &mut self.memory;
        for buffer in [&mut *from, &mut *to] {
            buffer.resize(bytes.max(buffer.len()), 1);
        }
        to[..bytes].copy_from_slice(std::hint::black_box(&from[..bytes]));
        self.transport.charge(Work::Copy(bytes));
    }

    /// Combines `bytes` bytes with as many others.
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
    fn oversleep_is_compensated() {
        let slept = Threads::default().run(1, |transport| {
            let mut local_work = LocalWork::new(transport, Computation::Sleep, &[]);
            local_work.owed = Duration::from_millis(5);
            local_work.compute(Time::from_nanos(2_000_000));
            local_work.compute(Time::from_nanos(1_000_000));
            Ok::<_, crate::Error>(local_work.owed)
        });
        assert_eq!(slept.unwrap(), [Duration::from_millis(2)]);
    }
}
