//! `panto simulate`: predicts a traced program on a machine model.

mod case;
mod noise;
mod samples;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use panto_predict::{
    AssumedFigures, Case, Disturbance, Prediction, TimelineRecorder, Traced, UnlimitedBuffering,
};
use panto_report::present::{PredictionReport, RunComputation, Subject, samples_json, samples_text};
use panto_sim::program::Program;
use panto_sim::replay::{self, Cut, Replay};
use panto_sim::{Noise, RunError};
use panto_trace::{RankTrace, Trace};
use panto_transport::threads::cores;
use panto_units::{grouped, rounded_bytes};

pub use case::{CaseArgs, ReadingArgs, load};
pub use noise::NoiseArgs;

use self::samples::{Drawn, SampleArgs, SampledCase};
use crate::failure::{Failure, INTERRUPTED};
use crate::format::{Format, TABLE_JSON_OR_CSV};
use crate::{files, print, program};

/// Predict how a traced program would run on another machine.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Simulate {
    /// A trace, written by `panto trace`, a GOAL schedule or a time-independent trace.
    trace: PathBuf,

    /// Machine: a built-in name or a model file.
    #[arg(short, long, value_name = "MACHINE")]
    machine: String,

    #[command(flatten)]
    case: CaseArgs,

    #[command(flatten)]
    noise: NoiseArgs,

    #[command(flatten)]
    samples: SampleArgs,

    #[command(flatten)]
    presentation: Presentation,

    /// The name of the trace in the report, if that is not its path.
    #[arg(skip)]
    name: Option<PathBuf>,

    #[arg(skip = Subject::Trace)]
    subject: Subject,
}

/// How a prediction is presented.
#[derive(Args, Clone)]
pub struct Presentation {
    /// Write a timeline with every interval and message to this file.
    #[arg(long, value_name = "FILE")]
    pub timeline: Option<PathBuf>,

    /// Print every rank, even if there are many.
    #[arg(long)]
    all_ranks: bool,

    /// Output format.
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = Format::one_of(TABLE_JSON_OR_CSV))]
    format: Format,
}

/// The number of events from which on several threads are worth their start.
const MIN_PARALLEL_EVENTS: u64 = 100_000;

const AFTER_HELP: &str = "\
The trace contains the computation and the MPI calls of each rank; the machine model determines the times of messages. Computation takes as long as in the traced run unless --speed is given.

Examples:
  panto simulate app.panto -m infiniband
  panto simulate app.panto -m ethernet10 --set link.bandwidth=100MB/s
  panto simulate app.panto -m my.toml --sharing links --rules openmpi
  panto simulate app.panto -m cm5 -p 9 --map block        on 9 processors
  panto simulate app.goal -m loggops                      also .bin and .ti
  panto simulate app.panto -m my.toml --speed 2.3 --format json
  panto simulate app.panto -m my.toml --timeline app.ptl  for `panto view`
  panto simulate app.panto -m my.toml --noise random:1ms,10us
  panto simulate app.panto -m my.toml --samples 500       with uncertainty
  panto simulate app.panto -m my.toml --samples 500 --speed 1.8..2.2

docs/predicting.md describes what is simulated and assumed.";

impl Simulate {
    /// Reports a run in virtual time by its trace, under a name.
    pub fn of_run(
        trace: &Path,
        name: PathBuf,
        computation: RunComputation,
        machine: &str,
        case: &CaseArgs,
        presentation: &Presentation,
    ) -> Self {
        Self {
            trace: trace.to_owned(),
            subject: Subject::VirtualRun(computation),
            machine: machine.to_owned(),
            case: case.clone(),
            noise: NoiseArgs::default(),
            samples: SampleArgs::default(),
            presentation: presentation.clone(),
            name: Some(name),
        }
    }

