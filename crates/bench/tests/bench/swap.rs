//! COMMTEST: every protocol moves the right bytes, and takes the time of the model on a simulated
//! machine.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use panto_bench::measure::Lab;
use panto_bench::swap::Options;
use panto_bench::{Effort, Kernel, Settings, run};
use panto_findings::findings;
use panto_findings::swap::{discrepancies, statistics};
use panto_machine::Machine;
use panto_results::swap::{CacheMode, Loop, Protocol, parse_protocols};
use panto_results::{Clock, Point, Record, param};
use panto_transport::World;
use panto_transport::simulated::{Sharing, Simulated};
use panto_transport::threads::Threads;

use crate::faulty::Faulty;
use crate::support::{Collect, record, tiny};

/// A message takes 10 us and 1 us per byte, and nothing else takes time.
const PLAIN: &str = r#"
name = "plain"
[network]
topology = "hypercube"
dimensions = 3
switching = "circuit"
link = { latency = "10us", per-byte = "1us" }
"#;

fn plain() -> Simulated {
    Simulated::new(Arc::new(Machine::parse(PLAIN, "test.toml").expect("a model")), Sharing::None)
}

fn simulated(ranks: usize, options: Options) -> Settings {
    let effort = Effort::default().on_virtual_clock();
    Settings { ranks: vec![ranks], machine: Some("plain".into()), effort, ..Settings::default() }
        .with_options(options)
}

fn options(protocols: &str, volume: u64) -> Options {
    Options { protocols: parse_protocols(protocols).ok(), volumes: Some(vec![volume]), ..Options::default() }
}

/// Returns the records of a kernel, including those of absent points.
fn all<W: World>(world: &W, kernel: Kernel, settings: &Settings) -> Vec<Record> {
    let mut observer = Collect::default();
    let end = run(world, &[kernel], settings, &AtomicBool::new(false), &mut observer).expect("it runs");
    assert!(end.complete);
    observer.records
}

fn text(record: &Record, name: &str) -> String {
    record.point.text(name).to_owned()
}

fn micros(record: &Record) -> f64 {
    record.summary().expect("samples").median * 1e-3
}

/// Returns the number of messages, and the microseconds per message.
fn messages(record: &Record) -> (f64, f64) {
    let bytes = record.point.number(param::BYTES).expect("a size");
    let volume = record.point.number(param::VOLUME).expect("a volume");
    ((volume / bytes) as f64, 10.0 + bytes as f64)
}

/// Runs on a transport on which all send modes differ, so that all of them are measured.
fn on_threads(
    kernel: Kernel,
    ranks: usize,
    options: Options,
    corrupting_rank: Option<usize>,
) -> panto_bench::Result<usize> {
    let settings = Settings { sizes: Some(vec![1_024, 8_192]), ..tiny(ranks) }.with_options(options);
    let points = kernel.points(&settings, &[])?;
    let counts = Threads::default().run(ranks, |endpoint| {
        let transport = Faulty { corrupting_rank, ..Faulty::new(endpoint) };
        let interrupt = AtomicBool::new(false);
        let mut lab = Lab::new(&transport, &settings, &interrupt)?;
        lab.set_budget(Duration::ZERO);
        let mut measured = 0;
        for point in &points {
            let record = kernel.run(&mut lab, point)?;
            measured += usize::from(record.is_some_and(|record| record.absent.is_none() && record.verified));
        }
        Ok::<_, panto_bench::Error>(measured)
    })?;
    Ok(counts[0])
}

/// There are 20 protocols in the basic loop, since none is native, and 16 that can be preposted;
/// sizes are below and above the eager limit.
#[test]
fn every_protocol_moves_the_right_bytes() {
    let repeated = Options { cache_modes: Some(vec![CacheMode::Repeated]), ..options("all", 8_192) };
    assert_eq!(on_threads(Kernel::Swap, 2, repeated, None).expect("right"), (20 + 16) * 2);
}

/// Ready sends need other handshakes around a ring than between two.
#[test]
fn every_protocol_runs_around_a_ring() {
    let warm = Options {
        cache_modes: Some(vec![CacheMode::Warm]),
        ..options("(0,3),(0,5),(1,4),(1,6),(1,9)", 8_192)
    };
    assert_eq!(on_threads(Kernel::SendReceive, 4, warm, None).expect("right"), (5 + 4) * 2);
}

#[test]
fn wrong_bytes_are_detected_from_either_side() {
    for id in ["(0,0)", "(0,3)", "(0,4)", "(0,8)", "(1,0)", "(1,5)", "(1,6)", "(1,9)"] {
        let protocol: Protocol = id.parse().expect("a protocol");
        let loops = Loop::ALL.into_iter().filter(|order| *order == Loop::Basic || protocol.can_prepost());
        for (order, corrupting_rank) in loops.flat_map(|order| [(order, 0), (order, 1)]) {
            let options = Options {
                loops: Some(vec![order]),
                cache_modes: Some(vec![CacheMode::Repeated]),
                ..options(id, 8_192)
            };
            let error =
                on_threads(Kernel::Swap, 2, options, Some(corrupting_rank)).expect_err("noticed").to_string();
            assert!(
                error.contains("wrong data") && error.contains(&format!("rank {corrupting_rank}")),
                "{id}: {error}"
            );
        }
    }
}

