//! Runs the settings of a sweep on all cores (P19).

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use panto_machine::Collectives;
use panto_sim::Noise;
use panto_sim::replay::{self, Cut, Replay};
use panto_trace::Trace;

use super::assess::{Assessment, BESIDE};
use super::fingerprint::Fingerprint;
use super::outcome::{Outcome, Row};
use super::parameter::Variant;
use super::runner::{Runner, batch_size};
use crate::case::{Case, TRACED_COMPUTER, Traced};
use crate::error::Error;
use crate::noise::Disturbance;
use panto_parallel as parallel;

/// A trace and the settings in which it is simulated.
#[derive(Debug)]
pub struct Sweep<'a> {
    trace: &'a Trace,
    traced: Traced,
    options: replay::Options,
    seed: u64,
    plans: Vec<Plan>,
    /// The distinct rules of collectives, which are all that replaying depends on.
    collectives: Vec<Collectives>,
    /// What the user must know of the machines: doubts about models, and old speeds.
    notes: BTreeSet<String>,
}

/// The replayed programs, one per distinct rules of collectives; `None` if no setting needs it.
#[derive(Debug)]
pub struct Programs(Vec<Option<Result<Replay, Error>>>);

impl Programs {
    /// Returns how much of the trace is simulated, if its ranks end too early.
    pub fn cut(&self) -> Option<&Cut> {
        self.0.iter().flatten().find_map(|replay| replay.as_ref().ok()?.cut.as_ref())
    }
}

/// A checked setting that has not run.
#[derive(Debug)]
struct Plan {
    variant: Variant,
    key: String,
    /// The index of its rules of collectives, or why the setting is invalid.
    collectives: Result<usize, Error>,
}

/// Ranks per thread below which threads mostly wait for each other.
const RANKS_OF_A_THREAD: usize = 512;

/// Returns the number of threads that one setting can use.
fn useful(ranks: usize, threads: usize) -> usize {
    threads.min(ranks / RANKS_OF_A_THREAD).max(1)
}

impl<'a> Sweep<'a> {
    /// Checks all settings. An invalid setting has its error in its row; an error is returned if
    /// all are invalid.
    pub fn new(
        trace: &'a Trace,
        options: replay::Options,
        seed: u64,
        variants: Vec<Variant>,
        threads: usize,
    ) -> Result<Self, Error> {
        let version = env!("CARGO_PKG_VERSION");
        let common = Fingerprint::new().debug(&version).debug(&options).contents(trace.path())?;
        let traced = Traced::from(trace);
        let checked =
            parallel::map(variants.len(), threads, |index| check(&variants[index], traced, seed, common));
        let (plans, collectives, notes) = (Vec::new(), Vec::new(), BTreeSet::new());
        let mut sweep = Self { trace, traced, options, seed, plans, collectives, notes };
        for (variant, Checked { key, notes, collectives }) in variants.into_iter().zip(checked) {
            sweep.notes.extend(notes);
            let collectives = collectives.map(|collectives| sweep.number(collectives));
            sweep.plans.push(Plan { variant, key, collectives });
        }
        match sweep.plans.first().map(|plan| &plan.collectives) {
            Some(Err(error)) if sweep.collectives.is_empty() => Err(error.clone()),
            _ => Ok(sweep),
        }
    }

    fn number(&mut self, collectives: Collectives) -> usize {
        let known = self.collectives.iter().position(|known| *known == collectives);
        known.unwrap_or_else(|| {
            self.collectives.push(collectives);
            self.collectives.len() - 1
        })
    }

    /// Iterates over the doubts about the models of machines, and how fast old ones compute, each
    /// once.
    pub fn notes(&self) -> impl Iterator<Item = &String> {
        self.notes.iter()
    }

    /// Returns the number of settings.
    pub fn len(&self) -> usize {
        self.plans.len()
    }

    /// Returns whether there are no settings.
    pub fn is_empty(&self) -> bool {
        self.plans.is_empty()
    }

