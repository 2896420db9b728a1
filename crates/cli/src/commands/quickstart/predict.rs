//! The program on processors that are not there.

use std::path::{Path, PathBuf};

use panto_predict::{Case, Drawing, Prediction, Wish, in_words};
use panto_sim::replay::{self, Replay};
use panto_trace::Trace;

use crate::commands::simulate::{load, of_trace};
use crate::failure::Failure;

/// So many processors.
pub const PROCESSORS: [u32; 4] = [2, 4, 16, 64];
/// The timelines are of so many.
pub const DRAWN: u32 = 16;
/// Beside this machine.
pub const BUILTIN: [&str; 2] = ["infiniband", "ethernet10g"];

/// What one machine would take.
pub struct Column {
    /// The machine, in words.
    pub machine: String,
    /// Seconds for each number of [`PROCESSORS`].
    pub seconds: Vec<f64>,
    /// The timeline of [`DRAWN`] processors,
    pub timeline: PathBuf,
    /// and where the time goes on them.
    pub words: Vec<String>,
}

/// A machine to predict for: how it is loaded, and what it is called.
pub struct Wanted<'a> {
    pub load: &'a str,
    pub name: &'a str,
}

/// Runs the programs, one for each number of processors, on a machine.
pub fn column(wanted: &Wanted, programs: &[PathBuf], timeline: &Path) -> Result<Column, Failure> {
    let mut column = Column {
        machine: wanted.name.to_owned(),
        seconds: Vec::new(),
        timeline: timeline.to_owned(),
        words: Vec::new(),
    };
    for (program, ranks) in programs.iter().zip(PROCESSORS) {
        let (case, replay) = open(wanted.load, program, ranks as usize)?;
        let drawn = (ranks == DRAWN).then_some(timeline);
        let prediction = predict(&case, &replay, drawn, wanted.name)?;
        column.seconds.push(prediction.time().as_secs());
        if drawn.is_some() {
            column.words = in_words(&prediction, &replay.program);
        }
    }
    Ok(column)
}

/// A machine with a processor for each rank, and what a trace means on it.
pub fn open(machine: &str, program: &Path, ranks: usize) -> Result<(Case, Replay), Failure> {
    let case = Case::new(load(machine, &[])?, ranks, &Wish::default())?;
    let trace = Trace::open(program)?;
    let replay = replay::program(&trace, &case.machine, &replay::Options::default());
    Ok((case, replay.map_err(|error| of_trace(&trace, &error))?))
}

/// The prediction, with a timeline if one is wanted.
pub fn predict(
    case: &Case,
    replay: &Replay,
    timeline: Option<&Path>,
    name: &str,
) -> Result<Prediction, Failure> {
    let facts = [("program", "heat"), ("machine", name), ("panto", env!("CARGO_PKG_VERSION"))];
    let facts = facts.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec();
    let mut drawing = timeline.map(|path| Drawing::create(path, &replay.program, facts)).transpose()?;
    let prediction = Prediction::new(&replay.program, case, None, &mut drawing)
        .map_err(|halted| Failure::Run(halted.describe(&replay.program).to_string()))?;
    if let Some(drawing) = drawing {
        drawing.finish()?;
    }
    Ok(prediction)
}
