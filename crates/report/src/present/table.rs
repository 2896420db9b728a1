//! Points as tables for people.

use panto_bench::measure::Stop;
use panto_bench::results::Record;
use panto_stats::Summary;
use panto_units::{Ladder, RATE, TIME, time};

use super::group::{Group, groups};
use super::notation::{MESSAGES, Notation};
use super::{against, param, swap, words};
use crate::table::{Column, Table};

/// One table a kernel, each with a heading that says what the kernel measures. How it was measured stands in
/// the table's caption, as far as it is the same for all points, else in a column.
pub fn table(records: &[Record]) -> Vec<(String, Table)> {
    groups(records).iter().flat_map(of_kernel).collect()
}

/// The suite `swap` has thousands of points, and stands better in tables of another shape.
fn of_kernel(group: &Group) -> Vec<(String, Table)> {
    let plain = !swap::is_swap(group.kernel) || group.records.iter().any(|record| record.expected.is_some());
    if plain { vec![(heading(group), of_group(group))] } else { swap::tables(group) }
}

fn heading(group: &Group) -> String {
    match group.about {
        Some(about) => format!("{}: {}", group.kernel, about.line),
        None => words::printable(group.kernel),
    }
}

/// A column with its cells.
struct Filled {
    column: Column,
    cells: Vec<String>,
}

/// A record beside its summary.
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
    let model = against::columns(&group.records, &notation);
    columns.extend(model.into_iter().map(|(column, cells)| Filled { column, cells }));
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

fn transposed(columns: Vec<Filled>, rows: usize) -> Table {
    let (heads, mut cells): (Vec<Column>, Vec<_>) =
        columns.into_iter().map(|filled| (filled.column, filled.cells.into_iter())).unzip();
    let mut table = Table::new(heads);
    for _ in 0..rows {
        table.row(cells.iter_mut().map(|column| column.next().unwrap_or_default()));
    }
    table
}

/// Something about a record beside its parameters.
#[derive(Clone, Copy)]
struct Fact {
    header: &'static str,
    /// In a caption.
    text: fn(&Record) -> String,
    /// In a column.
    cell: fn(&Record) -> String,
}

const FACTS: [Fact; 4] = [
    Fact { header: "simulated", text: |r| words::machine(r).into(), cell: |r| words::machine(r).into() },
    Fact { header: "time", text: |r| words::metric(r.metric), cell: |r| words::short_metric(r.metric) },
    Fact { header: "algorithm", text: |r| words::algorithm(r).into(), cell: |r| words::algorithm(r).into() },
    Fact {
        header: "start",
        text: |r| words::start(r.start).into(),
        cell: |r| words::start_name(r.start).into(),
    },
];

impl Fact {
    fn is_same(&self, group: &Group) -> bool {
        group.records.windows(2).all(|pair| (self.text)(pair[0]) == (self.text)(pair[1]))
    }

    fn column(&self, group: &Group) -> Filled {
        let cells = group.records.iter().map(|record| (self.cell)(record)).collect();
        Filled { column: Column::text(self.header), cells }
    }

    /// Nothing is said of an algorithm that is not known, nor of a machine where none was simulated.
    fn said(&self, record: &Record) -> Option<String> {
        let text = (self.text)(record);
        (text != "-").then(|| format!("{}: {text}", self.header))
    }
}

fn caption(group: &Group, same: &[Fact], exact: bool) -> String {
    let Some(first) = group.records.first() else { return String::new() };
    let fixed = group.fixed().into_iter().map(|name| param::of(first, name));
    let exact = exact.then(|| "all samples of a point are the same".to_owned());
    let said = same.iter().filter_map(|fact| fact.said(first)).chain(fixed);
    said.chain(clocks(group)).chain(exact).collect::<Vec<_>>().join("; ")
}

/// How good the clocks were, where there were several.
fn clocks(group: &Group) -> Option<String> {
    let worst = group.records.iter().filter_map(|record| record.clock_error_ns).max_by(f64::total_cmp)?;
    Some(format!("clocks of the hosts agree within {}", time(seconds(worst))))
}

/// Was nothing measured, and are all samples the same to the picosecond? Then there is no distribution to show.
fn is_exact(record: &Record) -> bool {
    const PICOSECOND: f64 = 1e-3;
    let Some(first) = record.samples_ns.first() else { return false };
    record.machine.is_some() && record.samples_ns.iter().all(|sample| (sample - first).abs() <= PICOSECOND)
}

fn parameters(group: &Group) -> Vec<Filled> {
    let names = group.varying().into_iter().chain([group.axis.as_str()]);
    let mut columns: Vec<Filled> = names.map(|name| parameter(group, name)).collect();
    if group.has_launches() {
        columns.push(launches(group));
    }
    columns
}

