//! The fastest protocol at each size, and the recommended one.

use std::collections::BTreeMap;

use panto_findings::contest::{Entry, Round, rounds};
use panto_results::swap::{Loop, Protocol};
use panto_results::{Record, Value, param};
use panto_units::{bytes, rate, time};

use super::{Experiment, experiments};
use crate::table::{Column, Table};

/// Upper limit of ties that are named; the others are counted.
const MAX_TIED: usize = 6;
/// Upper limit of slower candidates that are named.
const MAX_BEHIND: usize = 3;

/// Returns the fastest protocols at each size, a table per volume and cache mode, and at the end
/// the recommended protocols. A protocol in the basic loop and in the preposting loop are two
/// candidates, since a programmer can choose either.
pub(super) fn tables(records: &[&Record]) -> Vec<(String, Table)> {
    let groups = experiments(records, &[param::PROTOCOL, param::LOOP, param::BYTES]);
    let contests: Vec<(&Experiment, Vec<Round>)> =
        groups.iter().map(|group| (group, contest(group))).collect();
    let fought = contests.iter().filter(|(_, rounds)| rounds.iter().any(|round| round.entries.len() > 1));
    let mut tables: Vec<(String, Table)> =
        fought.clone().map(|(group, rounds)| (heading(group), by_size(group, rounds))).collect();
    if !tables.is_empty() {
        let what = "Recommended protocol: never far behind the fastest at any message size";
        tables.push((what.into(), choices(fought)));
    }
    tables
}

fn heading(group: &Experiment) -> String {
    format!("{}: fastest protocol at each message size", group.name())
}

/// Returns the rounds by size; each candidate is a protocol in a loop.
fn contest(group: &Experiment) -> Vec<Round> {
    let named = |record: &&Record| {
        let mut record = (*record).clone();
        let (protocol, order) =
            (record.point.params.remove(param::PROTOCOL), record.point.params.remove(param::LOOP));
        let words = [protocol, order].into_iter().flatten().map(|value| value.to_string());
        let name = words.collect::<Vec<_>>().join(" ");
        record.point.params.insert(param::VARIANT.into(), Value::Text(name));
        record
    };
    let records: Vec<Record> = group.records.iter().map(named).collect();
    rounds(&records.iter().collect::<Vec<_>>(), param::VARIANT)
}

fn by_size(group: &Experiment, rounds: &[Round]) -> Table {
    let columns = [
        Column::right("size"),
        Column::text("fastest"),
        Column::right("time"),
        Column::right("95% interval"),
        Column::right("both directions"),
        Column::text("tied"),
        Column::text("next"),
    ];
    let caption =
        "time: of the whole volume; tied: the 95% intervals of the medians overlap; p: preposting loop";
    let mut table = Table::new(columns).caption(caption);
    let volume = group.point.number(param::VOLUME).unwrap_or(0);
    for round in rounds {
        let fastest = round.fastest();
        let seconds = fastest.nanos * 1e-9;
        table.row([
            bytes(round.point.number(param::BYTES).unwrap_or(0)),
            long(&fastest.name),
            time(seconds),
            span(fastest),
            rate(2.0 * volume as f64 / seconds),
            tied(round),
            behind(round),
        ]);
    }
    table
}

fn span(entry: &Entry) -> String {
    let (low, high) = (entry.interval.low * 1e-9, entry.interval.high * 1e-9);
    match high {
        _ if is_exact(entry) => "exact".into(),
        _ if high.is_finite() => format!("{}..{}", time(low), time(high)),
        _ => "too few samples".into(),
    }
}

/// Returns whether the value comes from a model.
fn is_exact(entry: &Entry) -> bool {
    entry.interval.high <= entry.interval.low
}

fn tied(round: &Round) -> String {
    let all: Vec<String> = round.tied().map(|entry| short(&entry.name)).collect();
    let shown = all[..all.len().min(MAX_TIED)].join(" ");
    if all.len() > MAX_TIED { format!("{shown} and {} more", all.len() - MAX_TIED) } else { shown }
}

/// Returns the candidates that are significantly slower, and by how much.
fn behind(round: &Round) -> String {
    let fastest = round.fastest();
    let slower = round.entries[1..].iter().filter(|entry| !entry.is_tied_with(fastest));
    let words = slower.take(MAX_BEHIND).map(|entry| {
        let (least, most) =
            (entry.interval.low / fastest.interval.high, entry.interval.high / fastest.interval.low);
        let ratio = format!("{} x{:.2}", short(&entry.name), entry.nanos / fastest.nanos);
        if is_exact(entry) && is_exact(fastest) { ratio } else { format!("{ratio} ({least:.2}..{most:.2})") }
    });
    words.collect::<Vec<_>>().join(", ")
}

/// Formats a candidate briefly: `(0,3)p` for the preposting loop.
fn short(name: &str) -> String {
    match name.split_once(' ') {
        Some((id, order)) if order == Loop::Prepost.to_string() => format!("{id}p"),
        Some((id, _)) => id.to_owned(),
        None => name.to_owned(),
    }
}

/// Formats a candidate with the name of its protocol.
fn long(name: &str) -> String {
    let id = name.split(' ').next().unwrap_or(name);
    let known = id.parse::<Protocol>().map(|protocol| protocol.name).unwrap_or_default();
    format!("{} {known}", short(name))
}

/// Performance of a candidate over all sizes.
struct CandidateScore<'a> {
    name: &'a str,
    among_fastest: usize,
    /// Largest ratio to the fastest.
    worst: f64,
}

fn choices<'a>(contests: impl Iterator<Item = &'a (&'a Experiment<'a>, Vec<Round>)>) -> Table {
    let columns = [
        Column::text("experiment"),
        Column::text("protocol"),
        Column::text("loop"),
        Column::right("among the fastest"),
        Column::right("worst slowdown"),
    ];
    let mut table = Table::new(columns);
    for (group, rounds) in contests {
        let Some(best) = safest(rounds) else { continue };
        let (id, order) = best.name.split_once(' ').unwrap_or((best.name, ""));
        let name = id.parse::<Protocol>().map_or_else(|_| id.to_owned(), |protocol| protocol.to_string());
        table.row([
            group.name(),
            name,
            order.to_owned(),
            format!("at {} of {} sizes", best.among_fastest, rounds.len()),
            format!("{:.0}%", 100.0 * (best.worst - 1.0)),
        ]);
    }
    table
}

/// Returns the candidate with the smallest worst-case ratio, of those measured at all sizes.
fn safest(rounds: &[Round]) -> Option<CandidateScore<'_>> {
    let mut scores: BTreeMap<&str, (usize, CandidateScore)> = BTreeMap::new();
    for round in rounds {
        let fastest = round.fastest();
        for entry in &round.entries {
            let new = || (0, CandidateScore { name: &entry.name, among_fastest: 0, worst: 1.0 });
            let (times, score) = scores.entry(&entry.name).or_insert_with(new);
            *times += 1;
            score.among_fastest += usize::from(entry.is_tied_with(fastest));
            score.worst = score.worst.max(entry.nanos / fastest.nanos);
        }
    }
    let everywhere = scores.into_values().filter(|(times, _)| *times == rounds.len()).map(|(_, score)| score);
    everywhere.min_by(|a, b| a.worst.total_cmp(&b.worst).then(b.among_fastest.cmp(&a.among_fastest)))
}
