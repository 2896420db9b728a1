//! `panto convert`: converts traces to and from the formats of other simulators.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use panto_container::OutputFile;
use panto_convert::program::ProgramFormat;
use panto_convert::{ExportSummary, ImportSummary, goal, ti};
use panto_launch::refuse_to_replace;
use panto_machine::Model;
use panto_sim::replay::{self, Options};
use panto_trace::Trace;
use panto_units::grouped;

use super::simulate::{ReadingArgs, trace_failure};
use crate::failure::Failure;
use crate::{files, interrupt, print};

/// Convert traces to and from the formats of other simulators (GOAL, time-independent traces), and
/// from OTF2 archives of Score-P.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Convert {
    /// A Panto trace, a GOAL schedule (text, or as txt2bin writes it), a time-independent trace
    /// (one file, or the list of files), or an OTF2 archive (its folder, or traces.otf2).
    file: PathBuf,

    /// Output file.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// Format of the input, if it is not a Panto trace [default: detected].
    #[arg(long, value_enum, value_name = "FORMAT")]
    from: Option<TraceFormat>,

    /// Format of the output, if the input is a Panto trace [default: by extension, .goal or .ti].
    #[arg(long, value_enum, value_name = "FORMAT")]
    to: Option<TraceFormat>,

    /// Replace an existing trace.
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    options: ConversionArgs,
}

/// Options of the conversion of a Panto trace.
#[derive(Args)]
pub(super) struct ConversionArgs {
    /// Operations per second of a processor, to convert between times and the operation counts of
    /// time-independent traces.
    #[arg(long, value_name = "RATE", default_value_t = ti::FLOPS)]
    flops: f64,

    /// Machine whose rules choose the algorithms of collectives, for GOAL, which has only messages.
    #[arg(short, long, value_name = "MACHINE", default_value = "loggops")]
    machine: String,

    #[command(flatten)]
    reading: ReadingArgs,
}

/// Trace formats of other simulators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum TraceFormat {
    /// GOAL schedules, for LogGOPSim.
    Goal,
    /// Time-independent traces, for SimGrid.
    Ti,
    /// OTF2 archives of Score-P; only as input.
    Otf2,
}

const AFTER_HELP: &str = "\
What a format cannot express is an error, with its position, or is counted and reported.

Examples:
  panto convert app.panto -o app.goal             for LogGOPSim, only messages
  panto convert app.panto -o app.ti               for SimGrid (smpirun -replay)
  panto convert ring.goal -o ring.panto           text, for panto simulate
  panto convert ring.bin -o ring.panto            as LogGOPSim's txt2bin writes
  panto convert lu.ti --flops 2.5e9 -o lu.panto   counts become times
  panto convert scorep-lu/ -o lu.panto            an archive of Score-P";

impl Convert {
    /// Returns the conversion for `panto export` of a trace.
    pub(super) fn export_to(
        file: PathBuf,
        to: TraceFormat,
        output: PathBuf,
        options: ConversionArgs,
    ) -> Self {
        Self { file, output, from: None, to: Some(to), force: false, options }
    }

    pub fn run(self) -> Result<ExitCode, Failure> {
        let flops = self.options.flops;
        if flops.is_nan() || flops <= 0.0 || flops.is_infinite() {
            return Err(Failure::Usage(format!("--flops {flops}: expected a positive number")));
        }
        files::refuse_overwrite(&self.file, &self.output)?;
        interrupt::end_without_leftovers()?;
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
                "--from does not apply: {} is a Panto trace; use --to",
                self.file.display()
            )));
        }
        let trace = Trace::open(&self.file)?;
        let exported = match self.to.or_else(|| by_name(&self.output)) {
            Some(TraceFormat::Goal) => self.to_goal(&trace)?,
            Some(TraceFormat::Ti) => ti::write(&trace, self.options.flops, &self.output)?,
            Some(TraceFormat::Otf2) => {
                return Err(Failure::Usage(
                    "OTF2 archives are made of timelines; use `panto export --to otf2`".to_owned(),
                ));
            }
            None => {
                return Err(Failure::Usage(format!(
                    "unknown output format of {}; use --to goal or --to ti, or the extension .goal or .ti",
                    self.output.display()
                )));
            }
        };
        let ExportSummary { ranks, operations, notes } = exported;
        self.print(ranks, operations, "operations", &notes);
        Ok(())
    }

    fn to_goal(&self, trace: &Trace) -> Result<ExportSummary, Failure> {
        let model = Model::load(&self.options.machine, &[])?;
        let (machine, _) = model.for_ranks(trace.size() as usize)?;
        let options: Options = self.options.reading.options();
        let replay =
            replay::program(trace, &machine, &options).map_err(|error| trace_failure(trace, &error))?;
        let failed = |error| Failure::write(&self.output, &error);
        let mut file = OutputFile::create(&self.output).map_err(failed)?;
        let mut exported = goal::write(&replay.program, &machine, &mut file)?;
        file.finish().map_err(failed)?;
        exported.notes.extend(replay.left_out());
        Ok(exported)
    }

    fn import(&self) -> Result<(), Failure> {
        refuse_to_replace(&self.output, self.force)?;
        if self.to.is_some() {
            return Err(Failure::Usage(format!(
                "--to does not apply: {} is not a Panto trace; use --from",
                self.file.display()
            )));
        }
        if by_name(&self.output).is_some() {
            return Err(Failure::Usage(format!(
                "{} has the extension of another format, but the output is a Panto trace; use the extension .panto, then convert that file",
                self.output.display()
            )));
        }
        let ImportSummary { ranks, calls, notes } = self.read()?;
        self.print(ranks, calls, "calls", &notes);
        Ok(())
    }

    fn read(&self) -> Result<ImportSummary, Failure> {
        let format = match self.from {
            Some(TraceFormat::Goal) => ProgramFormat::Goal,
            Some(TraceFormat::Ti) => ProgramFormat::Ti,
            Some(TraceFormat::Otf2) => ProgramFormat::Otf2,
            // A list of the files of a time-independent trace is not recognised.
            None => ProgramFormat::detect(&self.file)?.unwrap_or(ProgramFormat::Ti),
        };
        Ok(format.read(&self.file, self.options.flops, &self.output)?)
    }

    fn print(&self, ranks: u32, count: u64, unit: &str, notes: &[String]) {
        let plural = if ranks == 1 { "" } else { "s" };
        let (ranks, count) = (grouped(ranks.into()), grouped(count));
        print::line(format_args!("wrote {}: {ranks} rank{plural}, {count} {unit}", self.output.display()));
        for note in notes {
            print::line(format_args!("note: {note}"));
        }
    }
}

/// Returns the format of an output file.
fn by_name(path: &Path) -> Option<TraceFormat> {
    match path.extension()?.to_str()? {
        "goal" => Some(TraceFormat::Goal),
        "ti" => Some(TraceFormat::Ti),
        _ => None,
    }
}

impl From<panto_convert::Error> for Failure {
    fn from(error: panto_convert::Error) -> Self {
        Self::Usage(error.to_string())
    }
}
