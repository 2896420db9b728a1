//! The curves of several runs over each other.

use panto_bench::Value;
use panto_bench::results::Record;

use super::super::group::{Curve, Group};
use super::super::param::{ALGORITHM, MACHINE, label};
use super::super::words;
use super::curves::{Quantity, series};
use super::panels::{Named, thinned};
use super::{axes, is_one_way, kernel_in_words, subtitle};
use crate::chart::{Chart, Figure, Point, Series};

/// More charts than this in one figure are not looked at.
const MOST_CHARTS: usize = 4;
/// More runs than this in one chart cannot be told apart.
const MOST_RUNS: usize = 7;

/// What a run has of one kernel.
#[derive(Clone, Debug)]
pub(in crate::present) struct Part<'a> {
    /// What the run is called.
    pub name: &'a str,
    pub records: Vec<Record>,
    /// The number of the first raw samples of these in the page, if it holds them.
    pub raw: Option<u32>,
}

/// A chart for each curve that several runs have, with a series for each run; nothing where they have no curve in common.
pub(in crate::present) fn overlaid(kernel: &str, parts: &[Part]) -> Option<Figure> {
    let shown = &parts[..parts.len().min(MOST_RUNS)];
    let all: Vec<Record> = shown.iter().flat_map(|part| part.records.iter().cloned()).collect();
    let overlay = Overlay { group: Group::of(kernel, &all), parts: shown };
    let names = overlay.names();
    let curves: Vec<Curve> =
        overlay.group.curves(&names).into_iter().filter(|curve| overlay.is_common(curve)).collect();
    let many = curves.len();
    let chosen = thinned(curves, MOST_CHARTS);
    let mut charts: Vec<Chart> =
        chosen.iter().map(|curve| overlay.chart(&names, curve, Quantity::Median)).collect();
    if let [only] = chosen.as_slice() {
        let bandwidth = overlay.chart(&names, only, Quantity::Bandwidth);
        charts.extend(Some(bandwidth).filter(|chart| !chart.series.is_empty()));
    }
    charts.first_mut()?.subtitle = subtitle(&overlay.group);
    let last = charts.last_mut()?;
    last.notes.extend(left_out(chosen.len(), many, "curves that the runs have in common"));
    last.notes.extend(left_out(shown.len(), parts.len(), "runs"));
    Some(Figure::new(charts))
}

fn left_out(shown: usize, all: usize, what: &str) -> Option<String> {
    (shown < all).then(|| format!("Shown are {shown} of {all} {what}."))
}

struct Overlay<'a> {
    /// The records of all runs, one after the other.
    group: Group<'a>,
    parts: &'a [Part<'a>],
}

impl<'a> Overlay<'a> {
    /// What tells curves apart. Runs with another algorithm or of another machine are what one wants to see over each other: these
    /// two make curves of their own only where they do so within a run.
    fn names(&self) -> Vec<&'a str> {
        let own = |name: &&str| {
            let within =
                |part: &Part| Group::of(self.group.kernel, &part.records).curve_names().contains(name);
            !matches!(*name, ALGORITHM | MACHINE) || self.parts.iter().any(within)
        };
        self.group.curve_names().into_iter().filter(own).collect()
    }

    /// The records of each run on a curve.
    fn of_runs(&self, curve: &Curve<'a>) -> Vec<Vec<&'a Record>> {
        let mut of_runs = vec![Vec::new(); self.parts.len()];
        for &record in &curve.records {
            if let Some((run, _)) = self.group.number(record).and_then(|number| self.owner(number)) {
                of_runs[run].push(record);
            }
        }
        of_runs
    }

    /// The run that a record is of, and its place there.
    fn owner(&self, number: u32) -> Option<(usize, u32)> {
        let mut place = number;
        for (run, part) in self.parts.iter().enumerate() {
            let records = part.records.len() as u32;
            if place < records {
                return Some((run, place));
            }
            place -= records;
        }
        None
    }

    /// Several runs have it, and there is a way along it.
    fn is_common(&self, curve: &Curve<'a>) -> bool {
        let place = |record: &Record| super::super::param::value(record, &self.group.axis);
        let several = self.of_runs(curve).iter().filter(|records| !records.is_empty()).count() > 1;
        several && curve.records.iter().any(|record| place(record) != place(curve.records[0]))
    }

    fn chart(&self, names: &[&str], curve: &Curve<'a>, quantity: Quantity) -> Chart {
        let one_way = is_one_way(&self.group);
        let time = if one_way { "one-way time" } else { "time" };
        let (what, y) = match quantity {
            Quantity::Bandwidth => ("bandwidth", axes::bandwidth()),
            Quantity::Median | Quantity::Least => (time, axes::time_against(&self.group.axis, one_way)),
        };
        let against = axes::label(&self.group.axis);
        let title = format!(
            "{}: {what} against {against}{}",
            kernel_in_words(&self.group),
            of_key(names, &curve.key)
        );
        let runs = self.parts.iter().zip(self.of_runs(curve));
        let all = runs.map(|(part, records)| self.series(part, curve, records, quantity));
        let drawn = all.filter(|series| !series.points.is_empty());
        drawn.fold(Chart::new(title, axes::of_parameter(&self.group.axis), y), Chart::series)
    }

    fn series(&self, part: &Part, curve: &Curve<'a>, records: Vec<&'a Record>, quantity: Quantity) -> Series {
        let name = words::printable(part.name);
        let named = Named { name: name.clone(), curve: Curve { key: curve.key.clone(), records } };
        let mut series = series(&self.group, &named, name, quantity);
        for point in &mut series.points {
            *point = self.with_raw(*point);
        }
        series
    }

    /// The point with the number that its samples have in the page.
    fn with_raw(&self, point: Point) -> Point {
        let (run, place) = point.raw.and_then(|number| self.owner(number)).unzip();
        let first = run.and_then(|run| self.parts[run].raw);
        point.raw(first.zip(place).map(|(first, place)| first + place))
    }
}

/// `, 2 ranks, 1 hop`.
fn of_key(names: &[&str], key: &[Option<Value>]) -> String {
    let values = names.iter().zip(key);
    values.fold(String::new(), |text, (name, value)| text + ", " + &label(name, value.as_ref()))
}
