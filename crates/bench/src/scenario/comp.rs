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
/// Trials. The quickest may have met a processor that is faster than it usually is, and most may be disturbed: the one counts that a
/// quarter of them beat.
const TRIALS: usize = 15;
/// After so many runs the speed is looked at again, outside of what is timed.
const LOOK_AGAIN: u64 = 16;
/// A change of the speed from which on it is found anew.
const DRIFT: f64 = 0.01;
/// A look at the speed takes no longer, however long computations are; nor less than a trial, or reading the clocks would count.
const LONGEST_LOOK: f64 = 100_000.0;

/// Nanoseconds by the wall clock, and by the processor's time of this thread.
#[derive(Debug, Clone, Copy)]
struct Took {
    wall: f64,
    cpu: f64,
}

impl Took {
    fn least(self, other: Self) -> Self {
        Self { wall: self.wall.min(other.wall), cpu: self.cpu.min(other.cpu) }
    }

    /// Somebody else's turn on this core says nothing of its speed: then the processor's time is the shorter.
    fn undisturbed(self) -> f64 {
        self.wall.min(self.cpu)
    }
}

/// A rank's way to compute for a known time, and what is known of how well it did.
#[derive(Debug)]
pub(super) struct Computer {
    /// Turns of the loop in a nanosecond.
    rate: f64,
    /// What the clocks say of no turns at all: so long takes reading them.
    nothing: Took,
    runs: u64,
    /// By how much each computation was too long by the wall clock, as a fraction.
    wall: Vec<f64>,
    /// The same by the processor's time of this thread, at the looks.
    cpu: Vec<f64>,
}

impl Computer {
    /// Finds how fast this rank computes.
    pub fn new() -> Self {
        let mut computer = Self { rate: 1.0, nothing: nothing(), runs: 0, wall: Vec::new(), cpu: Vec::new() };
        computer.calibrate();
        computer
    }

    fn calibrate(&mut self) {
        self.nothing = self.nothing.least(nothing());
        // Each round is nearer to the length that is wanted.
        for _ in 0..3 {
            let turns = (self.rate * TRIAL) as u64 + 1;
            let mut trials = [(); TRIALS].map(|()| self.timed(turns).undisturbed());
            trials.sort_by(f64::total_cmp);
            self.rate = turns as f64 / trials[TRIALS / 4].max(1.0);
        }
    }

    /// What turns take, without the readings.
    fn timed(&self, turns: u64) -> Took {
        let Took { wall, cpu } = timed(turns);
        Took { wall: wall - self.nothing.wall, cpu: cpu - self.nothing.cpu }
    }

    /// The turns of a computation; the clock is read before and after it.
    pub fn turns(&self, time: Time) -> u64 {
        ((time.as_nanos() - self.nothing.wall).max(0.0) * self.rate) as u64
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
        let wanted = time.as_nanos().clamp(TRIAL, LONGEST_LOOK);
        let took = self.timed((wanted * self.rate) as u64);
        self.cpu.push(took.cpu / wanted - 1.0);
        if (took.undisturbed() / wanted - 1.0).abs() > DRIFT {
            self.calibrate();
        }
    }

    /// The median error by the wall clock, and by the processor's time.
    pub fn errors(&self) -> (Option<f64>, Option<f64>) {
        (median(&self.wall), median(&self.cpu))
    }
}

/// So many turns of the loop. The same code wherever it is called from, and nothing of it can be left out: each turn needs the one before,
/// in a way that no arithmetic shortens. In memory it must not be: how soon a processor gives a word back that was just stored
/// changes from one moment to the next, by a factor of 2.7.
#[inline(never)]
pub(super) fn turn(turns: u64) -> u64 {
    let mut word = turns | 1;
    for _ in 0..turns {
        word = word.wrapping_mul(0x5851_F42D_4C95_7F2D) ^ (word >> 29);
    }
    black_box(word)
}

/// So many turns by both clocks.
fn timed(turns: u64) -> Took {
    let (cpu, wall) = (thread_time(), Instant::now());
    turn(turns);
    Took { wall: wall.elapsed().as_nanos() as f64, cpu: thread_time() - cpu }
}

/// The least that both clocks say of no turns.
fn nothing() -> Took {
    (0..TRIALS).map(|_| timed(0)).fold(Took { wall: f64::INFINITY, cpu: f64::INFINITY }, Took::least)
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
        (0..LOOK_AGAIN).for_each(|_| computer.look(Time::from_nanos(20_000)));
        assert!(computer.errors().1.is_some_and(f64::is_finite));
    }
}
