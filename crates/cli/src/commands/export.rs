//! `panto export`: writes timelines and traces in the formats of other tools.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use panto_convert::{ExportSummary, csv, otf2, paje, paraver, perfetto, picl};
use panto_timeline::Timeline;
use panto_units::grouped;

use super::convert::{ConversionArgs, Convert, TraceFormat};
use crate::failure::Failure;
use crate::timeline::{self, TimelineFile};
use crate::{files, interrupt, print};

/// Export timelines for other viewers (PICL, Perfetto, Paraver, Paje, OTF2, CSV) and traces for
/// other simulators (GOAL, time-independent).
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Export {
    /// Timeline from `panto simulate --timeline`, or trace from `panto trace --stamps`; for goal
    /// and ti, any trace.
    file: PathBuf,

    /// Output file; Paraver and CSV write further files beside it, OTF2 a new folder.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// Output format [default: by extension].
    #[arg(long, value_enum, value_name = "FORMAT")]
    to: Option<ExportFormat>,

    /// Decimal places of seconds in PICL, up to 12 [default: 6, as `ParaGraph` expects].
    #[arg(long, value_name = "N", default_value_t = picl::DECIMALS, hide_default_value = true)]
    digits: usize,

    /// Export a damaged or incomplete timeline up to the damage.
    #[arg(long)]
    salvage: bool,

    #[command(flatten)]
    options: ConversionArgs,
}

/// The argument of `--to`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ExportFormat {
    /// PICL's new format, for `ParaGraph`.
    Picl,
    /// For ui.perfetto.dev.
    Perfetto,
    /// For wxparaver: .prv with .pcf and .row.
    Paraver,
    /// For `ViTE` and `PajeNG`.
    Paje,
    /// For Vampir and Scalasca: a folder with an OTF2 archive.
    Otf2,
    /// Two tables: states and messages.
    Csv,
    /// The measured run of a trace as a timeline.
    Timeline,
    /// A trace as a GOAL schedule, for `LogGOPSim`.
    Goal,
    /// A trace as a time-independent trace, for `SimGrid`.
    Ti,
}

/// The formats of timelines.
#[derive(Debug, Clone, Copy)]
enum Viewer {
    Picl,
    Perfetto,
    Paraver,
    Paje,
    Otf2,
    Csv,
}

const AFTER_HELP: &str = "\
Extensions: .ptl, .picl .trf, .pftrace .perfetto .perfetto-trace, .prv, .paje .trace, .otf2, .csv,
.goal, .ti.

Examples:
  panto export app.ptl -o app.pftrace   for Perfetto (ui.perfetto.dev)
  panto export app.ptl -o app.prv       for wxparaver; also app.pcf, app.row
  panto export app.ptl -o app.paje      for ViTE
  panto export app.ptl -o app.picl      for ParaGraph
  panto export app.ptl --to otf2 -o app  app/traces.otf2, for Vampir, Scalasca
  panto export app.ptl -o app.csv       app.states.csv and app.messages.csv
  panto export app.panto -o app.pftrace a trace with stamps: the measured run
  panto export app.panto -o app.ptl     the measured run as a timeline
  panto export app.panto -o app.goal    a trace, for LogGOPSim

docs/exports.md describes the formats.";

impl Export {
    pub fn run(self) -> Result<ExitCode, Failure> {
        match self.to.or_else(|| by_name(&self.output)).ok_or_else(|| self.unknown())? {
            ExportFormat::Picl => self.timeline(Viewer::Picl),
            ExportFormat::Perfetto => self.timeline(Viewer::Perfetto),
            ExportFormat::Paraver => self.timeline(Viewer::Paraver),
            ExportFormat::Paje => self.timeline(Viewer::Paje),
            ExportFormat::Otf2 => self.timeline(Viewer::Otf2),
            ExportFormat::Csv => self.timeline(Viewer::Csv),
            ExportFormat::Timeline => self.measured(),
            ExportFormat::Goal => self.trace(TraceFormat::Goal),
            ExportFormat::Ti => self.trace(TraceFormat::Ti),
        }
    }