#[test]
fn records_name_equivalent_protocols() {
    let warm = Options {
        cache_modes: Some(vec![CacheMode::Warm]),
        ..options("(0,3),(0,4),(0,6),(0,8),(1,0),(1,5)", 8_192)
    };
    let settings = Settings { sizes: Some(vec![1_024, 8_192]), ..tiny(2) }.with_options(warm);
    let records = all(&Threads::default(), Kernel::Swap, &settings);
    let why = |id: &str, order: Loop, bytes: u64| {
        let fits = |record: &&Record| {
            text(record, param::PROTOCOL) == id
                && text(record, param::LOOP) == order.to_string()
                && record.point.number(param::BYTES) == Some(bytes)
        };
        records.iter().find(fits).expect("a record").absent.clone().unwrap_or_default()
    };
    assert!(why("(0,4)", Loop::Basic, 1_024).ends_with("the same as (0,2) and a handshake"));
    assert!(why("(1,5)", Loop::Prepost, 1_024).ends_with("the same as (1,3)"));
    assert!(why("(0,6)", Loop::Basic, 1_024).contains("no send-receive call of its own"));
    assert!(why("(1,0)", Loop::Prepost, 1_024).contains("the same as the basic loop"));
    // Above the eager limit every send waits for its receiver.
    assert_eq!(why("(0,8)", Loop::Basic, 1_024), "");
    assert!(why("(0,8)", Loop::Basic, 8_192).ends_with("the same as (0,2)"));
    assert_eq!(why("(0,3)", Loop::Prepost, 8_192), "");
}

#[test]
fn both_times_are_kept_and_cold_caches_checked() {
    let all_modes = Options { cache_modes: Some(CacheMode::ALL.to_vec()), ..options("(0,1),(1,1)", 8_192) };
    let settings = Settings { sizes: Some(vec![1_024]), ..tiny(2) }.with_options(all_modes);
    let records = all(&Threads::default(), Kernel::Swap, &settings);
    assert_eq!(records.len(), 2 * 2 * CacheMode::ALL.len());
    for record in records {
        assert!(record.verified && !record.samples_ns.is_empty());
        assert_eq!(record.metric.clock, Clock::Longest);
        assert_eq!(record.first_to_last_ns.len(), record.samples_ns.len());
        assert_eq!((record.moved, record.messages), (Some(2 * 8_192), Some(2 * 8)));
        let mode: CacheMode = text(&record, param::CACHE_MODE).parse().expect("a cache mode");
        assert_eq!(record.batch, if mode == CacheMode::Repeated { 10 } else { 1 });
        let figures = [panto_results::swap::figure::WARM_LINE, panto_results::swap::figure::EVICTED_LINE];
        assert_eq!(
            figures.iter().all(|name| record.figures.get(*name).is_some_and(|ns| *ns > 0.0)),
            mode == CacheMode::Cold
        );
    }
}

/// Unordered: N messages of 10 us and their bytes. Ordered: twice that. Posting earlier or waiting
/// later changes nothing on a machine whose calls cost nothing, and repetitions divide out.
#[test]
fn times_are_those_of_the_model() {
    let records = all(
        &plain(),
        Kernel::Swap,
        &simulated(2, options("(0,1),(0,2),(0,3),(0,7),(0,9),(1,0),(1,1),(1,3)", 1_024)),
    );
    let mut measured = 0;
    for record in records.iter().filter(|record| record.absent.is_none()) {
        let protocol: Protocol = text(record, param::PROTOCOL).parse().expect("a protocol");
        let (number, each) = messages(record);
        let both = if protocol.id().starts_with("(1") { 2.0 } else { 1.0 };
        assert!((micros(record) - both * number * each).abs() < 1e-6, "{protocol}: {record:?}");
        // Both ranks start at once, so the last to end has the longest time.
        assert_eq!(record.first_to_last_ns, record.samples_ns, "{protocol}");
        measured += 1;
    }
    // Not cold, and (1,0) not preposted.
    assert_eq!(measured, (8 + 7) * 2 * 11);
    assert!(discrepancies(&records.iter().collect::<Vec<_>>()).is_empty());
}

