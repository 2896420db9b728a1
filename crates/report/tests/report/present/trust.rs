//! How it was measured, and whether to believe it.

use insta::assert_snapshot;
use panto_bench::measure::Stop;
use panto_bench::results::Record;
use panto_report::present;

use super::records::{barrier, broadcast, echo, exchange, handler, io, manifest, reduction, transpose};

#[test]
fn description() {
    assert_snapshot!(present::describe(&manifest()));
}

#[test]
fn sound_measurements_raise_no_concern() {
    assert_eq!(present::concerns(&[echo(1, 8), barrier()].concat()), Vec::<String>::new());
}

fn make_bimodal(record: &mut Record) {
    let halves = record.samples_ns.iter().enumerate();
    // The two modes change places at random enough intervals to look like no drift.
    record.samples_ns =
        halves.map(|(i, nanos)| if (i * i / 3) % 2 == 0 { nanos * 2.0 } else { *nanos }).collect();
}

fn make_drift(record: &mut Record) {
    let place = record.samples_ns.iter().enumerate();
    record.samples_ns = place.map(|(i, nanos)| nanos * (1.0 + 0.01 * i as f64)).collect();
}

#[test]
fn what_to_beware_of() {
    let (mut echo, mut barrier) = (echo(1, 8), barrier());
    echo.iter_mut().take(5).for_each(make_bimodal);
    make_drift(&mut barrier[2]);
    echo[7].stop = Stop::Budget;
    echo[8].stop = Stop::Budget;
    echo[9].stop = Stop::Interrupted;
    echo[10].steal = Some(0.05);
    barrier[1].late = 12;
    barrier[0].late = 3;
    assert_snapshot!(present::concerns(&[barrier, echo].concat()).join("\n"));
}

#[test]
fn a_handful_of_sentences_at_most() {
    let mut all =
        [echo(1, 8), exchange(), broadcast(2), reduction(), barrier(), transpose(), handler(), io()].concat();
    all.iter_mut().for_each(make_bimodal);
    let concerns = present::concerns(&all);
    assert_eq!(concerns.len(), 5);
    assert!(concerns[4].contains("more kernels"), "{concerns:?}");
}
