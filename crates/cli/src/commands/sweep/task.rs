//! What goes on around the runs: the file, the progress bar, what is printed at the end.

use std::process::ExitCode;

use panto_predict::sweep::{Kept, Outcome, Row, Sweep as Settings};
use panto_units::time;

use super::{Sweep, plot, show};
use crate::failure::{Failure, INTERRUPTED};
use crate::out;
use crate::progress::Progress;

/// The settings of a sweep, those that are done and those that are not.
pub struct Task<'a> {
    command: &'a Sweep,
    settings: &'a Settings<'a>,
    outcomes: Vec<Option<Outcome>>,
    kept: Option<Kept>,
    progress: Progress,
}

impl<'a> Task<'a> {
    /// Makes sure, before anything is run, that there is a place for what comes of it. What the file has is done.
    pub fn new(command: &'a Sweep, settings: &'a Settings<'a>) -> Result<Self, Failure> {
        if command.plot.is_some() {
            let variants: Vec<_> = (0..settings.len()).map(|index| settings.variant(index)).collect();
            plot::axis(&variants)?;
        }
        let kept = command.output.as_deref().map(Kept::open).transpose()?;
        let known = |index: usize| kept.as_ref()?.get(settings.key(index)).cloned();
        let outcomes = (0..settings.len()).map(known).collect();
        Ok(Self { command, settings, outcomes, kept, progress: Progress::new() })
    }

    /// What is to be run.
    pub fn pending(&self) -> Vec<usize> {
        (0..self.outcomes.len()).filter(|&index| self.outcomes[index].is_none()).collect()
    }

    /// So many will be run.
    pub fn begin(&self, count: usize) {
        let known = self.outcomes.len() - count;
        if known > 0 {
            out::note(format_args!(
                "panto: {known} of {} settings are in the file already",
                self.outcomes.len()
            ));
        }
        self.progress.begin("sweep", count);
    }

    /// A setting has ended.
    pub fn done(&mut self, index: usize, outcome: Outcome) -> Result<(), Failure> {
        let row = self.settings.row(index, outcome);
        if let Some(kept) = &mut self.kept {
            // The disk may fill up in the middle; then the command was right and the run failed.
            kept.add(&row).map_err(|error| Failure::Run(error.to_string()))?;
        }
        let came = row.outcome.as_ref().map_or_else(|_| "failed".into(), |figures| time(figures.time));
        self.progress.step(format!("{}: {came}", row.variant.in_words()));
        self.outcomes[index] = Some(row.outcome);
        Ok(())
    }

    /// Prints what was asked for, and answers the exit code.
    pub fn finish(self, ranks: u32) -> Result<ExitCode, Failure> {
        self.progress.clear();
        let planned = self.outcomes.len();
        let numbered = self.outcomes.into_iter().enumerate();
        let rows: Vec<Row> =
            numbered.filter_map(|(index, outcome)| Some(self.settings.row(index, outcome?))).collect();
        let (done, failed) = (rows.len(), rows.iter().filter(|row| row.outcome.is_err()).count());
        show::print(self.command, ranks, rows.clone(), planned);
        if let Some(path) = &self.command.plot {
            let svg = plot::chart(&self.command.trace, ranks, &rows)?.to_svg();
            std::fs::write(path, svg).map_err(|error| Failure::write(path, &error))?;
            out::note(format_args!("wrote {}", path.display()));
        }
        if done < planned {
            let again = if self.kept.is_some() { "; the same command goes on from here" } else { "" };
            out::note(format_args!("panto: stopped; {done} of {planned} settings were run{again}"));
            return Ok(ExitCode::from(INTERRUPTED));
        }
        if failed > 0 {
            out::note(format_args!("panto: {failed} of {planned} settings failed"));
            return Ok(ExitCode::from(1));
        }
        Ok(ExitCode::SUCCESS)
    }
}
