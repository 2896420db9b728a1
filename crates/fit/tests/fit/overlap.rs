//! Measured overlap beside that of the fitted model.

use panto_fit::Fitted;
use panto_machine::Model;
use panto_results::Record;

use crate::support::{CALIBRATION, fitted, measure, quick};

fn records(model: &Model) -> Vec<Record> {
    let mut records = measure(model.machine(), &CALIBRATION, 4, quick);
    records.extend(measure(model.machine(), &["comet/overlap"], 4, |settings| {
        settings.sizes = Some(vec![0, 2_536, 85_000]);
        settings.lengths = Some(vec![0, 1_000, 50_000]);
    }));
    records
}

fn value(fitted: &Fitted, key: &str) -> f64 {
    let found = fitted.parameters.iter().find(|parameter| parameter.key == key);
    found.unwrap_or_else(|| panic!("no {key} in {:?}", fitted.parameters)).value
}

#[test]
fn a_simulated_machine_overlaps_as_its_model_does() {
    for name in ["infiniband", "ipsc860", "ethernet10g"] {
        let model = Model::load(name, &[]).unwrap();
        let (fit, machine) = fitted(&model, &records(&model), 4);
        let (measured, found) = (value(&fit, "overlap"), value(&fit, "overlap, model"));
        assert!(measured > 0.1 && (measured - found).abs() < 0.01, "{name}: {measured} and {found}");
        assert!(!fit.notes.iter().any(|note| note.contains("overlap saves")), "{:?}", fit.notes);
        assert!(machine.processors() >= 4 && fit.model.contains("\"overlap\" = \"measured: comet/overlap"));
    }
}

/// Messages do not progress while a processor computes, as in many MPI libraries; the model assumes
/// that they do, and a note reports the difference.
#[test]
fn a_machine_without_overlap_differs_from_its_model() {
    let model = Model::load("infiniband", &[]).unwrap();
    let mut records = records(&model);
    let blocking: Vec<Record> =
        records.iter().filter(|record| record.point.text("variant") == "blocking").cloned().collect();
    for record in records.iter_mut().filter(|record| record.point.text("variant") == "overlapped") {
        let same = record.point.clone().with_text("variant", "blocking");
        let before = blocking.iter().find(|record| record.kernel == "comet/overlap" && record.point == same);
        record.samples_ns.clone_from(&before.expect("both were measured").samples_ns);
    }
    let (fit, _) = fitted(&model, &records, 4);
    assert!(value(&fit, "overlap").abs() < 1e-9);
    let note = fit.notes.iter().find(|note| note.contains("overlap saves 0 % of the time"));
    assert!(note.is_some_and(|note| note.contains("too fast")), "{:?}", fit.notes);
}
