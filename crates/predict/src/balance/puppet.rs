//! PUPPET's scheme (section 5.5 of the thesis): from the processor that works most to the one that works least, until a mapping repeats.

use std::collections::HashSet;

use panto_sim::Halted;
use panto_stats::Rng;

use super::attempt::{Attempt, Change, End, Running, random};
use super::jobs::{Scheme, Watch};
use super::task::{Task, Trial};

/// A walk that has not come back after so many steps will not do so soon.
const MOST_STEPS: usize = 10_000;

/// One attempt from a random mapping.
pub(super) fn search(task: &Task, watch: &dyn Watch, number: usize, mut rng: Rng) -> Result<Attempt, Halted> {
    let places = random(task, &mut rng);
    let mut running = Running::start(task, watch, (Scheme::Puppet, number), ("random", &places))?;
    let mut now = running.best().clone();
    let mut seen = HashSet::from([places]);
    while running.tried() < MOST_STEPS {
        let Some(change) = next(&now) else { return Ok(running.finish(End::NoBetter)) };
        let mut places = now.places.clone();
        change.apply(&mut places);
        if !seen.insert(places.clone()) {
            return Ok(running.finish(End::Repeated));
        }
        let Some(trial) = running.attempt(&places)? else { return Ok(running.finish(End::Stopped)) };
        running.go_to(&trial, seen.len() - 1, change, true);
        now = trial;
    }
    Ok(running.finish(End::Complete))
}

/// One process from the best-utilised to the least-utilised processor. The thesis does not say which: the first.
fn next(trial: &Trial) -> Option<Change> {
    let (least, most) = trial.extremes().filter(|(least, most)| least != most)?;
    let rank = trial.places.iter().position(|&place| place as usize == most)?;
    Some(Change::Move { rank: rank as u32, from: most as u32, to: least as u32 })
}
