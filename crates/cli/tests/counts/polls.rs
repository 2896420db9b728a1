//! Loops that poll: waiting is folded and is no computation, work between polls is.

use std::collections::HashMap;

use panto_trace::{Action, RankTrace, Slot};

use crate::COUNTED;
use crate::scene::Scene;

const RANKS: usize = 3;

/// Between two polls `polls.c` divides 20,000 times, each after the other; no processor needs less
/// than a nanosecond for one.
const WORK_NS: u64 = 20_000;

/// What polls for one kind of receives came to.
#[derive(Debug, Default)]
struct Loop {
    /// Polls that are events of their own, and those that were folded.
    events: u64,
    folded: u64,
    /// The computation before each of the former, the least.
    least_before: Option<u64>,
}

/// The loops of `MPI_Test` of a rank: without anything between the polls, and with work. The tags
/// tell which.
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
        // A few polls are long because something else happened on the core.
        assert!(waited.folded > 10 * waited.events, "{}: {waited:?}", mpi.name);
    }
}