fn parameter(group: &Group, name: &str) -> Filled {
    let cell = |record: &&Record| param::cell(name, param::value(record, name).as_ref());
    let is_text = group.records.iter().any(|record| !record.point.text(name).is_empty());
    let column = if is_text { Column::text } else { Column::right };
    Filled { column: column(param::header(name)), cells: group.records.iter().map(cell).collect() }
}

/// Which of the measurements of the same point it is.
fn launches(group: &Group) -> Filled {
    let same = |a: &&Record, b: &&Record| a.point == b.point;
    let numbers = group.records.chunk_by(same).flat_map(|chunk| 1..=chunk.len());
    Filled { column: Column::number("launch"), cells: numbers.map(|number| number.to_string()).collect() }
}

fn seconds(nanos: f64) -> f64 {
    nanos * 1e-9
}

/// One unit for all times of a table, those of a model as well.
fn notation(rows: &[Row]) -> Notation {
    let shown = |s: &Summary| [s.median, s.interval.low, s.interval.high, s.min, s.p95, s.p99].map(seconds);
    let summaries = rows.iter().filter_map(|(_, summary)| summary.as_ref());
    let expected = rows.iter().filter_map(|(record, _)| record.expected.as_ref()).map(|e| seconds(e.time_ns));
    // Nobody thinks in minutes of message passing.
    Notation::of(summaries.flat_map(shown).chain(expected), &TIME[1..])
}

/// The column that everybody looks at, and those that say how sure it is.
fn times(rows: &[Row], exact: bool, notation: &Notation) -> (Filled, Vec<Filled>) {
    let column = |header, cell: &dyn Fn(&Summary) -> String| {
        let cells = rows.iter().map(|(_, summary)| summary.as_ref().map_or("-".into(), cell)).collect();
        Filled { column: notation.column(header), cells }
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

/// What is moved in a second at the median time, where anything is.
fn rate(
    header: &str,
    rows: &[Row],
    ladder: Ladder,
    at: impl Fn(&Record, f64) -> Option<f64>,
) -> Option<Filled> {
    let of = |(record, summary): &Row| {
        summary.as_ref().and_then(|s| at(record, s.median)).filter(|rate| *rate > 0.0)
    };
    let rates: Vec<Option<f64>> = rows.iter().map(of).collect();
    rates.iter().flatten().next()?;
    let notation = Notation::of(rates.iter().flatten().copied(), ladder);
    let cells = rates.iter().map(|rate| rate.map_or("-".into(), |rate| notation.cell(rate))).collect();
    Some(Filled { column: notation.column(header), cells })
}

fn samples(rows: &[Row]) -> Filled {
    let cells = rows.iter().map(|(record, _)| record.samples_ns.len().to_string()).collect();
    Filled { column: Column::number("samples"), cells }
}

fn notes(rows: &[Row]) -> Option<Filled> {
    let cells: Vec<String> = rows.iter().map(|(record, _)| note(record)).collect();
    let any = cells.iter().any(|cell| !cell.is_empty());
    any.then(|| Filled { column: Column::text("note"), cells })
}

/// Samples from which on a median has a 95 % interval.
const LEAST_FOR_INTERVAL: usize = 6;

/// What the figures of a point do not say.
fn note(record: &Record) -> String {
    if let Some(why) = &record.absent {
        return in_a_line(why);
    }
    let stop = match record.stop {
        Stop::Budget => Some("budget".to_owned()),
        Stop::Interrupted => Some("interrupted".to_owned()),
        Stop::Count => Some("count".to_owned()),
        Stop::Confidence => None,
    };
    let late = (record.late > 0).then(|| format!("late {}", record.late));
    let stolen = record.steal.filter(|part| *part > words::STEAL);
    let steal = stolen.map(|part| format!("steal {:.0}%", 100.0 * part));
    let clocks = words::clock_doubt(record).map(|part| format!("clocks +-{:.0}%", 100.0 * part));
    let empty = record.samples_ns.is_empty().then(|| "no samples".to_owned());
    // So few samples have no 95 % interval; what stands there is their range.
    let few = !is_exact(record) && (1..LEAST_FOR_INTERVAL).contains(&record.samples_ns.len());
    let few = few.then(|| "range only".to_owned());
    let wrong = record.wrong.as_deref().map(words::printable);
    let comp = words::comp_error(record).map(|part| format!("comp {:+.0}%", 100.0 * part));
    [wrong, empty, few, stop, late, steal, clocks, comp].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// More lines of a reason are not read: a deadlock names every rank.
const MOST_LINES: usize = 3;

fn in_a_line(why: &str) -> String {
    let lines: Vec<&str> = why.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let shown = lines.iter().take(MOST_LINES).copied().collect::<Vec<_>>().join("; ");
    let more = lines.len().saturating_sub(MOST_LINES);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    words::printable(&format!("{shown}{more}"))
}
