//! The tables of a prediction.

use panto_sim::observe::Activity;
use panto_sim::results::{CallTotals, TimeBreakdown, TimeSum};
use panto_trace::RegionMark;
use panto_units::{Time, grouped, percent, time};

use super::PredictionReport;
use crate::present::ranks::rank_list;
use crate::table::{Column, Table};

/// Ranks that get a row each; more are summarised by quantiles.
const MOST_RANKS: usize = 16;
/// Rows of the table of the critical path; the others are summed up in one more.
const MOST_SHARES: usize = 8;

/// Returns the tables for a terminal.
pub(super) fn all(report: &PredictionReport, all_ranks: bool) -> Vec<Table> {
    let many = report.prediction.ends.len() > MOST_RANKS && !all_ranks;
    let mut tables = vec![if many { quantiles(report) } else { ranks(report) }];
    if many || report.prediction.processors.len() < report.prediction.ends.len() {
        tables.extend((!many).then(|| processors(report)));
    }
    tables.push(calls(report));
    tables.extend(path(report));
    tables
}

fn seconds(time_span: impl Into<TimeSum>) -> String {
    time(time_span.into().as_secs())
}

fn share(part: impl Into<TimeSum>, whole: impl Into<TimeSum>) -> String {
    let (part, whole) = (part.into(), whole.into());
    if whole == TimeSum::ZERO { "-".into() } else { percent(100.0 * part.as_secs() / whole.as_secs()) }
}

/// A column: its heading, and the time that it shows.
type TimeColumn = (&'static str, fn(&TimeBreakdown) -> TimeSum);

/// Returns the columns of times; the time taken by other ranks of the same processor only where
/// ranks share processors.
fn columns(report: &PredictionReport) -> Vec<TimeColumn> {
    let all: [TimeColumn; 4] = [
        ("compute", |spent| spent.compute),
        ("overhead", TimeBreakdown::communicated),
        ("wait", |spent| spent.waited),
        ("preempted", |spent| spent.shared),
    ];
    let shares = report.prediction.spent().shared > TimeSum::ZERO;
    all[..if shares { 4 } else { 3 }].to_vec()
}

fn names(parts: &[TimeColumn]) -> impl Iterator<Item = &'static str> {
    ["end"].into_iter().chain(parts.iter().map(|(name, _)| *name)).chain(["idle"])
}

fn times(report: &PredictionReport, parts: &[TimeColumn], rank: usize) -> Vec<TimeSum> {
    let spent = &report.prediction.totals.ranks()[rank].spent;
    let own = parts.iter().map(|(_, time)| time(spent));
    let (end, idle) = (report.prediction.ends[rank], report.prediction.idle(rank));
    [end.into()].into_iter().chain(own).chain([idle.into()]).collect()
}

/// Returns one row per rank; times in seconds.
pub(super) fn csv(report: &PredictionReport) -> Table {
    let names = [
        "rank",
        "processor",
        "end_s",
        "computation_s",
        "communication_s",
        "waiting_s",
        "processor_taken_s",
        "idle_s",
    ];
    let columns = names.into_iter().chain(["messages_received", "bytes_received"]).map(Column::right);
    let mut table = Table::new(columns);
    for (rank, totals) in report.prediction.totals.ranks().iter().enumerate() {
        let spent = &totals.spent;
        let mut row = vec![rank.to_string(), report.case.places[rank].to_string()];
        let times = [spent.compute, spent.communicated(), spent.waited, spent.shared];
        row.push(report.prediction.ends[rank].as_secs().to_string());
        row.extend(times.map(|time| time.as_secs().to_string()));
        row.push(report.prediction.idle(rank).as_secs().to_string());
        row.extend([totals.messages.to_string(), totals.bytes.to_string()]);
        table.row(row);
    }
    table
}

/// Returns one row per rank.
fn ranks(report: &PredictionReport) -> Table {
    let parts = columns(report);
    let mut columns = vec![Column::right("rank"), Column::right("processor")];
    columns.extend(names(&parts).map(Column::right));
    columns.extend([Column::right("received"), Column::right("bytes")]);
    let mut table = Table::new(columns);
    for (rank, totals) in report.prediction.totals.ranks().iter().enumerate() {
        let mut row = vec![rank.to_string(), report.case.places[rank].to_string()];
        row.extend(times(report, &parts, rank).into_iter().map(seconds));
        row.extend([grouped(totals.messages), panto_units::bytes(totals.bytes)]);
        table.row(row);
    }
    table
}

