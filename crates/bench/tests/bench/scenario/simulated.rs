//! Closed forms on simulated machines.

use std::sync::Arc;

use panto_bench::scenario::operation::Progress;
use panto_bench::scenario::{Late, Options, Scenario};
use panto_bench::{Effort, Kernel, Settings};
use panto_machine::Machine;
use panto_results::{Record, param};
use panto_transport::simulated::{Sharing, Simulated};

use super::all_do;
use crate::support::measured;

/// Hockney's machine: a message of m bytes takes 10 us and m times 0.1 us between neighbours,
/// without contention. The partners of a binomial tree are neighbours of a hypercube.
const HOCKNEY: &str = r#"
name = "hockney"
[network]
topology = "hypercube"
dimensions = 4
switching = "circuit"
link = { latency = "10us", per-byte = "100ns" }
"#;

/// Returns the time of a message, in microseconds.
fn message(bytes: u64) -> f64 {
    10.0 + 0.1 * bytes as f64
}

fn world() -> Simulated {
    Simulated::new(Arc::new(Machine::parse(HOCKNEY, "hockney.toml").expect("a model")), Sharing::None)
}

fn settings(ranks: &[usize], calls: &str, scenario: Options) -> Settings {
    let parse = |text: &str| text.split(',').map(|name| name.parse().expect("a name")).collect();
    Settings {
        ranks: ranks.to_vec(),
        ranks_given: true,
        sizes: Some(vec![8, 1_000]),
        machine: Some("hockney".into()),
        effort: Effort::default().on_virtual_clock(),
        ..Settings::default()
    }
    .with_options(Options {
        calls: Some(parse(calls)),
        implementations: Some(vec!["binomial".parse().unwrap()]),
        ..scenario
    })
}

fn micros(record: &Record) -> f64 {
    record.summary().expect("samples").median * 1e-3
}

#[track_caller]
fn is(record: &Record, expected: f64) {
    assert!(
        (micros(record) - expected).abs() < 1e-3,
        "{}: {} us, not {expected}",
        record.point,
        micros(record)
    );
}

fn bytes(record: &Record) -> u64 {
    record.point.number(param::BYTES).expect("a size")
}

/// Scenario 1 of a binomial broadcast takes the time of as many messages as the tree is deep.
#[test]
fn a_broadcast_takes_the_depth_of_its_tree() {
    let records =
        measured(&world(), Kernel::ScenarioOnly, &settings(&[2, 3, 5, 8, 16], "bcast", Options::default()));
    assert_eq!(records.len(), 5 * 2);
    for record in &records {
        // A rank is as many messages from the root as its number has ones: ceil(log2 P) at most.
        let depth = (0..record.point.ranks).map(usize::count_ones).max().expect("ranks");
        assert!(depth <= record.point.ranks.next_power_of_two().ilog2());
        is(record, f64::from(depth) * message(bytes(record)));
        assert_eq!(
            (record.algorithm.as_deref(), record.point.text(param::CALL)),
            (Some("binomial"), "blocking")
        );
        assert_eq!(record.ranks_ns.len(), record.point.ranks);
        let last = record.ranks_ns.iter().copied().fold(0.0, f64::max);
        assert!((last * 1e-3 - micros(record)).abs() < 1e-3, "the last rank ends the scenario");
    }
}

/// Scenario 2: all ranks wait for a late root; a late leaf does not wait once its message has
/// arrived.
#[test]
fn a_delay_is_added_by_the_root_and_absorbed_by_a_leaf() {
    let delays = [0, 5_000, 40_000, 1_000_000];
    let options =
        Options { delays: Some(delays.to_vec()), late: vec![Late::First, Late::Last], ..Options::default() };
    let records = measured(&world(), Kernel::ScenarioDelay, &settings(&[8], "bcast", options));
    assert_eq!(records.len(), 2 * 2 * delays.len());
    for record in &records {
        let alone = 3.0 * message(bytes(record));
        let delay = record.point.number(param::DELAY).expect("a delay") as f64 * 1e-3;
        match record.point.text(param::LATE) {
            "first" => is(record, alone + delay),
            _ => is(record, alone.max(delay)),
        }
    }
}

/// Scenario 3: with a helper processor the time is the longer of both; without one, it is the sum
/// of what makes no progress by itself.
#[test]
fn a_helper_hides_the_shorter_of_both() {
    let computations = [1_000, 60_000, 2_000_000];
    let options = Options {
        computations: Some(computations.to_vec()),
        progress: vec![Progress::None, Progress::Helper],
        ..Options::default()
    };
    let records = measured(&world(), Kernel::ScenarioOverlap, &settings(&[8], "bcast", options));
    // The baseline without computation is measured as well.
    assert_eq!(records.len(), 2 * 2 * (computations.len() + 1));
    for record in &records {
        let alone = 3.0 * message(bytes(record));
        let computation = record.point.number(param::COMPUTATION).expect("a time") as f64 * 1e-3;
        assert_eq!(record.point.text(param::CALL), "non-blocking");
        assert!(record.figures.is_empty(), "a virtual clock makes no error: {:?}", record.figures);
        if record.point.text(param::PROGRESS) == "helper" {
            is(record, alone.max(computation));
        } else {
            // The root's first message leaves at once; every further step waits until the
            // computation is over.
            is(
                record,
                computation + 2.0 * message(bytes(record)) + (message(bytes(record)) - computation).max(0.0),
            );
        }
    }
}

/// Delays in the middle of the tree are absorbed: staggered arrival takes less than the last rank's
/// delay plus the broadcast.
#[test]
fn staggered_arrival_is_partly_absorbed() {
    let own = vec![Scenario::load("staggered", None).unwrap()];
    let options = Options { own, delays: Some(vec![70_000]), ..Options::default() };
    let records = measured(&world(), Kernel::ScenarioOwn, &settings(&[8], "bcast", options));
    // The baseline without a delay is measured as well.
    let late = |record: &&Record| bytes(record) == 8 && record.point.number(param::DELAY) == Some(70_000);
    assert!(records.iter().any(|record| late(&record)));
    for record in records.iter().filter(late) {
        assert_eq!(record.point.text(param::SCENARIO), "staggered");
        // Rank 7 arrives 70 us late, after its message. The forwarding ranks arrive earlier.
        assert!(micros(record) >= 70.0 && micros(record) < 70.0 + 3.0 * message(8), "{}", micros(record));
    }
}

/// Sixteen broadcasts in a row take no longer than one on a machine on which the root can send the
/// next one at once.
#[test]
fn a_stream_is_not_sixteen_times_one() {
    let own = vec![Scenario::load("streaming", None).unwrap(), all_do(r#""start", "issue", "sync", "stop""#)];
    let records = measured(
        &world(),
        Kernel::ScenarioOwn,
        &settings(&[8], "bcast", Options { own, ..Options::default() }),
    );
    let of = |name| {
        let found =
            records.iter().find(|record| record.point.text(param::SCENARIO) == name && bytes(record) == 8);
        found.expect("measured")
    };
    let (stream, one) = (of("streaming"), of("test"));
    assert_eq!(stream.figures.get("operations"), Some(&16.0));
    assert!(one.figures.is_empty());
    is(one, 3.0 * message(8));
    is(stream, 3.0 * message(8));
}
