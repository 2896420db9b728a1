//! From measured points to what people and programs read.
//!
//! A function a form: [`table`] and [`figure`] for people, [`csv`] and [`json`] for programs, [`osu`] and
//! [`imb`] for scripts that know the output of those benchmarks, [`describe`] and [`concerns`] for those who
//! must decide whether to trust the numbers.
//!
//! Points are measured in random order. Here they are sorted: by kernel in the order of the suite, then by
//! the number of ranks and the parameters, with the parameter on the x axis last.

mod concerns;
mod counterpart;
mod crowding;
mod csv;
mod date;
mod describe;
mod figure;
mod findings;
mod group;
mod imb;
mod json;
mod notation;
mod osu;
mod page;
mod param;
mod placement;
mod reproduction;
mod sentences;
mod table;
mod words;

pub use concerns::concerns;
pub use crowding::crowding;
pub use csv::csv;
pub use describe::describe;
pub use figure::figure;
pub use findings::{findings, findings_table, quantity};
pub use group::by_kernel;
pub use imb::imb;
pub use json::json;
pub use osu::osu;
pub use page::report;
pub use placement::placement;
pub use reproduction::{
    assumptions, reproduction_figures, reproduction_in_words, reproduction_page, reproduction_table,
};
pub use sentences::{in_words, key_figures};
pub use table::table;
