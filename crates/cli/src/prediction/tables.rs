//! The tables of a prediction.

use panto_report::table::{Column, Table};
use panto_sim::observe::Activity;
use panto_sim::results::Spent;
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

fn seconds(moment: Time) -> String {
    time(moment.as_secs())
}

fn share(part: Time, whole: Time) -> String {
    if whole == Time::ZERO { "-".into() } else { percent(100.0 * part.as_secs() / whole.as_secs()) }
}

/// A column: its name, and the time that it shows.
type Part = (&'static str, fn(&Spent) -> Time);

/// The times of a rank; that in which others had its processor only where ranks share processors.
fn columns(shown: &Shown) -> Vec<Part> {
    let all: [Part; 4] = [
        ("computes", |spent| spent.compute),
        ("communicates", Spent::communicated),
        ("waits", |spent| spent.waited),
        ("processor taken", |spent| spent.shared),
    ];
    let shares = shown.prediction.spent().shared > Time::ZERO;
    all[..if shares { 4 } else { 3 }].to_vec()
}

fn names(shown: &Shown) -> impl Iterator<Item = &'static str> {
    ["ends"].into_iter().chain(columns(shown).into_iter().map(|(name, _)| name)).chain(["idle"])
}

fn times(shown: &Shown, rank: usize) -> Vec<Time> {
    let spent = &shown.prediction.totals.ranks()[rank].spent;
    let own = columns(shown).into_iter().map(|(_, time)| time(spent));
    [shown.prediction.ends[rank]].into_iter().chain(own).chain([shown.prediction.idle(rank)]).collect()
}

/// A row for each rank.
pub fn ranks(shown: &Shown) -> Table {
    let mut columns = vec![Column::right("rank"), Column::right("processor")];
    columns.extend(names(shown).map(Column::right));
    columns.extend([Column::right("messages in"), Column::right("bytes in")]);
    let mut table = Table::new(columns);
    for (rank, totals) in shown.prediction.totals.ranks().iter().enumerate() {
        let mut row = vec![rank.to_string(), shown.case.places[rank].to_string()];
        row.extend(times(shown, rank).into_iter().map(seconds));
        row.extend([grouped(totals.messages), panto_units::bytes(totals.bytes)]);
        table.row(row);
    }
    table
}

/// How the times of many ranks are spread.
fn spread(shown: &Shown) -> Table {
    let count = shown.prediction.ends.len();
    let all: Vec<Vec<Time>> = (0..count).map(|rank| times(shown, rank)).collect();
    let mut columns = vec![Column::text("of the ranks")];
    columns.extend(names(shown).map(Column::right));
    let mut table = Table::new(columns);
    let rows =
        [("least", 0), ("quarter", count / 4), ("median", count / 2), ("three quarters", 3 * count / 4)];
    for (name, place) in rows.into_iter().chain([("most", count - 1)]) {
        let nth = |column: usize| {
            let mut sorted: Vec<Time> = all.iter().map(|times| times[column]).collect();
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
        (_, None) => "messages".into(),
    }
}
