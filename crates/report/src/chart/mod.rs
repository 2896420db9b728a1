//! Charts: a model of what to show, and its rendering as SVG.
//!
//! A [`Chart`] is data: axes, series of points with intervals, vertical marks and notes. A
//! [`Figure`] stacks charts in one image and renders it. A stand-alone image includes its style
//! sheet and has light colours; inside a page of [`crate::html`] it follows the colours of the
//! page.
//!
//! Nothing is dropped silently: points without a finite value, or without a positive one on a
//! logarithmic axis, are counted in a note. Size 0 on a logarithmic x axis has a slot of its own,
//! left of a break.
//!
//! ```
//! use panto_report::chart::{Axis, Chart, Point, Scale, Series, Unit};
//!
//! let chart = Chart::new(
//!     "Ping-pong",
//!     Axis::new("message size", Scale::Log2, Unit::Bytes),
//!     Axis::new("one-way time", Scale::Log10, Unit::Seconds),
//! )
//! .series(Series::line(
//!     "tcp",
//!     [Point::new(0.0, 9.1e-6), Point::with_interval(64.0, 9.3e-6, 9.1e-6, 9.8e-6)],
//! ));
//! assert!(chart.to_svg().starts_with("<svg"));
//! ```

mod bars;
mod data;
mod domain;
mod gnuplot;
mod grid;
mod mapping;
mod model;
mod palette;
mod spread;
mod svg;
mod text;
mod ticks;
mod unit;

pub(crate) use palette::{dark_variables, style_sheet};
pub(crate) use svg::inline as inline_svg;

pub use bars::{Bar, Bars};
pub use gnuplot::Gnuplot;
pub use grid::{Cell, Grid, GridRow};
pub use model::{Axis, Chart, Figure, Point, Scale, Series, Style, VerticalMark};
pub use unit::Unit;
