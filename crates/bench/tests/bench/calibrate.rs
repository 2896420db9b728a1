//! The suite `calibrate` on simulated machines, whose parameters are known exactly, and on threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use panto_bench::calibrate::figure::{EAGER_AT_LEAST, EAGER_LIMIT};
use panto_bench::{Effort, Kernel, Observer, Settings, run};
use panto_machine::Machine;
use panto_results::{Record, param};
use panto_transport::simulated::{Sharing, Simulated};
use panto_transport::threads::Threads;

use crate::support::{Collect, measured, tiny};

/// The link takes 10 us and 1 ns per byte; a processor takes 3 us and 2 ns per byte to send, 5 us
/// and 3 ns per byte to receive, 0.5 us more for a non-blocking call, and 4 ns to copy a byte. The
/// gap between messages is 20 us.
const KNOWN: &str = r#"
name = "known"
[network]
topology = "complete"
processors = 8
switching = "packet"
link = { latency = "10us", per-byte = "1ns" }
[network.overhead]
send = { latency = "3us", per-byte = "2ns" }
receive = { latency = "5us", per-byte = "3ns" }
immediate = "0.5us"
gap = "20us"
control = "1us"
[send]
standard = "eager"
limit = "1000B"
[processor]
copy = "4ns"
strided = "50ns"
reduce = "6ns"
daxpy = "7ns"
copies-unexpected = true
"#;

const SIZES: [u64; 5] = [0, 1, 100, 1_000, 5_000];

fn world(text: &str) -> Simulated {
    Simulated::new(Arc::new(Machine::parse(text, "test.toml").expect("a model")), Sharing::Links)
}

fn settings(ranks: usize) -> Settings {
    Settings {
        ranks: vec![ranks],
        sizes: Some(SIZES.to_vec()),
        machine: Some("known".into()),
        effort: Effort::default().on_virtual_clock(),
        ..Settings::default()
    }
}

/// Returns the time of all samples in nanoseconds; they must be equal.
fn exact(record: &Record) -> f64 {
    let first = record.samples_ns[0];
    assert!(record.samples_ns.iter().all(|nanos| (nanos - first).abs() < 1e-6), "{record:?}");
    first
}

fn assert_time(record: &Record, nanos: f64) {
    assert!((exact(record) - nanos).abs() < 1e-6, "{}: {} and not {nanos}", record.point, exact(record));
}

fn bytes(record: &Record) -> f64 {
    record.point.number(param::BYTES).expect("a size") as f64
}

#[test]
fn overheads_are_those_of_the_machine() {
    for record in measured(&world(KNOWN), Kernel::Overhead, &settings(2)) {
        let n = bytes(&record);
        match record.point.text(param::VARIANT) {
            "send" => assert_time(&record, 3_500.0 + 2.0 * n),
            "posted" => assert_time(&record, 5_000.0 + 3.0 * n),
            // Larger messages wait for the rendezvous.
            "blocking" if n <= 1_000.0 => assert_time(&record, 3_000.0 + 2.0 * n),
            "receive" if n <= 1_000.0 => assert_time(&record, 5_000.0 + 3.0 * n + 4.0 * n),
            "blocking" | "receive" => assert!(exact(&record) > 20_000.0, "{record:?}"),
            other => panic!("{other} is not known"),
        }
    }
}

#[test]
fn messages_in_a_row_leave_a_gap_apart() {
    let records = measured(&world(KNOWN), Kernel::Gap, &settings(2));
    let at = |messages, n| {
        let fits = |r: &&Record| {
            r.point.number(param::MESSAGES) == Some(messages) && r.point.number(param::BYTES) == Some(n)
        };
        exact(records.iter().find(fits).expect("the point was measured"))
    };
    for n in SIZES.into_iter().filter(|&n| n <= 1_000) {
        // There and back: 3 us + 10 us + 5 us each, and 6 ns for each byte of the message.
        assert!((at(1, n) - (36_000.0 + 6.0 * n as f64)).abs() < 1e-6);
        assert!(((at(64, n) - at(8, n)) / 56.0 - 20_000.0).abs() < 1e-6);
    }
}

fn figures(model: &str, ranks: usize) -> Vec<(String, f64)> {
    let records = measured(&world(model), Kernel::Eager, &settings(ranks));
    assert_eq!(records.len(), 1);
    records[0].figures.clone().into_iter().collect()
}

