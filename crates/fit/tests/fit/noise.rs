//! The same on a clock with noise and outliers: within five per cent.

use panto_machine::{Machine, Model, Protocol, builtin};
use panto_stats::Rng;

use crate::support::{Apart, CALIBRATION, Noise, distances, fitted, measure, noisy, quick, sizes};

fn recovered(model: &Model, seed: u64) {
    let machine: &Machine = model.machine();
    let ranks = machine.processors().min(8);
    let clean = measure(machine, &CALIBRATION, ranks, quick);
    let records = noisy(&clean, &Noise { rng: Rng::new(seed), relative: 0.02, outliers: 0.02 });
    let (fit, found) = fitted(model, &records, ranks);
    let name = &machine.name;
    assert_eq!(found.protocol, machine.protocol, "{name}\n{}", fit.model);
    let apart = Apart::new(machine, &found, sizes(&records)).one_way(&distances(machine, ranks));
    apart.overheads().rates().within(0.05, &fit.model);
    // What is uncertain says so, and the simulator can draw from it.
    assert!(fit.model.contains("[intervals]"), "{name}\n{}", fit.model);
}

#[test]
fn builtin_machines_come_back_within_five_per_cent() {
    for machine in builtin::all() {
        for seed in 0..3 {
            recovered(&Model::load(machine.name, &[]).unwrap(), seed);
        }
    }
}

#[test]
fn a_limit_is_exact_whatever_the_noise() {
    let model = Model::load("infiniband", &["send.limit=5000B".into()]).unwrap();
    let clean = measure(model.machine(), &CALIBRATION, 4, quick);
    let records = noisy(&clean, &Noise { rng: Rng::new(9), relative: 0.02, outliers: 0.02 });
    assert_eq!(fitted(&model, &records, 4).1.protocol, Protocol::Eager { limit: 5_000 });
}
