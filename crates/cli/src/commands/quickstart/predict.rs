//! Predictions of the example program on more processors and other machines.

use std::path::{Path, PathBuf};

use panto_predict::{Case, CaseOptions, Prediction, TimelineRecorder, explain};
use panto_report::present::MachinePrediction;
use panto_sim::replay::{self, Replay};
use panto_trace::Trace;

use crate::commands::simulate::{load, trace_failure};
use crate::failure::Failure;

/// Numbers of processors, each with a rank.
pub const PROCESSORS: [u32; 4] = [2, 4, 16, 64];
/// The number of processors of the timelines.
const TIMELINE_PROCESSORS: u32 = 16;
/// The built-in machines that are compared with this one.
pub const BUILTIN: [&str; 2] = ["infiniband", "ethernet10g"];

/// A machine to predict for.
pub struct MachineRef<'a> {
    /// The name of a built-in machine, or the path of a model file.
    pub model: &'a str,
    /// The name in the output.
    pub name: &'a str,
}

/// Predicts the programs, one for each number of processors, on a machine.
pub fn on_machine(
    machine: &MachineRef<'_>,
    programs: &[PathBuf],
    timeline: &Path,
) -> Result<MachinePrediction, Failure> {
    let mut predicted = MachinePrediction {
        machine: machine.name.to_owned(),
        times: Vec::new(),
        timeline_processors: TIMELINE_PROCESSORS,
        timeline: timeline.to_owned(),
        words: Vec::new(),
    };
    for (program, ranks) in programs.iter().zip(PROCESSORS) {
        let (case, replay) = open(machine.model, program, ranks as usize)?;
        let recorded = (ranks == TIMELINE_PROCESSORS).then_some(timeline);
        let prediction = predict(&case, &replay, recorded, machine.name)?;
        predicted.times.push((ranks, prediction.time().as_secs()));
        if recorded.is_some() {
            predicted.words = explain(&prediction, &replay.program);
        }
    }
    Ok(predicted)
}

/// Returns a machine with a processor for each rank, and the program of a trace on it.
pub fn open(machine: &str, program: &Path, ranks: usize) -> Result<(Case, Replay), Failure> {
    let case = Case::new(load(machine, &[])?, ranks, &CaseOptions::default())?;
    let trace = Trace::open(program)?;
    let replay = replay::program(&trace, &case.machine, &replay::Options::default());
    Ok((case, replay.map_err(|error| trace_failure(&trace, &error))?))
}

/// Predicts a program; writes its timeline if a path is given.
pub fn predict(
    case: &Case,
    replay: &Replay,
    timeline: Option<&Path>,
    name: &str,
) -> Result<Prediction, Failure> {
    let facts = [("program", "heat"), ("machine", name), ("panto", env!("CARGO_PKG_VERSION"))];
    let facts = facts.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec();
    let mut recorder =
        timeline.map(|path| TimelineRecorder::create(path, &replay.program, facts)).transpose()?;
    let prediction = Prediction::observed(&replay.program, case, None, &mut recorder)
        .map_err(|error| Failure::Run(error.describe(&replay.program).to_string()))?;
    if let Some(recorder) = recorder {
        recorder.finish()?;
    }
    Ok(prediction)
}
