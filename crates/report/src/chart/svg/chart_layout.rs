//! Layout of a chart: its data, the positions of its parts, its ticks.

use super::super::data::Data;
use super::super::domain::Domain;
use super::super::mapping::Mapping;
use super::super::ticks::Ticks;
use super::super::{Chart, Figure, text};
use super::sizes::{
    BETWEEN, BREAK, DIRECT_LABELS, Frame, INSET, LEADER, MARGIN, NAME_ROOM, NAME_ROW, SAMPLE, SLOT, TICK,
    WIDTH, plot_height,
};
use super::{captions, marks};

pub(super) struct ChartLayout<'a> {
    pub chart: &'a Chart,
    pub data: Data,
    pub frame: Frame,
    pub x: Mapping,
    pub y: Mapping,
    pub x_ticks: Ticks,
    pub y_ticks: Ticks,
    /// Whether the x axis has its label here. In a stack with a common x axis only the lowest chart
    /// has it.
    pub x_label: bool,
}

/// What the figure determines for one of its charts.
struct ChartPlacement {
    edges: Edges,
    /// Top of the chart.
    start: f64,
    /// Height of the plot.
    height: f64,
    x_domain: Domain,
    x_label: bool,
}

/// Horizontal edges that the charts of a figure have in common.
#[derive(Clone, Copy)]
struct Edges {
    left: f64,
    right: f64,
}

impl<'a> ChartLayout<'a> {
    /// Lays out the charts of a figure, stacked, with common edges.
    pub fn all(figure: &'a Figure) -> Vec<Self> {
        let data: Vec<Data> = figure.charts.iter().map(Data::of).collect();
        let edges = Edges::of(figure, &data);
        let mut layouts: Vec<Self> = Vec::new();
        for (index, (chart, own)) in figure.charts.iter().zip(&data).enumerate() {
            let place = ChartPlacement {
                edges,
                start: layouts.last().map_or(MARGIN, |above| above.frame.end + BETWEEN),
                height: height(figure, chart),
                x_domain: x_domain(figure, index, &data),
                x_label: index + 1 == figure.charts.len() || !one_x_axis(figure),
            };
            layouts.push(Self::new(chart, own.clone(), &place));
        }
        layouts
    }

    fn new(chart: &'a Chart, data: Data, place: &ChartPlacement) -> Self {
        let ChartPlacement { edges: Edges { left, right }, start, x_label, .. } = *place;
        let (x, main) = x_mapping(chart, place);
        // Round to whole pixels: lines are sharp there, and hundreds of numbers are short.
        let top = (start + captions::height_above(chart) + marks::height(chart, &x, right)).round();
        let frame = Frame { start, top, bottom: top + place.height, left, right, main, end: 0.0 };
        let y = y_mapping(chart, &data, frame.bottom, frame.top);
        let (x_ticks, y_ticks) = (x_ticks(chart, &x), y_ticks(chart, &y));
        let mut layout = Self { chart, data, frame, x, y, x_ticks, y_ticks, x_label };
        layout.frame.end = (layout.frame.bottom + captions::height_below(&layout)).ceil();
        layout
    }

    /// Returns whether names are at the ends of the curves and not in a legend.
    pub fn labels_directly(&self) -> bool {
        labels_directly(self.chart)
    }
}

impl Edges {
    fn of(figure: &Figure, data: &[Data]) -> Self {
        let height = plot_height(figure.charts.len());
        let pairs = figure.charts.iter().zip(data);
        let ticks =
            pairs.flat_map(|(chart, data)| y_ticks(chart, &y_mapping(chart, data, height, 0.0)).major);
        let left = ticks.map(|tick| text::width(&tick.label, TICK)).fold(24.0, f64::max);
        let right = figure.charts.iter().map(names_width).fold(24.0, f64::max);
        Self { left: (MARGIN + left + 8.0).ceil(), right: (WIDTH - MARGIN - right).floor() }
    }
}

fn names_width(chart: &Chart) -> f64 {
    let widest = chart.series.iter().map(|series| text::width(&series.name, TICK)).fold(0.0, f64::max);
    widest.min(NAME_ROOM) + if labels_directly(chart) { LEADER } else { SAMPLE }
}

fn labels_directly(chart: &Chart) -> bool {
    chart.series.len() <= DIRECT_LABELS
}

/// Returns the height of the plot; a long legend makes it higher.
fn height(figure: &Figure, chart: &Chart) -> f64 {
    let legend = if labels_directly(chart) { 0.0 } else { chart.series.len() as f64 * NAME_ROW };
    plot_height(figure.charts.len()).max(legend)
}

fn one_x_axis(figure: &Figure) -> bool {
    figure.charts.windows(2).all(|pair| pair[0].x == pair[1].x)
}

fn x_domain(figure: &Figure, index: usize, data: &[Data]) -> Domain {
    let shared = if one_x_axis(figure) { data } else { &data[index..=index] };
    Domain::of_x(&figure.charts[index].x, shared)
}

/// Returns the x axis, and where its proper part begins.
fn x_mapping(chart: &Chart, place: &ChartPlacement) -> (Mapping, f64) {
    let Edges { left, right } = place.edges;
    let zero = place.x_domain.zero.then_some(left + SLOT / 2.0);
    let main = if zero.is_some() { left + SLOT + BREAK } else { left };
    (Mapping::new(chart.x.scale, place.x_domain, (main + INSET, right - INSET), zero), main)
}

fn y_mapping(chart: &Chart, data: &Data, bottom: f64, top: f64) -> Mapping {
    Mapping::new(chart.y.scale, Domain::of_y(&chart.y, data), (bottom, top), None)
}

fn x_ticks(chart: &Chart, x: &Mapping) -> Ticks {
    Ticks::choose(&chart.x, x, |label| (text::width(label, TICK) + 8.0).max(26.0))
}

fn y_ticks(chart: &Chart, y: &Mapping) -> Ticks {
    let room = if chart.y.scale.is_log() { 20.0 } else { 32.0 };
    Ticks::choose(&chart.y, y, |_| room)
}
