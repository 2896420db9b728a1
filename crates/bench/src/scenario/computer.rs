//! Computation of a known length: `comp(t)`.
//!
//! It is a fixed number of iterations of a loop, not a wait until a time: work that loses its core
//! ends later, as real work does. The iterations per microsecond are calibrated on each rank, and
//! again when the processor's speed has changed. The loop is a chain of multiplications in
//! registers: it uses neither network nor memory.

use std::hint::black_box;
use std::time::Instant;

use panto_transport::Time;

/// Nanoseconds of a calibration trial.
const TRIAL: f64 = 20_000.0;
/// Calibration trials. The fastest may have run at a higher clock than usual, and most may be
/// disturbed: the first quartile counts.
const TRIALS: usize = 15;
/// Runs after which the speed is checked again, outside of what is timed.
const CHECK_INTERVAL: u64 = 16;
/// Relative change of the speed from which on it is calibrated again.
const DRIFT: f64 = 0.01;
/// Longest check of the speed in nanoseconds, however long computations are; at least a trial, or
/// reading the clocks would count.
const LONGEST_CHECK: f64 = 100_000.0;

/// Nanoseconds by the wall clock, and by the CPU time of this thread.
#[derive(Debug, Clone, Copy)]
struct Elapsed {
    wall: f64,
    cpu: f64,
}

impl Elapsed {
    fn least(self, other: Self) -> Self {
        Self { wall: self.wall.min(other.wall), cpu: self.cpu.min(other.cpu) }
    }

    /// Returns the shorter of both: while another process has the core, CPU time does not pass.
    fn undisturbed(self) -> f64 {
        self.wall.min(self.cpu)
    }
}

/// Computes for a known time on one rank, and records how accurate it was.
#[derive(Debug)]
pub(super) struct Computer {
    /// Loop iterations per nanosecond.
    rate: f64,
    /// Time of reading the clocks.
    nothing: Elapsed,
    runs: u64,
    /// Relative excess of each computation by the wall clock.
    wall: Vec<f64>,
    /// Relative excess by the CPU time of this thread, at the checks.
    cpu: Vec<f64>,
}

impl Computer {
    /// Calibrates the speed of this rank.
    pub fn new() -> Self {
        let mut computer = Self { rate: 1.0, nothing: nothing(), runs: 0, wall: Vec::new(), cpu: Vec::new() };
        computer.calibrate();
        computer
    }

    fn calibrate(&mut self) {
        self.nothing = self.nothing.least(nothing());
        // Each round comes closer to the desired length.
        for _ in 0..3 {
            let turns = (self.rate * TRIAL) as u64 + 1;
            let mut trials = [(); TRIALS].map(|()| self.timed(turns).undisturbed());
            trials.sort_by(f64::total_cmp);
            self.rate = turns as f64 / trials[TRIALS / 4].max(1.0);
        }
    }

    /// Returns the time of the iterations, without reading the clocks.
    fn timed(&self, turns: u64) -> Elapsed {
        let Elapsed { wall, cpu } = timed(turns);
        Elapsed { wall: wall - self.nothing.wall, cpu: cpu - self.nothing.cpu }
    }

    /// Returns the iterations of a computation; the clock is read before and after it.
    pub fn turns(&self, time: Time) -> u64 {
        ((time.as_nanos() - self.nothing.wall).max(0.0) * self.rate) as u64
    }

    /// Records how long a computation really took.
    pub fn note(&mut self, wanted: Time, took: Time) {
        if wanted > Time::ZERO {
            self.wall.push(took.as_nanos() / wanted.as_nanos() - 1.0);
        }
    }

    /// Checks from time to time, outside of what is timed, whether a computation still takes its
    /// time on this processor.
    pub fn look(&mut self, time: Time) {
        self.runs += 1;
        if !self.runs.is_multiple_of(CHECK_INTERVAL) || time == Time::ZERO {
            return;
        }
        let wanted = time.as_nanos().clamp(TRIAL, LONGEST_CHECK);
        let took = self.timed((wanted * self.rate) as u64);
        self.cpu.push(took.cpu / wanted - 1.0);
        if (took.undisturbed() / wanted - 1.0).abs() > DRIFT {
            self.calibrate();
        }
    }

    /// Returns the median error by the wall clock, and by CPU time.
    pub fn errors(&self) -> (Option<f64>, Option<f64>) {
        (median(&self.wall), median(&self.cpu))
    }
}

/// Runs the loop. The same code wherever it is called from, and none of it can be optimised away:
/// each iteration needs the one before, in a way that no arithmetic shortens. It must not use
/// memory: the latency of store-to-load forwarding changes from one moment to the next, by a factor
/// of 2.7.
#[inline(never)]
pub(super) fn turn(turns: u64) -> u64 {
    let mut word = turns | 1;
    for _ in 0..turns {
        word = word.wrapping_mul(0x5851_F42D_4C95_7F2D) ^ (word >> 29);
    }
    black_box(word)
}

/// Returns the time of the iterations by both clocks.
fn timed(turns: u64) -> Elapsed {
    let (cpu, wall) = (thread_time(), Instant::now());
    turn(turns);
    Elapsed { wall: wall.elapsed().as_nanos() as f64, cpu: thread_time() - cpu }
}

/// Returns the least time of zero iterations by both clocks.
fn nothing() -> Elapsed {
    (0..TRIALS).map(|_| timed(0)).fold(Elapsed { wall: f64::INFINITY, cpu: f64::INFINITY }, Elapsed::least)
}

/// Returns the nanoseconds of CPU time of this thread; the wall clock where the system does not
/// provide it.
#[cfg(target_os = "linux")]
fn thread_time() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

#[cfg(not(target_os = "linux"))]
fn thread_time() -> f64 {
    use std::sync::OnceLock;
    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    ORIGIN.get_or_init(Instant::now).elapsed().as_nanos() as f64
}

pub(super) fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twice the time is twice the iterations, and longer work takes longer: a stricter bound would
    /// fail on a shared machine.
    #[test]
    fn turns_grow_with_the_time() {
        let computer = Computer::new();
        let (short, long) =
            (computer.turns(Time::from_nanos(50_000)), computer.turns(Time::from_nanos(100_000)));
        assert!(short > 1_000 && long > short + short / 2, "{short} and {long}");
        assert_eq!(computer.turns(Time::ZERO), 0);
        let least = |turns| (0..TRIALS).map(|_| timed(turns).wall).fold(f64::INFINITY, f64::min);
        assert!(least(long) > least(short / 4));
    }

    #[test]
    fn errors_are_medians_of_fractions() {
        let mut computer = Computer::new();
        assert_eq!(computer.errors().0, None);
        for took in [100, 110, 500] {
            computer.note(Time::from_nanos(100), Time::from_nanos(took));
        }
        assert!((computer.errors().0.unwrap() - 0.1).abs() < 1e-9);
        (0..CHECK_INTERVAL).for_each(|_| computer.look(Time::from_nanos(20_000)));
        assert!(computer.errors().1.is_some_and(f64::is_finite));
    }
}
