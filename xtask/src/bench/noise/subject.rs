//! The commands that measure while they are disturbed, and the figures that they claim.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::failure::{Failure, Result};
use crate::scratch::Scratch;
use crate::shell;

/// What may be off by how much if it is good, and if it is fair.
const LIMITS: [(&str, f64); 2] = [("good", 0.2), ("fair", 0.5)];
/// Messages small and large.
const SIZES: &str = "8,1KiB,64KiB,1MiB";
/// Grade of a run without a result.
const NO_RESULT: &str = "poor";

/// A median time in nanoseconds, and by how much it may be off.
#[derive(Clone, Copy)]
pub struct Figure {
    pub nanos: f64,
    pub limit: f64,
}

/// What a run claims: its grade, and its figures that are not poor.
pub struct Measured {
    pub grade: String,
    pub figures: BTreeMap<String, Figure>,
}

/// A command that measures.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// Two benchmarks, as JSON.
    Bench,
    /// A model, of which the times of messages count.
    Calibrate,
    /// The first thing that a user types.
    Quickstart,
}

impl Subject {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Bench, Self::Calibrate, Self::Quickstart];

    /// Returns its command line.
    pub fn line(self) -> String {
        match self {
            Self::Bench => {
                format!(
                    "bench comet/echo comet/broadcast --ranks 2 --hops 1 --sizes {SIZES} -t 6s --format json"
                )
            }
            Self::Calibrate => "calibrate --ranks 2 --largest 1MiB -t 12s -o model.toml --format json".into(),
            Self::Quickstart => "quickstart -t 20s --quiet-wait 0s --keep files".into(),
        }
    }

    /// Returns how many runs there are without a disturbance, whose medians are the truth.
    pub fn quiet_runs(self) -> usize {
        match self {
            Self::Bench => 5,
            Self::Calibrate | Self::Quickstart => 3,
        }
    }

    /// Returns how many runs there are under each disturbance.
    pub fn runs(self) -> usize {
        match self {
            Self::Bench => 10,
            Self::Calibrate => 5,
            Self::Quickstart => 2,
        }
    }

    /// Starts the command in a folder of its own.
    pub fn start(self, program: &Path) -> Result<Run> {
        let scratch = Scratch::new("noise")?;
        let mut command = Command::new(program);
        command.args(self.line().split(' ')).current_dir(scratch.path());
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let child =
            child.map_err(|error| Failure::failed(format!("cannot run {}: {error}", program.display())))?;
        Ok(Run { subject: self, child, scratch })
    }
}

/// A command that is running.
pub struct Run {
    subject: Subject,
    child: Child,
    scratch: Scratch,
}

impl Run {
    /// Returns the id of its process.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Waits for its end.
    pub fn wait(self) -> Result<Ended> {
        let output = self
            .child
            .wait_with_output()
            .map_err(|error| Failure::failed(format!("cannot wait for panto: {error}")))?;
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok(Ended { subject: self.subject, printed, scratch: self.scratch })
    }
}

/// A command that has ended, with its output and its files.
pub struct Ended {
    subject: Subject,
    printed: String,
    scratch: Scratch,
}

impl Ended {
    /// Returns what it claims.
    pub fn figures(&self, program: &Path) -> Result<Measured> {
        match self.subject {
            Subject::Bench => claims_of_results(&self.printed),
            Subject::Calibrate => self.claims_of_model(program),
            Subject::Quickstart => {
                let results = shell::capture(
                    Command::new(program)
                        .arg("info")
                        .arg(self.file("files/results.jsonl"))
                        .args(["--format", "json"]),
                )?;
                claims_of_results(&results)
            }
        }
    }

    /// Returns the times of messages on the model. A model that is not written claims nothing.
    fn claims_of_model(&self, program: &Path) -> Result<Measured> {
        let grade = match serde_json::from_str::<Value>(&self.printed) {
            Ok(fitted) => fitted["quality"]["grade"].as_str().unwrap_or(NO_RESULT).to_owned(),
            Err(_) => NO_RESULT.to_owned(),
        };
        let model = self.file("model.toml");
        let Some(limit) = limit_of(&grade).filter(|_| model.exists()) else {
            return Ok(Measured { grade: NO_RESULT.to_owned(), figures: BTreeMap::new() });
        };
        let mut on_model = Command::new(program);
        on_model.args([
            "bench",
            "comet/echo",
            "--ranks",
            "2",
            "--hops",
            "1",
            "--format",
            "json",
            "--sizes",
            SIZES,
        ]);
        let times = shell::capture(on_model.arg("--on").arg(model))?;
        let figures = points(&times, |_| Some(limit)).ok_or_else(|| unexpected(&times))?;
        Ok(Measured { grade, figures })
    }

    fn file(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }
}

/// Returns the figures of measured points: a point is not claimed to be better than its run.
fn claims_of_results(printed: &str) -> Result<Measured> {
    let parse = || {
        let results: Value = serde_json::from_str(printed).ok()?;
        let grade = results["quality"]["grade"].as_str()?.to_owned();
        let limit = |point: &Value| Some(limit_of(point["grade"].as_str()?)?.max(limit_of(&grade)?));
        Some(Measured { figures: points(printed, limit)?, grade })
    };
    parse().ok_or_else(|| unexpected(printed))
}

/// Returns the median of each point for which there is a limit.
fn points(printed: &str, limit: impl Fn(&Value) -> Option<f64>) -> Option<BTreeMap<String, Figure>> {
    let results: Value = serde_json::from_str(printed).ok()?;
    let figure = |point: &Value| {
        let name = format!("{} {}", point["kernel"].as_str()?, point["params"]);
        Some((name, Figure { nanos: point["summary"]["median_ns"].as_f64()?, limit: limit(point)? }))
    };
    Some(results["points"].as_array()?.iter().filter_map(figure).collect())
}

/// Returns by how much a figure of this grade may be off; `None` if it claims nothing.
pub fn limit_of(grade: &str) -> Option<f64> {
    LIMITS.iter().find(|(name, _)| *name == grade).map(|(_, limit)| *limit)
}

fn unexpected(printed: &str) -> Failure {
    Failure::failed(format!("panto printed unexpected JSON:\n{printed}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn poor_points_claim_nothing() {
        let printed = r#"{"quality":{"grade":"fair"},"points":[
            {"kernel":"comet/echo","params":{"bytes":8},"grade":"good","summary":{"median_ns":200}},
            {"kernel":"comet/echo","params":{"bytes":64},"grade":"poor","summary":{"median_ns":9e6}}]}"#;
        let measured = claims_of_results(printed).ok().unwrap();
        assert_eq!((measured.grade.as_str(), measured.figures.len()), ("fair", 1));
        assert!(measured.figures.values().all(|figure| figure.limit > 0.2));
    }
}
