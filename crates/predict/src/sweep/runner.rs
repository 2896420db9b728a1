//! Runs one program many times, each time on another machine.
//!
//! What does not depend on the machine is prepared once: the layout of the program for the
//! run-ahead engine, and for each set of send protocols a recording, on which up to `LANES` cases
//! run side by side.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use panto_sim::ahead::PreparedProgram;
use panto_sim::batch::{LANES, LaneResult, ProtocolRules, Recording};
use panto_sim::program::Program;
use panto_sim::{ComputeScale, EngineChoice, Noise, RunConfig, RunError, Sharing};
use panto_units::Time;

use super::outcome::{Figures, Outcome, Sums};
use crate::case::Case;
use crate::error::Error;
use crate::noise::Disturbance;

/// The number of cases from which a recording pays off.
const MIN_BATCH: usize = 4;

/// A program prepared for runs on many machines.
#[derive(Debug)]
pub struct Runner<'p> {
    program: &'p Program,
    prepared: OnceLock<PreparedProgram<'p>>,
    /// A recording for each set of send protocols; `None` inside where the program cannot be
    /// recorded.
    recordings: Mutex<Vec<(ProtocolRules, Recorded<'p>)>>,
}

/// Returns the number of cases to run side by side so that every thread has some.
pub fn batch_size(cases: usize, threads: usize) -> usize {
    (cases / threads.max(1)).clamp(1, LANES)
}

type Recorded<'p> = Arc<OnceLock<Option<Recording<'p>>>>;

impl<'p> Runner<'p> {
    /// Wraps a program; nothing is prepared yet.
    pub fn new(program: &'p Program) -> Self {
        Self { program, prepared: OnceLock::new(), recordings: Mutex::default() }
    }

    /// Runs the program on one machine; on several threads if the run-ahead engine applies.
    pub fn run(&self, case: &Case, noise: Option<&dyn Noise>, threads: usize) -> Outcome {
        let config = run_config(case, noise);
        let figures = match panto_sim::choose_engine(self.program, &config) {
            EngineChoice::RunAhead => self.ahead(case, &config, threads),
            EngineChoice::TimeOrdered(_) | EngineChoice::InterruptDriven => self.in_order(case, &config),
        };
        self.outcome(figures)
    }

    /// Runs the program on several machines. Those with equal send protocols, without sharing, to
    /// which the run-ahead engine applies run side by side.
    pub fn run_all(&self, cases: &[(Case, Option<Disturbance>)]) -> Vec<Outcome> {
        let mut outcomes: Vec<Option<Outcome>> = cases.iter().map(|_| None).collect();
        let noise = |nth: usize| cases[nth].1.as_ref().map(|noise| noise as &dyn Noise);
        let protocols = |nth: usize| (ProtocolRules::of(&cases[nth].0.machine), cases[nth].0.sharing);
        for first in 0..cases.len() {
            if outcomes[first].is_some() {
                continue;
            }
            let alike: Vec<usize> =
                (first..cases.len()).filter(|&nth| protocols(nth) == protocols(first)).collect();
            let (rules, sharing) = protocols(first);
            let is_recorded = sharing == Sharing::None && alike.len() >= MIN_BATCH;
            let recording = is_recorded.then(|| self.recording(rules, &cases[first].0));
            let recording = recording.as_ref().and_then(|recorded| recorded.get()?.as_ref());
            let suits = |&nth: &usize| {
                recording.is_some_and(|recording| recording.supports(&run_config(&cases[nth].0, noise(nth))))
            };
            let (together, alone): (Vec<usize>, Vec<usize>) = alike.into_iter().partition(suits);
            for nth in alone {
                outcomes[nth] = Some(self.run(&cases[nth].0, noise(nth), 1));
            }
            let configs: Vec<RunConfig<'_>> =
                together.iter().map(|&nth| run_config(&cases[nth].0, None)).collect();
            let lanes = recording.map_or(Vec::new(), |recording| recording.run(&configs));
            for (nth, lane) in together.into_iter().zip(lanes) {
                outcomes[nth] = Some(self.outcome(lane.map(|lane| self.lane_figures(&cases[nth].0, &lane))));
            }
        }
        outcomes.into_iter().flatten().collect()
    }

    /// Returns the recording for a set of send protocols, made at the first use.
    fn recording(&self, protocols: ProtocolRules, case: &Case) -> Recorded<'p> {
        let mut recordings = self.recordings.lock().unwrap_or_else(PoisonError::into_inner);
        let known =
            recordings.iter().find(|(known, _)| *known == protocols).map(|(_, recording)| recording.clone());
        let recorded = known.unwrap_or_else(|| {
            recordings.push((protocols, Arc::default()));
            recordings[recordings.len() - 1].1.clone()
        });
        drop(recordings);
        recorded.get_or_init(|| Recording::record(self.program, &case.machine));
        recorded
    }

    fn lane_figures(&self, case: &Case, lane: &LaneResult) -> Figures {
        let sums = Sums::<false>::of_lane(self.program.ranks, lane);
        sums.figures(self.ranks(&lane.ends), case.processors_used())
    }

    fn outcome(&self, figures: Result<Figures, RunError>) -> Outcome {
        figures.map_err(|error| {
            let description = error.describe(self.program).to_string();
            Error::Simulation { error, description }
        })
    }

    fn ahead(&self, case: &Case, config: &RunConfig<'_>, threads: usize) -> Result<Figures, RunError> {
        let prepared = self.prepared.get_or_init(|| PreparedProgram::new(self.program));
        let mut all = Sums::<false>::new(self.program.ranks);
        let ends = if threads <= 1 {
            prepared.run(config, &mut all)?
        } else {
            let mut parts = vec![all; threads];
            let ends = prepared.run_on(config, &mut parts)?;
            for part in &parts {
                all.merge(part);
            }
            ends
        };
        Ok(all.figures(self.ranks(&ends), case.processors_used()))
    }

    fn in_order(&self, case: &Case, config: &RunConfig<'_>) -> Result<Figures, RunError> {
        let mut sums = Sums::<true>::new(self.program.ranks);
        let ends = panto_sim::run(self.program, config, &mut sums)?;
        Ok(sums.figures(self.ranks(&ends), case.processors_used()))
    }

    /// Returns the ends of ranks, without helpers.
    fn ranks<'e>(&self, ends: &'e [Time]) -> &'e [Time] {
        &ends[..self.program.ranks as usize]
    }
}

/// Returns the configuration of a case; without speeds if all are 1, which saves a division per
/// computation.
fn run_config<'a>(case: &'a Case, noise: Option<&'a dyn Noise>) -> RunConfig<'a> {
    let config = case.run_config(noise);
    let is_same = config.compute_scales.iter().all(|scale| *scale == ComputeScale::ONE);
    if is_same { RunConfig { compute_scales: &[], ..config } } else { config }
}
