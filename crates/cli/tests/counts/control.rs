//! `MPI_Pcontrol` switches recording off and on, and drops the events before it (P1). The first
//! lines of the program state how often it calls each function.

use std::collections::BTreeMap;

use panto_trace::{Action, RankTrace, Summary, Trace};

use crate::COUNTED;
use crate::scene::Scene;

const RANKS: usize = 2;

/// Returns the number of exchanges that a rank recorded, by length.
fn exchanges(rank: &RankTrace) -> BTreeMap<u64, u64> {
    let mut all = BTreeMap::new();
    let mut events = rank.events();
    while let Some(event) = events.next().expect("sound") {
        if let Action::SendReceive { bytes, .. } = event.action().expect("sound") {
            *all.entry(bytes).or_default() += 1;
        }
    }
    all
}

fn names(rank: &RankTrace) -> Vec<String> {
    let mut names = Vec::new();
    let mut events = rank.events();
    while let Some(event) = events.next().expect("sound") {
        names.push(event.name().to_owned());
    }
    names
}

fn all_have(trace: &Trace, expected: &[(u64, u64)], mpi: &str) {
    assert!(trace.is_complete() && trace.ranks().len() == RANKS, "{mpi}");
    for rank in trace.ranks() {
        assert_eq!(exchanges(rank), expected.iter().copied().collect(), "rank {} on {mpi}", rank.rank());
        let names = names(rank);
        assert_eq!(names.first().map(String::as_str), Some("MPI_Init"), "{mpi}: {names:?}");
        assert_eq!(names.last().map(String::as_str), Some("MPI_Finalize"), "{mpi}: {names:?}");
    }
}

/// Returns the nanoseconds of computation since `MPI_Init`.
fn computation(rank: &RankTrace) -> u64 {
    let mut sum = 0;
    let mut events = rank.events();
    while let Some(event) = events.next().expect("sound") {
        sum += if event.position() == 0 { 0 } else { event.before() };
    }
    sum
}

/// Nanoseconds computed while recording is off.
const COMPUTED_WHILE_OFF: u64 = 100_000_000;

#[test]
fn off_and_on_and_flush() {
    for mpi in COUNTED {
        let Some(app) = mpi.app("pcontrol") else { continue };
        let scene = Scene::new();
        scene.trace("", &mpi, RANKS, &app).run().succeeds();
        let trace = scene.traced();
        all_have(&trace, &[(4, 5), (12, 3), (16, 2)], mpi.name);
        for rank in trace.ranks() {
            assert!(computation(rank) < COMPUTED_WHILE_OFF / 2, "rank {} on {}", rank.rank(), mpi.name);
        }
    }
}

#[test]
fn reset_drops_all_but_the_beginning() {
    for mpi in COUNTED {
        let Some(app) = mpi.app("pcontrol") else { continue };
        let scene = Scene::new();
        scene.trace("", &mpi, RANKS, &app).arg("--reset").run().succeeds();
        let trace = scene.traced();
        all_have(&trace, &[(20, 4)], mpi.name);
        let summary = Summary::of(&trace).expect("sound");
        // Four exchanges, and a persistent send that was created before the reset.
        assert!(summary.ranks.iter().all(|rank| rank.messages == 5), "{}: {summary:#?}", mpi.name);
    }
}
