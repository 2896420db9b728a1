//! Findings recover the figures from which synthetic curves were made.

use panto_bench::message_sizes;
use panto_findings::{Finding, findings};
use panto_results::{Point, Record, param};

use crate::support::record;

/// Returns the published time of the iPSC/860 in microseconds: two regimes with a jump at 100
/// bytes, each with its own time per hop (C17).
fn ipsc860(bytes: u64, hops: u64) -> f64 {
    let far = (hops.max(1) - 1) as f64 * if bytes <= 100 { 8.33 } else { 25.0 };
    let near = if bytes <= 100 { 79.0 + 0.63 * bytes as f64 } else { 156.0 + 0.41 * bytes as f64 };
    near + far
}

fn echo(bytes: u64, hops: u64) -> Record {
    let nanos = ipsc860(bytes, hops) * 1e3;
    let point = Point::new(16).with(param::HOPS, hops).with(param::BYTES, bytes);
    let samples = [0.99, 1.0, 1.0, 1.0, 1.0, 1.0, 1.01].map(|factor| nanos * factor).to_vec();
    Record { moved: Some(bytes), ..record("comet/echo", &point, samples) }
}

fn echoes() -> Vec<Finding> {
    let sizes = message_sizes(16 << 10, 3);
    let each = |hops| sizes.iter().map(move |&bytes| echo(bytes, hops)).collect::<Vec<_>>();
    findings(&(1..=4).flat_map(each).collect::<Vec<_>>())
}

#[track_caller]
fn near(findings: &[Finding], label: &str, value: f64) {
    let found = findings.iter().find(|finding| finding.label.starts_with(label));
    let found = found.unwrap_or_else(|| panic!("no `{label}` in {findings:#?}"));
    assert!((found.value / value - 1.0).abs() < 0.01, "{label}: {} instead of {value}", found.value);
}

#[test]
fn both_regimes_of_the_ipsc860_are_found() {
    let found = echoes();
    near(&found, "empty message, 1 hop", 79e-6);
    near(&found, "start-up, 1 hop, 0B to", 79e-6);
    near(&found, "per byte, 1 hop, 0B to", 0.63e-6);
    let second = found.iter().filter(|finding| finding.label.starts_with("start-up, 1 hop")).nth(1);
    assert!((second.expect("a second regime").value / 156e-6 - 1.0).abs() < 0.01);
    let hops: Vec<(&str, f64)> = found
        .iter()
        .filter(|finding| finding.label.starts_with("each further hop"))
        .map(|finding| (finding.label.as_str(), (finding.value * 1e8).round() / 1e8))
        .collect();
    let [(short, quick), (long, slow)] = hops[..] else { panic!("two regimes: {hops:?}") };
    assert!(short.starts_with("each further hop, 0B to ") && long.ends_with("to 16KiB, one way"), "{hops:?}");
    assert!((quick / 8.33e-6 - 1.0).abs() < 0.01 && (slow / 25e-6 - 1.0).abs() < 0.01, "{hops:?}");
}

#[test]
fn bandwidth_and_its_sizes() {
    let found = echoes();
    let peak = 16384.0 / (ipsc860(16384, 1) * 1e-6);
    near(&found, "peak bandwidth, 1 hop", peak);
    let half = found.iter().find(|finding| finding.label.starts_with("size of half the peak, 1 hop"));
    let half = half.expect("derived").value;
    // The thesis states 486 bytes, relative to its own peak.
    assert!((300.0..500.0).contains(&half), "{half}");
}

/// Hockney's figures from times of 1 us and 10 ns an element.
#[test]
fn rate_and_half_length_of_a_node() {
    let daxpy = |length: u64| {
        record("comet/daxpy", &Point::new(1).with(param::LENGTH, length), vec![1e3 + 10.0 * length as f64; 8])
    };
    let found = findings(&[1, 10, 100, 1_000, 10_000].map(daxpy));
    near(&found, "r-infinity, 1 to 10000 elements", 2e8);
    near(&found, "n-half, 1 to 10000 elements: elements", 100.0);
}

#[test]
fn growth_of_matrix_kernels() {
    let matrix =
        |dim: u64, nanos: f64| record("comet/shift", &Point::new(4).with(param::DIM, dim), vec![nanos; 8]);
    let records: Vec<Record> = (1..9).map(|k| matrix(64 << k, ((64_u64 << k) as f64).powi(2))).collect();
    near(&findings(&records), "exponent of growth", 2.0);
}

#[test]
fn growth_of_collectives_with_the_ranks() {
    let barrier =
        |ranks: usize| record("comet/barrier", &Point::new(ranks), vec![1000.0 * (ranks as f64).log2(); 8]);
    near(&findings(&[2, 4, 8, 16].map(barrier)), "each doubling of the ranks", 1e-6);
}

#[test]
fn slowdown_under_load() {
    let echo = |load: u64, nanos: f64| {
        let point =
            Point::new(4).with(param::LOAD, load).with(param::BYTES, 64).with(param::LOAD_BYTES, load);
        record("comet/contention", &point, vec![nanos; 8])
    };
    near(&findings(&[echo(0, 100.0), echo(50, 130.0), echo(90, 180.0)]), "slowdown under 90% load", 80.0);
}

#[test]
fn no_records_give_no_findings() {
    assert!(findings(&[]).is_empty());
    let lonely = record("comet/echo", &Point::new(2), vec![]);
    assert!(findings(&[lonely]).is_empty());
}
