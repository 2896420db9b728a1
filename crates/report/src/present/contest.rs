//! Who is best where, as a table and as a picture (M6, M7).

use std::collections::BTreeSet;

use panto_bench::contest::{Contest, Entry, Round, contests};
use panto_bench::results::Record;
use panto_bench::{Point, param};
use panto_units::{bytes, time};

use super::words;
use crate::chart::{Cell, Grid, GridRow};
use crate::table::{Column, Table};

/// More names in a cell are not read.
const MOST_NAMES: usize = 3;
const TIES: &str = "a ~ b: these cannot be told apart, their 95% intervals overlap";

/// For each contest of algorithms in these records a heading and a table: sizes by numbers of ranks, and in each cell who is
/// fastest there.
pub fn decisions(records: &[Record]) -> Vec<(String, Table)> {
    contests(records).iter().map(|contest| (heading(contest), table(contest))).collect()
}

/// The same as pictures, each with a name for its file.
pub fn decision_pictures(records: &[Record]) -> Vec<(String, Grid)> {
    contests(records).iter().map(|contest| (file_name(contest), picture(contest))).collect()
}

fn heading(contest: &Contest) -> String {
    format!("{}: {}, by message size and number of ranks", words::printable(&contest.kernel), contest.title)
}

/// `cm5-broadcast-fastest-broadcast`: a kernel may have more than one.
fn file_name(contest: &Contest) -> String {
    let title = contest.title.trim_start_matches("the ").replace(' ', "-");
    let machine = contest.machine.as_ref().map(|machine| format!("-{machine}")).unwrap_or_default();
    let safe = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    format!("{}-{title}{machine}", contest.kernel).chars().map(safe).collect()
}

/// The rounds in a grid.
struct Plane<'a> {
    sizes: Vec<u64>,
    ranks: Vec<usize>,
    rounds: &'a [Round],
}

impl<'a> Plane<'a> {
    fn of(contest: &'a Contest) -> Self {
        let sizes: BTreeSet<u64> = contest.rounds.iter().map(|round| size(&round.point)).collect();
        let ranks: BTreeSet<usize> = contest.rounds.iter().map(|round| round.point.ranks).collect();
        let (sizes, ranks) = (sizes.into_iter().collect(), ranks.into_iter().collect());
        Self { sizes, ranks, rounds: &contest.rounds }
    }

    fn at(&self, bytes: u64, ranks: usize) -> Option<&'a Round> {
        self.rounds.iter().find(|round| size(&round.point) == bytes && round.point.ranks == ranks)
    }

    fn row(&self, bytes: u64) -> impl Iterator<Item = Option<&'a Round>> {
        self.ranks.iter().map(move |&ranks| self.at(bytes, ranks))
    }

    fn has_ties(&self) -> bool {
        self.rounds.iter().any(|round| round.winner().is_none())
    }
}

fn size(point: &Point) -> u64 {
    point.number(param::BYTES).unwrap_or(0)
}

fn table(contest: &Contest) -> Table {
    let plane = Plane::of(contest);
    let heads = plane.ranks.iter().map(|ranks| Column::text(format!("{ranks} ranks")));
    let mut table = Table::new(std::iter::once(Column::right("size")).chain(heads));
    for &row in &plane.sizes {
        let cells = plane.row(row).map(|round| round.map_or("-".into(), |round| cell(round).text()));
        table.row(std::iter::once(bytes(row)).chain(cells));
    }
    let simulated = contest.machine.as_ref().map(|machine| format!("simulated {machine}"));
    let ties = plane.has_ties().then(|| TIES.to_owned());
    let caption: Vec<String> = simulated.into_iter().chain(ties).collect();
    if caption.is_empty() { table } else { table.caption(caption.join("; ")) }
}

/// The fastest and those that are tied with it.
fn cell(round: &Round) -> Cell {
    let all: Vec<&Entry> = std::iter::once(round.fastest()).chain(round.tied()).collect();
    let mut names: Vec<String> =
        all.iter().take(MOST_NAMES).map(|entry| words::printable(&entry.name)).collect();
    if all.len() > MOST_NAMES {
        names.push(format!("{} more", all.len() - MOST_NAMES));
    }
    let times = round.entries.iter().map(|entry| format!("{} {}", entry.name, time(entry.nanos * 1e-9)));
    let point = format!("{}, {} ranks", bytes(size(&round.point)), round.point.ranks);
    Cell { names, tooltip: format!("{point}: {}", times.collect::<Vec<_>>().join(", ")) }
}

fn picture(contest: &Contest) -> Grid {
    let plane = Plane::of(contest);
    let row = |&bytes_of: &u64| GridRow {
        head: bytes(bytes_of),
        cells: plane.row(bytes_of).map(|round| round.map(cell)).collect(),
    };
    let simulated = contest.machine.as_ref().map(|machine| format!(", simulated {machine}"));
    Grid {
        title: words::capitalised(&contest.title),
        subtitle: format!("{}{}", contest.kernel, simulated.unwrap_or_default()),
        axes: ["size".into(), "ranks".into()],
        columns: plane.ranks.iter().map(ToString::to_string).collect(),
        rows: plane.sizes.iter().map(row).collect(),
        notes: plane.has_ties().then(|| format!("{TIES}.")).into_iter().collect(),
    }
}
