//! Tests of tables, CSV and JSON.

use insta::assert_snapshot;
use panto_report::present;
use panto_results::{Metric, Point, Record, RunEnd, StopReason, SyncMethod, param};

use super::placed::echo_by_distance;
use super::records::{
    barrier, broadcast, contention, echo, handler, io, manifest, overlap, record, reduction,
};

fn tables(records: &[Record]) -> String {
    let texts = present::table(records).into_iter().map(|(heading, table)| format!("{heading}\n{table}"));
    texts.collect::<Vec<_>>().join("\n")
}

#[test]
fn table_of_several_kernels_in_the_order_of_the_suite() {
    assert_snapshot!(tables(&[barrier(), reduction(), echo(1, 4)].concat()));
}

#[test]
fn table_of_loads_and_variants() {
    let some = |records: Vec<Record>| records.into_iter().step_by(5).collect::<Vec<_>>();
    assert_snapshot!(tables(&[some(contention()), some(overlap()), some(io()), handler()].concat()));
}

/// The table names the distances, from near to far, and how well the clocks agree.
#[test]
fn table_of_distances() {
    assert_snapshot!(tables(&echo_by_distance(1)));
}

/// Only times that use several clocks are in doubt, and only by the error's share of a batch.
#[test]
fn table_of_times_by_clocks_that_differ() {
    let mut records = barrier();
    for record in &mut records {
        (record.clock_error_ns, record.batch) = (Some(300.0), 1);
    }
    records[0].metric = Metric::first_to_last();
    records[1].start = SyncMethod::Barrier;
    records[2].batch = 4;
    assert_snapshot!(tables(&records));
}

#[test]
fn table_with_notes() {
    let mut records = barrier();
    records[0].stop = StopReason::Budget;
    records[0].late = 7;
    records[1].stop = StopReason::Interrupted;
    records[2].steal = Some(0.034);
    records[3].samples_ns.clear();
    assert_snapshot!(tables(&records));
}

#[test]
fn table_of_two_launches_that_differ_in_more_than_parameters() {
    let mut again = barrier();
    for record in &mut again {
        record.algorithm = Some("dissemination".into());
        record.metric = Metric::first_to_last();
        record.start = SyncMethod::Barrier;
    }
    assert_snapshot!(tables(&[barrier(), again].concat()));
}

#[test]
fn an_unknown_kernel_is_shown() {
    let point = |bytes| Point::new(2).with("depth", 3).with(param::BYTES, bytes);
    let records = [record("future/kernel", point(64), 1e3), record("future/kernel", point(8), 9e11)];
    assert_snapshot!(tables(&records));
}

#[test]
fn csv() {
    let broadcast: Vec<Record> = broadcast(1).into_iter().filter(|record| record.point.ranks == 2).collect();
    let mut barrier = barrier();
    barrier[0].samples_ns.clear();
    barrier[0].steal = None;
    assert_snapshot!(present::csv([(Some(&manifest()), &[barrier, broadcast, echo(0, 0)].concat()[..])]));
}

#[test]
fn json() {
    let records = [barrier()[..1].to_vec(), echo(0, 0)].concat();
    let end = RunEnd { complete: true, planned: 3, measured: 3, quality: None };
    let findings = serde_json::json!({ "echo": { "startup_ns": 90 } });
    assert_snapshot!(present::json(&manifest(), &records, Some(&end), findings));
}

#[test]
fn without_records_nothing_is_shown() {
    assert_eq!(present::table(&[]), []);
    assert_eq!(present::csv([]).lines().count(), 1);
    assert!(present::json(&manifest(), &[], None, serde_json::Value::Null).contains("\"points\": []"));
}
