//! From measured points to what people and programs read.
//!
//! A function a form: [`table`] and [`figure`] for people, [`csv`] and [`json`] for programs, [`osu`] and
//! [`imb`] for scripts that know the output of those benchmarks, [`describe`] and [`concerns`] for those who
//! must decide whether to trust the numbers.
//!
//! Points are measured in random order. Here they are sorted: by kernel in the order of the suite, then by
//! the number of ranks and the parameters, with the parameter on the x axis last.

mod against;
mod comparison;
mod concerns;
mod contest;
mod counterpart;
mod crowding;
mod csv;
mod date;
mod describe;
mod figure;
mod findings;
mod fit;
mod group;
mod history;
mod imb;
mod json;
mod mbs;
mod notation;
mod osu;
mod overlay;
mod page;
mod param;
mod pictures;
mod placement;
mod reproduction;
mod samples;
mod sections;
mod sentences;
mod swap;
mod table;
mod words;

pub use against::{Departure, departures};
pub use comparison::{
    comparison_alone, comparison_csv, comparison_differences, comparison_figures, comparison_in_words,
    comparison_json, comparison_table,
};
pub use concerns::concerns;
pub use contest::{decision_pictures, decisions};
pub use crowding::crowding;
pub use csv::csv;
pub use describe::describe;
pub use figure::{figure, is_scenario, scenario_figures};
pub use findings::{findings, findings_table, quantity};
pub use fit::{fit_figures, fit_json, fit_quality, fit_table};
pub use group::by_kernel;
pub use history::{history_csv, history_figures, history_in_words, history_json, history_table};
pub use imb::imb;
pub use json::json;
pub use mbs::mbs;
pub use osu::osu;
pub use overlay::overlay_section;
pub use page::{Reported, report};
pub use pictures::figures;
pub use placement::placement;
pub use reproduction::{
    assumptions, reproduction_figures, reproduction_in_words, reproduction_page, reproduction_table,
};
pub use sections::{comparison_section, fit_section, machine_section};
pub use sentences::{in_words, key_figures};
pub use swap::{is_swap, swap_figures, swap_summary, swap_tables};
pub use table::table;