    /// Returns the key of a setting.
    pub fn key(&self, index: usize) -> &str {
        &self.plans[index].key
    }

    /// Returns the parameters of a setting.
    pub fn variant(&self, index: usize) -> &Variant {
        &self.plans[index].variant
    }

    /// Returns a setting with its outcome.
    pub fn row(&self, index: usize, outcome: Outcome) -> Row {
        let plan = &self.plans[index];
        let (key, variant) = (plan.key.clone(), plan.variant.clone());
        Row { key, variant, outcome, assessment: None, cost: None }
    }

    /// Replays the trace for these settings, once per distinct rules of collectives: replaying
    /// depends on nothing else of a machine. Fails if the trace cannot be replayed for any of them.
    pub fn programs(&self, which: &[usize], threads: usize) -> Result<Programs, Error> {
        let is_needed =
            |number: usize| which.iter().any(|&index| self.plans[index].collectives == Ok(number));
        let programs = parallel::map(self.collectives.len(), threads, |number| {
            let plan = self.plans.iter().find(|plan| is_needed(number) && plan.collectives == Ok(number))?;
            Some(self.replay(&plan.variant))
        });
        let needed = || programs.iter().flatten();
        match needed().next() {
            Some(Err(error)) if needed().all(Result::is_err) => Err(error.clone()),
            _ => Ok(Programs(programs)),
        }
    }

    fn replay(&self, variant: &Variant) -> Result<Replay, Error> {
        let case = self.case(variant)?;
        Ok(replay::program(self.trace, &case.machine, &self.options)?)
    }

    fn case(&self, variant: &Variant) -> Result<Case, Error> {
        variant.case(self.traced)
    }

    /// Simulates some settings on `threads` threads and passes the outcome of each to `done` as it
    /// completes. No setting is started once `stop` is set.
    ///
    /// Settings with the same program run side by side in batches. If there are fewer settings than
    /// threads that one simulation can use, each setting runs on several threads instead.
    pub fn run<E>(
        &self,
        programs: &Programs,
        which: &[usize],
        threads: usize,
        stop: &AtomicBool,
        mut done: impl FnMut(usize, Outcome) -> Result<(), E>,
    ) -> Result<(), E> {
        let runners: Vec<_> = programs
            .0
            .iter()
            .map(|program| {
                program.as_ref().map(|replay| replay.as_ref().map(|replay| Runner::new(&replay.program)))
            })
            .collect();
        let useful = useful(self.trace.size() as usize, threads);
        let is_wide = which.len() < useful;
        let batches = self.batches(which, threads);
        let work = |nth: usize| {
            let batch: &[usize] = &batches[nth];
            let all = |error: &Error| batch.iter().map(|_| Err(error.clone())).collect();
            let Ok(number) = &self.plans[batch[0]].collectives else {
                return batch.iter().map(|&index| self.invalid(index)).collect();
            };
            match &runners[*number] {
                Some(Ok(runner)) => self.batch(runner, batch, if is_wide { useful } else { 1 }),
                Some(Err(error)) => all(error),
                None => all(&Error::NotSimulated),
            }
        };
        let workers = if is_wide { 1 } else { threads };
        parallel::run(batches.len(), workers, stop, work, |nth, outcomes: Vec<Outcome>| {
            batches[nth].iter().zip(outcomes).try_for_each(|(&index, outcome)| done(index, outcome))
        })
    }

