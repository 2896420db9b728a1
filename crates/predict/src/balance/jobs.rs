//! Many attempts over all cores.

use std::fmt;
use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use panto_sim::Halted;
use panto_stats::Rng;
use panto_units::Time;

use super::attempt::Attempt;
use super::task::{Task, Trial};
use super::{anneal, greedy, puppet};

/// How a better mapping is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// PUPPET's own.
    Puppet,
    /// By computation, then along the critical path.
    Greedy,
    /// Random changes that become fewer.
    Anneal,
}

/// How long to look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effort {
    /// By these schemes.
    pub schemes: Vec<Scheme>,
    /// So many attempts of each that begins with random mappings.
    pub attempts: usize,
    /// So many steps of each attempt of annealing.
    pub steps: usize,
    /// Where random numbers begin.
    pub seed: u64,
}

/// Sees how a search goes, and may end it.
pub trait Watch: Sync {
    /// Is it over?
    fn is_over(&self) -> bool;

    /// A mapping was tried, which takes so long.
    fn tried(&self, time: Time);
}

/// What was found.
#[derive(Debug, Clone)]
pub struct Balanced {
    /// What the mappings do that everybody would try first, with their names.
    pub baselines: Vec<(String, Trial)>,
    /// All attempts, in their order.
    pub attempts: Vec<Attempt>,
}

impl Scheme {
    /// All of them.
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
    /// How many attempts it means.
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

impl Balanced {
    /// The best mapping, and the attempt that found it; none if it is a baseline.
    pub fn best(&self) -> Option<(&Trial, Option<&Attempt>)> {
        let known = self.baselines.iter().map(|(_, trial)| (trial, None));
        let found = self.attempts.iter().map(|attempt| (&attempt.best, Some(attempt)));
        known.chain(found).reduce(|best, next| if next.0.is_better_than(best.0) { next } else { best })
    }

    /// How many mappings were tried.
    pub fn tried(&self) -> usize {
        self.baselines.len() + self.attempts.iter().map(|attempt| attempt.tried).sum::<usize>()
    }
}

/// Looks for a better mapping. `baselines` are tried first; a search that is stopped answers what it has found.
pub fn balance(
    task: &Task,
    baselines: &[(String, Vec<u32>)],
    effort: &Effort,
    watch: &dyn Watch,
) -> Result<Balanced, Halted> {
    let try_one = |(name, places): &(String, Vec<u32>)| {
        let trial = task.evaluate(places)?;
        watch.tried(trial.time);
        Ok((name.clone(), trial))
    };
    let baselines = baselines.iter().map(try_one).collect::<Result<_, Halted>>()?;
    let jobs = if task.is_settled() { Vec::new() } else { effort.jobs() };
    let attempts = spread(&jobs, |&(scheme, number)| {
        if watch.is_over() {
            return Ok(None);
        }
        search(task, effort, watch, scheme, number).map(Some)
    });
    let attempts = attempts.into_iter().filter_map(Result::transpose).collect::<Result<_, Halted>>()?;
    Ok(Balanced { baselines, attempts })
}

fn search(
    task: &Task,
    effort: &Effort,
    watch: &dyn Watch,
    scheme: Scheme,
    number: usize,
) -> Result<Attempt, Halted> {
    // Each attempt has its own numbers, whatever else is asked for.
    let mut seeds = Rng::new(effort.seed ^ (scheme as u64) << 32);
    let rng = Rng::new((0..number).fold(0, |_, _| seeds.next_u64()));
    match scheme {
        Scheme::Puppet => puppet::search(task, watch, number, rng),
        Scheme::Greedy => greedy::search(task, watch),
        Scheme::Anneal => anneal::search(task, watch, number, effort.steps, rng),
    }
}

/// Does all jobs on all cores; answers are in the order of the jobs.
fn spread<J: Sync, A: Send>(jobs: &[J], work: impl Fn(&J) -> A + Sync) -> Vec<A> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let next = AtomicUsize::new(0);
    let answers = Mutex::new(Vec::with_capacity(jobs.len()));
    thread::scope(|scope| {
        for _ in 0..cores.min(jobs.len()) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(at) else { break };
                    let answer = work(job);
                    answers.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((at, answer));
                }
            });
        }
    });
    let mut answers = answers.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    answers.sort_by_key(|(at, _)| *at);
    answers.into_iter().map(|(_, answer)| answer).collect()
}
