//! One setting after the other, and all of them on all cores (P19).

use std::sync::atomic::AtomicBool;

use panto_machine::Collectives;
use panto_sim::Noise;
use panto_sim::replay::{self, Replay};
use panto_trace::Trace;

use super::key::Fingerprint;
use super::knob::Variant;
use super::outcome::{Outcome, Row};
use super::quick::{Quick, batch_size};
use super::spread::{all, spread};
use crate::case::Case;
use crate::error::Error;
use crate::noise::Disturbance;

/// A trace, and the settings under which it is run.
#[derive(Debug)]
pub struct Sweep<'a> {
    trace: &'a Trace,
    options: replay::Options,
    seed: u64,
    plans: Vec<Plan>,
    /// By what replaying depends on, those that some setting needs.
    collectives: Vec<Collectives>,
}

/// What the trace becomes, by the collectives of machines.
#[derive(Debug)]
pub struct Programs(Vec<Option<Result<Replay, String>>>);

/// A setting, looked at but not run.
#[derive(Debug)]
struct Plan {
    variant: Variant,
    key: String,
    /// Which of the collectives it has; or why it cannot be.
    collectives: Result<usize, String>,
}

/// A thread should have so many ranks: fewer wait for ranks of other threads more than they do anything.
const RANKS_OF_A_THREAD: usize = 512;

/// On how many threads one setting is worth running.
fn useful(ranks: usize, threads: usize) -> usize {
    threads.min(ranks / RANKS_OF_A_THREAD).max(1)
}

