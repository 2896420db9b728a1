//! What every message layer must do, on every protocol and both kinds of network.

use panto_machine::Protocol;
use panto_transport::conformance;
use panto_transport::simulated::Model;

use crate::machines::{PROTOCOLS, simple, world};

fn conforms(model: Model) {
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
fn simulated_machines_conform_where_nobody_is_in_the_way() {
    conforms(Model::Fast);
}

#[test]
fn simulated_machines_conform_where_links_are_shared() {
    conforms(Model::Traffic);
}

#[test]
fn ranks_that_share_processors_conform() {
    for model in [Model::Fast, Model::Traffic] {
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
fn a_rank_that_fails_stops_all() {
    for model in [Model::Fast, Model::Traffic] {
        if let Err(failures) = conformance::run_failures(&world(simple(4, Protocol::Buffered), model), 4) {
            panic!("{model:?}: {failures}");
        }
    }
}

#[test]
fn deadlocks_are_found_and_named() {
    for model in [Model::Fast, Model::Traffic] {
        for ranks in [2, 5] {
            let world = world(simple(8, Protocol::Eager { limit: 4096 }), model);
            if let Err(failures) = conformance::run_deadlocks(&world, ranks) {
                panic!("{model:?}: {failures}");
            }
        }
    }
}
