//! `MPI_Pcontrol` switches recording off and on, and drops what came before (P1). The program's first lines say how often it calls what.

use std::collections::BTreeMap;

use panto_trace::{Action, RankTrace, Trace};

use crate::COUNTED;
use crate::scene::Scene;

const RANKS: usize = 2;

/// How many exchanges of each length a rank recorded.
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

#[test]
fn off_and_on_and_flush() {
    for mpi in COUNTED {
        let Some(app) = mpi.app("pcontrol") else { continue };
        let scene = Scene::new();
        scene.trace("", &mpi, RANKS, &app).run().succeeds();
        all_have(&scene.traced(), &[(4, 5), (12, 3), (16, 2)], mpi.name);
    }
}

#[test]
fn reset_drops_all_but_the_beginning() {
    for mpi in COUNTED {
        let Some(app) = mpi.app("pcontrol") else { continue };
        let scene = Scene::new();
        scene.trace("", &mpi, RANKS, &app).arg("--reset").run().succeeds();
        all_have(&scene.traced(), &[(20, 4)], mpi.name);
    }
}
