//! `SimGrid` and Panto on the same traces and the same machine: time from the file to the
//! prediction.

mod work;

use panto_testkit::smpirun;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use serde_json::Value;

use super::spread::Spread;
use super::{Outcome, panto, ratios};
use crate::failure::{Failure, Result};
use crate::needs;
use crate::scratch::Scratch;
use crate::shell;
use work::{Files, Pattern, Work};

const ROUNDS: usize = 3;
const ALL: [Work; 3] = [
    Work { name: "halo", pattern: Pattern::Halo, ranks: 64, rounds: 200 },
    Work { name: "halo", pattern: Pattern::Halo, ranks: 256, rounds: 50 },
    Work { name: "alltoall", pattern: Pattern::Alltoall, ranks: 64, rounds: 4 },
];

/// The predicted time of a simulator, and the seconds it took.
#[derive(Debug, Clone, Copy)]
struct Answer {
    predicted: f64,
    took: f64,
}

pub fn run() -> Result<Outcome> {
    if let Some(need) = needs::first_missing(&["SimGrid"]) {
        return Ok(Outcome::Skipped(format!("SimGrid is not installed; to install it: {}", need.remedy())));
    }
    let scratch = Scratch::new("rivals")?;
    let program = panto::build()?;
    println!(
        "whole programs, from the time-independent trace to the prediction; medians of {ROUNDS} interleaved rounds"
    );
    println!(
        "{:9} {:>6} {:>8}  {:>13} {:>13}  {:>22}  {:>11} {:>11}",
        "work", "ranks", "calls", "SimGrid k/s", "Panto k/s", "times as fast", "SimGrid", "Panto"
    );
    for work in ALL {
        compare(&work, &work.write(scratch.path())?, &program)?;
    }
    println!(
        "the last two columns are the predicted times; LogGOPSim has no package, and is not compared here"
    );
    Ok(Outcome::Done)
}

fn compare(work: &Work, files: &Files, program: &Path) -> Result<()> {
    let (mut theirs, mut ours) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        theirs.push(simgrid(work, files)?);
        ours.push(own(files, program)?);
    }
    let took = |answers: &[Answer]| answers.iter().map(|answer| answer.took).collect::<Vec<f64>>();
    let rate = |answers: &[Answer]| work.calls() as f64 / Spread::of(&took(answers)).median / 1e3;
    let times = Spread::of(&ratios(&took(&theirs), &took(&ours)));
    println!(
        "{:9} {:>6} {:>8}  {:>13.0} {:>13.0}  {:>22}  {:>8.3} ms {:>8.3} ms",
        work.name,
        work.ranks,
        work.calls(),
        rate(&theirs),
        rate(&ours),
        format!("{times:.1}"),
        theirs[0].predicted * 1e3,
        ours[0].predicted * 1e3
    );
    Ok(())
}

fn simgrid(work: &Work, files: &Files) -> Result<Answer> {
    let start = Instant::now();
    let predicted = smpirun::replay(&files.folder, &files.list, work.ranks, &[]).map_err(Failure::failed)?;
    Ok(Answer { predicted, took: start.elapsed().as_secs_f64() })
}

/// Runs Panto; the conversion of the trace is a separate step, which counts.
fn own(files: &Files, program: &Path) -> Result<Answer> {
    let trace = files.list.with_extension("panto");
    let start = Instant::now();
    let mut convert = Command::new(program);
    convert.arg("convert").arg(&files.list).arg("-o").arg(&trace);
    if !shell::works(&mut convert) {
        return Err(Failure::failed(format!("`{}` failed; try it by hand", shell::line(&convert))));
    }
    let mut simulate = Command::new(program);
    simulate.arg("simulate").arg(&trace).arg("--machine").arg(&files.machine).args(["--format", "json"]);
    let printed = shell::capture(&mut simulate)?;
    let took = start.elapsed().as_secs_f64();
    let printed_json: Option<Value> = serde_json::from_str(&printed).ok();
    let predicted = printed_json
        .and_then(|printed_json| printed_json["time_s"].as_f64())
        .ok_or_else(|| Failure::failed(format!("panto printed unexpected JSON:\n{printed}")))?;
    Ok(Answer { predicted, took })
}
