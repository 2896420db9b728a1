//! Machines measured on a clock with noise and outliers are recovered within 5 %.

use panto_machine::{Machine, Model, Protocol};
use panto_random::SplitMix64;

use crate::support::{
    Apart, CALIBRATION, MACHINES, Noise, distances, findable, fitted, measure, noisy, quick, sizes,
};

fn recovered(model: &Model, seed: u64) {
    let machine: &Machine = model.machine();
    let ranks = machine.processors().min(8);
    let clean = measure(machine, &CALIBRATION, ranks, quick);
    let records = noisy(&clean, &Noise { rng: SplitMix64::new(seed), relative: 0.02, outliers: 0.02 });
    let (fit, found) = fitted(model, &records, ranks);
    let name = &machine.name;
    assert_eq!(found.protocol, machine.protocol, "{name}\n{}", fit.model);
    let found_sizes = findable(machine, &records, sizes(&records));
    let apart = Apart::new(machine, &found, found_sizes).one_way(&distances(machine, ranks));
    apart.overheads().rates().within(0.05, &fit.model);
    // Intervals are in the model file, where the simulator samples them.
    assert!(fit.model.contains("[intervals]"), "{name}\n{}", fit.model);
}

#[test]
fn builtin_machines_are_recovered_within_five_per_cent() {
    for machine in MACHINES {
        for seed in 0..3 {
            recovered(&Model::load(machine, &[]).unwrap(), seed);
        }
    }
}

#[test]
fn the_eager_limit_is_exact_despite_noise() {
    let model = Model::load("infiniband", &["send.limit=5000B".into()]).unwrap();
    let clean = measure(model.machine(), &CALIBRATION, 4, quick);
    let records = noisy(&clean, &Noise { rng: SplitMix64::new(9), relative: 0.02, outliers: 0.02 });
    assert_eq!(fitted(&model, &records, 4).1.protocol, Protocol::Eager { limit: 5_000 });
}
