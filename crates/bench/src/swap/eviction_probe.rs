//! Evidence that memory was evicted from the caches: the time to read it (T4).

use std::hint::black_box;
use std::time::Instant;

use panto_stats::median;
use panto_transport::Evictor;

/// Most bytes that are read, since it takes time at every point.
const MAX_BYTES: usize = 64 << 10;
const LINE: usize = 64;
const ROUNDS: usize = 5;

/// Returns nanoseconds per cache line: just written, and evicted since.
pub(super) fn probe(evictor: &Evictor, bytes: usize) -> (f64, f64) {
    let mut memory = vec![1_u8; bytes.min(MAX_BYTES)];
    let mut warm = Vec::with_capacity(ROUNDS);
    let mut evicted = Vec::with_capacity(ROUNDS);
    for round in 0..ROUNDS {
        memory.fill(round as u8);
        warm.push(read(&memory));
        evictor.evict(&memory);
        evicted.push(read(&memory));
    }
    (median(&warm).unwrap_or(0.0), median(&evicted).unwrap_or(0.0))
}

/// Returns nanoseconds per cache line, in an order that the hardware prefetcher does not predict.
fn read(memory: &[u8]) -> f64 {
    // A prime that divides no number of lines here, so that every line is read once.
    const STEP: usize = 1_000_003;
    let lines = memory.len().div_ceil(LINE).max(1);
    let (start, mut place) = (Instant::now(), 0);
    for _ in 0..lines {
        let byte = memory.get(place * LINE).copied().unwrap_or(0);
        // The next address depends on this byte.
        place = (place + STEP + usize::from(black_box(byte) > 200)) % lines;
    }
    black_box(place);
    start.elapsed().as_nanos() as f64 / lines as f64
}