/// The second rank signals readiness while the first still receives, so only the very first
/// handshake causes a wait.
#[test]
fn the_dash_of_1_6_is_a_handshake() {
    let basic = Options {
        loops: Some(vec![Loop::Basic]),
        cache_modes: Some(vec![CacheMode::Warm]),
        ..options("(1,6)", 1_024)
    };
    for record in all(&plain(), Kernel::Swap, &simulated(2, basic)) {
        let (number, each) = messages(&record);
        assert!((micros(&record) - (2.0 * number * each + 10.0)).abs() < 1e-6, "{record:?}");
    }
}

#[test]
fn several_pairs_at_once_and_a_root_that_takes_no_part() {
    let warm = |pairs: &str| Options {
        pairs: Some(vec![pairs.parse().expect("pairs")]),
        cache_modes: Some(vec![CacheMode::Warm]),
        ..options("(0,3),(1,1)", 1_024)
    };
    let times = |pairs| -> Vec<(Point, f64)> {
        let mut times: Vec<(Point, f64)> = all(&plain(), Kernel::Swap, &simulated(4, warm(pairs)))
            .iter()
            .map(|record| (record.point.clone().with_text(param::BETWEEN, ""), micros(record)))
            .collect();
        times.sort_by(|a, b| a.0.cmp(&b.0));
        times
    };
    let alone = times("0-2");
    assert_eq!(alone.len(), 2 * 2 * 11);
    for pairs in ["0-2,1-3", "all", "3-1"] {
        assert_eq!(times(pairs), alone, "{pairs}");
    }
}

#[test]
fn a_ring_takes_as_long_as_a_pair() {
    let warm = Options { cache_modes: Some(vec![CacheMode::Warm]), ..options("(0,3),(1,0)", 1_024) };
    for record in all(&plain(), Kernel::SendReceive, &simulated(4, warm)) {
        if record.absent.is_some() {
            continue;
        }
        let (number, each) = messages(&record);
        let both = if text(&record, param::PROTOCOL) == "(1,0)" { 2.0 } else { 1.0 };
        // Ranks 3 and 0 are two links apart, which adds no time with circuit switching.
        assert!((micros(&record) - both * number * each).abs() < 1e-6, "{record:?}");
    }
}

/// T(N) = 10 us N + 1 us V, and twice that in turns: latency is 10 us in both, to the picosecond.
#[test]
fn statistics_are_those_of_commtest() {
    let records = all(&plain(), Kernel::Swap, &simulated(2, options("(0,3),(1,1)", 1_024)));
    let found = statistics(&records.iter().collect::<Vec<_>>());
    assert_eq!(found.len(), 2 * 2 * 2);
    for each in &found {
        let unordered = each.protocol.id() == "(0,3)";
        let near = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-9, "{each:?}: {a} and {b}");
        let (_, swaps) = each.per_swap.expect("times differ");
        assert_eq!((swaps, each.best_size), ([512, 1_024], 1_024));
        near(each.latency().expect("a").value, 10e-6);
        let least = (10e-6 + 1_024e-6) * if unordered { 1.0 } else { 2.0 };
        near(each.per_byte.value, least / 1_024.0);
        near(each.swap_bandwidth().value, 2.0 * 1_024.0 / least);
        near(each.one_way_bandwidth().value, if unordered { 1_024.0 } else { 2_048.0 } / least);
        // The model counts the first message twice: 10 us too much at every size.
        let sizes = (0..=10).map(|power| 10.0 / (10.0 * f64::from(1 << power) + 1_024.0));
        near(each.error.expect("a model"), sizes.sum::<f64>() / 11.0);
        assert_eq!(each.dominant, None);
    }
    let labels: Vec<String> = findings(&records).into_iter().map(|finding| finding.label).collect();
    for label in [
        "a, (0,3) irecv-isend",
        "b, (1,1)",
        "latency, (1,1)",
        "busy bandwidth, (0,3)",
        "idle bandwidth, (1,1)",
        "error of",
    ] {
        assert!(labels.iter().any(|found| found.starts_with(label)), "{label}: {labels:?}");
    }
}

/// A message layer that takes 100 us more from 64 bytes on has two regimes, and 1024 and 512 swaps
/// of one of them are compared.
#[test]
fn a_change_of_protocol_is_found() {
    let size = |bytes: u64| {
        let each = 10.0 + bytes as f64 + if bytes >= 64 { 100.0 } else { 0.0 };
        let point = Point::new(2)
            .with(param::VOLUME, 4_096)
            .with(param::BYTES, bytes)
            .with_text(param::PROTOCOL, "(0,1)");
        let nanos = 4_096.0 / bytes as f64 * each * 1e3;
        record("swap/swap", &point, vec![nanos; 12])
    };
    let records: Vec<Record> = (2..=12).map(|power| size(1 << power)).collect();
    let found = statistics(&records.iter().collect::<Vec<_>>());
    let dominant = found[0].dominant.expect("two laws");
    assert_eq!((dominant.from, dominant.to), (64, 4_096));
    assert!((found[0].latency().expect("a").value / 10e-6 - 1.0).abs() < 1e-9);
}
