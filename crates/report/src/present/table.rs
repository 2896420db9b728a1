//! Points as tables for readers.

use panto_results::quality::{Doubt, Grade, assess, grade_of};
use panto_results::{Record, StopReason};
use panto_stats::Summary;
use panto_units::{RATE, TIME, UnitScale, time};

use super::group::{Group, groups};
use super::notation::{MESSAGES, Notation};
use super::{model_residuals, param, phrases, swap};
use crate::table::{Column, Table};

/// Returns one table per kernel, each with a heading that tells what the kernel measures. How it
/// was measured is in the caption if it is the same for all points, else in a column.
pub fn table(records: &[Record]) -> Vec<(String, Table)> {
    groups(records).iter().flat_map(of_kernel).collect()
}

/// Returns the tables of a kernel. The suite `swap` has thousands of points, and tables of another
/// shape.
fn of_kernel(group: &Group) -> Vec<(String, Table)> {
    let plain = !swap::is_swap(group.kernel) || group.records.iter().any(|record| record.expected.is_some());
    if plain { vec![(heading(group), of_group(group))] } else { swap::tables(group) }
}

fn heading(group: &Group) -> String {
    match group.info {
        Some(info) => format!("{}: {}", group.kernel, info.summary),
        None => phrases::one_line(group.kernel),
    }
}

/// A column with its cells.
struct FilledColumn {
    column: Column,
    cells: Vec<String>,
}

/// A record with its summary.
type Row<'a> = (&'a Record, Option<Summary>);

fn of_group(group: &Group) -> Table {
    let rows: Vec<Row> = group.records.iter().map(|record| (*record, record.summary())).collect();
    let (same, different): (Vec<Fact>, Vec<Fact>) = FACTS.iter().partition(|fact| fact.is_same(group));
    let mut columns = parameters(group);
    columns.extend(different.iter().map(|fact| fact.column(group)));
    let exact = !rows.is_empty() && rows.iter().all(|(record, _)| is_exact(record));
    let notation = notation(&rows);
    let (first, others) = times(&rows, exact, &notation);
    columns.push(first);
    let model = model_residuals::columns(&group.records, &notation);
    columns.extend(model.into_iter().map(|(column, cells)| FilledColumn { column, cells }));
    columns.extend(others);
    columns.extend(rate("bandwidth", &rows, RATE, Record::bandwidth));
    columns.extend(rate("messages", &rows, MESSAGES, Record::message_rate));
    columns.extend((!exact).then(|| samples(&rows)));
    columns.extend(notes(&rows));
    let table = transposed(columns, rows.len());
    match caption(group, &same, exact) {
        caption if caption.is_empty() => table,
        caption => table.caption(caption),
    }
}

fn transposed(columns: Vec<FilledColumn>, rows: usize) -> Table {
    let (heads, mut cells): (Vec<Column>, Vec<_>) =
        columns.into_iter().map(|filled| (filled.column, filled.cells.into_iter())).unzip();
    let mut table = Table::new(heads);
    for _ in 0..rows {
        table.row(cells.iter_mut().map(|column| column.next().unwrap_or_default()));
    }
    table
}

/// A property of a record beside its parameters.
#[derive(Clone, Copy)]
struct Fact {
    header: &'static str,
    /// Text in a caption.
    text: fn(&Record) -> String,
    /// Text in a column.
    cell: fn(&Record) -> String,
}

const FACTS: [Fact; 4] = [
    Fact { header: "simulated", text: |r| phrases::machine(r).into(), cell: |r| phrases::machine(r).into() },
    Fact { header: "time", text: |r| phrases::metric(r.metric), cell: |r| phrases::short_metric(r.metric) },
    Fact {
        header: "algorithm",
        text: |r| phrases::algorithm(r).into(),
        cell: |r| phrases::algorithm(r).into(),
    },
    Fact {
        header: "start",
        text: |r| phrases::start(r.start).into(),
        cell: |r| phrases::start_name(r.start).into(),
    },
];

impl Fact {
    fn is_same(&self, group: &Group) -> bool {
        group.records.windows(2).all(|pair| (self.text)(pair[0]) == (self.text)(pair[1]))
    }

