//! PUPPET's scheme (section 5.5 of the thesis): a rank of the busiest processor moves to the least
//! busy one, until a mapping repeats.

use std::collections::HashSet;

use panto_random::SplitMix64;
use panto_sim::RunError;

use super::attempt::{Attempt, AttemptEnd, AttemptInProgress, Change, random};
use super::search::{Monitor, Scheme};
use super::task::{Task, Trial};

/// Steps after which an attempt ends even if no mapping has repeated.
const MOST_STEPS: usize = 10_000;

/// Makes one attempt from a random mapping.
pub(super) fn search(
    task: &Task,
    monitor: &dyn Monitor,
    number: usize,
    mut rng: SplitMix64,
) -> Result<Attempt, RunError> {
    let places = random(task, &mut rng);
    let mut running = AttemptInProgress::start(task, monitor, (Scheme::Puppet, number), ("random", &places))?;
    let mut now = running.best().clone();
    let mut seen = HashSet::from([places]);
    while running.tried() < MOST_STEPS {
        let Some(change) = next(&now) else { return Ok(running.finish(AttemptEnd::NoBetter)) };
        let mut places = now.places.clone();
        change.apply(&mut places);
        if !seen.insert(places.clone()) {
            return Ok(running.finish(AttemptEnd::Repeated));
        }
        let Some(trial) = running.evaluate(&places)? else { return Ok(running.finish(AttemptEnd::Stopped)) };
        running.move_to(&trial, seen.len() - 1, change, true);
        now = trial;
    }
    Ok(running.finish(AttemptEnd::Complete))
}

/// Moves one process from the best-utilised to the least-utilised processor. The thesis does not
/// say which process; here it is the first.
fn next(trial: &Trial) -> Option<Change> {
    let (least, most) = trial.extremes().filter(|(least, most)| least != most)?;
    let rank = trial.places.iter().position(|&place| place as usize == most)?;
    Some(Change::Move { rank: rank as u32, from: most as u32, to: least as u32 })
}
