//! What a chart is made of.

use super::{Unit, svg};

/// Charts below each other in one picture. Charts with the same x axis share its range, so that time above
/// and bandwidth below line up; a series has the same look in all of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// The charts, from top to bottom.
    pub charts: Vec<Chart>,
}

/// One plot with its axes, titles and notes.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// What the chart shows, in a few words.
    pub title: String,
    /// A second line: what was measured where. May be empty.
    pub subtitle: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The curves. Up to six are labelled at their ends, more in a legend.
    pub series: Vec<Series>,
    /// Places of interest on the x axis, such as a change of protocol.
    pub marks: Vec<VerticalMark>,
    /// Remarks below the plot.
    pub notes: Vec<String>,
}

/// An axis: its label, how values are laid out on it, and what they are.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What is laid out on the axis, without the unit: each tick carries it.
    pub label: String,
    /// How values are laid out.
    pub scale: Scale,
    /// What the values are.
    pub unit: Unit,
}

/// How values are laid out on an axis.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Scale {
    /// Equal differences have equal lengths.
    Linear,
    /// Equal ratios have equal lengths; ticks are powers of two.
    Log2,
    /// Equal ratios have equal lengths; ticks are powers of ten.
    Log10,
}

/// A curve or a cloud of points.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The name in labels, legend and tooltips.
    pub name: String,
    /// The points. They are drawn in the order of x.
    pub points: Vec<Point>,
    /// How they are drawn.
    pub style: Style,
    /// The name of another series whose colour and marker this one takes: a fitted line beside its
    /// measurement.
    pub like: Option<String>,
}

/// A value with its interval, such as a median and its confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The place on the x axis, in the base unit of the axis.
    pub x: f64,
    /// The value, in the base unit of the y axis.
    pub y: f64,
    /// The lower end of the interval. Minus infinity is drawn down to the edge of the plot; NaN means no
    /// interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
    /// The number of the raw samples behind it, in a page that holds them.
    pub raw: Option<u32>,
}

/// How a series is drawn. Measurements are solid; dashes are for what was not measured.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Style {
    /// A line with a hollow marker now and then, for curves of many points.
    Line,
    /// A line with a marker at each point.
    LineAndDots,
    /// Markers alone.
    Dots,
    /// A dashed line: a model, a fit, a bound.
    Dashed,
    /// A staircase without markers: a share that grows sample by sample.
    Steps,
    /// Small dots that nobody points at one by one: samples in the order in which they came.
    Cloud,
}

impl Style {
    /// Are its points many and small, with nothing to say of each?
    pub(super) fn is_dense(self) -> bool {
        matches!(self, Self::Steps | Self::Cloud)
    }
}

/// A vertical line with a label.
#[derive(Clone, Debug, PartialEq)]
pub struct VerticalMark {
    /// The place on the x axis.
    pub x: f64,
    /// What is there.
    pub label: String,
}

impl Figure {
    /// Charts below each other.
    pub fn new(charts: impl IntoIterator<Item = Chart>) -> Self {
        Self { charts: charts.into_iter().collect() }
    }

    /// The figure as a file of its own.
    pub fn to_svg(&self) -> String {
        svg::standalone(self)
    }

    /// The same figure with linear vertical axes instead of logarithmic ones, and the other way round; nothing if no axis can
    /// be another, or if there are too many points to draw them twice.
    pub fn other_scale(&self) -> Option<Self> {
        let mut series = self.charts.iter().flat_map(|chart| &chart.series);
        if series.any(|series| series.style.is_dense()) {
            return None;
        }
        let charts: Vec<Chart> = self.charts.iter().map(Chart::other_scale).collect();
        (charts != self.charts).then_some(Self { charts })
    }

    /// The same figure in a page that holds the raw samples of so many other points before these, or none of these.
    #[must_use]
    pub fn raw_from(mut self, first: Option<u32>) -> Self {
        let points = self.charts.iter_mut().flat_map(|chart| &mut chart.series).flat_map(|s| &mut s.points);
        points.for_each(|point| point.raw = point.raw.zip(first).map(|(number, first)| number + first));
        self
    }
}

impl From<Chart> for Figure {
    fn from(chart: Chart) -> Self {
        Self::new([chart])
    }
}

impl Chart {
    /// A chart without data.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        let (title, subtitle) = (title.into(), String::new());
        Self { title, subtitle, x, y, series: Vec::new(), marks: Vec::new(), notes: Vec::new() }
    }

    /// The same chart with a second line below its title.
    #[must_use]
    pub fn subtitle(mut self, subtitle: impl Into<String>) -> Self {
        self.subtitle = subtitle.into();
        self
    }

    /// The same chart with one more series.
    #[must_use]
    pub fn series(mut self, series: Series) -> Self {
        self.series.push(series);
        self
    }

    /// The same chart with one more vertical mark.
    #[must_use]
    pub fn mark(mut self, x: f64, label: impl Into<String>) -> Self {
        self.marks.push(VerticalMark { x, label: label.into() });
        self
    }

    /// The same chart with one more note below the plot.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// The chart as a file of its own.
    pub fn to_svg(&self) -> String {
        Figure::from(self.clone()).to_svg()
    }

    /// Values below zero have no logarithm, and those close together need none.
    fn other_scale(&self) -> Self {
        /// Ranges that span less than this factor look the same on both scales.
        const WIDE: f64 = 3.0;
        let values = || self.series.iter().flat_map(|series| &series.points).map(|point| point.y);
        let least = values().fold(f64::INFINITY, f64::min);
        let most = values().fold(f64::NEG_INFINITY, f64::max);
        let is_wide = least > 0.0 && most / least > WIDE;
        let scale = if is_wide && !self.y.scale.is_log() { Scale::Log10 } else { Scale::Linear };
        Self { y: Axis { scale, ..self.y.clone() }, ..self.clone() }
    }
}

impl Axis {
    /// An axis.
    pub fn new(label: impl Into<String>, scale: Scale, unit: Unit) -> Self {
        Self { label: label.into(), scale, unit }
    }
}

impl Series {
    /// A series of any style.
    pub fn new(name: impl Into<String>, style: Style, points: impl IntoIterator<Item = Point>) -> Self {
        Self { name: name.into(), points: points.into_iter().collect(), style, like: None }
    }

    /// A line of many points.
    pub fn line(name: impl Into<String>, points: impl IntoIterator<Item = Point>) -> Self {
        Self::new(name, Style::Line, points)
    }

    /// The same series in the colour of the series called `name`.
    #[must_use]
    pub fn like(mut self, name: impl Into<String>) -> Self {
        self.like = Some(name.into());
        self
    }
}

impl Point {
    /// A value without an interval.
    pub fn new(x: f64, y: f64) -> Self {
        Self { x, y, low: y, high: y, raw: None }
    }

    /// A value with its interval.
    pub fn with_interval(x: f64, y: f64, low: f64, high: f64) -> Self {
        Self { x, y, low, high, raw: None }
    }

    /// The same point with the number of its raw samples.
    #[must_use]
    pub fn raw(self, number: Option<u32>) -> Self {
        Self { raw: number, ..self }
    }
}

impl Scale {
    /// Whether equal ratios have equal lengths.
    pub fn is_log(self) -> bool {
        self != Self::Linear
    }
}
