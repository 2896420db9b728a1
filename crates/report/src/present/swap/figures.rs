//! Figures of total time against the number of messages, and bandwidth against their size, by
//! protocol and experiment (T8).

use panto_results::swap::{Order, Protocol};
use panto_results::{Manifest, Record, param};
use panto_units::bytes;

use super::super::figure::origin;
use super::{Experiment, experiments, is_swap};
use crate::chart::{Axis, Chart, Figure, Point, Scale, Series, Style, Unit};

/// Returns a figure per experiment, with a name for its file.
pub fn figures(records: &[Record], manifest: Option<&Manifest>) -> Vec<(String, Figure)> {
    let records: Vec<&Record> = records.iter().filter(|record| is_swap(&record.kernel)).collect();
    let groups = experiments(&records, &[param::PROTOCOL, param::BYTES]);
    let drawn = |group: &Experiment| {
        let charts = charts(group, manifest);
        (!charts.is_empty()).then(|| (file_name(group), Figure::new(charts)))
    };
    groups.iter().filter_map(drawn).collect()
}

/// Returns a file name such as `swap-swap-2MiB-basic-cold-0-1`.
fn file_name(group: &Experiment) -> String {
    let point = &group.point;
    let volume = bytes(point.number(param::VOLUME).unwrap_or(0));
    let texts =
        [param::LOOP, param::CACHE_MODE, param::BETWEEN].map(|name| point.text(name).replace(',', "+"));
    let machine = group.machine.map(|machine| machine.replace('/', "-"));
    let parts = [group.kernel.replace('/', "-"), volume].into_iter().chain(texts).chain(machine);
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

/// Returns the family of a protocol. At most seven curves can be distinguished, so synchronous
/// sends have charts of their own.
fn family(protocol: &Protocol) -> (Order, bool) {
    (protocol.order, protocol.is_synchronous())
}

const FAMILIES: [((Order, bool), &str); 4] = [
    ((Order::Unordered, false), "unordered"),
    ((Order::Unordered, true), "unordered, synchronous sends"),
    ((Order::Ordered, false), "ordered"),
    ((Order::Ordered, true), "ordered, synchronous sends"),
];

fn charts(group: &Experiment, manifest: Option<&Manifest>) -> Vec<Chart> {
    let mut charts = Vec::new();
    for (wanted, name) in FAMILIES {
        let members: Vec<Protocol> = Protocol::ALL.into_iter().filter(|p| family(p) == wanted).collect();
        charts.extend(chart(group, &members, &format!("total time against messages, {name}"), Axes::TIME));
        charts.extend(chart(group, &members, &format!("bandwidth against size, {name}"), Axes::BANDWIDTH));
    }
    if let Some(first) = charts.first_mut() {
        let subtitle = [Some(group.name()), manifest.map(origin)].into_iter().flatten().collect::<Vec<_>>();
        first.subtitle = subtitle.join("; ");
    }
    charts
}

/// The quantities on the axes.
#[derive(Clone, Copy)]
struct Axes {
    x: fn(&Record) -> Option<u64>,
    y: fn(&Record, f64) -> Option<f64>,
    is_time: bool,
}

impl Axes {
    const TIME: Self = Self {
        x: |record| record.messages.map(|messages| messages / 2),
        y: |_, nanos| Some(nanos * 1e-9),
        is_time: true,
    };
    const BANDWIDTH: Self =
        Self { x: |record| record.point.number(param::BYTES), y: Record::bandwidth, is_time: false };

    fn axes(self) -> [Axis; 2] {
        if self.is_time {
            [
                Axis::new("messages sent by each rank", Scale::Log2, Unit::Count),
                Axis::new("total time (median, 95% confidence interval)", Scale::Log10, Unit::Seconds),
            ]
        } else {
            [
                Axis::new("message size", Scale::Log2, Unit::Bytes),
                Axis::new("bandwidth, both directions", Scale::Linear, Unit::BytesPerSecond),
            ]
        }
    }

    fn point(self, record: &Record) -> Option<Point> {
        let summary = record.summary()?;
        let [middle, a, b] = [summary.median, summary.interval.low, summary.interval.high]
            .map(|nanos| (self.y)(record, nanos));
        let (a, b) = (a.unwrap_or(f64::NAN), b.unwrap_or(f64::NAN));
        Some(Point::with_interval((self.x)(record)? as f64, middle?, a.min(b), a.max(b)))
    }
}

fn chart(group: &Experiment, members: &[Protocol], what: &str, axes: Axes) -> Option<Chart> {
    let [x, y] = axes.axes();
    let short = group.kernel.rsplit('/').next().unwrap_or(group.kernel);
    let mut chart = Chart::new(format!("{}: {what}", short.to_uppercase()), x, y);
    for protocol in members {
        let id = protocol.id();
        let of_protocol = group.records.iter().filter(|record| record.point.text(param::PROTOCOL) == id);
        let points: Vec<Point> = of_protocol.filter_map(|record| axes.point(record)).collect();
        if !points.is_empty() {
            chart = chart.series(Series::new(protocol.to_string(), Style::LineAndDots, points));
        }
    }
    (!chart.series.is_empty()).then_some(chart)
}
