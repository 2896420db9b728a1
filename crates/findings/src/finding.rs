//! One derived figure.

use panto_results::{FindingKind, Point};
use panto_stats::Interval;
use serde::Serialize;

/// A figure that was derived from records.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// The kernel whose records it comes from.
    pub kernel: String,
    /// What it is. The label says the same in words.
    #[serde(skip)]
    pub kind: FindingKind,
    /// The parameters that it holds for, as far as they are fixed: the parameter that was swept
    /// over is absent, and `ranks` is 0 where the number of ranks was.
    #[serde(skip)]
    pub point: Point,
    /// The machine that was simulated; absent where the records were measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// The description for readers.
    pub label: String,
    /// The figure.
    pub value: f64,
    /// Its unit.
    pub unit: Unit,
    /// A range around the figure; absent where none can be given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<(f64, f64)>,
    /// What the range is.
    #[serde(rename = "interval_is")]
    pub interval_kind: IntervalKind,
}

/// What the range around a figure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum IntervalKind {
    /// The 95% confidence interval.
    Confidence,
    /// The quartiles of the values whose median the figure is.
    Quartiles,
    /// The smallest and the largest of the values whose median the figure is.
    Extremes,
}

/// The unit of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Seconds.
    Seconds,
    /// Seconds per byte.
    SecondsPerByte,
    /// Bytes.
    Bytes,
    /// Bytes per second.
    BytesPerSecond,
    /// Messages per second.
    MessagesPerSecond,
    /// Floating-point operations per second.
    FlopsPerSecond,
    /// Per cent.
    Percent,
    /// A plain number.
    Number,
}

impl Finding {
    /// Returns a finding without a range.
    pub(crate) fn new(
        (kernel, kind): (&str, FindingKind),
        point: &Point,
        label: impl Into<String>,
        (value, unit): (f64, Unit),
    ) -> Self {
        Self {
            kernel: kernel.into(),
            kind,
            point: point.clone(),
            machine: None,
            label: label.into(),
            value,
            unit,
            interval: None,
            interval_kind: IntervalKind::Confidence,
        }
    }

    /// Adds a confidence interval, multiplied by `scale`.
    pub(crate) fn within(self, interval: Interval, scale: f64) -> Self {
        Self { interval: Some((interval.low * scale, interval.high * scale)), ..self }
    }

    /// Adds a range of another kind.
    pub(crate) fn between(self, interval: (f64, f64), interval_kind: IntervalKind) -> Self {
        Self { interval: Some(interval), interval_kind, ..self }
    }
}
