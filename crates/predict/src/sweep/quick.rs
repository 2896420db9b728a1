//! A program that is run again and again, and of which little is asked each time.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use panto_sim::ahead::Prepared;
use panto_sim::program::Program;
use panto_sim::tape::{LANES, Manners, Played, Tape};
use panto_sim::{Halted, Means, Noise, Pace, Setting, ordered};
use panto_units::Time;

use super::outcome::{Figures, Outcome, Sums};
use crate::case::Case;
use crate::noise::Disturbance;

/// From so many settings on a tape is worth recording.
const WORTH_A_TAPE: usize = 4;

/// A program made ready once for many machines.
#[derive(Debug)]
pub struct Quick<'p> {
    program: &'p Program,
    prepared: OnceLock<Prepared<'p>>,
    /// One for each way to send; none where there can be none.
    tapes: Mutex<Vec<(Manners, Recorded<'p>)>>,
}

/// How many settings are worth running at a time, if all threads are to have some.
pub fn batch_size(settings: usize, threads: usize) -> usize {
    (settings / threads.max(1)).clamp(1, LANES)
}

type Recorded<'p> = Arc<OnceLock<Option<Tape<'p>>>>;

impl<'p> Quick<'p> {
    /// A program.
    pub fn new(program: &'p Program) -> Self {
        Self { program, prepared: OnceLock::new(), tapes: Mutex::default() }
    }

    /// Runs it; on so many threads, where the order of time does not matter.
    pub fn run(&self, case: &Case, noise: Option<&dyn Noise>, threads: usize) -> Outcome {
        let setting = setting(case, noise);
        let figures = match panto_sim::chooses(self.program, &setting) {
            Means::Ahead => self.ahead(case, &setting, threads),
            Means::Ordered(_) => self.ordered(case, &setting),
        };
        self.outcome(figures)
    }

    /// Runs it in several settings. Those that send alike, and in which nothing depends on the order of time, go side by side.
    pub fn run_all(&self, cases: &[(Case, Option<Disturbance>)]) -> Vec<Outcome> {
        let mut outcomes: Vec<Option<Outcome>> = cases.iter().map(|_| None).collect();
        let noise = |nth: usize| cases[nth].1.as_ref().map(|noise| noise as &dyn Noise);
        let manners = |nth: usize| Manners::of(&cases[nth].0.machine);
        for first in 0..cases.len() {
            if outcomes[first].is_some() {
                continue;
            }
            let alike: Vec<usize> =
                (first..cases.len()).filter(|&nth| manners(nth) == manners(first)).collect();
            let tape = (alike.len() >= WORTH_A_TAPE).then(|| self.tape(manners(first), &cases[first].0));
            let tape = tape.as_ref().and_then(|recorded| recorded.get()?.as_ref());
            let suits =
                |&nth: &usize| tape.is_some_and(|tape| tape.suits(&setting(&cases[nth].0, noise(nth))));
            let (together, alone): (Vec<usize>, Vec<usize>) = alike.into_iter().partition(suits);
            for nth in alone {
                outcomes[nth] = Some(self.run(&cases[nth].0, noise(nth), 1));
            }
            let settings: Vec<Setting<'_>> =
                together.iter().map(|&nth| setting(&cases[nth].0, None)).collect();
            let played = tape.map_or(Vec::new(), |tape| tape.play(&settings));
            for (nth, played) in together.into_iter().zip(played) {
                outcomes[nth] = Some(self.outcome(played.map(|played| self.played(&cases[nth].0, &played))));
            }
        }
        outcomes.into_iter().flatten().collect()
    }

    /// The tape of a way to send, recorded by whoever needs it first.
    fn tape(&self, manners: Manners, case: &Case) -> Recorded<'p> {
        let mut tapes = self.tapes.lock().unwrap_or_else(PoisonError::into_inner);
        let known = tapes.iter().find(|(known, _)| *known == manners).map(|(_, tape)| tape.clone());
        let recorded = known.unwrap_or_else(|| {
            tapes.push((manners, Arc::default()));
            tapes[tapes.len() - 1].1.clone()
        });
        drop(tapes);
        recorded.get_or_init(|| Tape::record(self.program, &case.machine));
        recorded
    }

    fn played(&self, case: &Case, played: &Played) -> Figures {
        let sums = Sums::<false>::played(self.program.ranks, played);
        sums.figures(self.ranks(&played.ends), case.processors_used())
    }

    fn outcome(&self, figures: Result<Figures, Halted>) -> Outcome {
        figures.map_err(|halted| halted.describe(self.program).to_string())
    }

    fn ahead(&self, case: &Case, setting: &Setting<'_>, threads: usize) -> Result<Figures, Halted> {
        let prepared = self.prepared.get_or_init(|| Prepared::new(self.program));
        let mut all = Sums::<false>::new(self.program.ranks);
        let ends = if threads <= 1 {
            prepared.run(setting, &mut all)?
        } else {
            let mut parts = vec![all; threads];
            let ends = prepared.run_on(setting, &mut parts)?;
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

/// Where all compute as fast as they did there is nothing to work out for each computation.
fn setting<'a>(case: &'a Case, noise: Option<&'a dyn Noise>) -> Setting<'a> {
    let setting = case.setting(noise);
    let is_same = setting.paces.iter().all(|pace| *pace == Pace::SAME);
    if is_same { Setting { paces: &[], ..setting } } else { setting }
}
