//! Model of charts and figures.

use super::{Unit, svg};

/// Charts stacked in one image. Charts with the same x axis share its range, so that time above and
/// bandwidth below line up; a series looks the same in all of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// The charts, from top to bottom.
    pub charts: Vec<Chart>,
}

/// A plot with its axes, titles and notes.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Title: what the chart shows.
    pub title: String,
    /// A second line: what was measured where. May be empty.
    pub subtitle: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// Curves. Up to six are labelled at their ends, more in a legend.
    pub series: Vec<Series>,
    /// Positions of interest on the x axis, such as a change of protocol.
    pub marks: Vec<VerticalMark>,
    /// Notes below the plot.
    pub notes: Vec<String>,
}

/// An axis: label, scale and unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Label without the unit, which each tick shows.
    pub label: String,
    /// Scale.
    pub scale: Scale,
    /// Unit of the values.
    pub unit: Unit,
    /// Names of the values 1, 2, 3, ..., where these stand for things; empty for numbers.
    pub names: Vec<String>,
}

/// Scale of an axis.
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
    /// Name in labels, legend and tooltips.
    pub name: String,
    /// Points; drawn sorted by x.
    pub points: Vec<Point>,
    /// Drawing style.
    pub style: Style,
    /// Name of another series whose colour and marker this one takes: a fitted line beside its
    /// measurement.
    pub like: Option<String>,
}

/// A value with an interval, such as a median and its confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Position on the x axis, in the base unit of the axis.
    pub x: f64,
    /// Value, in the base unit of the y axis.
    pub y: f64,
    /// Lower end of the interval. Minus infinity is drawn to the edge of the plot; NaN means no
    /// interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// Index of its raw samples, in a page that embeds them.
    pub raw: Option<u32>,
}

/// Drawing style of a series. Measurements are solid; dashes are for what was not measured.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Style {
    /// A line with sparse hollow markers, for curves of many points.
    Line,
    /// A line with a marker at each point.
    LineAndDots,
    /// Markers alone.
    Dots,
    /// A dashed line: a model, a fit, a bound.
    Dashed,
    /// A staircase without markers: a cumulative distribution.
    Steps,
    /// Small dots without tooltips: samples in the order they were taken.
    Cloud,
}

impl Style {
    /// Returns whether the points are many, small, and without tooltips.
    pub(super) fn is_dense(self) -> bool {
        matches!(self, Self::Steps | Self::Cloud)
    }
}

/// A vertical line with a label.
#[derive(Clone, Debug, PartialEq)]
pub struct VerticalMark {
    /// Position on the x axis.
    pub x: f64,
    /// Label.
    pub label: String,
}

impl Figure {
    /// Stacks charts.
    pub fn new(charts: impl IntoIterator<Item = Chart>) -> Self {
        Self { charts: charts.into_iter().collect() }
    }

    /// Returns the figure as a stand-alone SVG.
    pub fn to_svg(&self) -> String {
        svg::standalone(self)
    }

    /// Returns the figure with linear vertical axes instead of logarithmic ones, and vice versa;
    /// `None` if no axis can change, or if there are too many points to draw them twice.
    pub fn other_scale(&self) -> Option<Self> {
        let mut series = self.charts.iter().flat_map(|chart| &chart.series);
        if series.any(|series| series.style.is_dense()) {
            return None;
        }
        let charts: Vec<Chart> = self.charts.iter().map(Chart::other_scale).collect();
        (charts != self.charts).then_some(Self { charts })
    }

    /// Returns the figure for a page in which `first` other sets of raw samples precede these;
    /// without links to raw samples if `first` is `None`.
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
    /// Creates a chart without data.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        let (title, subtitle) = (title.into(), String::new());
        Self { title, subtitle, x, y, series: Vec::new(), marks: Vec::new(), notes: Vec::new() }
    }

    /// Sets the second line below the title.
    #[must_use]
    pub fn subtitle(mut self, subtitle: impl Into<String>) -> Self {
        self.subtitle = subtitle.into();
        self
    }

    /// Adds a series.
    #[must_use]
    pub fn series(mut self, series: Series) -> Self {
        self.series.push(series);
        self
    }

    /// Adds a vertical mark.
    #[must_use]
    pub fn mark(mut self, x: f64, label: impl Into<String>) -> Self {
        self.marks.push(VerticalMark { x, label: label.into() });
        self
    }

    /// Adds a note below the plot.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Returns the chart as a stand-alone SVG.
    pub fn to_svg(&self) -> String {
        Figure::from(self.clone()).to_svg()
    }

    /// Returns the chart with the other scale. Negative values have no logarithm, and a narrow
    /// range needs none.
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
    /// Creates an axis.
    pub fn new(label: impl Into<String>, scale: Scale, unit: Unit) -> Self {
        Self { label: label.into(), scale, unit, names: Vec::new() }
    }

    /// Names the values 1, 2, 3, ... of a linear axis.
    #[must_use]
    pub fn named(mut self, names: impl IntoIterator<Item = String>) -> Self {
        self.names = names.into_iter().collect();
        self
    }

    /// Returns the name of a value; `None` if it is a number.
    pub(super) fn name(&self, value: f64) -> Option<&str> {
        let place = (value.round() as usize).checked_sub(1)?;
        self.names.get(place).map(String::as_str)
    }

    /// Returns a value for a tooltip: its name, or the exact number.
    pub(super) fn exact(&self, value: f64) -> String {
        self.name(value).map_or_else(|| self.unit.exact(value), str::to_owned)
    }

    /// Returns a value for a sentence: its name, or a rounded number.
    pub(super) fn human(&self, value: f64) -> String {
        self.name(value).map_or_else(|| self.unit.human(value), str::to_owned)
    }
}

impl Series {
    /// Creates a series of any style.
    pub fn new(name: impl Into<String>, style: Style, points: impl IntoIterator<Item = Point>) -> Self {
        Self { name: name.into(), points: points.into_iter().collect(), style, like: None }
    }

    /// Creates a line of many points.
    pub fn line(name: impl Into<String>, points: impl IntoIterator<Item = Point>) -> Self {
        Self::new(name, Style::Line, points)
    }

    /// Takes colour and marker of the series called `name`.
    #[must_use]
    pub fn like(mut self, name: impl Into<String>) -> Self {
        self.like = Some(name.into());
        self
    }
}

impl Point {
    /// Creates a value without an interval.
    pub fn new(x: f64, y: f64) -> Self {
        Self { x, y, low: y, high: y, raw: None }
    }

    /// Creates a value with an interval.
    pub fn with_interval(x: f64, y: f64, low: f64, high: f64) -> Self {
        Self { x, y, low, high, raw: None }
    }

    /// Sets the index of the raw samples.
    #[must_use]
    pub fn raw(self, number: Option<u32>) -> Self {
        Self { raw: number, ..self }
    }
}

impl Scale {
    /// Returns whether the scale is logarithmic.
    pub fn is_log(self) -> bool {
        self != Self::Linear
    }
}
