//! The tables of a prediction.

use panto_report::table::{Column, Table};
use panto_sim::observe::Activity;
use panto_sim::results::{Spent, Sum};
use panto_units::{Time, percent, time};

use super::Shown;
use crate::trace::grouped;

/// With more ranks, they are summed up.
const MOST_RANKS: usize = 16;
/// So many parts of the critical path are shown.
const MOST_SHARES: usize = 8;

/// All tables for people.
pub fn all(shown: &Shown, all_ranks: bool) -> Vec<Table> {
    let many = shown.prediction.ends.len() > MOST_RANKS && !all_ranks;
    let mut tables = vec![if many { spread(shown) } else { ranks(shown) }];
    if many || shown.prediction.processors.len() < shown.prediction.ends.len() {
        tables.extend((!many).then(|| processors(shown)));
    }
    tables.push(calls(shown));
    tables.extend(path(shown));
    tables
}

fn seconds(moment: impl Into<Sum>) -> String {
    time(moment.into().as_secs())
}

fn share(part: impl Into<Sum>, whole: impl Into<Sum>) -> String {
    let (part, whole) = (part.into(), whole.into());
    if whole == Sum::ZERO { "-".into() } else { percent(100.0 * part.as_secs() / whole.as_secs()) }
}

/// A column: its name, and the time that it shows.
type Part = (&'static str, fn(&Spent) -> Sum);

/// The times of a rank; that in which others had its processor only where ranks share processors.
fn columns(shown: &Shown) -> Vec<Part> {
    let all: [Part; 4] = [
        ("computes", |spent| spent.compute),
        ("communicates", Spent::communicated),
        ("waits", |spent| spent.waited),
        ("processor taken", |spent| spent.shared),
    ];
    let shares = shown.prediction.spent().shared > Sum::ZERO;
    all[..if shares { 4 } else { 3 }].to_vec()
}

fn names(parts: &[Part]) -> impl Iterator<Item = &'static str> {
    ["ends"].into_iter().chain(parts.iter().map(|(name, _)| *name)).chain(["idle"])
}

fn times(shown: &Shown, parts: &[Part], rank: usize) -> Vec<Sum> {
    let spent = &shown.prediction.totals.ranks()[rank].spent;
    let own = parts.iter().map(|(_, time)| time(spent));
    let (end, idle) = (shown.prediction.ends[rank], shown.prediction.idle(rank));
    [end.into()].into_iter().chain(own).chain([idle.into()]).collect()
}

/// A row for each rank, in seconds, for machines.
pub fn csv(shown: &Shown) -> Table {
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
    for (rank, totals) in shown.prediction.totals.ranks().iter().enumerate() {
        let spent = &totals.spent;
        let mut row = vec![rank.to_string(), shown.case.places[rank].to_string()];
        let times = [spent.compute, spent.communicated(), spent.waited, spent.shared];
        row.push(shown.prediction.ends[rank].as_secs().to_string());
        row.extend(times.map(|time| time.as_secs().to_string()));
        row.push(shown.prediction.idle(rank).as_secs().to_string());
        row.extend([totals.messages.to_string(), totals.bytes.to_string()]);
        table.row(row);
    }
    table
}

/// A row for each rank.
pub fn ranks(shown: &Shown) -> Table {
    let parts = columns(shown);
    let mut columns = vec![Column::right("rank"), Column::right("processor")];
    columns.extend(names(&parts).map(Column::right));
    columns.extend([Column::right("messages in"), Column::right("bytes in")]);
    let mut table = Table::new(columns);
    for (rank, totals) in shown.prediction.totals.ranks().iter().enumerate() {
        let mut row = vec![rank.to_string(), shown.case.places[rank].to_string()];
        row.extend(times(shown, &parts, rank).into_iter().map(seconds));
        row.extend([grouped(totals.messages), panto_units::bytes(totals.bytes)]);
        table.row(row);
    }
    table
}

