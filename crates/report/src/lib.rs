//! Charts as SVG, tables as text, CSV, Markdown and HTML, whole reports as one HTML page, and how measurements
//! are presented with them.
//!
//! The same input gives the same bytes, on every machine: the crate reads no clock, opens no file and asks no
//! network. ([`raster`] alone reads a font of the system.) Only [`present`] knows of measurements; the others take numbers with a unit and give back text.
//!
//! * [`chart`]: a model of a chart and its rendering as SVG.
//! * [`raster`]: those charts as pictures of pixels.
//! * [`table`]: tables in four notations.
//! * [`html`]: a self-contained page of paragraphs, key figures, charts and tables.
//! * [`present`]: measured points as tables, figures, CSV, JSON and in the layouts of other benchmarks.
#![forbid(unsafe_code)]

pub mod chart;
pub mod html;
mod markup;
pub mod present;
pub mod raster;
pub mod table;
