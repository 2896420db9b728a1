//! Sizes, in pixels of the drawing.

/// Width of every figure.
pub(super) const WIDTH: f64 = 760.0;
/// Margin around a figure.
pub(super) const MARGIN: f64 = 16.0;
/// Distance between charts of a figure.
pub(super) const BETWEEN: f64 = 22.0;

pub(super) const TITLE: f64 = 15.0;
pub(super) const SUBTITLE: f64 = 12.5;
pub(super) const LABEL: f64 = 12.0;
pub(super) const TICK: f64 = 11.0;
pub(super) const NOTE: f64 = 11.0;

/// Distance of the baselines of two lines, in units of the font size.
pub(super) const LEADING: f64 = 1.35;

/// Distance between the outermost points and the edge of the plot.
pub(super) const INSET: f64 = 9.0;
/// Width of the slot for zero.
pub(super) const SLOT: f64 = 34.0;
/// Width of the break beside the slot for zero.
pub(super) const BREAK: f64 = 12.0;

/// Height of a row of mark labels.
pub(super) const MARK_ROW: f64 = 15.0;
/// Height of a row of the legend, and distance of labels at line ends.
pub(super) const NAME_ROW: f64 = 16.0;
/// Width of the leader line between the end of a curve and its label.
pub(super) const LEADER: f64 = 22.0;
/// Width of the line sample in the legend.
pub(super) const SAMPLE: f64 = 42.0;
/// Width of the longest name that is shown in full.
pub(super) const NAME_ROOM: f64 = 170.0;

/// Upper limit of series that are labelled at their ends; more have a legend.
pub(super) const DIRECT_LABELS: usize = 6;

/// Returns the height of a plot: taller alone than in a stack.
pub(super) fn plot_height(charts: usize) -> f64 {
    if charts > 1 { 210.0 } else { 310.0 }
}

/// Positions of the parts of a chart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// Top of the chart, where its title begins.
    pub start: f64,
    /// Top edge of the plot.
    pub top: f64,
    pub bottom: f64,
    pub left: f64,
    pub right: f64,
    /// Left edge of the axis proper: right of the slot for zero, if there is one.
    pub main: f64,
    /// Bottom of the chart, below its notes.
    pub end: f64,
}
