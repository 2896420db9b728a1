//! The progress of a sweep: its results file, its progress bar, and what is printed at the end.

use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use panto_predict::sweep::{Outcome, Row, Sweep as Settings, SweepFile};
use panto_report::present::{SweepReport, sweep_bars, sweep_chart};
use panto_units::time;

use super::Sweep;
use crate::failure::{Failure, INTERRUPTED};
use crate::files;
use crate::format::Format;
use crate::print;
use crate::progress::Progress;

/// How settings are assessed at the end.
pub struct Assess<'a> {
    pub threads: usize,
    pub stop: &'a AtomicBool,
}

/// A sweep in progress: the settings, and the outcomes so far.
pub struct SweepRun<'a> {
    command: &'a Sweep,
    settings: &'a Settings<'a>,
    outcomes: Vec<Option<Outcome>>,
    file: Option<SweepFile>,
    bar: Progress,
}

impl<'a> SweepRun<'a> {
    /// Opens the results file, before anything is simulated, and takes the outcomes that it has.
    pub fn new(command: &'a Sweep, settings: &'a Settings<'a>) -> Result<Self, Failure> {
        if command.plot.is_some() && settings.len() < 2 {
            return Err(nothing_to_plot());
        }
        command.price.check((0..settings.len()).map(|index| settings.variant(index)))?;
        let file = command.output.as_deref().map(SweepFile::open).transpose()?;
        let known = |index: usize| file.as_ref()?.get(settings.key(index)).cloned();
        let outcomes = (0..settings.len()).map(known).collect();
        Ok(Self { command, settings, outcomes, file, bar: Progress::new() })
    }

    /// Returns the settings that have no outcome yet.
    pub fn pending(&self) -> Vec<usize> {
        (0..self.outcomes.len()).filter(|&index| self.outcomes[index].is_none()).collect()
    }

    /// Starts the progress bar with this many settings.
    pub fn begin(&self, count: usize) {
        let known = self.outcomes.len() - count;
        if known > 0 {
            print::note(format_args!(
                "panto: {known} of {} settings are already in the file",
                self.outcomes.len()
            ));
        }
        self.bar.begin("sweep", count);
    }

    /// Records the outcome of a setting.
    pub fn done(&mut self, index: usize, outcome: Outcome) -> Result<(), Failure> {
        let row = self.settings.row(index, outcome);
        if let Some(file) = &mut self.file {
            // An I/O error here, such as a full disk, is a failure of the run, not of the command
            // line.
            file.add(&row).map_err(|error| Failure::Run(error.to_string()))?;
        }
        let result = row.outcome.as_ref().map_or_else(|_| "failed".into(), |figures| time(figures.time));
        self.bar.step(&format!("{}: {result}", row.variant.in_words()));
        self.outcomes[index] = Some(row.outcome);
        Ok(())
    }

    /// Prints the rows, writes the plot, and returns the exit code.
    pub fn finish(self, ranks: u32, assess: Option<&Assess<'_>>) -> Result<ExitCode, Failure> {
        self.bar.clear();
        let planned = self.outcomes.len();
        let numbered = self.outcomes.into_iter().enumerate();
        let mut rows: Vec<Row> =
            numbered.filter_map(|(index, outcome)| Some(self.settings.row(index, outcome?))).collect();
        if let Some(&Assess { threads, stop }) = assess {
            self.settings.assess(&mut rows, threads, stop)?;
        }
        for row in &mut rows {
            row.cost = self.command.price.cost(row);
        }
        let (done, failed) = (rows.len(), rows.iter().filter(|row| row.outcome.is_err()).count());
        print_rows(self.command, ranks, rows.clone(), planned);
        if let Some(path) = &self.command.plot {
            let trace = &self.command.trace;
            let chart = sweep_chart(trace, ranks, &rows).map(|chart| chart.to_svg());
            files::replace(path, chart.unwrap_or_else(|| sweep_bars(trace, ranks, &rows).to_svg()))?;
            print::note(format_args!("wrote {}", path.display()));
        }
        if done < planned {
            let again = if self.file.is_some() { "; repeat the command to resume" } else { "" };
            print::note(format_args!("panto: stopped after {done} of {planned} settings{again}"));
            return Ok(ExitCode::from(INTERRUPTED));
        }
        if failed > 0 {
            print::note(format_args!("panto: {failed} of {planned} settings failed"));
            return Ok(ExitCode::from(1));
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn print_rows(command: &Sweep, ranks: u32, mut rows: Vec<Row>, planned: usize) {
    if let Some(sort) = command.sort {
        sort.order().sort(&mut rows);
    }
    let trace = command.trace.display().to_string();
    let report = SweepReport { trace: &trace, ranks, rows: &rows, planned };
    match command.format {
        Format::Json => print::line(report.json()),
        Format::Csv => print::text(report.csv()),
        _ => print::text(report.text()),
    }
}

fn nothing_to_plot() -> Failure {
    Failure::Usage(
        "--plot needs several settings, such as -m @modern, --vary link.latency=1us,2us or --processors 4,8"
            .into(),
    )
}
