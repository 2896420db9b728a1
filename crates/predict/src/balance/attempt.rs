//! One attempt of a search: its steps and its best mapping.

use std::fmt;

use panto_random::SplitMix64;
use panto_sim::RunError;
use panto_units::Time;

use super::search::{Monitor, Scheme};
use super::task::{Task, Trial};

/// A change of a mapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// The initial mapping, with its name.
    Start(&'static str),
    /// A rank moves to another processor.
    Move {
        /// The rank.
        rank: u32,
        /// Its old processor.
        from: u32,
        /// Its new processor.
        to: u32,
    },
    /// Two ranks swap processors.
    Swap {
        /// One rank.
        first: u32,
        /// The other rank.
        second: u32,
    },
}

/// Why an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptEnd {
    /// A mapping was reached for the second time.
    Repeated,
    /// No change improves the mapping.
    NoBetter,
    /// All steps are done.
    Complete,
    /// The user stopped it, or its time was up.
    Stopped,
}

/// A mapping that an attempt moved to.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The number of mappings that the attempt evaluated before.
    pub iteration: usize,
    /// The change from the mapping before.
    pub change: Change,
    /// The makespan.
    pub time: Time,
    /// The lowest utilisation of a processor.
    pub least: f64,
    /// The mean utilisation.
    pub mean: f64,
    /// The highest utilisation of a processor.
    pub most: f64,
    /// Whether it is better than all before in this attempt.
    pub is_better: bool,
}

/// A search from one initial mapping.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    /// The scheme.
    pub scheme: Scheme,
    /// The number of the attempt within its scheme, from 1.
    pub number: usize,
    /// The mappings it moved to. Annealing keeps only improvements.
    pub steps: Vec<Step>,
    /// The initial mapping.
    pub first: Trial,
    /// The best mapping.
    pub best: Trial,
    /// The number of mappings evaluated.
    pub tried: usize,
    /// Why it ended.
    pub end: AttemptEnd,
}

impl Change {
    /// Applies the change to a mapping.
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

impl fmt::Display for AttemptEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Repeated => "a mapping repeated",
            Self::NoBetter => "no further improvement",
            Self::Complete => "all steps done",
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

/// An attempt that has not ended.
pub(super) struct AttemptInProgress<'a> {
    pub(super) task: &'a Task<'a>,
    monitor: &'a dyn Monitor,
    attempt: Attempt,
}

impl<'a> AttemptInProgress<'a> {
    /// Evaluates the initial mapping.
    pub(super) fn start(
        task: &'a Task<'a>,
        monitor: &'a dyn Monitor,
        (scheme, number): (Scheme, usize),
        (name, places): (&'static str, &[u32]),
    ) -> Result<Self, RunError> {
        let first = task.evaluate(places)?;
        monitor.evaluated(first.time);
        let steps = vec![Step::new(&first, 0, Change::Start(name), true)];
        let best = first.clone();
        let attempt = Attempt { scheme, number, steps, first, best, tried: 1, end: AttemptEnd::Complete };
        Ok(Self { task, monitor, attempt })
    }

    /// Returns the best mapping so far.
    pub(super) fn best(&self) -> &Trial {
        &self.attempt.best
    }

    /// Returns the number of mappings evaluated.
    pub(super) fn tried(&self) -> usize {
        self.attempt.tried
    }

    /// Evaluates a mapping; returns `None` if the search should stop.
    pub(super) fn evaluate(&mut self, places: &[u32]) -> Result<Option<Trial>, RunError> {
        if self.monitor.should_stop() {
            return Ok(None);
        }
        let trial = self.task.evaluate(places)?;
        self.attempt.tried += 1;
        self.monitor.evaluated(trial.time);
        Ok(Some(trial))
    }

    /// Moves to an evaluated mapping; records a step if it is the best so far, or if `always` is
    /// set.
    pub(super) fn move_to(&mut self, trial: &Trial, iteration: usize, change: Change, always: bool) {
        let is_better = trial.is_better_than(&self.attempt.best);
        if is_better {
            self.attempt.best = trial.clone();
        }
        if is_better || always {
            self.attempt.steps.push(Step::new(trial, iteration, change, is_better));
        }
    }

    /// Returns the attempt, which ended for this reason.
    pub(super) fn finish(mut self, end: AttemptEnd) -> Attempt {
        self.attempt.end = end;
        self.attempt
    }
}

/// Returns a random processor for each rank.
pub(super) fn random(task: &Task, rng: &mut SplitMix64) -> Vec<u32> {
    (0..task.ranks()).map(|_| rng.below(task.processors as u64) as u32).collect()
}
