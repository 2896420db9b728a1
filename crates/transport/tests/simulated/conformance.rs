//! Conformance of simulated machines, with every protocol and both network models.

use panto_machine::Protocol;
use panto_transport::conformance;
use panto_transport::simulated::Sharing;

use crate::machines::{PROTOCOLS, simple, world};

fn conforms(model: Sharing) {
    for protocol in PROTOCOLS {
        for ranks in [1, 2, 5] {
            let world = world(simple(8, protocol), model);
            if let Err(failures) = conformance::run(&world, ranks) {
                panic!("{protocol:?}, {model:?}: {failures}");
            }
        }
    }
}

#[test]
fn simulated_machines_conform_without_contention() {
    conforms(Sharing::None);
}

#[test]
fn simulated_machines_conform_with_contention() {
    conforms(Sharing::Links);
}

#[test]
fn ranks_that_share_processors_conform() {
    for model in [Sharing::None, Sharing::Links] {
        for protocol in PROTOCOLS {
            let mut machine = simple(2, protocol);
            machine.multitasking = true;
            if let Err(failures) = conformance::run(&world(machine, model), 5) {
                panic!("{protocol:?}, {model:?}: {failures}");
            }
        }
    }
}

#[test]
fn a_failed_rank_aborts_all() {
    for model in [Sharing::None, Sharing::Links] {
        if let Err(failures) = conformance::run_failures(&world(simple(4, Protocol::Buffered), model), 4) {
            panic!("{model:?}: {failures}");
        }
    }
}

#[test]
fn deadlocks_are_detected_and_reported() {
    for model in [Sharing::None, Sharing::Links] {
        for ranks in [2, 5] {
            let world = world(simple(8, Protocol::Eager { limit: 4096 }), model);
            if let Err(failures) = conformance::run_deadlocks(&world, ranks) {
                panic!("{model:?}: {failures}");
            }
        }
    }
}