    fn trace(self, to: TraceFormat) -> Result<ExitCode, Failure> {
        if Timeline::recognises(&self.file) {
            return Err(Failure::Usage(format!(
                "{} is a timeline, but other simulators take traces; use the output of `panto trace`",
                self.file.display()
            )));
        }
        Convert::export_to(self.file, to, self.output, self.options).run()
    }

    fn measured(&self) -> Result<ExitCode, Failure> {
        if Timeline::recognises(&self.file) {
            return Err(Failure::Usage(format!("{} is a timeline already", self.file.display())));
        }
        files::refuse_overwrite(&self.file, &self.output)?;
        let run = timeline::write(&self.file, &self.output)?;
        let (states, messages) = (grouped(run.written.states), grouped(run.written.messages));
        print::line(format_args!("wrote {}: {states} states, {messages} messages", self.output.display()));
        Ok(ExitCode::SUCCESS)
    }

    fn timeline(&self, viewer: Viewer) -> Result<ExitCode, Failure> {
        interrupt::end_without_leftovers()?;
        let file = TimelineFile::of(&self.file)?;
        let timeline = Timeline::open(file.path())?;
        if let Some(damage) = timeline.damage()
            && !self.salvage
        {
            return Err(Failure::Usage(format!(
                "{damage}\nuse --salvage to export the part before the damage"
            )));
        }
        let written = viewer.files(&self.output);
        for file in &written {
            files::refuse_overwrite(&self.file, file)?;
        }
        let exported = match viewer {
            Viewer::Picl => picl::write(&timeline, self.digits, &self.output)?,
            Viewer::Perfetto => perfetto::write(&timeline, &self.output)?,
            Viewer::Paraver => paraver::write(&timeline, &self.output)?,
            Viewer::Paje => paje::write(&timeline, &self.output)?,
            Viewer::Otf2 => otf2::write(&timeline, &self.output)?,
            Viewer::Csv => csv::write(&timeline, &self.output)?,
        };
        print_summary(&written, &exported);
        if let Some(damage) = timeline.damage() {
            print::line(format_args!("note: {damage}"));
        }
        Ok(ExitCode::SUCCESS)
    }

    fn unknown(&self) -> Failure {
        let names: Vec<_> =
            ExportFormat::value_variants().iter().filter_map(ValueEnum::to_possible_value).collect();
        let names: Vec<&str> = names.iter().map(PossibleValue::get_name).collect();
        Failure::Usage(format!(
            "unknown output format of {}; use --to with one of {}",
            self.output.display(),
            names.join(", ")
        ))
    }
}

impl Viewer {
    /// Returns the files that are written.
    fn files(self, output: &Path) -> Vec<PathBuf> {
        match self {
            Self::Paraver => paraver::files(output).to_vec(),
            Self::Csv => csv::files(output).to_vec(),
            Self::Otf2 => vec![output.join(otf2::ANCHOR)],
            Self::Picl | Self::Perfetto | Self::Paje => vec![output.to_owned()],
        }
    }
}

fn print_summary(files: &[PathBuf], exported: &ExportSummary) {
    let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let ExportSummary { ranks, operations, notes } = exported;
    let plural = if *ranks == 1 { "" } else { "s" };
    let (ranks, records) = (grouped((*ranks).into()), grouped(*operations));
    print::line(format_args!("wrote {}: {ranks} rank{plural}, {records} records", names.join(", ")));
    for note in notes {
        print::line(format_args!("note: {note}"));
    }
}

fn by_name(path: &Path) -> Option<ExportFormat> {
    Some(match path.extension()?.to_str()? {
        "picl" | "trf" => ExportFormat::Picl,
        "pftrace" | "perfetto" | "perfetto-trace" => ExportFormat::Perfetto,
        "prv" => ExportFormat::Paraver,
        "paje" | "trace" => ExportFormat::Paje,
        "otf2" => ExportFormat::Otf2,
        "csv" => ExportFormat::Csv,
        "ptl" => ExportFormat::Timeline,
        "goal" => ExportFormat::Goal,
        "ti" => ExportFormat::Ti,
        _ => return None,
    })
}
