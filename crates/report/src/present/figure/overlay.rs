//! Curves of several runs in one chart.

use panto_results::{Record, Value};

use super::super::group::{Curve, Group};
use super::super::param::{ALGORITHM, MACHINE, label};
use super::super::phrases;
use super::curves::{Quantity, series};
use super::panels::{NamedCurve, thinned};
use super::{axes, is_one_way, kernel_name, subtitle};
use crate::chart::{Chart, Figure, Point, Series};

/// Upper limit of charts per figure.
const MAX_CHARTS: usize = 4;
/// Upper limit of runs per chart: more cannot be distinguished.
const MAX_RUNS: usize = 7;

/// Records of one kernel in one run.
#[derive(Clone, Debug)]
pub(in crate::present) struct RunRecords<'a> {
    /// Name of the run.
    pub name: &'a str,
    pub records: Vec<Record>,
    /// Index of the first raw samples of these records in the page, if it embeds them.
    pub raw: Option<u32>,
}

/// Returns a chart per curve that several runs have, with a series per run; `None` if they have no
/// curve in common.
pub(in crate::present) fn overlay_figure(kernel: &str, parts: &[RunRecords]) -> Option<Figure> {
    let shown = &parts[..parts.len().min(MAX_RUNS)];
    let all: Vec<Record> = shown.iter().flat_map(|part| part.records.iter().cloned()).collect();
    let overlay = Overlay { group: Group::of(kernel, &all), parts: shown };
    let names = overlay.names();
    let curves: Vec<Curve> =
        overlay.group.curves(&names).into_iter().filter(|curve| overlay.is_common(curve)).collect();
    let many = curves.len();
    let chosen = thinned(curves, MAX_CHARTS);
    let mut charts: Vec<Chart> =
        chosen.iter().map(|curve| overlay.chart(&names, curve, Quantity::Median)).collect();
    if let [only] = chosen.as_slice() {
        let bandwidth = overlay.chart(&names, only, Quantity::Bandwidth);
        charts.extend(Some(bandwidth).filter(|chart| !chart.series.is_empty()));
    }
    charts.first_mut()?.subtitle = subtitle(&overlay.group);
    let last = charts.last_mut()?;
    last.notes.extend(left_out(chosen.len(), many, "common curves"));
    last.notes.extend(left_out(shown.len(), parts.len(), "runs"));
    Some(Figure::new(charts))
}

fn left_out(shown: usize, all: usize, what: &str) -> Option<String> {
    (shown < all).then(|| format!("Showing {shown} of {all} {what}."))
}

struct Overlay<'a> {
    /// Records of all runs, concatenated.
    group: Group<'a>,
    parts: &'a [RunRecords<'a>],
}

impl<'a> Overlay<'a> {
    /// Returns the parameters that distinguish curves. Runs with different algorithms or machines
    /// are to be compared in one chart, so these two distinguish curves only if they vary within a
    /// run.
    fn names(&self) -> Vec<&'a str> {
        let own = |name: &&str| {
            let within =
                |part: &RunRecords| Group::of(self.group.kernel, &part.records).curve_names().contains(name);
            !matches!(*name, ALGORITHM | MACHINE) || self.parts.iter().any(within)
        };
        self.group.curve_names().into_iter().filter(own).collect()
    }

    /// Returns the records of each run on a curve.
    fn of_runs(&self, curve: &Curve<'a>) -> Vec<Vec<&'a Record>> {
        let mut of_runs = vec![Vec::new(); self.parts.len()];
        for &record in &curve.records {
            if let Some((run, _)) = self.group.number(record).and_then(|number| self.owner(number)) {
                of_runs[run].push(record);
            }
        }
        of_runs
    }

    /// Returns the run that a record belongs to, and its index there.
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

    /// Returns whether several runs have the curve and it has more than one position.
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
            Quantity::Median | Quantity::Minimum => (time, axes::time_against(&self.group.axis, one_way)),
        };
        let against = axes::label(&self.group.axis);
        let title =
            format!("{}: {what} against {against}{}", kernel_name(&self.group), of_key(names, &curve.key));
        let runs = self.parts.iter().zip(self.of_runs(curve));
        let all = runs.map(|(part, records)| self.series(part, curve, records, quantity));
        let drawn = all.filter(|series| !series.points.is_empty());
        drawn.fold(Chart::new(title, axes::of_parameter(&self.group.axis), y), Chart::series)
    }

    fn series(
        &self,
        part: &RunRecords,
        curve: &Curve<'a>,
        records: Vec<&'a Record>,
        quantity: Quantity,
    ) -> Series {
        let name = phrases::one_line(part.name);
        let named = NamedCurve { name: name.clone(), curve: Curve { key: curve.key.clone(), records } };
        let mut series = series(&self.group, &named, name, quantity);
        for point in &mut series.points {
            *point = self.with_raw(*point);
        }
        series
    }

    /// Sets the index of the raw samples in the page.
    fn with_raw(&self, point: Point) -> Point {
        let (run, place) = point.raw.and_then(|number| self.owner(number)).unzip();
        let first = run.and_then(|run| self.parts[run].raw);
        point.raw(first.zip(place).map(|(first, place)| first + place))
    }
}

/// Formats a key: `, 2 ranks, 1 hop`.
fn of_key(names: &[&str], key: &[Option<Value>]) -> String {
    let values = names.iter().zip(key);
    values.fold(String::new(), |text, (name, value)| text + ", " + &label(name, value.as_ref()))
}
