//! Settings and records shared by the tests.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use panto_bench::comet;
use panto_bench::scenario;
use panto_bench::swap;
use panto_bench::{Effort, Kernel, Observer, Settings, run};
use panto_results::swap::{CacheMode, Loop, parse_protocols};
use panto_results::{Metric, Point, Record, Samples, StopReason, SyncMethod, param};
use panto_transport::World;

/// Sizes on both sides of the eager limit.
pub const SIZES: [u64; 4] = [0, 1, 100, 5_000];

/// Returns settings with as little work as possible.
pub fn tiny(ranks: usize) -> Settings {
    Settings {
        ranks: vec![ranks],
        sizes: Some(SIZES.to_vec()),
        lengths: Some(vec![0, 1, 100]),
        effort: Effort {
            min_samples: 3,
            max_samples: 5,
            budget: Duration::from_millis(400),
            sample_time: Duration::from_micros(2),
            ..Effort::default()
        },
        ..Settings::default()
    }
    .with_options(small_files())
    .with_options(few_swaps(100))
    .with_options(few_collectives())
}

/// Returns CoMet's defaults, with small files.
pub fn small_files() -> comet::Options {
    comet::Options { io_bytes: 10_000, ..comet::Options::default() }
}

/// Returns one simple protocol of each order.
pub fn few_swaps(volume: u64) -> swap::Options {
    swap::Options {
        protocols: parse_protocols("(0,1),(1,1)").ok(),
        volumes: Some(vec![volume]),
        loops: Some(vec![Loop::Basic]),
        cache_modes: Some(vec![CacheMode::Warm]),
        pairs: None,
        ..swap::Options::default()
    }
}

/// Returns collectives that move a vector, blocks and no data, and one time of each kind.
pub fn few_collectives() -> scenario::Options {
    let calls = ["allreduce", "gatherv", "barrier"].map(|name| name.parse().expect("a collective"));
    let (delays, computations) = (Some(vec![1_000]), Some(vec![1_000]));
    scenario::Options { calls: Some(calls.to_vec()), delays, computations, ..scenario::Options::default() }
}

#[derive(Default)]
pub struct Collect {
    pub records: Vec<Record>,
}

impl Observer for Collect {
    fn kernel(&mut self, _kernel: Kernel, _points: usize) -> panto_bench::Result<()> {
        Ok(())
    }

    fn record(&mut self, record: &Record) -> panto_bench::Result<()> {
        self.records.push(record.clone());
        Ok(())
    }
}

/// Returns the records of one kernel, after checking that they are plausible.
pub fn measured<W: World>(world: &W, kernel: Kernel, settings: &Settings) -> Vec<Record> {
    let mut observer = Collect::default();
    let end = run(world, &[kernel], settings, &AtomicBool::new(false), &mut observer).unwrap();
    assert_eq!((end.complete, end.measured), (true, end.planned), "{kernel}");
    assert_eq!(end.measured, observer.records.len());
    observer.records.retain(|record| record.kernel == kernel.to_string());
    assert!(!observer.records.is_empty(), "{kernel} measured nothing");
    observer.records.iter().for_each(check_sane);
    observer.records
}

fn check_sane(record: &Record) {
    // Only a barrier has no data to check.
    let checked = record.kernel != "comet/barrier" && record.point.text(param::COLLECTIVE) != "barrier";
    assert!(record.verified == checked && record.batch >= 1, "{record:?}");
    assert!(record.samples_ns.iter().all(|&nanos| nanos.is_finite() && nanos >= 0.0), "{record:?}");
    assert_ne!(record.stop, StopReason::Interrupted);
    assert!(record.summary().is_some(), "{record:?}");
}

/// Returns a record with these samples.
pub fn record(kernel: &str, point: &Point, nanos: Vec<f64>) -> Record {
    let samples = Samples {
        disturbed: Vec::new(),
        all_disturbed: false,
        nanos,
        first_to_last: Vec::new(),
        batch: 1,
        late: 0,
        stop: StopReason::Count,
        start: SyncMethod::Barrier,
        metric: Metric::one_way(0),
        empty_nanos: 0.0,
        clock_error: None,
    };
    Record::new(kernel, point, samples)
}
