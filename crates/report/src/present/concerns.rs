//! What a careful reader should know before believing the numbers.

use panto_bench::measure::Stop;
use panto_bench::results::Record;
use panto_stats::{Concern, diagnose};
use panto_units as units;

use super::group::{Group, groups};
use super::{param, words};

/// Kernels with a sentence of their own; the others are counted.
const MOST_KERNELS: usize = 4;

/// Oddities of fewer points than this share may be chance: each test is wrong in one of a hundred.
const CHANCE: f64 = 0.05;

/// What the figures alone do not tell: points without the wanted precision, time stolen by others, late starts, clocks that
/// differ, drift and two modes. A handful of sentences at most.
pub fn concerns(records: &[Record]) -> Vec<String> {
    let groups = groups(records);
    let looks = [wrong, out_of_time, interrupted, stolen, late, clocks, computations];
    let general = looks.into_iter().filter_map(|look| look(&groups));
    let mut odd: Vec<String> = groups.iter().filter_map(odd).collect();
    let more = odd.len().saturating_sub(MOST_KERNELS);
    odd.truncate(MOST_KERNELS);
    if more > 0 {
        odd.push(format!("{more} more kernels have points that are bimodal or drift"));
    }
    general.chain(odd).map(|sentence| words::printable(&sentence)).collect()
}

/// A record and the kernel it belongs to.
type Place<'a> = (&'a Group<'a>, &'a Record);

fn places<'a>(groups: &'a [Group<'a>]) -> impl Iterator<Item = Place<'a>> {
    groups.iter().flat_map(|group| group.records.iter().map(move |record| (group, *record)))
}

/// `comet/echo, 1 hop, size 64B`.
fn named((group, record): Place) -> String {
    format!("{}, {}", group.kernel, point(group, record))
}

/// `1 hop, size 64B`.
pub(super) fn point(group: &Group, record: &Record) -> String {
    let names = group.varying().into_iter().chain([group.axis.as_str()]);
    names.map(|name| param::of(record, name)).collect::<Vec<_>>().join(", ")
}

/// The place where `size` is largest.
fn worst<'a>(places: &[Place<'a>], size: impl Fn(&Record) -> f64) -> Option<(Place<'a>, f64)> {
    let sized = places.iter().map(|&(group, record)| ((group, record), size(record)));
    sized.max_by(|a, b| a.1.total_cmp(&b.1))
}

/// What gives wrong data is not fast, whatever its time.
fn wrong(groups: &[Group]) -> Option<String> {
    let found: Vec<Place> = places(groups).filter(|(_, record)| record.wrong.is_some()).collect();
    let &(group, record) = found.first()?;
    let what = record.wrong.as_deref().unwrap_or_default();
    let count = found.len();
    Some(format!(
        "{count} points gave wrong data, and their times mean nothing ({}: {what})",
        named((group, record))
    ))
}

fn computations(groups: &[Group]) -> Option<String> {
    let part = |record: &Record| words::comp_error(record).unwrap_or(0.0).abs();
    let found: Vec<Place> = places(groups).filter(|(_, record)| part(record) > 0.0).collect();
    let (place, part) = worst(&found, part)?;
    Some(format!(
        "at {} of {} points computations did not take the time that they should, by up to {} ({})",
        found.len(),
        places(groups).count(),
        units::percent(100.0 * part),
        named(place)
    ))
}

fn out_of_time(groups: &[Group]) -> Option<String> {
    let found: Vec<Place> = places(groups).filter(|(_, record)| record.stop == Stop::Budget).collect();
    let width = |record: &Record| record.summary().map_or(f64::INFINITY, |s| s.relative_half_width());
    let (place, width) = worst(&found, width)?;
    let width =
        if width.is_finite() { format!("+-{}", units::percent(100.0 * width)) } else { "unknown".into() };
    Some(format!(
        "{} of {} points ran out of time before the wanted precision; the widest interval is {width} ({})",
        found.len(),
        places(groups).count(),
        named(place)
    ))
}

