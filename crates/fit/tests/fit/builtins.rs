//! Built-in machines of every kind are recovered from measurements on a noise-free clock.

use panto_machine::Model;

use crate::support::{Apart, CALIBRATION, MACHINES, distances, findable, fitted, measure, quick, sizes};

fn recovered(name: &str) {
    let model = Model::load(name, &[]).unwrap();
    let machine = model.machine();
    let ranks = machine.processors().min(20);
    let records = measure(machine, &CALIBRATION, ranks, quick);
    let (fit, found) = fitted(&model, &records, ranks);
    assert_eq!(found.protocol, machine.protocol, "{name}");
    assert_eq!(
        found.processor.copies_unexpected, machine.processor.copies_unexpected,
        "{name}\n{}",
        fit.model
    );
    let findable = |sizes| findable(machine, &records, sizes);
    let apart = Apart::new(machine, &found, findable(sizes(&records)));
    apart.one_way(&distances(machine, ranks)).overheads().rates().within(1e-4, &fit.model);
    // Sizes between the measured ones lie on the same pieces.
    let between = vec![1, 3, 50, 99, 100, 700, 3_000, 9_999, 16_000, 50_000, 100_000];
    Apart::new(machine, &found, findable(between))
        .one_way(&distances(machine, ranks))
        .overheads()
        .within(0.02, &fit.model);
}

#[test]
fn builtin_machines_are_recovered() {
    MACHINES.into_iter().for_each(recovered);
}
