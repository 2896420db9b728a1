//! Two timelines side by side as text, JSON and CSV.

use std::fmt::Write as _;

use panto_measured::{Difference, Differences, Spent};
use panto_units::{Time, one_line, time};
use serde_json::{Value, json};

use crate::table::{Column, Table};

/// The name of time outside of functions.
const COMPUTATION: &str = "computation";

/// Returns the text for a terminal: how long both runs take, and where they differ most.
pub fn timeline_differences_text(differences: &Differences, names: [&str; 2], most: usize) -> String {
    let [old, new] = differences.makespans;
    let mut text = format!(
        "{}: {}; {}: {}; ratio {:.3}\n\n",
        names[0],
        time(old.as_secs()),
        names[1],
        time(new.as_secs()),
        new.as_secs() / old.as_secs().max(f64::MIN_POSITIVE)
    );
    let _ = write!(text, "{}", table(differences, most));
    if let Some(rest) = differences.functions.len().checked_sub(most).filter(|rest| *rest > 0) {
        let _ = writeln!(text, "and {rest} more (--all prints all)");
    }
    let _ =
        writeln!(text, "\nTimes are sums over {} ranks; the largest difference is first.", differences.ranks);
    text
}

/// Returns the table of all functions as CSV, times in seconds: a row for all ranks together, whose
/// rank is empty, and one for each rank.
pub fn timeline_differences_csv(differences: &Differences) -> String {
    let columns =
        ["function", "call_site", "rank", "old_s", "old_wait_s", "new_s", "new_wait_s", "difference_s"];
    let mut table = Table::new(columns.map(Column::text));
    for difference in &differences.functions {
        let all = std::iter::once((String::new(), [difference.old, difference.new]));
        let ranks = difference.ranks.iter().map(|(rank, spent)| (rank.to_string(), *spent));
        for (rank, [old, new]) in all.chain(ranks) {
            let change = new.time.as_secs() - old.time.as_secs();
            let site = difference.site.clone().unwrap_or_default();
            let seconds = [old.time, old.wait, new.time, new.wait].map(Time::as_secs);
            let numbers = seconds.into_iter().chain([change]).map(|number| number.to_string());
            table.row([name(difference), site, rank].into_iter().chain(numbers));
        }
    }
    table.to_csv()
}

/// Returns both runs as JSON, times in seconds.
pub fn timeline_differences_json(differences: &Differences) -> Value {
    let spent = |spent: &Spent| json!({ "time_s": spent.time.as_secs(), "wait_s": spent.wait.as_secs() });
    let functions = differences.functions.iter().map(|difference| {
        let (rank, old, new) = &difference.most;
        json!({
            "function": name(difference),
            "call_site": difference.site,
            "old": spent(&difference.old),
            "new": spent(&difference.new),
            "difference_s": difference.seconds(),
            "ranks": difference.ranks.iter().map(|(rank, [old, new])| {
                json!({ "rank": rank, "old": spent(old), "new": spent(new) })
            }).collect::<Vec<Value>>(),
            "most": { "rank": rank, "old": spent(old), "new": spent(new) },
        })
    });
    json!({
        "ranks": differences.ranks,
        "makespans_s": differences.makespans.map(Time::as_secs),
        "functions": functions.collect::<Vec<Value>>(),
    })
}

fn table(differences: &Differences, most: usize) -> Table {
    let columns = ["old", "of it wait", "new", "of it wait", "difference"].map(Column::right);
    let has_sites = differences.functions.iter().any(|difference| difference.site.is_some());
    let names = [Some("function"), has_sites.then_some("call site")];
    let columns = names.into_iter().flatten().map(Column::text).chain(columns);
    let mut table = Table::new(columns.chain([Column::text("most on")]));
    for difference in differences.functions.iter().take(most) {
        let Difference { old, new, most, .. } = difference;
        let seconds = difference.seconds();
        let sign = if seconds < 0.0 { "-" } else { "+" };
        let site = has_sites.then(|| one_line(difference.site.as_deref().unwrap_or_default()));
        let names = std::iter::once(one_line(&name(difference))).chain(site);
        table.row(names.chain([
            time(old.time.as_secs()),
            time(old.wait.as_secs()),
            time(new.time.as_secs()),
            time(new.wait.as_secs()),
            format!("{sign}{}", time(seconds.abs())),
            format!("rank {}", most.0),
        ]));
    }
    table
}

fn name(difference: &Difference) -> String {
    difference.call.clone().unwrap_or_else(|| COMPUTATION.to_owned())
}
