//! `panto export`

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use panto_convert::{Exported, csv, paje, paraver, perfetto, picl};
use panto_timeline::Timeline;
use panto_trace::Trace;

use super::convert::{Convert, Foreign, HowArgs};
use crate::failure::Failure;
use crate::trace::grouped;
use crate::{files, out};

/// Write a timeline for other viewers (PICL, Perfetto, Paraver, Paje, CSV), or a trace for other simulators (GOAL, time-independent)
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Export {
    /// A timeline that `panto simulate --timeline` wrote; for goal and ti a trace
    file: PathBuf,

    /// Where it goes; Paraver's and CSV's other files go beside it
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// The format [default: told by the name of the output]
    #[arg(long, value_enum, value_name = "FORMAT")]
    to: Option<Format>,

    /// PICL: digits behind the point of seconds, 6 as `ParaGraph` expects them, or up to 12
    #[arg(long, value_name = "N", default_value_t = picl::DIGITS, hide_default_value = true)]
    digits: usize,

    /// Write as much of a damaged or incomplete timeline as is sound
    #[arg(long)]
    salvage: bool,

    #[command(flatten)]
    how: HowArgs,
}

/// Formats of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// PICL's new format, for `ParaGraph`
    Picl,
    /// For ui.perfetto.dev
    Perfetto,
    /// For wxparaver: .prv with .pcf and .row
    Paraver,
    /// For `ViTE` and `PajeNG`
    Paje,
    /// Two tables: states and messages
    Csv,
    /// A trace as a GOAL schedule, for `LogGOPSim`
    Goal,
    /// A trace as a time-independent one, for `SimGrid`
    Ti,
}

/// Those that are for timelines.
#[derive(Debug, Clone, Copy)]
enum Viewer {
    Picl,
    Perfetto,
    Paraver,
    Paje,
    Csv,
}

const AFTER_HELP: &str = "\
Names tell the format: .picl .trf, .pftrace .perfetto .perfetto-trace, .prv, .paje .trace, .csv, .goal, .ti.

Examples:
  panto export app.ptl -o app.pftrace         open it at ui.perfetto.dev: it stays in the browser
  panto export app.ptl -o app.prv             and app.pcf and app.row, for wxparaver
  panto export app.ptl -o app.paje            for ViTE
  panto export app.ptl -o app.picl            for ParaGraph, as PUPPET did
  panto export app.ptl -o app.csv             app.states.csv and app.messages.csv
  panto export app.panto -o app.goal          a trace, for LogGOPSim

docs/exports.md says what is in each.";

impl Export {
    pub fn run(self) -> Result<ExitCode, Failure> {
        match self.to.or_else(|| by_name(&self.output)).ok_or_else(|| self.unknown())? {
            Format::Picl => self.timeline(Viewer::Picl),
            Format::Perfetto => self.timeline(Viewer::Perfetto),
            Format::Paraver => self.timeline(Viewer::Paraver),
            Format::Paje => self.timeline(Viewer::Paje),
            Format::Csv => self.timeline(Viewer::Csv),
            Format::Goal => self.trace(Foreign::Goal),
            Format::Ti => self.trace(Foreign::Ti),
        }
    }

    fn trace(self, to: Foreign) -> Result<ExitCode, Failure> {
        if Timeline::recognises(&self.file) {
            return Err(Failure::Usage(format!(
                "{} is a timeline, and other simulators take traces: name what `panto trace` wrote",
                self.file.display()
            )));
        }
        Convert::export_to(self.file, to, self.output, self.how).run()
    }

    fn timeline(&self, viewer: Viewer) -> Result<ExitCode, Failure> {
        if Trace::recognises(&self.file) {
            return Err(Failure::Usage(format!(
                "{} is a trace, which has no times of messages yet: `panto simulate {0} --machine M --timeline FILE` makes a timeline",
                self.file.display()
            )));
        }
        let timeline = Timeline::open(&self.file)?;
        if let Some(flaw) = timeline.flaw()
            && !self.salvage
        {
            return Err(Failure::Usage(format!("{flaw}\n--salvage writes what is sound")));
        }
        let written = viewer.files(&self.output);
        for file in &written {
            files::keep(&self.file, file)?;
        }
        let exported = match viewer {
            Viewer::Picl => picl::write(&timeline, self.digits, &self.output)?,
            Viewer::Perfetto => perfetto::write(&timeline, &self.output)?,
            Viewer::Paraver => paraver::write(&timeline, &self.output)?,
            Viewer::Paje => paje::write(&timeline, &self.output)?,
            Viewer::Csv => csv::write(&timeline, &self.output)?,
        };
        tell(&written, &exported);
        if let Some(flaw) = timeline.flaw() {
            out::line(format_args!("note: {flaw}"));
        }
        Ok(ExitCode::SUCCESS)
    }

    fn unknown(&self) -> Failure {
        let names: Vec<_> =
            Format::value_variants().iter().filter_map(ValueEnum::to_possible_value).collect();
        let names: Vec<&str> = names.iter().map(PossibleValue::get_name).collect();
        Failure::Usage(format!(
            "what should {} be? Say --to with one of {}",
            self.output.display(),
            names.join(", ")
        ))
    }
}

impl Viewer {
    /// What is written where.
    fn files(self, output: &Path) -> Vec<PathBuf> {
        match self {
            Self::Paraver => paraver::files(output).to_vec(),
            Self::Csv => csv::files(output).to_vec(),
            Self::Picl | Self::Perfetto | Self::Paje => vec![output.to_owned()],
        }
    }
}

fn tell(files: &[PathBuf], exported: &Exported) {
    let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let Exported { ranks, operations, notes } = exported;
    let plural = if *ranks == 1 { "" } else { "s" };
    let (ranks, records) = (grouped((*ranks).into()), grouped(*operations));
    out::line(format_args!("wrote {}: {ranks} rank{plural}, {records} records", names.join(", ")));
    for note in notes {
        out::line(format_args!("note: {note}"));
    }
}

fn by_name(path: &Path) -> Option<Format> {
    Some(match path.extension()?.to_str()? {
        "picl" | "trf" => Format::Picl,
        "pftrace" | "perfetto" | "perfetto-trace" => Format::Perfetto,
        "prv" => Format::Paraver,
        "paje" | "trace" => Format::Paje,
        "csv" => Format::Csv,
        "goal" => Format::Goal,
        "ti" => Format::Ti,
        _ => return None,
    })
}
