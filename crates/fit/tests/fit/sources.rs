//! Sources, notes and derived parameters of a fitted model.

use panto_fit::{FitOptions, Fitted, Unit, fit};
use panto_machine::{Machine, Model};
use panto_results::{Manifest, Record, RunSettings};

use crate::support::{CALIBRATION, manifest, measure, quick};

fn of(name: &str, kernels: &[&str], ranks: usize) -> Fitted {
    let machine = Machine::load(name, &[]).unwrap();
    let records = measure(&machine, kernels, ranks, quick);
    fit(&records, &[manifest(&machine, ranks)], &FitOptions { name: Some("mine".into()), like: None })
        .unwrap()
}

#[test]
fn every_figure_has_its_source() {
    let fitted = of("ipsc860", &CALIBRATION, 8);
    let model = Model::parse(&fitted.model, "mine.toml", &[]).unwrap();
    let unsourced: Vec<String> =
        model.figures().into_iter().filter(|figure| !figure.sourced).map(|figure| figure.key).collect();
    assert_eq!(unsourced, ["network.dimensions", "network.most"]);
    assert_eq!(model.machine().name, "mine");
    assert!(model.machine().about.contains("the simulated ipsc860"));
}

#[test]
fn echoes_alone_give_all_time_to_the_links() {
    let fitted = of("sp2", &["comet/echo"], 4);
    let machine = Machine::parse(&fitted.model, "mine.toml").unwrap();
    assert_eq!(machine.network.link.of(1_000).as_picos(), 65_864_000);
    assert!(
        fitted.notes.iter().any(|note| note.contains("no overheads among the results")),
        "{:?}",
        fitted.notes
    );
    assert!(fitted.notes.iter().any(|note| note.contains("sends are buffered")), "{:?}", fitted.notes);
}

#[test]
fn hockney_and_loggp_parameters_are_derived() {
    let fitted = of("loggops", &CALIBRATION, 4);
    let value = |key: &str| {
        let found = fitted.parameters.iter().find(|parameter| parameter.key == key);
        found.unwrap_or_else(|| panic!("no {key}")).value
    };
    let close =
        |key: &str, real: f64| assert!((value(key) / real - 1.0).abs() < 1e-3, "{key} {}", value(key));
    close("L", 2.5e-6);
    close("G", 6e-9);
    close("o_s", 1.5e-6);
    close("o_r", 1.5e-6);
    close("S", 65_535.0);
    close("r_inf", 1.0 / 6e-9);
    let units: Vec<Unit> = fitted.parameters.iter().filter(|p| p.key == "n_1/2").map(|p| p.unit).collect();
    assert!(units.iter().all(|unit| *unit == Unit::Bytes) && !units.is_empty());
}

#[test]
fn curves_lie_on_their_points() {
    let fitted = of("infiniband", &CALIBRATION, 4);
    assert!(fitted.curves.iter().any(|curve| curve.label == "processor, sending"));
    for curve in &fitted.curves {
        for point in &curve.points {
            assert!(point.residual().abs() < 0.2, "{}: {point:?}", curve.label);
        }
    }
}

#[test]
fn measured_machines_have_a_complete_topology() {
    let machine = Machine::load("sp2", &[]).unwrap();
    let mut records: Vec<Record> = measure(&machine, &["comet/echo"], 2, quick);
    for record in &mut records {
        record.machine = None;
    }
    let manifest = Manifest::new("threads", String::new(), 2, RunSettings::default());
    let fitted = fit(&records, &[manifest], &FitOptions::default()).unwrap();
    let found = Machine::parse(&fitted.model, "mine.toml").unwrap();
    assert_eq!(found.network.topology.name(), "complete");
    assert!(found.processors() >= 1024);
}