    /// Finds what limits the program in each setting that did not fail, and the bounds of its time:
    /// see [`Assessment`]. Stops early once `stop` is set.
    pub fn assess(&self, rows: &mut [Row], threads: usize, stop: &AtomicBool) -> Result<(), Error> {
        let sound = |index: &usize| rows[*index].outcome.is_ok();
        let which: Vec<usize> = (0..rows.len()).filter(sound).collect();
        let mut beside = Vec::with_capacity(which.len() * BESIDE);
        for &index in &which {
            beside.extend(Assessment::beside(&rows[index].variant)?);
        }
        if beside.is_empty() {
            return Ok(());
        }
        let sweep = Sweep::new(self.trace, self.options, self.seed, beside, threads)?;
        let all: Vec<usize> = (0..sweep.len()).collect();
        let programs = sweep.programs(&all, threads)?;
        let mut outcomes: Vec<Outcome> = vec![Err(Error::NotSimulated); sweep.len()];
        sweep.run(&programs, &all, threads, stop, |index, outcome| {
            outcomes[index] = outcome;
            Ok::<_, Error>(())
        })?;
        for (&index, beside) in which.iter().zip(outcomes.as_chunks::<BESIDE>().0) {
            let row = &mut rows[index];
            let own = row.outcome.as_ref().ok();
            row.assessment = own.and_then(|own| Assessment::new(own, beside.each_ref()));
        }
        Ok(())
    }

    /// Returns the error of an invalid setting.
    fn invalid(&self, index: usize) -> Outcome {
        Err(self.plans[index].collectives.clone().err().unwrap_or(Error::NotSimulated))
    }

    /// Groups settings with the same program into batches.
    fn batches(&self, which: &[usize], threads: usize) -> Vec<Vec<usize>> {
        let size = batch_size(which.len(), threads);
        let mut sorted = which.to_vec();
        let program = |index: &usize| self.plans[*index].collectives.clone().ok();
        sorted.sort_by_key(program);
        sorted
            .chunk_by(|a, b| program(a) == program(b))
            .flat_map(|same| same.chunks(size))
            .map(<[_]>::to_vec)
            .collect()
    }

    fn batch(&self, runner: &Runner<'_>, batch: &[usize], threads: usize) -> Vec<Outcome> {
        let made: Vec<Result<(Case, Option<Disturbance>), Error>> =
            batch.iter().map(|&index| self.made(index)).collect();
        if let [Ok((case, noise))] = &made[..] {
            return vec![runner.run(case, noise.as_ref().map(|noise| noise as &dyn Noise), threads)];
        }
        let (mut sound, mut errors) = (Vec::new(), Vec::new());
        for made in made {
            errors.push(made.map(|made| sound.push(made)));
        }
        let mut outcomes = runner.run_all(&sound).into_iter();
        let outcome =
            |made: Result<(), Error>| made.and_then(|()| outcomes.next().unwrap_or(Err(Error::NotSimulated)));
        errors.into_iter().map(outcome).collect()
    }

    /// Returns the machine and the noise of a setting.
    fn made(&self, index: usize) -> Result<(Case, Option<Disturbance>), Error> {
        let variant = &self.plans[index].variant;
        Ok((self.case(variant)?, variant.noise(self.seed)?))
    }
}

/// What is known of a setting before it runs.
struct Checked {
    key: String,
    /// Why the model of its machine is doubtful, and how fast an old machine computes.
    notes: Vec<String>,
    /// The rules of collectives that its program depends on.
    collectives: Result<Collectives, Error>,
}

fn check(variant: &Variant, traced: Traced, seed: u64, common: Fingerprint) -> Checked {
    let chosen = common.debug(variant);
    match variant.case(traced).and_then(|case| Ok((case, variant.noise(seed)?))) {
        Ok((mut case, noise)) => {
            let notes = case.machine.doubt().into_iter().chain(case.old_speed(TRACED_COMPUTER)).collect();
            // The sources of parameters do not change the prediction.
            case.machine.sources.clear();
            let key = chosen.debug(&case).debug(&noise).to_string();
            // The send mode of collectives is not part of the program.
            let Collectives { rules, algorithms, .. } = case.machine.collectives;
            let collectives = Ok(Collectives { rules, algorithms, ..Collectives::default() });
            Checked { key, notes, collectives }
        }
        Err(error) => {
            let key = chosen.debug(&error).to_string();
            Checked { key, notes: Vec::new(), collectives: Err(error) }
        }
    }
}
