//! Panto's predictions, and its measurements when it executes a trace.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::median;
use crate::failure::{Failure, Result};
use crate::shell;

/// A speed at which computation takes no time.
const NO_COMPUTATION: &str = "1e6";
/// Number of draws of the model's parameters.
const SAMPLES: &str = "200";

/// What Panto prints where `MPI_Finalize` does not return.
const FINALIZE_TIMEOUT: &str = "MPI_Finalize did not return";

/// The inputs of a prediction beside the trace.
pub struct PredictionInputs<'a> {
    pub panto: &'a Path,
    pub model: &'a Path,
    pub ranks: usize,
    pub rules: &'a str,
}

/// Speeds of processors relative to where the program was traced.
pub struct CoreSpeeds {
    /// Measured during the real run; one for each processor, or one for all.
    pub measured: Vec<f64>,
    /// The 95 % range expected before the run; empty if the same as measured.
    pub expected: Vec<(f64, f64)>,
}

impl CoreSpeeds {
    /// Returns unknown speeds, or those of ranks that do not compute.
    pub const fn same() -> Self {
        Self { measured: Vec::new(), expected: Vec::new() }
    }

    /// Returns the measured speeds as `--speed` takes them.
    fn measured(&self) -> String {
        let words: Vec<String> = self.measured.iter().map(ToString::to_string).collect();
        if words.is_empty() { "1".to_owned() } else { words.join(",") }
    }

    fn expected(&self) -> String {
        let words: Vec<String> = self.expected.iter().map(|(low, high)| format!("{low}..{high}")).collect();
        if words.is_empty() { self.measured() } else { words.join(",") }
    }
}

/// A prediction, in seconds.
pub struct Predicted {
    pub seconds: f64,
    /// The prediction if cores were as fast as where the program was traced.
    pub unadjusted: f64,
    /// The prediction if computation took no time.
    pub alone: f64,
    /// The 95 % interval from the uncertainty of the model and the speeds; `None` if neither has
    /// any.
    pub interval: Option<(f64, f64)>,
}

impl PredictionInputs<'_> {
    pub fn predict(&self, trace: &Path, speeds: &CoreSpeeds) -> Result<Predicted> {
        let time = |speed: &str| seconds(&self.simulate(trace, speed, &[])?);
        Ok(Predicted {
            seconds: time(&speeds.measured())?,
            unadjusted: time("1")?,
            alone: time(NO_COMPUTATION)?,
            interval: self.interval(trace, &speeds.expected()),
        })
    }

    /// Returns the interval, or `None` if nothing is uncertain.
    fn interval(&self, trace: &Path, speed: &str) -> Option<(f64, f64)> {
        let drawn = self.simulate(trace, speed, &["--samples", SAMPLES]).ok()?;
        let samples = &drawn["samples"];
        samples["low_s"].as_f64().zip(samples["high_s"].as_f64())
    }

    fn simulate(&self, trace: &Path, speed: &str, more: &[&str]) -> Result<Value> {
        let mut command = Command::new(self.panto);
        command.arg("simulate").arg(trace).arg("--machine").arg(self.model).args(["--format", "json"]);
        command.args(["--rules", self.rules, "--speed", speed]);
        command.arg("--set").arg(format!("network.processors={}", self.ranks)).args(more);
        let printed = shell::capture(&mut command)?;
        serde_json::from_str(&printed).map_err(|_| wrong(&printed))
    }
}

fn seconds(value: &Value) -> Result<f64> {
    value["time_s"].as_f64().ok_or_else(|| wrong(&value.to_string()))
}

fn wrong(printed: &str) -> Failure {
    Failure::failed(format!("panto printed unexpected JSON:\n{printed}"))
}

/// Returns the seconds of the longest rank when a job of Panto executes a trace: the median if
/// options ask for repetitions.
pub fn performed(
    mut job: Command,
    trace: &Path,
    computation: &str,
    rules: &str,
    more: &[&str],
) -> Result<f64> {
    job.arg("perform").arg(trace).args(["--format", "json", "--computation", computation, "--rules", rules]);
    let printed = run(job.args(more))?;
    let object = printed.lines().find(|line| line.starts_with('{')).unwrap_or_default();
    let value: Value = serde_json::from_str(object).unwrap_or_default();
    let times: Vec<f64> =
        value["time_s"].as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
    if times.is_empty() {
        return Err(Failure::failed(format!("`{}` printed no time: {printed}", shell::line(&job))));
    }
    Ok(median(&times))
}

/// Runs a command and returns its output. MPICH 4.0 does not always return from `MPI_Finalize` over
/// TCP; then Panto has printed everything, and the launcher reports a failure that is ignored.
pub fn run(command: &mut Command) -> Result<String> {
    let output = command.output();
    let failed = |what: &str| Failure::failed(format!("`{}` failed: {what}", shell::line(command)));
    let output = output.map_err(|error| failed(&error.to_string()))?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    if output.status.success() || stderr.contains(FINALIZE_TIMEOUT) {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(failed(&stderr))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_message_is_that_of_the_transport() {
        assert_eq!(super::FINALIZE_TIMEOUT, panto_transport::mpi::FINALIZE_TIMEOUT);
    }
}
