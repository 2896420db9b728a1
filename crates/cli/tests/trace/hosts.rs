//! Ranks on other hosts: the launcher must pass on the environment that the tracer needs.

use panto_testkit::jobs::network;
use panto_trace::key;

use crate::job::Job;
use crate::mpis::{self, Mpi};
use crate::{PANTO, Scene};
use network::Network;

/// Traces one rank on each of two hosts, started by a launcher that `panto trace` starts.
fn both_are_traced(mpi: &Mpi) {
    let Some(app) = mpi.app("hello") else { return };
    let Some(network) = Network::new(2) else { return };
    let scene = Scene::new();
    let mut words = mpi.launch_words(2);
    words.splice(1..1, network.options(mpi, 1).into_iter().map(Into::into));
    // Without this, Open MPI 5 puts both ranks on the first host, even on a single core.
    words
        .iter_mut()
        .filter(|word| *word == ":OVERSUBSCRIBE")
        .for_each(|word| *word = "node:OVERSUBSCRIBE".into());
    let job = scene.trace_by(network.command(PANTO), "");
    let ended = words.into_iter().fold(job, Job::arg).arg(&app).run();
    ended.succeeds();
    let trace = scene.written();
    let hosts: Vec<_> = trace.ranks().iter().filter_map(|rank| rank.metadata().get(key::HOST)).collect();
    assert_eq!(hosts, network.names(), "{}: {ended:#?}", mpi.name);
    assert!(trace.is_complete(), "{}: {ended:#?}", mpi.name);
}

#[test]
fn of_mpich() {
    both_are_traced(&mpis::MPICH);
}

/// The launcher passes only listed variables to other hosts.
#[test]
fn of_open_mpi() {
    both_are_traced(&mpis::OPEN_MPI);
}

#[test]
fn of_open_mpi_5() {
    both_are_traced(&mpis::OPEN_MPI_5);
}
