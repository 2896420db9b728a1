//! `panto convert`

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use panto_convert::{Exported, Imported, goal, ti};
use panto_machine::Model;
use panto_sim::replay::{self, Options};
use panto_trace::Trace;

use super::simulate::{ReadingArgs, of_trace};
use crate::failure::Failure;
use crate::trace::grouped;
use crate::{files, out};

/// Turn a trace into one of other simulators (GOAL, time-independent), or one of theirs into Panto's
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Convert {
    /// A trace: Panto's own, a GOAL schedule as text, or a time-independent trace (one file, or the list of files)
    file: PathBuf,

    /// Where it goes
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// The format of a foreign trace [default: told by its name and its first words]
    #[arg(long, value_enum, value_name = "FORMAT")]
    from: Option<Foreign>,

    /// The format that Panto's trace becomes [default: told by the name of the output: .goal or .ti]
    #[arg(long, value_enum, value_name = "FORMAT")]
    to: Option<Foreign>,

    #[command(flatten)]
    how: HowArgs,
}

/// What a trace needs to become one of others.
#[derive(Args)]
pub(super) struct HowArgs {
    /// How many operations a processor does in a second, for the counts in time-independent traces
    #[arg(long, value_name = "RATE", default_value_t = ti::FLOPS)]
    flops: f64,

    /// The machine whose rules choose the algorithms of collectives, which GOAL does not know
    #[arg(short, long, value_name = "MACHINE", default_value = "loggops")]
    machine: String,

    #[command(flatten)]
    reading: ReadingArgs,
}

/// Formats of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Foreign {
    /// GOAL schedules as text, for `LogGOPSim`
    Goal,
    /// Time-independent traces, for `SimGrid`
    Ti,
}

const AFTER_HELP: &str = "\
What a format cannot say is an error that names where it stands, or is counted and printed.

Examples:
  panto convert app.panto -o app.goal                 for LogGOPSim; collectives become messages
  panto convert app.panto -o app.ti                   for SimGrid: smpirun -replay app.ti ...
  panto convert ring.goal -o ring.panto               and then: panto simulate ring.panto --machine loggops
  panto convert lu.ti --flops 2.5e9 -o lu.panto       computation counted in operations becomes time";

impl Convert {
    /// `panto export` of a trace.
    pub(super) fn export_to(file: PathBuf, to: Foreign, output: PathBuf, how: HowArgs) -> Self {
        Self { file, output, from: None, to: Some(to), how }
    }

    pub fn run(self) -> Result<ExitCode, Failure> {
        let flops = self.how.flops;
        if flops.is_nan() || flops <= 0.0 || flops.is_infinite() {
            return Err(Failure::Usage(format!("--flops {flops}: a rate is a number above 0")));
        }
        files::keep(&self.file, &self.output)?;
        if Trace::recognises(&self.file) {
            self.export()?;
        } else {
            self.import()?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn export(&self) -> Result<(), Failure> {
        if self.from.is_some() {
            return Err(Failure::Usage(format!(
                "--from is for foreign traces, and {} is Panto's own: say --to",
                self.file.display()
            )));
        }
        let trace = Trace::open(&self.file)?;
        let exported = match self.to.or_else(|| by_name(&self.output)) {
            Some(Foreign::Goal) => self.to_goal(&trace)?,
            Some(Foreign::Ti) => ti::write(&trace, self.how.flops, &self.output)?,
            None => {
                return Err(Failure::Usage(format!(
                    "what should {} be? Say --to goal or --to ti, or call it .goal or .ti",
                    self.output.display()
                )));
            }
        };
        let Exported { ranks, operations, notes } = exported;
        self.tell(ranks, operations, "operations", &notes);
        Ok(())
    }

    fn to_goal(&self, trace: &Trace) -> Result<Exported, Failure> {
        let model = Model::load(&self.how.machine, &[])?;
        let (machine, _) = model.for_ranks(trace.size() as usize)?;
        let options: Options = self.how.reading.options();
        let replay = replay::program(trace, &machine, &options).map_err(|error| of_trace(trace, &error))?;
        let file = File::create(&self.output).map_err(|error| Failure::write(&self.output, &error))?;
        let mut file = BufWriter::new(file);
        let mut exported = goal::write(&replay.program, &machine, &mut file)?;
        file.flush().map_err(|error| Failure::write(&self.output, &error))?;
        exported.notes.extend(replay.warnings.iter().map(ToString::to_string));
        Ok(exported)
    }

    fn import(&self) -> Result<(), Failure> {
        if self.to.is_some() {
            return Err(Failure::Usage(format!(
                "--to is for traces of Panto, and {} is none: say --from",
                self.file.display()
            )));
        }
        if by_name(&self.output).is_some() {
            return Err(Failure::Usage(format!(
                "a foreign trace becomes one of Panto, and {} has the name of another format; call it .panto, and convert that",
                self.output.display()
            )));
        }
        let imported = match self.from {
            Some(format) => self.read(format)?,
            None => self.read(self.guess()?)?,
        };
        let Imported { ranks, calls, notes } = imported;
        self.tell(ranks, calls, "calls", &notes);
        Ok(())
    }

    fn read(&self, format: Foreign) -> Result<Imported, Failure> {
        match format {
            Foreign::Goal => {
                let file = File::open(&self.file).map_err(|error| cannot_read(&self.file, &error))?;
                let name = self.file.to_string_lossy();
                Ok(goal::read(&mut BufReader::new(file), &name, &self.output)?)
            }
            Foreign::Ti => Ok(ti::read(&self.file, self.how.flops, &self.output)?),
        }
    }

    /// By its name, or because GOAL begins with the number of ranks.
    fn guess(&self) -> Result<Foreign, Failure> {
        let file = File::open(&self.file).map_err(|error| cannot_read(&self.file, &error))?;
        let mut start = Vec::new();
        file.take(4096).read_to_end(&mut start).map_err(|error| cannot_read(&self.file, &error))?;
        let is_goal = String::from_utf8_lossy(&start).contains("num_ranks");
        Ok(by_name(&self.file).unwrap_or(if is_goal { Foreign::Goal } else { Foreign::Ti }))
    }

    fn tell(&self, ranks: u32, count: u64, what: &str, notes: &[String]) {
        let plural = if ranks == 1 { "" } else { "s" };
        let (ranks, count) = (grouped(ranks.into()), grouped(count));
        out::line(format_args!("wrote {}: {ranks} rank{plural}, {count} {what}", self.output.display()));
        for note in notes {
            out::line(format_args!("note: {note}"));
        }
    }
}

fn by_name(path: &Path) -> Option<Foreign> {
    match path.extension()?.to_str()? {
        "goal" => Some(Foreign::Goal),
        "ti" => Some(Foreign::Ti),
        _ => None,
    }
}

fn cannot_read(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Usage(format!("cannot read {}: {error}", path.display()))
}

impl From<panto_convert::Error> for Failure {
    fn from(error: panto_convert::Error) -> Self {
        Self::Usage(error.to_string())
    }
}
