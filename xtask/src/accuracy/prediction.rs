//! What Panto says, and what it measures when it carries a trace out.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::median;
use crate::failure::{Failure, Result};
use crate::shell;

/// So fast that computation takes no time.
const NO_TIME: &str = "1e6";
/// How often figures of the model are drawn.
const SAMPLES: &str = "200";

/// What a prediction is made of, beside the trace.
pub struct Question<'a> {
    pub panto: &'a Path,
    pub model: &'a Path,
    pub ranks: usize,
    pub rules: &'a str,
}

/// How fast processors compute, against where the program was traced.
pub struct Pace {
    /// As it was measured while the program really ran; one for each processor, or one for all.
    pub measured: Vec<f64>,
    /// Where it would be with 95 % certainty, as far as one knew before; none if that is the same.
    pub expected: Vec<(f64, f64)>,
}

impl Pace {
    /// Nothing is known, or nobody computes.
    pub const fn same() -> Self {
        Self { measured: Vec::new(), expected: Vec::new() }
    }

    /// As `--speed` takes them.
    fn measured(&self) -> String {
        let words: Vec<String> = self.measured.iter().map(ToString::to_string).collect();
        if words.is_empty() { "1".to_owned() } else { words.join(",") }
    }

    fn expected(&self) -> String {
        let words: Vec<String> = self.expected.iter().map(|(low, high)| format!("{low}..{high}")).collect();
        if words.is_empty() { self.measured() } else { words.join(",") }
    }
}

/// What a prediction says.
pub struct Predicted {
    pub seconds: f64,
    /// The same if cores were as fast as where the program was traced.
    pub unadjusted: f64,
    /// The same if computation took no time.
    pub alone: f64,
    /// Where the time is with 95 % confidence, as far as the model's figures and speeds are uncertain; none if they say nothing of that.
    pub interval: Option<(f64, f64)>,
}

impl Question<'_> {
    pub fn predict(&self, trace: &Path, pace: &Pace) -> Result<Predicted> {
        let time = |speed: &str| seconds(&self.simulate(trace, speed, &[])?);
        Ok(Predicted {
            seconds: time(&pace.measured())?,
            unadjusted: time("1")?,
            alone: time(NO_TIME)?,
            interval: self.interval(trace, &pace.expected()),
        })
    }

    /// None if nothing is uncertain.
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
    Failure::failed(format!("panto printed other JSON than expected:\n{printed}"))
}

/// Seconds of the longest rank when a job of Panto carries a trace out: the median, if more is said that makes it do so again and again.
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

/// MPICH 4.0 does not always come back from its end over TCP; Panto says then that all is there, and its launcher calls that a failure.
pub fn run(command: &mut Command) -> Result<String> {
    let output = command.output();
    let failed = |what: &str| Failure::failed(format!("`{}` failed: {what}", shell::line(command)));
    let output = output.map_err(|error| failed(&error.to_string()))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.success() || said.contains("MPI_Finalize does not return") {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(failed(&said))
}
