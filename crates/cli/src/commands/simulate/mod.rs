//! `panto simulate`

mod case;
mod noise;
mod samples;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use panto_predict::{Case, Disturbance, Drawing, Prediction};
use panto_sim::Noise;
use panto_sim::replay::{self, Replay};
use panto_trace::Trace;

pub use case::{CaseArgs, ReadingArgs, load};
pub use noise::NoiseArgs;

use self::samples::{Answer, Question, SampleArgs};
use crate::failure::{Failure, INTERRUPTED};
use crate::simulated::Network;
use crate::trace::{amount, grouped};
use crate::{files, out, prediction};

/// Predict how a traced program would run on another machine
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Simulate {
    /// What `panto trace` wrote
    trace: PathBuf,

    /// The machine: a built-in one, or a model file
    #[arg(short, long, value_name = "MACHINE")]
    machine: String,

    #[command(flatten)]
    case: CaseArgs,

    /// Keep every interval and every message in this file
    #[arg(long, value_name = "FILE")]
    timeline: Option<PathBuf>,

    #[command(flatten)]
    noise: NoiseArgs,

    #[command(flatten)]
    samples: SampleArgs,

    /// Show every rank, however many there are
    #[arg(long)]
    all_ranks: bool,

    /// How to print
    #[arg(short, long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

/// How a prediction is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Tables and sentences for people
    Table,
    /// One JSON object
    Json,
    /// A row for each rank
    Csv,
}

const AFTER_HELP: &str = "\
The trace says what each rank computed and which messages it passed; the machine says how long they take. Computation
takes as long as it took where the program was traced, unless --speed says otherwise.

Examples:
  panto simulate app.panto --machine infiniband
  panto simulate app.panto --machine ethernet10 --set link.bandwidth=100MB/s
  panto simulate app.panto --machine my.toml --network traffic --rules openmpi
  panto simulate app.panto --machine cm5 --processors 9 --map block        more ranks than processors
  panto simulate app.panto --machine my.toml --speed 2.3 --format json
  panto simulate app.panto --machine my.toml --timeline app.ptl            every interval and message
  panto simulate app.panto --machine my.toml --noise random:1ms,10us       with an operating system
  panto simulate app.panto --machine my.toml --samples 500                 how certain it is
  panto simulate app.panto --machine my.toml --samples 500 --speed 1.8..2.2   for a processor that is about twice as fast

docs/predicting.md explains what is simulated, and what is assumed.";

impl Simulate {
    pub fn run(self) -> Result<ExitCode, Failure> {
        if let Some(timeline) = &self.timeline {
            files::keep(&self.trace, timeline)?;
        }
        let trace = Trace::open(&self.trace)?;
        let question = Question { machine: &self.machine, case: &self.case, noise: &self.noise };
        let unknowns = self.samples.unknowns(&question)?;
        let case = self.case.case(&self.machine, trace.size() as usize)?;
        let replay = read(&trace, &case, &self.case)?;
        let noise = self.noise.disturbance()?;
        let prediction = self.predict(&replay, &case, noise.as_ref())?;
        let answer = self.samples.answer(&question, &unknowns, &replay.program)?;
        if matches!(answer, Answer::Stopped) {
            return Ok(ExitCode::from(INTERRUPTED));
        }
        let shown = prediction::Shown {
            trace: &trace,
            replay: &replay,
            case: &case,
            prediction: &prediction,
            noise: noise.as_ref(),
        };
        match self.format {
            Format::Table => {
                shown.print(self.all_ranks);
                answer.print();
            }
            Format::Json => {
                let mut json = shown.json();
                json["samples"] = answer.json();
                out::line(json);
            }
            Format::Csv => out::text(shown.csv()),
        }
        Ok(ExitCode::SUCCESS)
    }

    fn predict(
        &self,
        replay: &Replay,
        case: &Case,
        noise: Option<&Disturbance>,
    ) -> Result<Prediction, Failure> {
        let mut drawing = match &self.timeline {
            None => None,
            Some(path) => Some(Drawing::create(path, &replay.program, self.facts(case))?),
        };
        let noise = noise.map(|noise| noise as &dyn Noise);
        let prediction = Prediction::new(&replay.program, case, noise, &mut drawing).map_err(|halted| {
            Failure::Usage(format!("{}: {}", self.trace.display(), halted.describe(&replay.program)))
        })?;
        if let (Some(drawing), Some(path)) = (drawing, &self.timeline) {
            let written = drawing.finish()?;
            out::note(format_args!(
                "panto: wrote {}: {} states, {} messages, {}",
                path.display(),
                grouped(written.states),
                grouped(written.messages),
                amount(written.bytes)
            ));
        }
        Ok(prediction)
    }

    /// What the timeline is of.
    fn facts(&self, case: &Case) -> Vec<(String, String)> {
        let trace = self.trace.display().to_string();
        let network = Network::of(case.network).name().to_owned();
        let (machine, topology) = (case.machine.name.clone(), case.machine.network.topology.to_string());
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let facts = [
            ("trace", trace),
            ("machine", machine),
            ("topology", topology),
            ("network", network),
            ("panto", version),
        ];
        facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

/// From a trace to a program for this machine.
pub fn read(trace: &Trace, case: &Case, args: &CaseArgs) -> Result<Replay, Failure> {
    let replay = replay::program(trace, &case.machine, &args.reading.options());
    replay.map_err(|error| of_trace(trace, &error))
}

/// An error in a trace names its file.
pub fn of_trace(trace: &Trace, error: &replay::Error) -> Failure {
    let (path, text) = (trace.path().display().to_string(), error.to_string());
    Failure::Usage(if text.contains(&path) { text } else { format!("{path}: {text}") })
}