/// Returns the quantiles of the ranks' times.
fn quantiles(report: &PredictionReport) -> Table {
    let (count, parts) = (report.prediction.ends.len(), columns(report));
    let all: Vec<Vec<TimeSum>> = (0..count).map(|rank| times(report, &parts, rank)).collect();
    let mut columns = vec![Column::text("quantile")];
    columns.extend(names(&parts).map(Column::right));
    let mut table = Table::new(columns);
    let rows = [("minimum", 0), ("25%", count / 4), ("median", count / 2), ("75%", 3 * count / 4)];
    for (name, place) in rows.into_iter().chain([("maximum", count - 1)]) {
        let nth = |column: usize| {
            let mut sorted: Vec<TimeSum> = all.iter().map(|times| times[column]).collect();
            *sorted.select_nth_unstable(place).1
        };
        let mut row = vec![name.to_owned()];
        row.extend((0..all[0].len()).map(|column| seconds(nth(column))));
        table.row(row);
    }
    table
}

fn processors(report: &PredictionReport) -> Table {
    let columns = [Column::right("processor"), Column::right("utilisation"), Column::text("ranks")];
    let mut table = Table::new(columns);
    for processor in &report.prediction.processors {
        let ranks = rank_list(&processor.ranks.iter().copied().collect());
        let utilisation = percent(100.0 * report.prediction.utilisation(processor));
        table.row([processor.number.to_string(), utilisation, ranks]);
    }
    table
}

/// Returns the time of each MPI function, summed over ranks, the longest first.
fn calls(report: &PredictionReport) -> Table {
    let columns = [
        Column::text("function"),
        Column::right("calls"),
        Column::right("time"),
        Column::right("overhead"),
        Column::right("wait"),
        Column::right("share"),
    ];
    let mut table = Table::new(columns);
    let whole = report.prediction.spent().total();
    let mut calls = report.prediction.totals.by_function(&report.replay.program);
    calls.sort_by_key(|(name, totals)| (std::cmp::Reverse(totals.spent.total()), *name));
    let is_shown = |name: &str, totals: &CallTotals| totals.calls > 0 && RegionMark::of(name).is_none();
    for (name, totals) in calls.into_iter().filter(|(name, totals)| is_shown(name, totals)) {
        let spent = &totals.spent;
        table.row([
            name.to_owned(),
            grouped(totals.calls),
            seconds(spent.total()),
            seconds(spent.busy()),
            seconds(spent.waited),
            share(spent.total(), whole),
        ]);
    }
    table
}

/// Returns the longest parts of the critical path.
fn path(report: &PredictionReport) -> Option<Table> {
    let found = report.prediction.path.as_ref()?;
    let whole = report.prediction.time();
    let columns = [Column::text("critical path"), Column::right("time"), Column::right("share")];
    let mut table = Table::new(columns);
    let mut rows: Vec<(String, Time)> = found
        .shares
        .iter()
        .map(|share| {
            let call = share.call.and_then(|call| report.replay.program.calls.get(call as usize));
            (format!("rank {}: {}", share.rank, part_name(share.activity, call)), share.time)
        })
        .collect();
    rows.push(("network".into(), found.network));
    rows.sort_by_key(|(_, time)| std::cmp::Reverse(*time));
    let rest = rows.split_off(rows.len().min(MOST_SHARES));
    if !rest.is_empty() {
        let sum = rest.iter().fold(Time::ZERO, |sum, (_, time)| sum.saturating_add(*time));
        rows.push((format!("{} others", rest.len()), sum));
    }
    for (name, time) in rows.into_iter().filter(|(_, time)| *time > Time::ZERO) {
        table.row([name, seconds(time), share(time, whole)]);
    }
    Some(table)
}

fn part_name(activity: Activity, call: Option<&String>) -> String {
    match (activity, call) {
        (Activity::Compute, _) => "computation".into(),
        (_, Some(call)) => call.clone(),
        (Activity::Combine, None) => "reductions outside calls".into(),
        (_, None) => "messages outside calls".into(),
    }
}