    fn column(&self, group: &Group) -> FilledColumn {
        let cells = group.records.iter().map(|record| (self.cell)(record)).collect();
        FilledColumn { column: Column::text(self.header), cells }
    }

    /// Returns the property for a caption; `None` if it is unknown or does not apply.
    fn caption_text(&self, record: &Record) -> Option<String> {
        let text = (self.text)(record);
        (text != "-").then(|| format!("{}: {text}", self.header))
    }
}

fn caption(group: &Group, same: &[Fact], exact: bool) -> String {
    let Some(first) = group.records.first() else { return String::new() };
    let fixed = group.fixed().into_iter().map(|name| param::of(first, name));
    let exact = exact.then(|| "all samples of a point are equal".to_owned());
    let facts = same.iter().filter_map(|fact| fact.caption_text(first)).chain(fixed);
    facts.chain(clocks(group)).chain(exact).collect::<Vec<_>>().join("; ")
}

/// Returns how well the hosts' clocks agree, if there are several.
fn clocks(group: &Group) -> Option<String> {
    let worst = group.records.iter().filter_map(|record| record.clock_error_ns).max_by(f64::total_cmp)?;
    Some(format!("clocks of the hosts agree within {}", time(seconds(worst))))
}

/// Returns whether a record is simulated and all its samples are equal to the picosecond, so that
/// there is no distribution to show.
fn is_exact(record: &Record) -> bool {
    const PICOSECOND: f64 = 1e-3;
    let Some(first) = record.samples_ns.first() else { return false };
    record.machine.is_some() && record.samples_ns.iter().all(|sample| (sample - first).abs() <= PICOSECOND)
}

fn parameters(group: &Group) -> Vec<FilledColumn> {
    let names = group.varying().into_iter().chain([group.axis.as_str()]);
    let mut columns: Vec<FilledColumn> = names.map(|name| parameter(group, name)).collect();
    if group.has_launches() {
        columns.push(launches(group));
    }
    columns
}

fn parameter(group: &Group, name: &str) -> FilledColumn {
    let cell = |record: &&Record| param::cell(name, param::value(record, name).as_ref());
    let is_text = group.records.iter().any(|record| !record.point.text(name).is_empty());
    let column = if is_text { Column::text } else { Column::right };
    FilledColumn { column: column(param::header(name)), cells: group.records.iter().map(cell).collect() }
}

/// Returns the column of launches: the index of each among the measurements of the same point.
fn launches(group: &Group) -> FilledColumn {
    let same = |a: &&Record, b: &&Record| a.point == b.point;
    let numbers = group.records.chunk_by(same).flat_map(|chunk| 1..=chunk.len());
    FilledColumn {
        column: Column::number("launch"),
        cells: numbers.map(|number| number.to_string()).collect(),
    }
}

fn seconds(nanos: f64) -> f64 {
    nanos * 1e-9
}

/// Returns one unit for all times of a table, including those of a model.
fn notation(rows: &[Row]) -> Notation {
    let shown = |s: &Summary| [s.median, s.interval.low, s.interval.high, s.min, s.p95, s.p99].map(seconds);
    let summaries = rows.iter().filter_map(|(_, summary)| summary.as_ref());
    let expected = rows.iter().filter_map(|(record, _)| record.expected.as_ref()).map(|e| seconds(e.time_ns));
    // Minutes are not a unit of message passing.
    Notation::of(summaries.flat_map(shown).chain(expected), &TIME[1..])
}

/// Returns the main column, and those that show its uncertainty.
fn times(rows: &[Row], exact: bool, notation: &Notation) -> (FilledColumn, Vec<FilledColumn>) {
    let column = |header, cell: &dyn Fn(&Summary) -> String| {
        let cells = rows.iter().map(|(_, summary)| summary.as_ref().map_or("-".into(), cell)).collect();
        FilledColumn { column: notation.column(header), cells }
    };
    let time = |nanos| notation.cell(seconds(nanos));
    if exact {
        return (column("time", &|s| time(s.median)), Vec::new());
    }
    let others = vec![
        column("95% interval", &|s| format!("{}..{}", time(s.interval.low), time(s.interval.high))),
        column("min", &|s| time(s.min)),
        column("p95", &|s| time(s.p95)),
        column("p99", &|s| time(s.p99)),
    ];
    (column("median", &|s| time(s.median)), others)
}

