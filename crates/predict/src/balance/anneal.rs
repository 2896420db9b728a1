//! Annealing: a random change is made if it is better, and sometimes if it is worse; the longer it goes on, the less often.

use panto_sim::Halted;
use panto_stats::Rng;

use super::attempt::{Attempt, Change, End, Running, random};
use super::greedy;
use super::jobs::{Scheme, Watch};
use super::task::{Task, Trial};

/// At first a change that makes the program so much slower, as a share of its time, is made once in e times;
const HOT: f64 = 0.05;
/// at last one of so much.
const COLD: f64 = 0.0005;

/// One attempt of so many steps: the first begins with what the greedy scheme begins with, the others with random mappings.
pub(super) fn search(
    task: &Task,
    watch: &dyn Watch,
    number: usize,
    steps: usize,
    mut rng: Rng,
) -> Result<Attempt, Halted> {
    let start = if number == 1 {
        ("by computation", greedy::by_computation(task))
    } else {
        ("random", random(task, &mut rng))
    };
    let mut running = Running::start(task, watch, (Scheme::Anneal, number), (start.0, &start.1))?;
    let mut now = running.best().clone();
    let whole = now.time.as_secs();
    for step in 1..=steps {
        let change = change(task, &now.places, &mut rng);
        let mut places = now.places.clone();
        change.apply(&mut places);
        let Some(trial) = running.attempt(&places)? else { return Ok(running.finish(End::Stopped)) };
        let done = step as f64 / steps as f64;
        let temperature = whole * HOT * (COLD / HOT).powf(done);
        if is_taken(&trial, &now, temperature, &mut rng) {
            running.go_to(&trial, step, change, false);
            now = trial;
        }
    }
    Ok(running.finish(End::Complete))
}

/// Metropolis's rule.
fn is_taken(next: &Trial, now: &Trial, temperature: f64, rng: &mut Rng) -> bool {
    let worse = next.time.as_secs() - now.time.as_secs();
    let luck = rng.unit();
    worse <= 0.0 || luck < (-worse / temperature).exp()
}

/// A rank goes to any other processor, or two that are on different ones change places.
fn change(task: &Task, places: &[u32], rng: &mut Rng) -> Change {
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