fn interrupted(groups: &[Group]) -> Option<String> {
    let found: Vec<Place> = places(groups).filter(|(_, record)| record.stop == Stop::Interrupted).collect();
    found.first().map(|&place| format!("the run was interrupted while it measured {}", named(place)))
}

fn stolen(groups: &[Group]) -> Option<String> {
    let part = |record: &Record| record.steal.unwrap_or(0.0);
    let found: Vec<Place> = places(groups).filter(|(_, record)| part(record) > words::STEAL).collect();
    let (place, part) = worst(&found, part)?;
    Some(format!(
        "the hypervisor gave more than 1% of the cores' time to others at {} of {} points, up to {} ({})",
        found.len(),
        places(groups).count(),
        units::percent(100.0 * part),
        named(place)
    ))
}

fn late(groups: &[Group]) -> Option<String> {
    let found: Vec<Place> = places(groups).filter(|(_, record)| record.late > 0).collect();
    let (place, most) = worst(&found, |record| record.late as f64)?;
    let late: u64 = found.iter().map(|(_, record)| record.late).sum();
    let kept: usize = places(groups).map(|(_, record)| record.samples_ns.len()).sum();
    Some(format!(
        "{late} of {} samples were thrown away because a rank started late, {most} of them at {}",
        kept as u64 + late,
        named(place)
    ))
}

fn clocks(groups: &[Group]) -> Option<String> {
    let part = |record: &Record| words::clock_doubt(record).unwrap_or(0.0);
    let found: Vec<Place> = places(groups).filter(|(_, record)| part(record) > 0.0).collect();
    let (place, part) = worst(&found, part)?;
    let error = units::time(place.1.clock_error_ns.unwrap_or(0.0) * 1e-9);
    Some(format!(
        "{} of {} points depend on clocks of several hosts that may differ by more than 10% of the time, up to {} ({}: within \
         {error})",
        found.len(),
        places(groups).count(),
        units::percent(100.0 * part),
        named(place)
    ))
}

/// Points of one kernel that have the same oddity, with the most extreme one in words.
struct Oddity {
    count: usize,
    example: String,
}

/// Simulated times are what they are: where they differ, something else went on, and went on in the model.
fn odd(group: &Group) -> Option<String> {
    let measured = group.records.iter().filter(|record| record.machine.is_none());
    let found: Vec<(&Record, Concern)> = measured.flat_map(|record| diagnosed(record)).collect();
    let total = group.records.len();
    let said = |oddity: Option<Oddity>, what: &str| {
        let oddity = oddity.filter(|oddity| oddity.count as f64 > CHANCE * total as f64)?;
        Some(format!("{} of {total} points {what} (e.g. {})", oddity.count, oddity.example))
    };
    let bimodal = said(oddity(group, &found, modes), "are bimodal");
    let drift = said(oddity(group, &found, drift), "drift");
    let sentences: Vec<String> = [bimodal, drift].into_iter().flatten().collect();
    (!sentences.is_empty()).then(|| format!("{}: {}", group.kernel, sentences.join("; ")))
}

fn diagnosed(record: &Record) -> impl Iterator<Item = (&Record, Concern)> {
    let concerns = diagnose(&record.samples_ns).unwrap_or_default();
    concerns.into_iter().map(move |concern| (record, concern))
}

/// How extreme it is, and what to say of it.
type Extreme = (f64, String);

fn oddity(
    group: &Group,
    found: &[(&Record, Concern)],
    measure: fn(&Concern) -> Option<Extreme>,
) -> Option<Oddity> {
    let measured = found.iter().filter_map(|(record, concern)| Some((*record, measure(concern)?)));
    let all: Vec<(&Record, Extreme)> = measured.collect();
    let (record, (_, words)) = all.iter().max_by(|a, b| a.1.0.total_cmp(&b.1.0))?;
    Some(Oddity { count: all.len(), example: format!("{}: {words}", point(group, record)) })
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
