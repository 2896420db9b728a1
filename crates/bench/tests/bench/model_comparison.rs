//! Predictions of a model beside measured times.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use panto_bench::model_comparison::{ModelComparison, ranks_of};
use panto_bench::{Kernel, Settings, runnable};
use panto_machine::Machine;
use panto_results::Record;
use panto_transport::World;
use panto_transport::simulated::{Sharing, Simulated};
use panto_transport::threads::Threads;

use super::support::{measured, tiny};

fn machine(overrides: &[&str]) -> Machine {
    let overrides: Vec<String> = overrides.iter().map(|&text| text.into()).collect();
    Machine::load("ipsc860", &overrides).expect("a built-in machine")
}

fn world(overrides: &[&str]) -> Simulated {
    Simulated::new(Arc::new(machine(overrides)), Sharing::Links)
}

fn settings(ranks: usize) -> Settings {
    let tiny = tiny(ranks);
    let world = world(&[]);
    Settings {
        shape: Some(world.shape(ranks)),
        machine: Some("ipsc860".into()),
        effort: tiny.effort.clone().on_virtual_clock(),
        ..tiny
    }
}

/// Returns the records of a kernel, with the predictions of the model.
fn beside<W: World>(world: &W, kernel: Kernel, settings: &Settings, overrides: &[&str]) -> Vec<Record> {
    let mut comparison = ModelComparison::new(machine(overrides), Sharing::Links, settings);
    comparison.simulate(kernel, &[], &AtomicBool::new(false)).expect("the model runs it");
    measured(world, kernel, settings).iter().map(|record| comparison.with_expected(record)).collect()
}

#[test]
fn a_simulated_machine_agrees_with_its_own_model_in_every_kernel() {
    let settings = settings(8);
    let alone = |kernel: &&Kernel| kernel.info().needs.is_none() && kernel.info().suite() == "comet";
    let kernels: Vec<Kernel> = Kernel::ALL.iter().filter(alone).copied().collect();
    let kernels: Vec<Kernel> =
        kernels.into_iter().filter(|&kernel| runnable(kernel, &settings).is_ok()).collect();
    assert!(kernels.len() >= 10, "{kernels:?}");
    for kernel in kernels {
        for record in beside(&world(&[]), kernel, &settings, &[]) {
            let residual = record.residual().unwrap_or_else(|| panic!("{kernel} has no model: {record:?}"));
            assert!(residual.abs() < 1e-12, "{kernel} at {}: {residual}", record.point);
        }
    }
}

#[test]
fn another_model_differs_by_its_additional_time() {
    let (settings, slower) = (settings(4), "link.bandwidth=1MB/s");
    for kernel in [Kernel::Echo, Kernel::Broadcast, Kernel::Transpose] {
        let there = measured(&world(&[slower]), kernel, &settings);
        let mut seen = false;
        for record in beside(&world(&[]), kernel, &settings, &[slower]) {
            let same = there.iter().find(|other| other.point == record.point).expect("the same points");
            let median = |record: &Record| record.summary().expect("samples").median;
            let truth = median(same) / median(&record) - 1.0;
            assert!((record.residual().expect("a model") - truth).abs() < 1e-9, "{record:?}");
            seen |= truth > 0.5;
        }
        assert!(seen, "{kernel} does not notice the links");
    }
}

#[test]
fn threads_are_measured_with_predictions_beside() {
    let settings = tiny(2);
    for record in beside(&Threads::default(), Kernel::Echo, &settings, &[]) {
        let expected = record.expected.as_ref().expect("a model");
        assert_eq!((expected.machine.as_str(), record.machine.as_ref()), ("ipsc860", None));
        // In 1992 nothing took less than this, except a message to the rank itself.
        assert!(record.point.number("hops") == Some(0) || expected.time_ns > 50_000.0, "{expected:?}");
    }
}

#[test]
fn the_model_has_room_for_the_kernel_that_needs_most() {
    let few = Settings { ranks_given: false, ..tiny(2) };
    let most = Kernel::ALL.iter().map(|kernel| kernel.info().min_ranks).max().expect("kernels");
    assert_eq!(ranks_of(Kernel::ALL, &few), most.max(2));
    assert_eq!(ranks_of(Kernel::ALL, &Settings { ranks_given: true, ..few }), 2);
}