impl<'a> Sweep<'a> {
    /// Looks at all settings. One that cannot be has its error in its row; where none can be, the command is wrong.
    pub fn new(
        trace: &'a Trace,
        options: replay::Options,
        seed: u64,
        variants: Vec<Variant>,
        threads: usize,
    ) -> Result<Self, Error> {
        let version = env!("CARGO_PKG_VERSION");
        let common = Fingerprint::new().debug(&version).debug(&options).contents(trace.path())?;
        let ranks = trace.size() as usize;
        let looked = all(variants.len(), threads, |index| look(&variants[index], ranks, seed, common));
        let mut sweep = Self { trace, options, seed, plans: Vec::new(), collectives: Vec::new() };
        for (variant, (key, collectives)) in variants.into_iter().zip(looked) {
            let collectives = collectives.map(|collectives| sweep.number(collectives));
            sweep.plans.push(Plan { variant, key, collectives });
        }
        match sweep.plans.first().map(|plan| &plan.collectives) {
            Some(Err(error)) if sweep.collectives.is_empty() => Err(Error::new(error.as_str())),
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

    /// How many settings there are.
    pub fn len(&self) -> usize {
        self.plans.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.plans.is_empty()
    }

    /// What a setting is known by.
    pub fn key(&self, index: usize) -> &str {
        &self.plans[index].key
    }

    /// What is chosen in a setting.
    pub fn variant(&self, index: usize) -> &Variant {
        &self.plans[index].variant
    }

    /// A setting with what came of it.
    pub fn row(&self, index: usize, outcome: Outcome) -> Row {
        let plan = &self.plans[index];
        Row { key: plan.key.clone(), variant: plan.variant.clone(), outcome }
    }

    /// The programs that these settings need: what replaying depends on is a machine's collectives, and nothing else of it. If there is none
    /// for any setting, it is the trace that is wrong.
    pub fn programs(&self, which: &[usize], threads: usize) -> Result<Programs, Error> {
        let is_needed =
            |number: usize| which.iter().any(|&index| self.plans[index].collectives == Ok(number));
        let programs = all(self.collectives.len(), threads, |number| {
            let plan = self.plans.iter().find(|plan| is_needed(number) && plan.collectives == Ok(number))?;
            Some(self.replay(&plan.variant))
        });
        let needed = || programs.iter().flatten();
        match needed().next() {
            Some(Err(error)) if needed().all(Result::is_err) => Err(Error::new(error.as_str())),
            _ => Ok(Programs(programs)),
        }
    }

    fn replay(&self, variant: &Variant) -> Result<Replay, String> {
        let case = self.case(variant)?;
        replay::program(self.trace, &case.machine, &self.options).map_err(|error| error.to_string())
    }

    fn case(&self, variant: &Variant) -> Result<Case, String> {
        variant.case(self.trace.size() as usize).map_err(|error| error.to_string())
    }

    /// Runs some settings on so many threads; hands over what comes of each as it ends. Nothing new is begun once `stop` is set.
    ///
    /// Settings with the same program go through it several at a time, unless there are fewer than threads that a program with so many ranks can
    /// use: then each is spread over these.
    pub fn run<E>(
        &self,
        programs: &Programs,
        which: &[usize],
        threads: usize,
        stop: &AtomicBool,
        mut done: impl FnMut(usize, Outcome) -> Result<(), E>,
    ) -> Result<(), E> {
        let quick: Vec<_> = programs
            .0
            .iter()
            .map(|program| {
                program.as_ref().map(|replay| replay.as_ref().map(|replay| Quick::new(&replay.program)))
            })
            .collect();
        let useful = useful(self.trace.size() as usize, threads);
        let is_wide = which.len() < useful;
        let batches = self.batches(which, threads);
        let work = |nth: usize| {
            let batch: &[usize] = &batches[nth];
            let all = |error: &str| batch.iter().map(|_| Err(error.to_owned())).collect();
            let Ok(number) = self.plans[batch[0]].collectives else {
                return batch.iter().map(|&index| self.refused(index)).collect();
            };
            match &quick[number] {
                Some(Ok(quick)) => self.batch(quick, batch, if is_wide { useful } else { 1 }),
                Some(Err(error)) => all(error),
                None => all("its program was not asked for"),
            }
        };
        let runners = if is_wide { 1 } else { threads };
        spread(batches.len(), runners, stop, work, |nth, outcomes: Vec<Outcome>| {
            batches[nth].iter().zip(outcomes).try_for_each(|(&index, outcome)| done(index, outcome))
        })
    }

    /// Why a setting cannot be.
    fn refused(&self, index: usize) -> Outcome {
        Err(self.plans[index].collectives.clone().err().unwrap_or_default())
    }

    /// Settings that have the same program, as many at a time as are worth it.
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

    fn batch(&self, quick: &Quick<'_>, batch: &[usize], threads: usize) -> Vec<Outcome> {
        let made: Vec<Result<(Case, Option<Disturbance>), String>> =
            batch.iter().map(|&index| self.made(index)).collect();
        if let [Ok((case, noise))] = &made[..] {
            return vec![quick.run(case, noise.as_ref().map(|noise| noise as &dyn Noise), threads)];
        }
        let (mut sound, mut errors) = (Vec::new(), Vec::new());
        for made in made {
            errors.push(made.map(|made| sound.push(made)));
        }
        let mut outcomes = quick.run_all(&sound).into_iter();
        let outcome = |made: Result<(), String>| {
            made.and_then(|()| outcomes.next().unwrap_or_else(|| Err("it was not run".into())))
        };
        errors.into_iter().map(outcome).collect()
    }

    /// The machine of a setting, and what disturbs computation on it.
    fn made(&self, index: usize) -> Result<(Case, Option<Disturbance>), String> {
        let variant = &self.plans[index].variant;
        let noise = variant.noise(self.seed).map_err(|error| error.to_string())?;
        Ok((self.case(variant)?, noise))
    }
}

/// What a setting is known by, and what its program depends on.
fn look(
    variant: &Variant,
    ranks: usize,
    seed: u64,
    common: Fingerprint,
) -> (String, Result<Collectives, String>) {
    let chosen = common.debug(variant);
    match variant.case(ranks).and_then(|case| Ok((case, variant.noise(seed)?))) {
        Ok((mut case, noise)) => {
            // Where a figure stands in its file changes nothing.
            case.machine.sources.clear();
            let key = chosen.debug(&case).debug(&noise).to_string();
            // How messages of collectives are sent is no part of the program.
            let Collectives { rules, algorithms, .. } = case.machine.collectives;
            (key, Ok(Collectives { rules, algorithms, ..Collectives::default() }))
        }
        Err(error) => (chosen.debug(&error).to_string(), Err(error.to_string())),
    }
}
