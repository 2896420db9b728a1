//! Ranks on other hosts: what the tracer needs must reach them through the launcher.

#[allow(dead_code, reason = "other tests need the rest")]
#[path = "../support/lan.rs"]
mod lan;
#[path = "../support/namespace.rs"]
mod namespace;
#[allow(dead_code, reason = "other tests need the rest")]
#[path = "../support/network.rs"]
mod network;

use panto_trace::key;

use crate::job::Job;
use crate::mpis::{self, Mpi};
use crate::{PANTO, Scene};
use network::Network;

/// One rank on each of two hosts, started by a launcher that `panto trace` starts.
fn both_are_traced(mpi: &Mpi) {
    let Some(app) = mpi.app("hello") else { return };
    let Some(network) = Network::new(2) else { return };
    let scene = Scene::new();
    let mut words = mpi.words(2);
    words.splice(1..1, network.options(mpi, 1).into_iter().map(Into::into));
    // Open MPI 5 would fill the first host otherwise: more ranks than cores are all right for it.
    words
        .iter_mut()
        .filter(|word| *word == ":OVERSUBSCRIBE")
        .for_each(|word| *word = "node:OVERSUBSCRIBE".into());
    let job = scene.trace_by(network.command(PANTO), "");
    let ended = words.into_iter().fold(job, Job::arg).arg(&app).run();
    ended.succeeds();
    let trace = scene.written();
    let hosts: Vec<_> = trace.ranks().iter().filter_map(|rank| rank.facts().get(key::HOST)).collect();
    assert_eq!(hosts, network.names(), "{}: {ended:#?}", mpi.name);
    assert!(trace.is_complete(), "{}: {ended:#?}", mpi.name);
}

#[test]
fn of_mpich() {
    both_are_traced(&mpis::MPICH);
}

/// Its launcher hands on only what it is told to.
#[test]
fn of_open_mpi() {
    both_are_traced(&mpis::OPEN_MPI);
}

#[test]
fn of_open_mpi_5() {
    both_are_traced(&mpis::OPEN_MPI_5);
}
