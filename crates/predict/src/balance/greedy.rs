//! The greedy scheme: ranks by what they compute, the longest first, each to the processor with the least to do; then, as long as that
//! helps, one change that makes the critical path shorter.

use std::cmp::Reverse;
use std::collections::HashMap;

use panto_sim::Halted;
use panto_sim::observe::Unseen;
use panto_sim::program::{Act, Code};
use panto_units::Time;

use super::attempt::{Attempt, Change, End, Running};
use super::jobs::{Scheme, Watch};
use super::task::{Task, Trial};

/// So many ranks of the critical path are looked at,
const RANKS: usize = 4;
/// so many processors to which each may go,
const PROCESSORS: usize = 8;
/// and so many ranks beside each, or in its way.
const NEIGHBOURS: usize = 4;

/// The one attempt that there is.
pub(super) fn search(task: &Task, watch: &dyn Watch) -> Result<Attempt, Halted> {
    let start = by_computation(task);
    let mut running = Running::start(task, watch, (Scheme::Greedy, 1), ("by computation", &start))?;
    loop {
        let now = running.best().clone();
        let mut found: Option<(Trial, Change, usize)> = None;
        for change in changes(task, &now)? {
            let mut places = now.places.clone();
            change.apply(&mut places);
            let iteration = running.tried();
            let Some(trial) = running.attempt(&places)? else { return Ok(running.finish(End::Stopped)) };
            let best = found.as_ref().map_or(&now, |(best, ..)| best);
            if trial.is_better_than(best) {
                found = Some((trial, change, iteration));
            }
        }
        let Some((trial, change, iteration)) = found else { return Ok(running.finish(End::NoBetter)) };
        running.go_to(&trial, iteration, change, true);
    }
}

/// The longest first, each to the processor that has the least to do so far.
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

/// What a rank computes in all. Other work depends on the machine, and is not balanced here.
fn computation(code: &Code) -> Time {
    let listed = code.times.iter().fold(Time::ZERO, |sum, time| sum.saturating_add(*time));
    listed.saturating_add(part(code, 0, &mut HashMap::default()))
}

/// The computation from a place of the code to the end of that part; what is repeated in many places is added up once.
fn part(code: &Code, at: u32, known: &mut HashMap<u32, Time>) -> Time {
    if let Some(&time) = known.get(&at) {
        return time;
    }
    let mut sum = Time::ZERO;
    for op in code.ops.get(at as usize..).unwrap_or_default() {
        let more = match op.act() {
            Act::Compute(time) | Act::Call { before: time, .. } => time,
            Act::Repeat { at, times } => {
                Time::from_picos(part(code, at, known).as_picos().saturating_mul(times))
            }
            Act::End => break,
            _ => Time::ZERO,
        };
        sum = sum.saturating_add(more);
    }
    known.insert(at, sum);
    sum
}

/// What may make the critical path shorter: a rank of it goes elsewhere, or the ranks that share its processor do, or it changes places
/// with a rank of the processor that works least.
fn changes(task: &Task, now: &Trial) -> Result<Vec<Change>, Halted> {
    let Some(path) = task.predict(&now.places, &mut Unseen)?.path else { return Ok(Vec::new()) };
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