    pub fn run(self) -> Result<ExitCode, Failure> {
        if let Some(timeline) = &self.presentation.timeline {
            files::refuse_overwrite(&self.trace, timeline)?;
        }
        let trace = program::open(&self.trace)?;
        let sampled_inputs = SampledCase { machine: &self.machine, case: &self.case, noise: &self.noise };
        let unknowns = self.samples.unknowns(&sampled_inputs)?;
        let traced = Traced::from(&trace);
        let mut case = self.case.case(&self.machine, traced)?;
        let replay = read(&trace, &case, &self.case, self.presentation.timeline.is_some())?;
        let buffering = UnlimitedBuffering::find(&replay.program, &case.machine);
        case.notes.extend(buffering.map(|found| found.to_string()));
        let noise = self.noise.disturbance()?;
        let prediction = self.predict(&replay, &case, noise.as_ref())?;
        let assumed = self.assumed(&replay, traced, noise.as_ref())?;
        let samples = match self.samples.draw(&sampled_inputs, &unknowns, &replay.program, traced)? {
            Drawn::Interrupted => return Ok(ExitCode::from(INTERRUPTED)),
            Drawn::NotRequested => None,
            Drawn::Samples(samples) => Some(samples),
        };
        let report = PredictionReport {
            name: self.name.as_deref().unwrap_or(&self.trace),
            trace: &trace,
            replay: &replay,
            case: &case,
            prediction: &prediction,
            noise: noise.as_ref(),
            assumed: assumed.as_ref(),
            subject: self.subject,
        };
        match self.presentation.format {
            Format::Json => {
                let mut json = report.json();
                json["samples"] = samples.as_ref().map(samples_json).into();
                print::line(json);
            }
            Format::Csv => print::text(report.csv()),
            _ => {
                print::text(report.text(self.presentation.all_ranks));
                print::text(samples.as_ref().map_or_else(String::new, samples_text));
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    fn predict(
        &self,
        replay: &Replay,
        case: &Case,
        noise: Option<&Disturbance>,
    ) -> Result<Prediction, Failure> {
        let noise = noise.map(|noise| noise as &dyn Noise);
        let failed = |error: RunError| self.failed(&replay.program, &error);
        let Some(path) = &self.presentation.timeline else {
            return Prediction::new(&replay.program, case, noise, cores().len()).map_err(failed);
        };
        let mut recorder = TimelineRecorder::create(path, &replay.program, self.facts(case))?;
        let prediction = Prediction::observed(&replay.program, case, noise, &mut recorder).map_err(failed)?;
        let written = recorder.finish()?;
        print::note(format_args!(
            "panto: wrote {}: {} states, {} messages, {}",
            path.display(),
            grouped(written.states),
            grouped(written.messages),
            rounded_bytes(written.bytes)
        ));
        Ok(prediction)
    }

    /// Finds how much of the time rests on assumed figures of the machine.
    fn assumed(
        &self,
        replay: &Replay,
        traced: Traced,
        noise: Option<&Disturbance>,
    ) -> Result<Option<AssumedFigures>, Failure> {
        let model = self.case.model(&self.machine)?;
        let noise = noise.map(|noise| noise as &dyn Noise);
        let program = &replay.program;
        AssumedFigures::find(&model, |sets| {
            let speeds = self.case.speeds()?;
            let case = self.case.case_with(&self.machine, sets, speeds, traced)?;
            let without = Prediction::new(program, &case, noise, cores().len());
            Ok(without.map_err(|error| self.failed(program, &error))?.time())
        })
    }

    fn failed(&self, program: &Program, error: &RunError) -> Failure {
        Failure::Usage(format!("{}: {}", self.trace.display(), error.describe(program)))
    }

    /// Returns the facts of the timeline.
    fn facts(&self, case: &Case) -> Vec<(String, String)> {
        let trace = self.name.as_ref().unwrap_or(&self.trace).display().to_string();
        let sharing = case.sharing.name().to_owned();
        let (machine, topology) = (case.machine.name.clone(), case.machine.network.topology.to_string());
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let facts = [
            ("trace", trace),
            ("machine", machine),
            ("topology", topology),
            ("sharing", sharing),
            ("panto", version),
        ];
        facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

/// Replays a trace for a machine; for a timeline, functions are told apart by their call sites.
pub fn read(trace: &Trace, case: &Case, args: &CaseArgs, is_for_timeline: bool) -> Result<Replay, Failure> {
    let events: u64 = trace.ranks().iter().map(RankTrace::events_count).sum();
    let threads = if events < MIN_PARALLEL_EVENTS { 1 } else { cores().len() };
    let replay = replay::program_on(trace, &case.machine, &args.reading.options_of(is_for_timeline), threads)
        .map_err(|error| trace_failure(trace, &error))?;
    note_cut(trace, replay.cut.as_ref());
    Ok(replay)
}

/// Prints how much of a trace is left out, if its ranks end too early.
pub fn note_cut(trace: &Trace, cut: Option<&Cut>) {
    if let Some(cut) = cut {
        print::note(format_args!("panto: {}: {cut}", trace.path().display()));
    }
}

/// Returns the failure of a trace that cannot be replayed, with the name of its file.
pub fn trace_failure(trace: &Trace, error: &replay::Error) -> Failure {
    let (path, text) = (trace.path().display().to_string(), error.to_string());
    Failure::Usage(if text.contains(&path) { text } else { format!("{path}: {text}") })
}
