//! A prediction beside reality: the program's messages are passed for real, on threads of this machine.

use std::path::Path;
use std::time::{Duration, Instant};

use panto_stats::Summary;
use panto_transport::perform::{Computation, Performance};
use panto_transport::threads::{Threads, cores};

use super::predict;
use crate::commands::perform::{longest, times};
use crate::failure::Failure;

/// What was predicted, and what it took.
pub struct Check {
    pub predicted: f64,
    pub measured: Summary,
    pub samples: Vec<f64>,
    /// What else went on, if it was much.
    pub disturbance: Option<String>,
}

/// The least and the most repetitions.
const LEAST: usize = 10;
const MOST: usize = 200;

impl Check {
    /// Carries out the program of two ranks again and again for about so long.
    pub fn new(machine: &str, program: &Path, time: Duration) -> Result<Self, Failure> {
        let (case, replay) = predict::open(machine, program, 2)?;
        let predicted = predict::predict(&case, &replay, None, machine)?.time().as_secs();
        let performance = Performance::new(&replay.program).map_err(Failure::Run)?;
        let (world, deadline) = (Threads::default(), Instant::now() + time);
        let mut samples = Vec::new();
        while samples.len() < LEAST || (samples.len() < MOST && Instant::now() < deadline) {
            samples.extend(longest(&times(&world, &performance, Computation::Busy, LEAST as u32)?));
        }
        let measured = Summary::of(&samples).map_err(|error| Failure::Run(error.to_string()))?;
        Ok(Self { predicted, measured, samples, disturbance: disturbance() })
    }

    /// By which part the prediction is off, with its sign.
    pub fn off(&self) -> f64 {
        self.predicted / self.measured.median - 1.0
    }

    pub fn in_words(&self) -> String {
        let time = panto_units::time;
        let said = format!(
            "Predicted for 2 processors: {}; measured on 2 threads: {} ({} to {}, {} runs). The prediction is {} {}.",
            time(self.predicted),
            time(self.measured.median),
            time(self.measured.interval.low),
            time(self.measured.interval.high),
            self.samples.len(),
            panto_units::percent(100.0 * self.off().abs()),
            if self.off() < 0.0 { "short" } else { "long" }
        );
        self.disturbance.iter().fold(said, |said, more| format!("{said} {more}"))
    }
}

/// Programs that wait for a core, beyond those of this check, make the measured time longer.
fn disturbance() -> Option<String> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    let load: f64 = text.split(' ').next()?.parse().ok()?;
    let cores = cores().len();
    (load > cores as f64 + 1.0).then(|| {
        format!("Other programs used the {cores} cores meanwhile (load {load:.0}), and a model knows nothing of those.")
    })
}