#[test]
fn the_eager_limit_is_found_to_the_byte() {
    for limit in [0_u64, 1, 999, 1_000, 4_998, 4_999] {
        let model = KNOWN.replace("1000B", &format!("{limit}B"));
        assert_eq!(figures(&model, 3), [(EAGER_LIMIT.to_owned(), limit as f64)]);
    }
    let all = [(EAGER_AT_LEAST.to_owned(), 5_000.0)];
    assert_eq!(figures(&KNOWN.replace("1000B", "5000B"), 2), all);
    let protocol = |words: &str| KNOWN.replace("standard = \"eager\"\nlimit = \"1000B\"", words);
    assert_eq!(figures(&protocol("standard = \"buffered\""), 2), all);
    // The handshake reserves a buffer, and does not wait until the receive is posted.
    assert_eq!(figures(&protocol("standard = \"handshake\"\nabove = \"100B\""), 2), all);
    assert_eq!(figures(&protocol("standard = \"synchronous\""), 2), [(EAGER_LIMIT.to_owned(), -1.0)]);
}

/// The eager limit of threads is configurable.
#[test]
fn the_eager_limit_of_threads_is_found() {
    for (eager_limit, ranks) in [(0, 2), (137, 2), (4_096, 3)] {
        let world = Threads { eager_limit, ..Threads::default() };
        let records = measured(&world, Kernel::Eager, &tiny(ranks));
        assert_eq!(records[0].figures.get(EAGER_LIMIT), Some(&(eager_limit as f64)), "{records:?}");
    }
}

/// A link carries one message at a time: with two pairs each rank takes twice as long.
#[test]
fn pairs_share_a_link() {
    let bus = "name = \"wire\"\n[network]\ntopology = \"bus\"\nprocessors = 8\nswitching = \"packet\"\n\
               link = { latency = \"10us\", per-byte = \"1ns\" }\n";
    for record in measured(&world(bus), Kernel::Pairs, &settings(8)) {
        let pairs = record.point.number(param::PAIRS).expect("pairs") as f64;
        assert!([1.0, 2.0, 4.0].contains(&pairs));
        assert_time(&record, pairs * (10_000.0 + bytes(&record)));
    }
    let apart = bus.replace("bus", "complete");
    for record in measured(&world(&apart), Kernel::Pairs, &settings(6)) {
        assert_time(&record, 10_000.0 + bytes(&record));
    }
}

#[test]
fn rates_are_those_of_the_processor() {
    for record in measured(&world(KNOWN), Kernel::Rates, &settings(2)) {
        let number = |name| record.point.number(name).unwrap_or(0) as f64;
        let (n, length) = (number(param::BYTES), number(param::LENGTH));
        match record.point.text(param::VARIANT) {
            "copy" => assert_time(&record, 4.0 * n),
            "reduce" => assert_time(&record, 6.0 * n),
            "strided" => assert_time(&record, 50.0 * length),
            "daxpy" => assert_time(&record, 7.0 * length),
            other => panic!("{other} is not known"),
        }
    }
}

/// Noise changes the measured times by no more than its amplitude; sizes that are found stay exact.
#[test]
fn noise_of_the_clock_is_noise_of_the_samples() {
    let noisy = |seed| world(KNOWN).with_timing_noise(seed, 0.02, 0.02);
    let echo = |seed| measured(&noisy(seed), Kernel::Echo, &settings(2));
    let exactly = measured(&world(KNOWN), Kernel::Echo, &settings(2));
    let (mut samples, mut wild) = (0, 0);
    for (noisy, exactly) in echo(3).iter().zip(&exactly) {
        let right = exact(exactly);
        let median = noisy.summary().expect("samples").median;
        assert!((median / right - 1.0).abs() < 0.02, "{}: {median} and {right}", noisy.point);
        samples += noisy.samples_ns.len();
        wild += noisy.samples_ns.iter().filter(|nanos| **nanos > 1.5 * right).count();
    }
    assert!(wild > 0 && wild * 10 < samples, "{wild} of {samples} are wild");
    let all = |records: Vec<Record>| records.into_iter().map(|r| r.samples_ns).collect::<Vec<_>>();
    assert_eq!(all(echo(3)), all(echo(3)));
    assert_ne!(all(echo(3)), all(echo(4)));
    let eager = measured(&noisy(1), Kernel::Eager, &settings(2));
    assert_eq!(eager[0].figures.get(EAGER_LIMIT), Some(&1_000.0));
}

/// An interrupted search reports no limit.
#[test]
fn an_interrupted_search_has_no_result() {
    let interrupt = AtomicBool::new(false);
    let mut observer = Stops { interrupt: &interrupt, seen: Collect::default() };
    let kernels = [Kernel::Eager, Kernel::Rates];
    let end = run(&world(KNOWN), &kernels, &settings(2), &interrupt, &mut observer).expect("a run");
    assert!(!end.complete && observer.seen.records.is_empty());
}

/// Requests a stop when the first kernel begins.
struct Stops<'a> {
    interrupt: &'a AtomicBool,
    seen: Collect,
}

impl Observer for Stops<'_> {
    fn kernel(&mut self, _kernel: Kernel, _points: usize) -> panto_bench::Result<()> {
        self.interrupt.store(true, Ordering::Relaxed);
        Ok(())
    }

    fn record(&mut self, record: &Record) -> panto_bench::Result<()> {
        self.seen.record(record)
    }
}
