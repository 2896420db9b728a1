//! Warnings about the reliability of measurements.

use panto_results::{Record, StopReason};
use panto_stats::{Concern, diagnose};
use panto_units as units;

use super::group::{Group, groups};
use super::{param, phrases};

/// Upper limit of kernels with a sentence of their own; the others are counted.
const MAX_KERNELS: usize = 4;

/// Anomalies of fewer points than this share may be chance: each test has a false-positive rate of
/// 1%.
const CHANCE: f64 = 0.05;

/// Returns warnings that the figures alone do not show: points without the requested precision,
/// steal time, late starts, clocks that differ, drift and bimodal distributions. A handful of
/// sentences at most.
pub fn concerns(records: &[Record]) -> Vec<String> {
    let groups = groups(records);
    let checks = [wrong, out_of_time, interrupted, stolen, late, clocks, computations];
    let general = checks.into_iter().filter_map(|check| check(&groups));
    let mut anomalies: Vec<String> = groups.iter().filter_map(anomalies).collect();
    let more = anomalies.len().saturating_sub(MAX_KERNELS);
    anomalies.truncate(MAX_KERNELS);
    if more > 0 {
        anomalies.push(format!("{more} more kernels have points that are bimodal or drift"));
    }
    general.chain(anomalies).map(|sentence| phrases::one_line(&sentence)).collect()
}

/// A record and the kernel's group it belongs to.
type GroupedRecord<'a> = (&'a Group<'a>, &'a Record);

