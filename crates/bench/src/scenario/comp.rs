//! Computation that takes a known time: `comp(t)`.
//!
//! It is a fixed number of turns of a loop, not a wait for a moment: work that loses its core to somebody else ends later, as real work
//! does. How many turns make a microsecond is found on each rank, and found again when the processor's speed has changed. The loop
//! is a chain of multiplications in registers: it touches no network and no memory.

use std::hint::black_box;
use std::time::Instant;

use panto_transport::Time;

/// Nanoseconds of a trial of the calibration.
const TRIAL: f64 = 20_000.0;
/// Trials, of which the quickest counts: it is the one that nothing disturbed.
const TRIALS: usize = 15;
/// After so many runs the speed is looked at again, outside of what is timed.
const LOOK_AGAIN: u64 = 16;
/// A change of the speed from which on it is found anew.
const DRIFT: f64 = 0.01;
/// A look at the speed takes no longer, however long computations are.
const LONGEST_LOOK: f64 = 100_000.0;

/// A rank's way to compute for a known time, and what is known of how well it did.
#[derive(Debug)]
pub(super) struct Computer {
    /// Turns of the loop in a nanosecond.
    rate: f64,
    /// What two readings of the clock around a computation take, in nanoseconds.
    reading: f64,
    runs: u64,
    /// By how much each computation was too long by the wall clock, as a fraction.
    wall: Vec<f64>,
    /// The same by the processor's time of this thread, at the looks.
    cpu: Vec<f64>,
}

impl Computer {
    /// Finds how fast this rank computes.
    pub fn new() -> Self {
        let mut computer = Self { rate: 1.0, reading: 0.0, runs: 0, wall: Vec::new(), cpu: Vec::new() };
        computer.reading = quickest(|| 0);
        computer.calibrate();
        computer
    }

    fn calibrate(&mut self) {
        // Each round is nearer to the length that is wanted.
        for _ in 0..3 {
            let turns = (self.rate * TRIAL) as u64 + 1;
            let nanos = (quickest(|| turn(turns)) - self.reading).max(1.0);
            self.rate = turns as f64 / nanos;
        }
    }

    /// The turns of a computation; the clock is read before and after it.
    pub fn turns(&self, time: Time) -> u64 {
        ((time.as_nanos() - self.reading).max(0.0) * self.rate) as u64
    }

    /// Notes how long a computation really took.
    pub fn note(&mut self, wanted: Time, took: Time) {
        if wanted > Time::ZERO {
            self.wall.push(took.as_nanos() / wanted.as_nanos() - 1.0);
        }
    }

    /// Looks now and then, outside of what is timed, whether a computation still takes its time on this processor.
    pub fn look(&mut self, time: Time) {
        self.runs += 1;
        if !self.runs.is_multiple_of(LOOK_AGAIN) || time == Time::ZERO {
            return;
        }
        let wanted = time.as_nanos().min(LONGEST_LOOK);
        let turns = (wanted * self.rate) as u64;
        let (wall, cpu) = (Instant::now(), thread_time());
        turn(turns);
        let (wall, cpu) = (wall.elapsed().as_nanos() as f64, thread_time() - cpu);
        self.cpu.push(cpu / wanted - 1.0);
        // Somebody else's turn on this core says nothing of its speed: then the processor's time is the shorter.
        if (wall.min(cpu) / wanted - 1.0).abs() > DRIFT {
            self.calibrate();
        }
    }

    /// The median error by the wall clock, and by the processor's time.
    pub fn errors(&self) -> (Option<f64>, Option<f64>) {
        (median(&self.wall), median(&self.cpu))
    }
}

/// So many turns of the loop. Nothing of it can be left out or done at once.
pub(super) fn turn(turns: u64) -> u64 {
    let mut word = turns | 1;
    for _ in 0..turns {
        word = black_box(word.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1));
    }
    word
}

/// The quickest of several trials, in nanoseconds.
fn quickest(mut work: impl FnMut() -> u64) -> f64 {
    let trial = |_| {
        let start = Instant::now();
        black_box(work());
        start.elapsed().as_nanos() as f64
    };
    (0..TRIALS).map(trial).fold(f64::INFINITY, f64::min)
}

/// Nanoseconds for which this thread had a core; where the system does not tell, the wall clock must do.
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

    /// Twice the time is twice the turns, and longer work takes longer: no more can be said of a machine that others use too.
    #[test]
    fn turns_grow_with_the_time() {
        let computer = Computer::new();
        let (short, long) =
            (computer.turns(Time::from_nanos(50_000)), computer.turns(Time::from_nanos(100_000)));
        assert!(short > 1_000 && long > short + short / 2, "{short} and {long}");
        assert_eq!(computer.turns(Time::ZERO), 0);
        assert!(quickest(|| turn(long)) > quickest(|| turn(short / 4)));
    }

    #[test]
    fn errors_are_medians_of_fractions() {
        let mut computer = Computer::new();
        assert_eq!(computer.errors().0, None);
        for took in [100, 110, 500] {
            computer.note(Time::from_nanos(100), Time::from_nanos(took));
        }
        assert!((computer.errors().0.unwrap() - 0.1).abs() < 1e-9);
        (0..LOOK_AGAIN).for_each(|_| computer.look(Time::from_nanos(20_000)));
        assert!(computer.errors().1.is_some_and(f64::is_finite));
    }
}
