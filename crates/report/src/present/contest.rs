//! The best algorithm by parameters, as a table and as a figure (M6, M7).

use std::collections::{BTreeMap, BTreeSet};

use panto_findings::contest::{Contest, Entry, Round, contests};
use panto_results::{Record, Value, param};
use panto_units::time;

use super::phrases;
use crate::chart::{Cell, Grid, GridRow};
use crate::table::{Column, Table};

/// Upper limit of names in a cell.
const MAX_NAMES: usize = 3;
const TIES: &str = "a ~ b: tied, their 95% intervals overlap";

/// Returns a heading and a table per contest of algorithms in these records: sizes by numbers of
/// ranks, and in each cell the fastest algorithm.
pub fn best_algorithm_tables(records: &[Record]) -> Vec<(String, Table)> {
    contests(records).iter().map(|contest| (heading(contest), table(contest))).collect()
}

/// Returns the same as figures, each with a name for its file.
pub fn best_algorithm_grids(records: &[Record]) -> Vec<(String, Grid)> {
    contests(records).iter().map(|contest| (file_name(contest), picture(contest))).collect()
}

fn heading(contest: &Contest) -> String {
    let in_words = |name: &str| match name {
        param::BYTES => "message size".to_owned(),
        name => super::param::header(name),
    };
    let axes: Vec<String> = Plane::of(contest).names.into_iter().map(in_words).collect();
    let and = if axes.is_empty() { "" } else { " and " };
    let (kernel, by) = (phrases::one_line(&contest.kernel), axes.join(", "));
    format!("{kernel}: {}, by {by}{and}number of ranks", contest.title)
}

/// Returns a file name such as `cm5-broadcast-fastest-broadcast`; a kernel may have several
/// contests.
fn file_name(contest: &Contest) -> String {
    let title = contest.title.trim_start_matches("the ").replace(", ", "-").replace(' ', "-");
    let machine = contest.machine.as_ref().map(|machine| format!("-{machine}")).unwrap_or_default();
    let safe = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    format!("{}-{title}{machine}", contest.kernel).chars().map(safe).collect()
}

/// The rounds as a grid: a row per size and context, a column per number of ranks.
struct Plane<'a> {
    /// Parameters that distinguish rows: delays and the like, then the size.
    names: Vec<&'a str>,
    rows: BTreeMap<Vec<Option<&'a Value>>, Vec<&'a Round>>,
    ranks: Vec<usize>,
}

impl<'a> Plane<'a> {
    fn of(contest: &'a Contest) -> Self {
        let has_sizes = contest.rounds.iter().any(|round| round.point.params.contains_key(param::BYTES));
        let names: Vec<&str> =
            contest.varying().into_iter().chain(has_sizes.then_some(param::BYTES)).collect();
        let mut rows: BTreeMap<_, Vec<&Round>> = BTreeMap::new();
        for round in &contest.rounds {
            let row = names.iter().map(|name| round.point.params.get(*name)).collect();
            rows.entry(row).or_default().push(round);
        }
        let ranks: BTreeSet<usize> = contest.rounds.iter().map(|round| round.point.ranks).collect();
        Self { names, rows, ranks: ranks.into_iter().collect() }
    }

    /// Returns the row headings, and the cells.
    fn rows(&self) -> impl Iterator<Item = (Vec<String>, Vec<Option<&'a Round>>)> {
        self.rows.iter().map(|(row, rounds)| {
            let heads = self.names.iter().zip(row).map(|(name, value)| super::param::cell(name, *value));
            let at = |ranks: &usize| rounds.iter().find(|round| round.point.ranks == *ranks).copied();
            (heads.collect(), self.ranks.iter().map(at).collect())
        })
    }

    fn heads(&self) -> Vec<String> {
        self.names.iter().map(|name| super::param::header(name)).collect()
    }

    fn has_ties(&self) -> bool {
        self.rows.values().flatten().any(|round| round.winner().is_none())
    }
}

fn table(contest: &Contest) -> Table {
    let plane = Plane::of(contest);
    let ranks = plane.ranks.iter().map(|ranks| Column::text(format!("{ranks} ranks")));
    let mut table = Table::new(plane.heads().into_iter().map(Column::right).chain(ranks));
    for (heads, rounds) in plane.rows() {
        let cells = rounds.into_iter().map(|round| round.map_or("-".into(), |round| cell(round).text()));
        table.row(heads.into_iter().chain(cells));
    }
    let simulated = contest.machine.as_ref().map(|machine| format!("simulated {machine}"));
    let ties = plane.has_ties().then(|| TIES.to_owned());
    let caption: Vec<String> = simulated.into_iter().chain(ties).collect();
    if caption.is_empty() { table } else { table.caption(caption.join("; ")) }
}

