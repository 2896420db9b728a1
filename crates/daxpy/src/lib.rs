//! DAXPY, y += a x, and how fast this computer does it.
//!
//! One figure of a processor, which is also known or estimated of machines that no longer exist: it
//! says how much longer computation takes there. The package is optimised in every profile, so that
//! the figure is the computer's and not the build's.

#![forbid(unsafe_code)]

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Elements of the vectors that are timed: both fit into the first-level cache.
const LENGTH: usize = 1_000;
/// Repetitions of a sample, some 20 us.
const REPETITIONS: u32 = 50;
/// Samples, of which the shortest is the one that nothing disturbed.
const SAMPLES: usize = 20;

/// Adds `a` times `x` to `y`, element by element.
#[inline(never)]
pub fn daxpy(a: f64, x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}

/// Returns the time of an element in picoseconds, of vectors in the first-level cache. Takes half a
/// millisecond.
pub fn picoseconds_per_element() -> u64 {
    let x = vec![1.0; LENGTH];
    let mut y = vec![0.0; LENGTH];
    let mut sample = || {
        let start = Instant::now();
        for _ in 0..REPETITIONS {
            daxpy(black_box(1.5), black_box(&x), black_box(&mut y));
        }
        start.elapsed()
    };
    let least = (0..SAMPLES).map(|_| sample()).min().unwrap_or(Duration::ZERO);
    let elements = LENGTH as u128 * u128::from(REPETITIONS);
    ((least.as_nanos() * 1_000 / elements) as u64).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_element_is_added() {
        let mut y = [1.0, 2.0, 3.0];
        daxpy(2.0, &[10.0, 20.0, 30.0], &mut y);
        assert!(y.iter().zip([21.0, 42.0, 63.0]).all(|(y, right)| (y - right).abs() < 1e-12), "{y:?}");
    }

    /// From a processor of 1990 to one that adds a hundred elements in a nanosecond; a loop that
    /// was optimised away takes less.
    #[test]
    fn the_figure_is_that_of_a_computer() {
        let figure = picoseconds_per_element();
        assert!((10..1_000_000).contains(&figure), "{figure}ps");
    }
}