/// How the times of many ranks are spread.
fn spread(shown: &Shown) -> Table {
    let (count, parts) = (shown.prediction.ends.len(), columns(shown));
    let all: Vec<Vec<Sum>> = (0..count).map(|rank| times(shown, &parts, rank)).collect();
    let mut columns = vec![Column::text("of the ranks")];
    columns.extend(names(&parts).map(Column::right));
    let mut table = Table::new(columns);
    let rows =
        [("least", 0), ("quarter", count / 4), ("median", count / 2), ("three quarters", 3 * count / 4)];
    for (name, place) in rows.into_iter().chain([("most", count - 1)]) {
        let nth = |column: usize| {
            let mut sorted: Vec<Sum> = all.iter().map(|times| times[column]).collect();
            *sorted.select_nth_unstable(place).1
        };
        let mut row = vec![name.to_owned()];
        row.extend((0..all[0].len()).map(|column| seconds(nth(column))));
        table.row(row);
    }
    table
}

fn processors(shown: &Shown) -> Table {
    let columns = [Column::right("processor"), Column::right("utilisation"), Column::text("ranks")];
    let mut table = Table::new(columns);
    for processor in &shown.prediction.processors {
        let ranks = crate::trace::listed(&processor.ranks.iter().copied().collect());
        let utilisation = percent(100.0 * shown.prediction.utilisation(processor));
        table.row([processor.number.to_string(), utilisation, ranks]);
    }
    table
}

/// What each function took on all ranks together, the longest first.
fn calls(shown: &Shown) -> Table {
    let columns = [
        Column::text("function"),
        Column::right("calls"),
        Column::right("time"),
        Column::right("work"),
        Column::right("waiting"),
        Column::right("of all time"),
    ];
    let mut table = Table::new(columns);
    let whole = shown.prediction.spent().total();
    let names = &shown.replay.program.calls;
    let mut calls: Vec<_> = names.iter().zip(shown.prediction.totals.calls()).collect();
    calls.sort_by_key(|(name, totals)| (std::cmp::Reverse(totals.spent.total()), *name));
    for (name, totals) in calls.into_iter().filter(|(_, totals)| totals.calls > 0) {
        let spent = &totals.spent;
        table.row([
            name.clone(),
            grouped(totals.calls),
            seconds(spent.total()),
            seconds(spent.busy()),
            seconds(spent.waited),
            share(spent.total(), whole),
        ]);
    }
    table
}

/// The longest parts of the critical path.
fn path(shown: &Shown) -> Option<Table> {
    let found = shown.prediction.path.as_ref()?;
    let whole = shown.prediction.time();
    let columns = [Column::text("critical path"), Column::right("time"), Column::right("share")];
    let mut table = Table::new(columns);
    let mut rows: Vec<(String, Time)> = found
        .shares
        .iter()
        .map(|share| {
            let call = share.call.and_then(|call| shown.replay.program.calls.get(call as usize));
            (format!("rank {}: {}", share.rank, what(share.activity, call)), share.time)
        })
        .collect();
    rows.push(("network".into(), found.path.network()));
    rows.sort_by_key(|(_, time)| std::cmp::Reverse(*time));
    let rest = rows.split_off(rows.len().min(MOST_SHARES));
    if !rest.is_empty() {
        let sum = rest.iter().fold(Time::ZERO, |sum, (_, time)| sum.saturating_add(*time));
        rows.push((format!("{} other parts", rest.len()), sum));
    }
    for (name, time) in rows.into_iter().filter(|(_, time)| *time > Time::ZERO) {
        table.row([name, seconds(time), share(time, whole)]);
    }
    Some(table)
}

fn what(activity: Activity, call: Option<&String>) -> String {
    match (activity, call) {
        (Activity::Compute, _) => "computation".into(),
        (_, Some(call)) => call.clone(),
        (Activity::Combine, None) => "combining beside its calls".into(),
        (_, None) => "messages beside its calls".into(),
    }
}