/// Returns the column of a rate at the median time, if any record has one.
fn rate(
    header: &str,
    rows: &[Row],
    ladder: UnitScale,
    at: impl Fn(&Record, f64) -> Option<f64>,
) -> Option<FilledColumn> {
    let of = |(record, summary): &Row| {
        summary.as_ref().and_then(|s| at(record, s.median)).filter(|rate| *rate > 0.0)
    };
    let rates: Vec<Option<f64>> = rows.iter().map(of).collect();
    rates.iter().flatten().next()?;
    let notation = Notation::of(rates.iter().flatten().copied(), ladder);
    let cells = rates.iter().map(|rate| rate.map_or("-".into(), |rate| notation.cell(rate))).collect();
    Some(FilledColumn { column: notation.column(header), cells })
}

fn samples(rows: &[Row]) -> FilledColumn {
    let cells = rows.iter().map(|(record, _)| record.samples_ns.len().to_string()).collect();
    FilledColumn { column: Column::number("samples"), cells }
}

fn notes(rows: &[Row]) -> Option<FilledColumn> {
    let cells: Vec<String> = rows.iter().map(|(record, _)| note(record)).collect();
    let any = cells.iter().any(|cell| !cell.is_empty());
    any.then(|| FilledColumn { column: Column::text("note"), cells })
}

/// Minimum number of samples for a 95% confidence interval of the median.
const MIN_FOR_INTERVAL: usize = 6;

/// Returns notes that the values of a point do not show.
fn note(record: &Record) -> String {
    if let Some(why) = &record.absent {
        return in_a_line(why);
    }
    let stop = match record.stop {
        StopReason::Budget => Some("budget".to_owned()),
        StopReason::Interrupted => Some("interrupted".to_owned()),
        StopReason::Count => Some("count".to_owned()),
        StopReason::Confidence => None,
    };
    let doubts = assess(record);
    let poor = (grade_of(&doubts) == Grade::Poor).then(|| "poor".to_owned());
    let disturbed = record.disturbed_ns.len();
    let disturbed = (disturbed > 0).then(|| format!("disturbed {disturbed}"));
    let late = (record.late > 0).then(|| format!("late {}", record.late));
    let stolen = record.steal.filter(|part| *part > phrases::STEAL);
    let steal = stolen.map(|part| format!("steal {:.0}%", 100.0 * part));
    let clocks = phrases::clock_doubt(record).map(|part| format!("clocks +-{:.0}%", 100.0 * part));
    let empty = record.samples_ns.is_empty().then(|| "no samples".to_owned());
    // With fewer samples than a 95% interval needs, the range is shown instead.
    let few = !is_exact(record) && (1..MIN_FOR_INTERVAL).contains(&record.samples_ns.len());
    let few = few.then(|| "range only".to_owned());
    let wrong = record.wrong.as_deref().map(phrases::one_line);
    let comp = phrases::comp_error(record).map(|part| format!("comp {:+.0}%", 100.0 * part));
    let others = record.others.filter(|part| *part > phrases::OTHERS);
    let others = others.map(|part| format!("others {:.0}%", 100.0 * part));
    let spread = doubts.iter().find(|doubt| matches!(doubt, Doubt::Spread(_)));
    let spread = spread.map(|doubt| format!("passes +-{:.0}%", 50.0 * doubt.size()));
    [wrong, poor, empty, few, stop, disturbed, spread, late, steal, others, clocks, comp]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(", ")
}

/// Upper limit of lines of a reason that are shown: a deadlock names every rank.
const MAX_LINES: usize = 3;

fn in_a_line(why: &str) -> String {
    let lines: Vec<&str> = why.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let shown = lines.iter().take(MAX_LINES).copied().collect::<Vec<_>>().join("; ");
    let more = lines.len().saturating_sub(MAX_LINES);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    phrases::one_line(&format!("{shown}{more}"))
}
