//! What Panto says, and what it measures when it carries a trace out.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::failure::{Failure, Result};
use crate::shell;

/// So fast that computation takes no time.
const NO_TIME: f64 = 1e6;
/// How often figures of the model are drawn.
const SAMPLES: &str = "200";

/// What a prediction is made of, beside the trace.
pub struct Question<'a> {
    pub panto: &'a Path,
    pub model: &'a Path,
    pub ranks: usize,
    /// How fast ranks compute, against where they were traced.
    pub pace: f64,
    pub rules: &'a str,
}

/// What a prediction says.
pub struct Predicted {
    pub seconds: f64,
    /// The same if computation took no time.
    pub alone: f64,
    /// Where the time is with 95 % confidence, as far as the model's figures are uncertain; none if it says nothing of that.
    pub interval: Option<(f64, f64)>,
}

impl Question<'_> {
    pub fn predict(&self, trace: &Path) -> Result<Predicted> {
        let whole = self
            .simulate(trace, self.pace, &["--samples", SAMPLES])
            .or_else(|_| self.simulate(trace, self.pace, &[]))?;
        let alone = self.simulate(trace, NO_TIME, &[])?;
        let samples = &whole["samples"];
        let interval = samples["low_s"].as_f64().zip(samples["high_s"].as_f64());
        Ok(Predicted { seconds: seconds(&whole)?, alone: seconds(&alone)?, interval })
    }

    fn simulate(&self, trace: &Path, speed: f64, more: &[&str]) -> Result<Value> {
        let mut command = Command::new(self.panto);
        command.arg("simulate").arg(trace).arg("--machine").arg(self.model).args(["--format", "json"]);
        command.args(["--rules", self.rules, "--speed", &speed.to_string()]);
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

/// Seconds of the longest rank when a job of Panto carries a trace out.
pub fn performed(mut job: Command, trace: &Path, computation: &str, rules: &str) -> Result<f64> {
    job.arg("perform").arg(trace).args(["--format", "json", "--computation", computation, "--rules", rules]);
    let printed = run(&mut job)?;
    let object = printed.lines().find(|line| line.starts_with('{')).unwrap_or_default();
    let value: Value = serde_json::from_str(object).unwrap_or_default();
    let seconds = value["time_s"][0].as_f64();
    seconds.ok_or_else(|| Failure::failed(format!("`{}` printed no time: {printed}", shell::line(&job))))
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
