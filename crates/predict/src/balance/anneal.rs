//! Simulated annealing: a random change is kept if it is better, and with decreasing probability if
//! it is worse (Metropolis's rule).

use panto_random::SplitMix64;
use panto_sim::RunError;

use super::attempt::{Attempt, AttemptEnd, AttemptInProgress, Change, random};
use super::greedy;
use super::search::{Monitor, Scheme};
use super::task::{Task, Trial};

/// The initial temperature as a share of the program's time: a change that is this much slower is
/// kept with probability 1/e.
const HOT: f64 = 0.05;
/// The final temperature as a share of the program's time.
const COLD: f64 = 0.0005;

/// Makes one attempt of `steps` steps. The first attempt starts with the greedy scheme's initial
/// mapping, the others with random mappings.
pub(super) fn search(
    task: &Task,
    monitor: &dyn Monitor,
    number: usize,
    steps: usize,
    mut rng: SplitMix64,
) -> Result<Attempt, RunError> {
    let start = if number == 1 {
        ("by computation", greedy::by_computation(task))
    } else {
        ("random", random(task, &mut rng))
    };
    let mut running = AttemptInProgress::start(task, monitor, (Scheme::Anneal, number), (start.0, &start.1))?;
    let mut now = running.best().clone();
    let whole = now.time.as_secs();
    for step in 1..=steps {
        let change = change(task, &now.places, &mut rng);
        let mut places = now.places.clone();
        change.apply(&mut places);
        let Some(trial) = running.evaluate(&places)? else { return Ok(running.finish(AttemptEnd::Stopped)) };
        let done = step as f64 / steps as f64;
        let temperature = whole * HOT * (COLD / HOT).powf(done);
        if is_accepted(&trial, &now, temperature, &mut rng) {
            running.move_to(&trial, step, change, false);
            now = trial;
        }
    }
    Ok(running.finish(AttemptEnd::Complete))
}

/// Metropolis's rule.
fn is_accepted(next: &Trial, now: &Trial, temperature: f64, rng: &mut SplitMix64) -> bool {
    let worse = next.time.as_secs() - now.time.as_secs();
    let random = rng.unit();
    worse <= 0.0 || random < (-worse / temperature).exp()
}

/// Returns a random change: a rank moves to another processor, or two ranks of different processors
/// swap.
fn change(task: &Task, places: &[u32], rng: &mut SplitMix64) -> Change {
    let mut below = |n: usize| rng.below(n as u64) as u32;
    let rank = below(task.ranks());
    let from = places[rank as usize];
    let second = below(task.ranks());
    if places[second as usize] != from && below(2) == 0 {
        return Change::Swap { first: rank, second };
    }
    let other = below(task.processors - 1);
    Change::Move { rank, from, to: if other < from { other } else { other + 1 } }
}
