//! A program that is run again and again, and of which little is asked each time.

use panto_sim::ahead::Prepared;
use panto_sim::program::Program;
use panto_sim::{Halted, Means, Noise, Pace, Setting, ordered};
use panto_units::Time;

use super::outcome::{Figures, Outcome, Sums};
use crate::case::Case;

/// A program made ready once for many machines.
#[derive(Debug)]
pub struct Quick<'p> {
    program: &'p Program,
    prepared: Prepared<'p>,
}

impl<'p> Quick<'p> {
    /// Goes through a program once.
    pub fn new(program: &'p Program) -> Self {
        Self { program, prepared: Prepared::new(program) }
    }

    /// Runs it; on so many threads, where the order of time does not matter.
    pub fn run(&self, case: &Case, noise: Option<&dyn Noise>, threads: usize) -> Outcome {
        let mut setting = case.setting(noise);
        // Where all compute as fast as they did there is nothing to work out for each computation.
        if setting.paces.iter().all(|pace| *pace == Pace::SAME) {
            setting.paces = &[];
        }
        let figures = match panto_sim::chooses(self.program, &setting) {
            Means::Ahead => self.ahead(case, &setting, threads),
            Means::Ordered(_) => self.ordered(case, &setting),
        };
        figures.map_err(|halted| halted.describe(self.program).to_string())
    }

    fn ahead(&self, case: &Case, setting: &Setting<'_>, threads: usize) -> Result<Figures, Halted> {
        let mut all = Sums::<false>::new(self.program.ranks);
        let ends = if threads <= 1 {
            self.prepared.run(setting, &mut all)?
        } else {
            let mut parts = vec![all; threads];
            let ends = self.prepared.run_on(setting, &mut parts)?;
            for part in &parts {
                all.merge(part);
            }
            ends
        };
        Ok(all.figures(self.ranks(&ends), case.processors_used()))
    }

    fn ordered(&self, case: &Case, setting: &Setting<'_>) -> Result<Figures, Halted> {
        let mut sums = Sums::<true>::new(self.program.ranks);
        let ends = ordered::run(self.program, setting, &mut sums)?;
        Ok(sums.figures(self.ranks(&ends), case.processors_used()))
    }

    /// Without helpers.
    fn ranks<'e>(&self, ends: &'e [Time]) -> &'e [Time] {
        &ends[..self.program.ranks as usize]
    }
}
