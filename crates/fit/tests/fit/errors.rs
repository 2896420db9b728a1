//! What cannot be fitted is said, with what to run.

use panto_bench::results::Record;
use panto_fit::{Request, fit};
use panto_machine::Machine;

use crate::support::{manifest, measure};

fn echo(sizes: &[u64]) -> Vec<Record> {
    let machine = Machine::load("sp2", &[]).unwrap();
    measure(&machine, &["comet/echo"], 2, |settings| settings.sizes = Some(sizes.to_vec()))
}

fn refused(records: &[Record], name: &str) -> String {
    let machine = Machine::load(name, &[]).unwrap();
    fit(records, &[manifest(&machine, 2)], &Request::default()).unwrap_err().to_string()
}

#[test]
fn too_little_is_named_with_the_command() {
    let error = refused(&[], "sp2");
    assert!(error.contains("no result says") && error.contains("panto calibrate"), "{error}");
    let error = refused(&echo(&[64]), "sp2");
    assert!(
        error.contains("all messages of comet/echo are of 64B") && error.contains("panto bench"),
        "{error}"
    );
    let error = refused(&echo(&[64, 128]), "sp2");
    assert!(error.contains("2 sizes: at least 3"), "{error}");
    let own: Vec<Record> =
        echo(&[0, 8, 64]).into_iter().filter(|record| record.point.number("hops") == Some(0)).collect();
    assert!(refused(&own, "sp2").contains("at a distance above 0"));
}

#[test]
fn impossible_times_are_named() {
    for bad in [f64::NAN, -1.0, f64::INFINITY] {
        let mut records = echo(&[0, 8, 64, 512]);
        records[1].samples_ns[0] = bad;
        let error = refused(&records, "sp2");
        assert!(error.contains("comet/echo at ranks=2") && error.contains("measure again"), "{error}");
    }
}

#[test]
fn machines_are_not_mixed() {
    let (sp2, cm5) = ["sp2", "cm5"].map(|name| Machine::load(name, &[]).unwrap()).into();
    let both = [manifest(&sp2, 2), manifest(&cm5, 2)];
    let error = fit(&echo(&[0, 8, 64]), &both, &Request::default()).unwrap_err().to_string();
    assert!(error.contains("the simulated sp2 and the simulated cm5"), "{error}");
    let mut records = echo(&[0, 8, 64]);
    records[2].machine = None;
    assert!(refused(&records, "sp2").contains("one that was measured"));
}

#[test]
fn a_machine_that_nobody_knows_needs_its_model() {
    let mut unknown = Machine::load("sp2", &[]).unwrap();
    unknown.name = "mine".into();
    let error =
        fit(&echo(&[0, 8, 64]), &[manifest(&unknown, 2)], &Request::default()).unwrap_err().to_string();
    assert!(error.contains("--like"), "{error}");
}