fn grouped_records<'a>(groups: &'a [Group<'a>]) -> impl Iterator<Item = GroupedRecord<'a>> {
    groups.iter().flat_map(|group| group.records.iter().map(move |record| (group, *record)))
}

/// Names a point with its kernel: `comet/echo, 1 hop, size 64B`.
fn named((group, record): GroupedRecord) -> String {
    format!("{}, {}", group.kernel, point(group, record))
}

/// Names a point: `1 hop, size 64B`.
pub(super) fn point(group: &Group, record: &Record) -> String {
    let names = group.varying().into_iter().chain([group.axis.as_str()]);
    names.map(|name| param::of(record, name)).collect::<Vec<_>>().join(", ")
}

/// Returns the record where `size` is largest.
fn worst<'a>(
    grouped_records: &[GroupedRecord<'a>],
    size: impl Fn(&Record) -> f64,
) -> Option<(GroupedRecord<'a>, f64)> {
    let sized = grouped_records.iter().map(|&(group, record)| ((group, record), size(record)));
    sized.max_by(|a, b| a.1.total_cmp(&b.1))
}

/// Warns of wrong results, whose times are meaningless.
fn wrong(groups: &[Group]) -> Option<String> {
    let found: Vec<GroupedRecord> =
        grouped_records(groups).filter(|(_, record)| record.wrong.is_some()).collect();
    let &(group, record) = found.first()?;
    let what = record.wrong.as_deref().unwrap_or_default();
    let count = found.len();
    Some(format!(
        "{count} points delivered wrong data; their times are meaningless ({}: {what})",
        named((group, record))
    ))
}

fn computations(groups: &[Group]) -> Option<String> {
    let part = |record: &Record| phrases::comp_error(record).unwrap_or(0.0).abs();
    let found: Vec<GroupedRecord> =
        grouped_records(groups).filter(|(_, record)| part(record) > 0.0).collect();
    let (found_at, part) = worst(&found, part)?;
    Some(format!(
        "computation deviates from its requested time at {} of {} points, by up to {} ({})",
        found.len(),
        grouped_records(groups).count(),
        units::percent(100.0 * part),
        named(found_at)
    ))
}

fn out_of_time(groups: &[Group]) -> Option<String> {
    let found: Vec<GroupedRecord> =
        grouped_records(groups).filter(|(_, record)| record.stop == StopReason::Budget).collect();
    let width = |record: &Record| record.summary().map_or(f64::INFINITY, |s| s.relative_half_width());
    let (found_at, width) = worst(&found, width)?;
    let width =
        if width.is_finite() { format!("+-{}", units::percent(100.0 * width)) } else { "unknown".into() };
    Some(format!(
        "{} of {} points ran out of time before the requested precision; the widest interval is {width} ({})",
        found.len(),
        grouped_records(groups).count(),
        named(found_at)
    ))
}

fn interrupted(groups: &[Group]) -> Option<String> {
    let found: Vec<GroupedRecord> =
        grouped_records(groups).filter(|(_, record)| record.stop == StopReason::Interrupted).collect();
    found.first().map(|&found_at| format!("the run was interrupted while measuring {}", named(found_at)))
}

fn stolen(groups: &[Group]) -> Option<String> {
    let part = |record: &Record| record.steal.unwrap_or(0.0);
    let found: Vec<GroupedRecord> =
        grouped_records(groups).filter(|(_, record)| part(record) > phrases::STEAL).collect();
    let (found_at, part) = worst(&found, part)?;
    Some(format!(
        "steal time exceeds 1% of the cores' time at {} of {} points, up to {} ({})",
        found.len(),
        grouped_records(groups).count(),
        units::percent(100.0 * part),
        named(found_at)
    ))
}

fn late(groups: &[Group]) -> Option<String> {
    let found: Vec<GroupedRecord> = grouped_records(groups).filter(|(_, record)| record.late > 0).collect();
    let (found_at, most) = worst(&found, |record| record.late as f64)?;
    let late: u64 = found.iter().map(|(_, record)| record.late).sum();
    let kept: usize = grouped_records(groups).map(|(_, record)| record.samples_ns.len()).sum();
    Some(format!(
        "{late} of {} samples were discarded because a rank started late, {most} of them at {}",
        kept as u64 + late,
        named(found_at)
    ))
}

fn clocks(groups: &[Group]) -> Option<String> {
    let part = |record: &Record| phrases::clock_doubt(record).unwrap_or(0.0);
    let found: Vec<GroupedRecord> =
        grouped_records(groups).filter(|(_, record)| part(record) > 0.0).collect();
    let (found_at, part) = worst(&found, part)?;
    let error = units::time(found_at.1.clock_error_ns.unwrap_or(0.0) * 1e-9);
    Some(format!(
        "{} of {} points depend on clocks of several hosts that may differ by more than 10% of the time, by up to {} ({}: within \
         {error})",
        found.len(),
        grouped_records(groups).count(),
        units::percent(100.0 * part),
        named(found_at)
    ))
}

/// An anomaly shared by points of one kernel, with the most extreme point as an example.
struct Anomaly {
    count: usize,
    example: String,
}

/// Returns the anomalies of a kernel. Simulated times are exact: where they differ, the model
/// explains it.
fn anomalies(group: &Group) -> Option<String> {
    let measured = group.records.iter().filter(|record| record.machine.is_none());
    let found: Vec<(&Record, Concern)> = measured.flat_map(|record| diagnosed(record)).collect();
    let total = group.records.len();
    let sentence = |anomaly: Option<Anomaly>, what: &str| {
        let anomaly = anomaly.filter(|anomaly| anomaly.count as f64 > CHANCE * total as f64)?;
        Some(format!("{} of {total} points {what} (e.g. {})", anomaly.count, anomaly.example))
    };
    let bimodal = sentence(anomaly(group, &found, modes), "are bimodal");
    let drift = sentence(anomaly(group, &found, drift), "drift");
    let sentences: Vec<String> = [bimodal, drift].into_iter().flatten().collect();
    (!sentences.is_empty()).then(|| format!("{}: {}", group.kernel, sentences.join("; ")))
}

/// Passes that differ are told as such, not as a drift.
fn diagnosed(record: &Record) -> impl Iterator<Item = (&Record, Concern)> {
    let concerns = diagnose(&record.samples_ns).unwrap_or_default();
    let is_drift = |concern: &Concern| matches!(concern, Concern::Drift { .. });
    let concerns = concerns.into_iter().filter(move |concern| record.passes.len() < 2 || !is_drift(concern));
    concerns.map(move |concern| (record, concern))
}

/// Severity of an anomaly, and its description.
type Extreme = (f64, String);

fn anomaly(
    group: &Group,
    found: &[(&Record, Concern)],
    measure: fn(&Concern) -> Option<Extreme>,
) -> Option<Anomaly> {
    let measured = found.iter().filter_map(|(record, concern)| Some((*record, measure(concern)?)));
    let all: Vec<(&Record, Extreme)> = measured.collect();
    let (record, (_, words)) = all.iter().max_by(|a, b| a.1.0.total_cmp(&b.1.0))?;
    Some(Anomaly { count: all.len(), example: format!("{}: {words}", point(group, record)) })
}

fn modes(concern: &Concern) -> Option<Extreme> {
    let &Concern::Bimodal { low, high, .. } = concern else { return None };
    let [low_words, high_words] = [low, high].map(|nanos| units::time(nanos * 1e-9));
    Some((high / low, format!("{low_words} and {high_words}")))
}

fn drift(concern: &Concern) -> Option<Extreme> {
    let &Concern::Drift { change, .. } = concern else { return None };
    let way = if change > 0.0 { "up" } else { "down" };
    Some((change.abs(), format!("{way} by {} during the measurement", units::percent(100.0 * change.abs()))))
}
