//! Threads that call MPI at the same time: every call is recorded, with the thread that made it.

use std::collections::BTreeMap;

use panto_trace::{Action, RankTrace};

use crate::COUNTED;
use crate::scene::Scene;

const RANKS: usize = 2;
const ROUNDS: u64 = 10;

type Calls = BTreeMap<String, u64>;

/// Returns the number of calls of each thread of a rank, by function.
fn by_thread(rank: &RankTrace) -> BTreeMap<u32, Calls> {
    let mut all: BTreeMap<u32, Calls> = BTreeMap::new();
    let mut now = 0;
    let mut events = rank.events();
    while let Some(event) = events.next().expect("sound") {
        match event.action().expect("sound") {
            Action::Thread { thread } => {
                assert_ne!(thread, now, "a change to the same thread");
                now = thread;
            }
            _ => *all.entry(now).or_default().entry(event.name().to_owned()).or_default() += 1,
        }
    }
    all
}

fn calls(all: &[(&str, u64)]) -> Calls {
    all.iter().map(|(name, times)| ((*name).to_owned(), *times)).collect()
}

/// Returns the calls of `threads.c`: four threads exchange messages, each in one of two ways; then
/// the first starts requests, and another completes them.
fn expected() -> Vec<Calls> {
    let exchange = calls(&[("MPI_Sendrecv", ROUNDS)]);
    let apart = calls(&[("MPI_Irecv", ROUNDS), ("MPI_Isend", ROUNDS), ("MPI_Waitall", ROUNDS)]);
    let completing = calls(&[("MPI_Wait", 2 * ROUNDS)]);
    let mut all = vec![exchange.clone(), exchange, apart.clone(), apart, completing];
    all.sort();
    all
}

#[test]
fn every_thread_has_its_calls() {
    for mpi in COUNTED {
        let Some(app) = mpi.app("threads") else { continue };
        let scene = Scene::new();
        scene.trace("", &mpi, RANKS, &app).words("-i").arg(ROUNDS.to_string()).run().succeeds();
        for rank in scene.traced().ranks() {
            let mut threads = by_thread(rank);
            let first = threads.remove(&0).expect("the thread that starts MPI is the first");
            let starts = [("MPI_Init_thread", 1), ("MPI_Finalize", 1)];
            let makes = [("MPI_Irecv", ROUNDS), ("MPI_Isend", ROUNDS)];
            assert_eq!(first, calls(&[starts, makes].concat()), "{}", mpi.name);
            assert_eq!(threads.keys().copied().collect::<Vec<_>>(), [1, 2, 3, 4, 5], "{}", mpi.name);
            let mut others: Vec<Calls> = threads.into_values().collect();
            others.sort();
            assert_eq!(others, expected(), "{}", mpi.name);
        }
    }
}

/// A thread that waits for another would hold its token, so tokens are disabled with a note.
#[test]
fn no_tokens_for_several_threads() {
    for mpi in COUNTED {
        let Some(app) = mpi.app("threads") else { continue };
        let scene = Scene::new();
        let ended = scene.trace("--token", &mpi, 3, &app).words("-i 5").run();
        ended.succeeds();
        assert!(ended.stderr.contains("panto: no compute tokens"), "{}: {ended:#?}", mpi.name);
    }
}
