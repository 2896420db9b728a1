//! Records that cannot be fitted are refused with a typed error and the command to run.

use panto_fit::{Error, FitOptions, fit};
use panto_machine::Machine;
use panto_results::Record;

use crate::support::{manifest, measure};

fn echo(sizes: &[u64]) -> Vec<Record> {
    let machine = Machine::load("sp2", &[]).unwrap();
    measure(&machine, &["comet/echo"], 2, |settings| settings.sizes = Some(sizes.to_vec()))
}

fn refused(records: &[Record], name: &str) -> Error {
    let machine = Machine::load(name, &[]).unwrap();
    fit(records, &[manifest(&machine, 2)], &FitOptions::default()).unwrap_err()
}

#[test]
fn too_few_records_are_refused_with_the_command() {
    let error = refused(&[], "sp2");
    assert!(matches!(error, Error::NoEcho) && error.to_string().contains("panto calibrate"), "{error}");
    let error = refused(&echo(&[64]), "sp2");
    assert!(matches!(&error, Error::TooFewSizes { sizes } if sizes == &[64]), "{error}");
    assert!(error.to_string().contains("all messages of comet/echo have 64B"), "{error}");
    assert!(error.to_string().contains("panto bench"), "{error}");
    let error = refused(&echo(&[64, 128]), "sp2");
    assert!(matches!(&error, Error::TooFewSizes { sizes } if sizes == &[64, 128]), "{error}");
    let own: Vec<Record> =
        echo(&[0, 8, 64]).into_iter().filter(|record| record.point.number("hops") == Some(0)).collect();
    assert!(matches!(refused(&own, "sp2"), Error::NoEcho));
}

#[test]
fn impossible_times_are_refused() {
    for bad in [f64::NAN, -1.0, f64::INFINITY] {
        let mut records = echo(&[0, 8, 64, 512]);
        records[1].samples_ns[0] = bad;
        let error = refused(&records, "sp2");
        let Error::InvalidTime { kernel, point, .. } = &error else { panic!("{error}") };
        assert!(kernel == "comet/echo" && point.starts_with("ranks=2"), "{error}");
        assert!(error.to_string().contains("measure again"), "{error}");
    }
}

#[test]
fn machines_are_not_mixed() {
    let (sp2, cm5) = ["sp2", "cm5"].map(|name| Machine::load(name, &[]).unwrap()).into();
    let both = [manifest(&sp2, 2), manifest(&cm5, 2)];
    let error = fit(&echo(&[0, 8, 64]), &both, &FitOptions::default()).unwrap_err();
    assert!(error.to_string().contains("the simulated sp2 and the simulated cm5"), "{error}");
    let mut records = echo(&[0, 8, 64]);
    records[2].machine = None;
    assert!(matches!(refused(&records, "sp2"), Error::MixedMachines { .. }));
}

#[test]
fn an_unknown_machine_needs_its_model() {
    let mut unknown = Machine::load("sp2", &[]).unwrap();
    unknown.name = "mine".into();
    let error = fit(&echo(&[0, 8, 64]), &[manifest(&unknown, 2)], &FitOptions::default()).unwrap_err();
    assert!(
        matches!(error, Error::UnknownSwitching { .. }) && error.to_string().contains("--like"),
        "{error}"
    );
}
