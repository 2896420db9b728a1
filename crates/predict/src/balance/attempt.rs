//! What a search did, step by step.

use std::fmt;

use panto_sim::Halted;
use panto_stats::Rng;
use panto_units::Time;

use super::jobs::{Scheme, Watch};
use super::task::{Task, Trial};

/// What makes one mapping of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Nothing: the mapping that a search begins with, in a word.
    Start(&'static str),
    /// A rank goes to another processor.
    Move {
        /// The rank.
        rank: u32,
        /// Where it was.
        from: u32,
        /// Where it is.
        to: u32,
    },
    /// Two ranks change places.
    Swap {
        /// One.
        first: u32,
        /// The other.
        second: u32,
    },
}

/// Why a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The next mapping was there before.
    Repeated,
    /// No change that was tried is better.
    NoBetter,
    /// All steps were made.
    Complete,
    /// The user stopped it, or the time was over.
    Stopped,
}

/// A mapping that a search came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// How many mappings the attempt had tried before.
    pub iteration: usize,
    /// What was changed.
    pub change: Change,
    /// When the last rank ends.
    pub time: Time,
    /// The utilisation of the processor that works least,
    pub least: f64,
    /// of all in the mean,
    pub mean: f64,
    /// and of the one that works most.
    pub most: f64,
    /// Is it better than all before in this attempt?
    pub is_better: bool,
}

/// One search from one start.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    /// How it searched.
    pub scheme: Scheme,
    /// Its number among those of its scheme, from 1.
    pub number: usize,
    /// What it came to. Annealing keeps only what is better than all before.
    pub steps: Vec<Step>,
    /// What it began with.
    pub first: Trial,
    /// The best that it came to.
    pub best: Trial,
    /// How many mappings it tried.
    pub tried: usize,
    /// Why it ended.
    pub end: End,
}

impl Change {
    /// Makes the change.
    pub fn apply(self, places: &mut [u32]) {
        match self {
            Self::Start(_) => {}
            Self::Move { rank, to, .. } => places[rank as usize] = to,
            Self::Swap { first, second } => places.swap(first as usize, second as usize),
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(name) => write!(f, "start: {name}"),
            Self::Move { rank, from, to } => write!(f, "rank {rank} from {from} to {to}"),
            Self::Swap { first, second } => write!(f, "ranks {first} and {second} swapped"),
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Repeated => "a mapping came again",
            Self::NoBetter => "no change is better",
            Self::Complete => "all steps were made",
            Self::Stopped => "stopped",
        })
    }
}

impl Step {
    fn new(trial: &Trial, iteration: usize, change: Change, is_better: bool) -> Self {
        let bounds = trial.extremes();
        let of = |processor: Option<usize>| processor.map_or(0.0, |processor| trial.utilisation(processor));
        Self {
            iteration,
            change,
            time: trial.time,
            least: of(bounds.map(|(least, _)| least)),
            mean: trial.mean_utilisation(),
            most: of(bounds.map(|(_, most)| most)),
            is_better,
        }
    }
}

/// An attempt that is under way.
pub(super) struct Running<'a> {
    pub(super) task: &'a Task<'a>,
    watch: &'a dyn Watch,
    attempt: Attempt,
}

impl<'a> Running<'a> {
    /// Tries the first mapping.
    pub(super) fn start(
        task: &'a Task<'a>,
        watch: &'a dyn Watch,
        (scheme, number): (Scheme, usize),
        (name, places): (&'static str, &[u32]),
    ) -> Result<Self, Halted> {
        let first = task.evaluate(places)?;
        watch.tried(first.time);
        let steps = vec![Step::new(&first, 0, Change::Start(name), true)];
        let best = first.clone();
        let attempt = Attempt { scheme, number, steps, first, best, tried: 1, end: End::Complete };
        Ok(Self { task, watch, attempt })
    }

    /// The best so far.
    pub(super) fn best(&self) -> &Trial {
        &self.attempt.best
    }

    /// How many were tried.
    pub(super) fn tried(&self) -> usize {
        self.attempt.tried
    }

    /// Tries a mapping; none if time is over.
    pub(super) fn attempt(&mut self, places: &[u32]) -> Result<Option<Trial>, Halted> {
        if self.watch.is_over() {
            return Ok(None);
        }
        let trial = self.task.evaluate(places)?;
        self.attempt.tried += 1;
        self.watch.tried(trial.time);
        Ok(Some(trial))
    }

    /// Goes to a mapping that was tried; it is written down if it is the best so far, or `always`.
    pub(super) fn go_to(&mut self, trial: &Trial, iteration: usize, change: Change, always: bool) {
        let is_better = trial.is_better_than(&self.attempt.best);
        if is_better {
            self.attempt.best = trial.clone();
        }
        if is_better || always {
            self.attempt.steps.push(Step::new(trial, iteration, change, is_better));
        }
    }

    /// It is over.
    pub(super) fn finish(mut self, end: End) -> Attempt {
        self.attempt.end = end;
        self.attempt
    }
}

/// A random processor for each rank.
pub(super) fn random(task: &Task, rng: &mut Rng) -> Vec<u32> {
    (0..task.ranks()).map(|_| rng.below(task.processors as u64) as u32).collect()
}
