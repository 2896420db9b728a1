//! The overhead of the measuring loop itself.

use std::hint::black_box;

use panto_transport::{Result, Time, Transport};

/// Repetitions of the empty loop from which the cost of one is derived.
const MANY: u64 = 20_000;
/// Number of timings of which the median is taken.
const ROUNDS: usize = 15;

/// The cost of the loop without the operation (C2): of reading the clock, and of one iteration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EmptyLoop {
    /// Nanoseconds between two successive readings of the clock.
    pub reading: f64,
    /// Nanoseconds of one repetition.
    pub repetition: f64,
}

impl EmptyLoop {
    /// Times the empty loop. Takes the median, because a minimum would subtract less than the usual
    /// overhead. On a virtual clock both costs are 0.
    pub fn measure<T: Transport>(transport: &T) -> Self {
        if transport.is_virtual() {
            return Self { reading: 0.0, repetition: 0.0 };
        }
        let reading = median(|| timed(transport, 0));
        let many = median(|| timed(transport, MANY));
        Self { reading, repetition: ((many - reading) / MANY as f64).max(0.0) }
    }

    /// Returns the overhead of a sample of this many repetitions, in nanoseconds.
    pub fn nanos(&self, repetitions: u64) -> f64 {
        self.reading + self.repetition * repetitions as f64
    }
}

/// The timed region, shared by the empty loop and the real one.
#[inline]
pub(super) fn timed_region<T: Transport>(
    transport: &T,
    repetitions: u64,
    mut operation: impl FnMut() -> Result<()>,
) -> Result<(Time, Time)> {
    let start = transport.now();
    for repetition in 0..repetitions {
        // Keeps the compiler from removing the loop or hoisting code out of it.
        black_box(repetition);
        operation()?;
    }
    Ok((start, transport.now()))
}

fn timed<T: Transport>(transport: &T, repetitions: u64) -> f64 {
    timed_region(transport, repetitions, || Ok(())).map_or(0.0, |(start, end)| end.since(start).as_nanos())
}

fn median(mut sample: impl FnMut() -> f64) -> f64 {
    let mut samples: Vec<f64> = (0..ROUNDS).map(|_| sample()).collect();
    samples.sort_by(f64::total_cmp);
    samples[ROUNDS / 2]
}
