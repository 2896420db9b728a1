//! Numbers of ranks and processors.

use super::{LEAST, Model, model, strings};
use crate::Topology;

fn load(name: &str, overrides: &[&str]) -> Model {
    Model::load(name, &strings(overrides)).unwrap()
}

fn topology(model: &Model) -> &Topology {
    &model.machine().network.topology
}

#[test]
fn built_in_machines_grow_with_their_ranks() {
    let (machine, note) = load("ipsc860", &[]).for_ranks(20).unwrap();
    assert_eq!(machine.network.topology, Topology::hypercube(5).unwrap());
    assert_eq!(note.as_deref(), Some("ipsc860 with 32 processors instead of 16, for 20 ranks"));
    assert_eq!(load("ipsc860", &[]).for_ranks(16).unwrap().1, None);
    assert_eq!(topology(&load("sp2", &[]).with_processors(100).unwrap()), &Topology::complete(100).unwrap());
    let widths = [1, 2, 4, 16, 64, 256];
    let cm5 = load("cm5", &[]).with_processors(1025).unwrap();
    assert_eq!(topology(&cm5), &Topology::fat_tree(4, &widths).unwrap());
    assert!(
        cm5.machine().networks.values().all(|network| network.topology == cm5.machine().network.topology)
    );
    let dragonfly = load("dragonfly", &[]).with_processors(2000).unwrap();
    assert_eq!(topology(&dragonfly), &Topology::dragonfly(63, 8, 4).unwrap());
}

#[test]
fn machines_grow_up_to_the_largest_that_was_built() {
    let error = load("ipsc860", &[]).for_ranks(129).unwrap_err().to_string();
    assert_eq!(error, "ipsc860 cannot have 129 processors: the machine was built with at most 128");
    let error = load("ipsc860", &["map=[1, 0]"]).with_processors(8).unwrap_err().to_string();
    assert!(error.contains("it has a map"), "{error}");
}

#[test]
fn a_size_that_was_set_is_kept() {
    let error = load("ipsc860", &["dimensions=2"]).for_ranks(8).unwrap_err().to_string();
    assert!(
        error.starts_with("8 ranks do not fit on the 4 processors of ipsc860 (hypercube of 2 dimensions"),
        "{error}"
    );
    assert!(error.contains("--set multitasking=true") && error.contains("larger topology"), "{error}");
    let (machine, note) = load("ipsc860", &["dimensions=2", "multitasking=true"]).for_ranks(8).unwrap();
    assert_eq!((machine.processors(), note), (4, None));
}

#[test]
fn files_have_a_fixed_size() {
    let error = model(LEAST).for_ranks(5).unwrap_err().to_string();
    assert!(error.starts_with("5 ranks do not fit on the 4 processors of m (ring, 4 processors)"), "{error}");
    let mapped = model(&format!("{LEAST}map = [0, 1, 0]"));
    assert!(mapped.machine().check_ranks(2).is_ok());
    let error = mapped.machine().check_ranks(3).unwrap_err().to_string();
    assert!(
        error.starts_with("the map of m places rank 2 on processor 0, which another rank uses"),
        "{error}"
    );
}

#[test]
fn networks_of_collectives_grow_too() {
    let own = "[networks.barrier]\ntopology = \"tree\"\narity = 2\nlevels = 2\nleaves = true\n";
    let nodes = "[networks.reduce.nodes]\nsize = 2\n[networks.scan]\ntopology = \"torus\"\ndims = [2, 2]\n";
    let large = model(&format!("{LEAST}{own}{nodes}")).with_processors(9).unwrap().into_machine();
    let sizes: Vec<usize> = large.networks.values().map(crate::Network::processors).collect();
    assert_eq!((large.processors(), sizes), (9, vec![18, 9, 16]));
}
