//! Charts as SVG, tables as text, CSV, Markdown and HTML, reports as one HTML page, and the
//! presentation of measurements with them.
//!
//! The same input gives the same bytes on every machine: the crate reads no clock, opens no file
//! and uses no network. ([`raster`] alone reads a system font.) Only [`present`] knows of
//! measurements; the other modules turn numbers with units into text.
//!
//! - [`chart`]: a model of a chart and its rendering as SVG.
//! - [`raster`]: charts as PNG.
//! - [`table`]: tables in four notations.
//! - [`html`]: a self-contained page of text, key figures, charts and tables.
//! - [`present`]: measured points as tables, figures, CSV, JSON and in the formats of other
//!   benchmarks.
//!
//! Codes such as C18 in comments are requirements: rows of `docs/conformance.md`.
#![forbid(unsafe_code)]

pub mod chart;
pub mod html;
mod markup;
pub mod present;
pub mod raster;
pub mod table;
