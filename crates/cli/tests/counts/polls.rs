//! Polling loops: polls that only wait are folded and do not count as computation; work between
//! polls does.

use std::collections::HashMap;

use panto_trace::{Action, RankTrace, Slot};

use crate::COUNTED;
use crate::scene::Scene;

const RANKS: usize = 3;

/// Least nanoseconds of work between two polls: `polls.c` does 20,000 dependent divisions, each of
/// which takes a nanosecond or more.
const WORK_NS: u64 = 20_000;

/// The polls for one kind of receive.
#[derive(Debug, Default)]
struct Loop {
    /// Polls recorded as separate events; the field below counts the folded ones.
    events: u64,
    folded: u64,
    /// The least computation before a recorded poll, in nanoseconds.
    least_before: Option<u64>,
}

/// Returns the `MPI_Test` loops of a rank, told apart by tags: with nothing between the polls, and
/// with work.
fn loops(rank: &RankTrace) -> [Loop; 2] {
    let (mut idle, mut working) = (Loop::default(), Loop::default());
    let mut tags: HashMap<Slot, i64> = HashMap::new();
    let mut folded = 0;
    let mut events = rank.events();
    while let Some(event) = events.next().expect("sound") {
        match event.action().expect("sound") {
            Action::Receive { tag, request: Some(slot), .. } => drop(tags.insert(slot, tag % 3)),
            Action::Spin { polls, .. } if event.name() == "MPI_Test" => folded += polls,
            Action::Complete { requests: &[slot], .. } if event.name() == "MPI_Test" => {
                let is_working = tags[&Slot(slot as u32)] == 2;
                let kind = if is_working { &mut working } else { &mut idle };
                kind.events += 1;
                kind.folded += std::mem::take(&mut folded);
                let before = kind.least_before.unwrap_or(u64::MAX).min(event.before());
                kind.least_before = Some(before);
            }
            _ => {}
        }
    }
    [idle, working]
}

#[test]
fn only_waiting_is_folded() {
    for mpi in COUNTED {
        let Some(app) = mpi.app("polls") else { continue };
        let scene = Scene::new();
        scene.trace("", &mpi, RANKS, &app).words("-i 3").run().succeeds();
        let mut waited = Loop::default();
        for rank in scene.traced().ranks() {
            let [idle, working] = loops(rank);
            assert_eq!(working.folded, 0, "{}: work was taken for waiting: {working:?}", mpi.name);
            let least = working.least_before.expect("there were three such loops");
            assert!(least >= WORK_NS, "{}: work of {least} ns between polls", mpi.name);
            waited.events += idle.events;
            waited.folded += idle.folded;
        }
        // A few polls are long because the core was used by other processes.
        assert!(waited.folded > 10 * waited.events, "{}: {waited:?}", mpi.name);
    }
}
