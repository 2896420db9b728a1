//! The greedy scheme: longest-processing-time scheduling (Graham, 1969) by computation for the
//! initial mapping; then, as long as one improves it, the best change that may shorten the critical
//! path.

use std::cmp::Reverse;
use std::collections::HashMap;

use panto_sim::RunError;
use panto_sim::observe::NoObserver;
use panto_sim::program::{Code, Op};
use panto_units::Time;

use super::attempt::{Attempt, AttemptEnd, AttemptInProgress, Change};
use super::search::{Monitor, Scheme};
use super::task::{Task, Trial};

/// Ranks of the critical path that are considered for a change.
const RANKS: usize = 4;
/// Processors to which each of them may move.
const PROCESSORS: usize = 8;
/// Ranks on its own or on the least busy processor that may move or swap instead.
const NEIGHBOURS: usize = 4;

/// Makes the only attempt of this scheme.
pub(super) fn search(task: &Task, monitor: &dyn Monitor) -> Result<Attempt, RunError> {
    let start = by_computation(task);
    let mut running =
        AttemptInProgress::start(task, monitor, (Scheme::Greedy, 1), ("by computation", &start))?;
    loop {
        let now = running.best().clone();
        let mut found: Option<(Trial, Change, usize)> = None;
        for change in changes(task, &now)? {
            let mut places = now.places.clone();
            change.apply(&mut places);
            let iteration = running.tried();
            let Some(trial) = running.evaluate(&places)? else {
                return Ok(running.finish(AttemptEnd::Stopped));
            };
            let best = found.as_ref().map_or(&now, |(best, ..)| best);
            if trial.is_better_than(best) {
                found = Some((trial, change, iteration));
            }
        }
        let Some((trial, change, iteration)) = found else { return Ok(running.finish(AttemptEnd::NoBetter)) };
        running.move_to(&trial, iteration, change, true);
    }
}

/// Assigns ranks by decreasing computation, each to the processor with the least load so far.
pub(super) fn by_computation(task: &Task) -> Vec<u32> {
    let work: Vec<Time> = task.program.codes.iter().take(task.ranks()).map(computation).collect();
    let mut order: Vec<usize> = (0..work.len()).collect();
    order.sort_by_key(|&rank| (Reverse(work[rank]), rank));
    let mut load = vec![Time::ZERO; task.processors];
    let mut places = vec![0; work.len()];
    for rank in order {
        let least = (0..load.len()).min_by_key(|&processor| (load[processor], processor)).unwrap_or(0);
        load[least] = load[least].saturating_add(work[rank]);
        places[rank] = least as u32;
    }
    places
}

/// Returns the computation of a rank. Other work depends on the machine and is not balanced here.
fn computation(code: &Code) -> Time {
    let listed = code.times.iter().fold(Time::ZERO, |sum, time| sum.saturating_add(*time));
    listed.saturating_add(block(code, 0, &mut HashMap::default()))
}

/// Returns the computation from an operation to the end of its block; blocks that are repeated in
/// several places are summed once.
fn block(code: &Code, at: u32, known: &mut HashMap<u32, Time>) -> Time {
    if let Some(&time) = known.get(&at) {
        return time;
    }
    let mut sum = Time::ZERO;
    for op in code.ops.get(at as usize..).unwrap_or_default() {
        let more = match op.unpack() {
            Op::Compute(time) | Op::Call { before: time, .. } => time,
            Op::Repeat { at, times } => {
                Time::from_picos(block(code, at, known).as_picos().saturating_mul(times))
            }
            Op::End => break,
            _ => Time::ZERO,
        };
        sum = sum.saturating_add(more);
    }
    known.insert(at, sum);
    sum
}

/// Returns changes that may shorten the critical path: a rank of it moves, or ranks that share its
/// processor move, or it swaps with a rank of the least busy processor.
fn changes(task: &Task, now: &Trial) -> Result<Vec<Change>, RunError> {
    let Some(path) = task.predict(&now.places, &mut NoObserver)?.path else { return Ok(Vec::new()) };
    let mut on_path = vec![Time::ZERO; task.ranks()];
    for share in &path.shares {
        let sum = &mut on_path[share.rank as usize];
        *sum = sum.saturating_add(share.time);
    }
    let mut hot: Vec<u32> =
        (0..task.ranks() as u32).filter(|&rank| on_path[rank as usize] > Time::ZERO).collect();
    hot.sort_by_key(|&rank| (Reverse(on_path[rank as usize]), rank));
    let mut idle: Vec<u32> = (0..task.processors as u32).collect();
    idle.sort_by_key(|&processor| (now.busy[processor as usize], processor));
    let mut changes = Vec::new();
    for &rank in hot.iter().take(RANKS) {
        let from = now.places[rank as usize];
        let elsewhere = || idle.iter().copied().filter(move |&to| to != from);
        changes.extend(elsewhere().take(PROCESSORS).map(|to| Change::Move { rank, from, to }));
        let Some(least) = elsewhere().next() else { continue };
        let on =
            |place: u32| (0..).zip(&now.places).filter(move |(other, at)| **at == place && *other != rank);
        changes.extend(on(from).take(NEIGHBOURS).map(|(rank, _)| Change::Move { rank, from, to: least }));
        changes.extend(on(least).take(NEIGHBOURS).map(|(second, _)| Change::Swap { first: rank, second }));
    }
    Ok(changes)
}
