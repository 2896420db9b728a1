//! Kernels and the measuring loop on a virtual clock.

use std::sync::Arc;

use panto_bench::comet::Options;
use panto_bench::{Effort, Kernel, Settings, runnable};
use panto_machine::Machine;
use panto_results::{Record, StopReason, param};
use panto_schedule::HopShape;
use panto_transport::simulated::{Sharing, Simulated};

use crate::support::{few_collectives, few_swaps, measured, small_files};

/// A message takes 10 us and 1 us per byte, and a processor 1 us per element of any computation.
const PLAIN: &str = r#"
name = "plain"
[network]
topology = "hypercube"
dimensions = 3
switching = "circuit"
link = { latency = "10us", per-byte = "1us" }
[processor]
copy = "1us"
strided = "100us"
daxpy = "1us"
"#;

fn world(text: &str, model: Sharing) -> Simulated {
    Simulated::new(Arc::new(Machine::parse(text, "test.toml").expect("a model")), model)
}

fn settings(ranks: usize) -> Settings {
    Settings {
        ranks: vec![ranks],
        sizes: Some(vec![0, 8, 100, 1_000]),
        lengths: Some(vec![0, 100]),
        dims: Some(vec![8, 16]),
        shape: Some(HopShape::Hypercube),
        machine: Some("plain".into()),
        effort: Effort::default().on_virtual_clock(),
        ..Settings::default()
    }
    .with_options(few_swaps(1_000))
    .with_options(few_collectives())
}

fn micros(record: &Record) -> f64 {
    record.summary().expect("samples").median * 1e-3
}

fn time_of(records: &[Record], wanted: &[(&str, u64)]) -> f64 {
    let fits =
        |record: &&Record| wanted.iter().all(|(name, value)| record.point.number(name) == Some(*value));
    micros(records.iter().find(fits).expect("the point was measured"))
}

#[test]
fn every_kernel_runs_on_a_simulated_machine() {
    let (world, settings) = (world(PLAIN, Sharing::Links), settings(8));
    for &kernel in Kernel::ALL.iter().filter(|kernel| kernel.available(&settings).is_ok()) {
        for record in measured(&world, kernel, &settings) {
            assert_eq!(record.stop, StopReason::Confidence, "{kernel}: {record:?}");
            assert_eq!((record.machine.as_deref(), record.steal), (Some("plain"), None));
        }
    }
}

/// Nothing is subtracted, and every sample has the time of the model's formula.
#[test]
fn times_are_those_of_the_model_to_the_picosecond() {
    let records = measured(&world(PLAIN, Sharing::Links), Kernel::Echo, &settings(8));
    for record in records.iter().filter(|record| record.point.number(param::HOPS) == Some(1)) {
        let bytes = record.point.number(param::BYTES).expect("a size") as f64;
        assert!(record.samples_ns.iter().all(|nanos| (nanos - (10_000.0 + 1_000.0 * bytes)).abs() < 1e-9));
        assert_eq!((record.late, record.samples_ns.len()), (0, 6));
        assert!(record.empty_ns.abs() < 1e-9);
    }
}

/// Operations that take no time are not repeated without bound.
#[test]
fn the_batch_of_a_free_operation_is_bounded() {
    let free = PLAIN.replace("10us", "0us").replace("1us", "0us");
    let records = measured(&world(&free, Sharing::Links), Kernel::Echo, &settings(2));
    assert!(records.iter().all(|record| micros(record).abs() < 1e-9 && record.batch <= 32));
}

#[test]
fn local_work_is_charged() {
    let world = world(PLAIN, Sharing::None);
    let overlap = measured(&world, Kernel::Overlap, &settings(2));
    let at = |length| time_of(&overlap, &[(param::BYTES, 8), (param::LENGTH, length)]);
    assert!((at(100) - at(0) - 100.0).abs() < 1e-6, "100 elements of 1 us: {} and {}", at(0), at(100));
    // Half a row of 16 doubles is contiguous; each element of a column takes 100 us to pack and 100
    // us to unpack.
    let broadcast = |kernel| time_of(&measured(&world, kernel, &settings(4)), &[(param::DIM, 16)]);
    let (row, column) = (broadcast(Kernel::RowBroadcast), broadcast(Kernel::ColumnBroadcast));
    assert!((column - row - 1_600.0).abs() < 1e-6, "{column} and {row}");
}

/// The route of the load contains the link of the echo, which only `traffic` models.
#[test]
fn contention_appears_only_with_shared_links() {
    let slowdown = |model| {
        let records = measured(&world(PLAIN, model), Kernel::Contention, &settings(8));
        let at = |load| time_of(&records, &[(param::LOAD, load), (param::BYTES, 100)]);
        at(90) / at(0) - 1.0
    };
    assert!(slowdown(Sharing::Links) > 0.05);
    assert!(slowdown(Sharing::None).abs() < 1e-12);
}

/// An order takes longer than any reasonable slack on a real clock, and ranks are still in time.
#[test]
fn ranks_are_in_time_on_a_network_with_seconds_of_latency() {
    let slow = PLAIN.replace("10us", "5s");
    for record in measured(&world(&slow, Sharing::Links), Kernel::Exchange, &settings(8)) {
        assert_eq!((record.late, record.stop), (0, StopReason::Confidence));
    }
}

/// Ranks that share a processor cannot start simultaneously: they start after a barrier, and take
/// turns.
#[test]
fn more_ranks_than_processors() {
    let shared = format!("multitasking = true\n{PLAIN}");
    for kernel in [Kernel::Echo, Kernel::Broadcast, Kernel::Overlap, Kernel::Guard] {
        let crowded = Settings { shape: None, ..settings(12) };
        assert!(!measured(&world(&shared, Sharing::Links), kernel, &crowded).is_empty());
    }
}

#[test]
fn a_machine_without_storage_has_no_files() {
    let directory = tempfile::tempdir().expect("a directory");
    let settings =
        settings(2).with_options(Options { io_dir: Some(directory.path().into()), ..small_files() });
    let error = runnable(Kernel::Io, &settings).expect_err("no files there").to_string();
    assert!(error.contains("plain") && error.contains("needs storage"), "{error}");
}
