//! What the measuring loop itself costs.

use std::hint::black_box;

use panto_transport::{Result, Time, Transport};

/// Repetitions of the empty loop from which the cost of one is taken.
const MANY: u64 = 20_000;
const ROUNDS: usize = 15;

/// The cost of the loop without the operation (C2): of reading the clock, and of going round once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EmptyLoop {
    /// Nanoseconds between two readings of the clock with nothing between them.
    pub reading: f64,
    /// Nanoseconds of one repetition.
    pub repetition: f64,
}

impl EmptyLoop {
    /// Times the empty loop. The median, because a minimum would subtract less than is usually there.
    /// On a virtual clock the loop takes no time, and reading it none either.
    pub fn measure<T: Transport>(transport: &T) -> Self {
        if transport.is_virtual() {
            return Self { reading: 0.0, repetition: 0.0 };
        }
        let reading = median(|| timed(transport, 0));
        let many = median(|| timed(transport, MANY));
        Self { reading, repetition: ((many - reading) / MANY as f64).max(0.0) }
    }

    /// Nanoseconds for a sample of so many repetitions.
    pub fn nanos(&self, repetitions: u64) -> f64 {
        self.reading + self.repetition * repetitions as f64
    }
}

/// The timed region, which the empty loop and the real one share.
#[inline]
pub(super) fn timed_region<T: Transport>(
    transport: &T,
    repetitions: u64,
    mut operation: impl FnMut() -> Result<()>,
) -> Result<(Time, Time)> {
    let start = transport.now();
    for repetition in 0..repetitions {
        // Nothing may be optimised away, nor moved out of the loop.
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
