//! `panto info`: prints any file of Panto, a built-in model or scenario, the state of this machine,
//! or the MPI library.

use std::fmt::Display;
use std::path::PathBuf;
use std::process::ExitCode;

use panto_report::present::{self, TimelineReport, TraceReport};
use panto_results::{read, salvage};
use panto_timeline::Timeline;
use panto_trace::{Summary, Trace};

use crate::failure::Failure;
use crate::format::{Format, TABLE_JSON_OR_CSV};
use crate::{machine_info, model, mpi, mpi_info, print, program, results, scenario};

/// Print results, traces, timelines, machine models, scenarios, how noisy this machine is, or the
/// MPI library in use.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  panto info run.jsonl\n  panto info run.jsonl --format csv > run.csv\n  \
                        panto info run.jsonl --plot plots\n  panto info --salvage broken.jsonl\n  panto info app.panto\n  panto info my-machine.toml\n  panto info cm5\n  panto info my-scenario.toml\n  panto info staggered\n  \
                        panto info machine                     how noisy this machine is now\n  panto info mpi\n  mpirun -n 4 panto info mpi --check     run the conformance test over this MPI"
)]
pub struct Info {
    /// Results, a trace, a timeline, a machine model or a scenario (a file or a built-in name),
    /// `machine` or `mpi`.
    file: PathBuf,

    /// Output format.
    #[arg(short, long, value_enum, value_name = "FORMAT", default_value = "table")]
    format: Format,

    /// Plot the results: one SVG per kernel into a directory, or one file (.svg, .png, or .dat with
    /// a gnuplot script).
    #[arg(long, value_name = "DIR|OUT.svg|OUT.png|OUT.dat")]
    plot: Option<PathBuf>,

    /// Write the fastest built-in algorithms as a rules file, for `collectives.rules` of a model
    /// (results of the suite scenario).
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,

    /// Read a damaged file up to the damage.
    #[arg(long)]
    salvage: bool,

    /// Run the conformance test of the transport (only for `mpi`, under a launcher).
    #[arg(long)]
    check: bool,
}

impl Info {
    /// Returns whether all processes of an MPI job take part.
    pub fn is_collective(&self) -> bool {
        self.file.as_os_str() == mpi::NAME
    }

    pub fn run(self) -> Result<ExitCode, Failure> {
        if self.is_collective() {
            if self.plot.is_some() || self.salvage {
                return Err(Failure::Usage("--plot and --salvage do not apply to `mpi`".into()));
            }
            return mpi_info::info(self.format, self.check);
        }
        if self.file.as_os_str() == machine_info::NAME {
            self.refuse_plot("`machine`")?;
            return machine_info::info(self.format);
        }
        if self.check {
            return Err(Failure::Usage("--check applies to `panto info mpi` under a launcher only".into()));
        }
        if Trace::recognises(&self.file) {
            self.refuse_plot("a trace; plot a timeline or results instead")?;
            self.trace()?;
        } else if Timeline::recognises(&self.file) {
            self.refuse_plot("a timeline; use `panto view`")?;
            self.timeline()?;
        } else if scenario::is_scenario(&self.file) {
            self.refuse_plot(
                "a scenario; run it first: panto bench scenario/own --scenario FILE --plot DIR",
            )?;
            scenario::info(&self.file, self.format)?;
        } else if model::is_model(&self.file) {
            self.refuse_plot("a machine model; run on it first: panto bench --on MODEL --plot DIR")?;
            model::info(&self.file, self.format)?;
        } else if program::is_foreign(&self.file) {
            self.refuse_plot("a program; plot a timeline or results instead")?;
            self.trace()?;
        } else {
            self.results()?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn refuse_plot(&self, what: &str) -> Result<(), Failure> {
        match self.plot {
            Some(_) => Err(Failure::Usage(format!("--plot does not apply to {what}"))),
            None => Ok(()),
        }
    }

    fn trace(&self) -> Result<(), Failure> {
        self.format.check(TABLE_JSON_OR_CSV, "a trace")?;
        let trace = program::open(&self.file)?;
        let summary = Summary::of(&trace)?;
        if let Some(damage) = summary.damage.first()
            && !self.salvage
        {
            return Err(damaged(damage));
        }
        let report = TraceReport::new(&trace, &summary);
        match self.format {
            Format::Json => print::line(report.json()),
            Format::Csv => print::text(report.csv()),
            _ => print::text(report.text()),
        }
        if self.format != Format::Table {
            for note in report.notes() {
                print::note(format_args!("panto: {note}"));
            }
        }
        Ok(())
    }

    fn timeline(&self) -> Result<(), Failure> {
        self.format.check(TABLE_JSON_OR_CSV, "a timeline")?;
        let timeline = Timeline::open(&self.file)?;
        if let Some(damage) = timeline.damage()
            && !self.salvage
        {
            return Err(damaged(damage));
        }
        let report = TimelineReport::new(&timeline)?;
        match self.format {
            Format::Json => print::line(report.json()),
            Format::Csv => print::text(report.csv()),
            _ => print::text(report.text(&self.file)),
        }
        Ok(())
    }

    fn results(&self) -> Result<(), Failure> {
        let saved = if self.salvage { salvage(&self.file)? } else { read(&self.file)? };
        let Some(manifest) = saved.manifests.last() else {
            return Err(Failure::Usage(format!("{} has no results", self.file.display())));
        };
        if self.format == Format::Table {
            results::verdict(&saved.records);
            results::manifests(&saved.manifests);
            results::tables(&saved.records);
        }
        if self.format == Format::Csv {
            print::text(present::csv(saved.launches().map(|(manifest, records)| (Some(manifest), records))));
        } else {
            results::results(self.format, manifest, &saved.records, saved.ends.last());
        }
        if let Some(target) = &self.plot {
            results::plots(target, manifest, &saved.records)?;
        }
        if let Some(rules) = &self.rules {
            results::rules(rules, &saved.records)?;
        }
        if let Some(damage) = &saved.damage {
            print::note(format_args!("panto: the rest of the file is unreadable: {damage}"));
        } else if saved.is_incomplete() {
            print::note("panto: the run was stopped before all points were measured");
        }
        Ok(())
    }
}

fn damaged(damage: impl Display) -> Failure {
    Failure::Usage(format!("{damage}\nuse --salvage to print the part before the damage"))
}
