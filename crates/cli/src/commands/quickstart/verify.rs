//! Compares a prediction with a measurement: the program's messages are passed between threads.

use std::path::Path;
use std::time::{Duration, Instant};

use panto_report::present::PredictionCheck;
use panto_stats::Summary;
use panto_transport::execute::{self, Computation, Execution, makespans};
use panto_transport::threads::cores;

use super::predict;
use crate::failure::Failure;
use crate::threads;

/// Minimum number of runs, and the number of runs per batch.
const MIN_RUNS: usize = 10;
/// Maximum number of runs.
const MAX_RUNS: usize = 200;

/// Predicts the program of two ranks, and runs it repeatedly for about `time`.
pub fn check(machine: &str, program: &Path, time: Duration) -> Result<PredictionCheck, Failure> {
    let (case, replay) = predict::open(machine, program, 2)?;
    let predicted = predict::predict(&case, &replay, None, machine)?.time().as_secs();
    let execution = Execution::new(&replay.program).map_err(Failure::Run)?;
    let (world, deadline) = (threads::default_world(), Instant::now() + time);
    let mut samples = Vec::new();
    while samples.len() < MIN_RUNS || (samples.len() < MAX_RUNS && Instant::now() < deadline) {
        let times = execute::time(&world, &execution, Computation::Busy, MIN_RUNS as u32)?;
        samples.extend(makespans(&times));
    }
    let measured = Summary::of(&samples).map_err(|error| Failure::Run(error.to_string()))?;
    Ok(PredictionCheck { predicted, measured, samples, interference: interference() })
}

/// Returns a note if other programs compete for the cores, which lengthens the measured time.
fn interference() -> Option<String> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    let load: f64 = text.split(' ').next()?.parse().ok()?;
    let cores = cores().len();
    (load > cores as f64 + 1.0).then(|| {
        format!("Other programs used the {cores} cores meanwhile (load average {load:.0}), which a model does not include.")
    })
}