/// Returns the fastest algorithm and those tied with it.
fn cell(round: &Round) -> Cell {
    let all: Vec<&Entry> = std::iter::once(round.fastest()).chain(round.tied()).collect();
    let mut names: Vec<String> =
        all.iter().take(MAX_NAMES).map(|entry| phrases::one_line(&entry.name)).collect();
    if all.len() > MAX_NAMES {
        names.push(format!("{} more", all.len() - MAX_NAMES));
    }
    let times = round.entries.iter().map(|entry| format!("{} {}", entry.name, time(entry.nanos * 1e-9)));
    Cell { names, tooltip: times.collect::<Vec<_>>().join(", ") }
}

fn picture(contest: &Contest) -> Grid {
    let plane = Plane::of(contest);
    let row = |(heads, rounds): (Vec<String>, Vec<Option<&Round>>)| {
        let named = |round: &Round| {
            let Cell { names, tooltip } = cell(round);
            let point = heads.iter().cloned().chain([format!("{} ranks", round.point.ranks)]);
            Cell { names, tooltip: format!("{}: {tooltip}", point.collect::<Vec<_>>().join(", ")) }
        };
        let cells = rounds.into_iter().map(|round| round.map(named)).collect();
        GridRow { head: heads.join(", "), cells }
    };
    let simulated = contest.machine.as_ref().map(|machine| format!(", simulated {machine}"));
    Grid {
        title: phrases::capitalised(&contest.title),
        subtitle: format!("{}{}", contest.kernel, simulated.unwrap_or_default()),
        axes: [plane.heads().join(", "), "ranks".into()],
        columns: plane.ranks.iter().map(ToString::to_string).collect(),
        rows: plane.rows().map(row).collect(),
        notes: plane.has_ties().then(|| format!("{TIES}.")).into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use panto_results::{Point, Samples};
    use panto_units::Time;

    use super::*;

    fn record(who: &str, collective: &str, ranks: usize, delay: u64) -> Record {
        let point = Point::new(ranks).with(param::DELAY, delay).with_text(param::COLLECTIVE, collective);
        let point = if collective == "barrier" { point } else { point.with(param::BYTES, 8) };
        let nanos = if who == "ring" { delay + 10 } else { 2 * delay + 5 };
        let samples = Samples::exact(Time::from_nanos(nanos));
        let point = point.with_text(param::IMPLEMENTATION, who);
        Record { machine: Some("mine".into()), ..Record::new("scenario/delay", &point, samples) }
    }

    /// One figure per collective: delays are rows beside the sizes. A barrier has no size.
    #[test]
    fn contexts_are_rows() {
        let mut records = Vec::new();
        for collective in ["bcast", "barrier"] {
            for (ranks, delay) in [(2, 0), (2, 64_000), (4, 0), (4, 64_000)] {
                records.extend(["ring", "linear"].map(|who| record(who, collective, ranks, delay)));
            }
        }
        let tables = best_algorithm_tables(&records);
        let heads: Vec<&str> = tables.iter().map(|(head, _)| head.as_str()).collect();
        assert_eq!(
            heads,
            [
                "scenario/delay: the fastest barrier, by delay and number of ranks",
                "scenario/delay: the fastest bcast, by delay, message size and number of ranks"
            ]
        );
        let text = tables[1].1.to_string();
        for words in
            ["delay  size  2 ranks  4 ranks", " 0ns    8B  linear   linear", "64us    8B  ring     ring"]
        {
            assert!(text.contains(words), "no `{words}` in\n{text}");
        }
        let pictures = best_algorithm_grids(&records);
        assert_eq!(pictures[1].0, "scenario-delay-fastest-bcast-mine");
        let grid = &pictures[1].1;
        assert_eq!((grid.axes[0].as_str(), grid.rows[1].head.as_str()), ("delay, size", "64us, 8B"));
        let tip = &grid.rows[1].cells[1].as_ref().expect("a cell").tooltip;
        assert!(tip.starts_with("64us, 8B, 4 ranks: ring 64.0us, linear "), "{tip}");
        assert!(
            pictures[0].1.rows[0].cells[0].as_ref().expect("a cell").tooltip.starts_with("0ns, 2 ranks: ")
        );
    }
}
