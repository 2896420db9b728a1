//! Runs the attempts of all schemes on all cores.

use std::fmt;
use std::num::NonZero;
use std::thread;

use panto_random::SplitMix64;
use panto_sim::RunError;
use panto_units::Time;

use super::attempt::Attempt;
use super::task::{Task, Trial};
use super::{anneal, greedy, puppet};
use panto_parallel as parallel;

/// A scheme of searching for a better mapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// PUPPET's: from the busiest to the least busy processor, until a mapping repeats.
    Puppet,
    /// By computation, then along the critical path.
    Greedy,
    /// Simulated annealing.
    Anneal,
}

/// The schemes of a search, and how much of each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effort {
    /// The schemes.
    pub schemes: Vec<Scheme>,
    /// The number of attempts of each scheme that starts with random mappings.
    pub attempts: usize,
    /// The number of steps of each annealing attempt.
    pub steps: usize,
    /// The seed of random numbers.
    pub seed: u64,
}

/// Observes a search, and may end it.
pub trait Monitor: Sync {
    /// Returns whether the search should stop.
    fn should_stop(&self) -> bool;

    /// Called after a mapping was evaluated, with its makespan.
    fn evaluated(&self, time: Time);
}

/// The result of a search.
#[derive(Debug, Clone)]
pub struct BalanceResult {
    /// The usual mappings, with their names.
    pub baselines: Vec<(String, Trial)>,
    /// All attempts, in order.
    pub attempts: Vec<Attempt>,
}

impl Scheme {
    /// All schemes.
    pub const ALL: [Self; 3] = [Self::Puppet, Self::Greedy, Self::Anneal];
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Puppet => "puppet",
            Self::Greedy => "greedy",
            Self::Anneal => "anneal",
        })
    }
}

impl Effort {
    /// Returns the number of attempts.
    pub fn count(&self) -> usize {
        self.jobs().len()
    }

    fn jobs(&self) -> Vec<(Scheme, usize)> {
        let numbers = |scheme: Scheme| match scheme {
            Scheme::Greedy => 1..=1,
            Scheme::Puppet | Scheme::Anneal => 1..=self.attempts,
        };
        self.schemes.iter().flat_map(|&scheme| numbers(scheme).map(move |number| (scheme, number))).collect()
    }
}

impl BalanceResult {
    /// Returns the best mapping, and the attempt that found it unless it is a baseline.
    pub fn best(&self) -> Option<(&Trial, Option<&Attempt>)> {
        let known = self.baselines.iter().map(|(_, trial)| (trial, None));
        let found = self.attempts.iter().map(|attempt| (&attempt.best, Some(attempt)));
        known.chain(found).reduce(|best, next| if next.0.is_better_than(best.0) { next } else { best })
    }

    /// Returns the number of mappings evaluated.
    pub fn tried(&self) -> usize {
        self.baselines.len() + self.attempts.iter().map(|attempt| attempt.tried).sum::<usize>()
    }
}

/// Searches for a better mapping. `baselines` are evaluated first; a search that is stopped returns
/// what it has found.
pub fn balance(
    task: &Task,
    baselines: &[(String, Vec<u32>)],
    effort: &Effort,
    monitor: &dyn Monitor,
) -> Result<BalanceResult, RunError> {
    let try_one = |(name, places): &(String, Vec<u32>)| {
        let trial = task.evaluate(places)?;
        monitor.evaluated(trial.time);
        Ok((name.clone(), trial))
    };
    let baselines = baselines.iter().map(try_one).collect::<Result<_, RunError>>()?;
    let jobs = if task.has_no_choice() { Vec::new() } else { effort.jobs() };
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let attempts = parallel::map(jobs.len(), cores, |index| {
        let (scheme, number) = jobs[index];
        if monitor.should_stop() {
            return Ok(None);
        }
        search(task, effort, monitor, scheme, number).map(Some)
    });
    let attempts = attempts.into_iter().filter_map(Result::transpose).collect::<Result<_, RunError>>()?;
    Ok(BalanceResult { baselines, attempts })
}

fn search(
    task: &Task,
    effort: &Effort,
    monitor: &dyn Monitor,
    scheme: Scheme,
    number: usize,
) -> Result<Attempt, RunError> {
    // Each attempt has random numbers of its own, independent of the other options.
    let mut seeds = SplitMix64::new(effort.seed ^ (scheme as u64) << 32);
    let rng = SplitMix64::new((0..number).fold(0, |_, _| seeds.next_u64()));
    match scheme {
        Scheme::Puppet => puppet::search(task, monitor, number, rng),
        Scheme::Greedy => greedy::search(task, monitor),
        Scheme::Anneal => anneal::search(task, monitor, number, effort.steps, rng),
    }
}
