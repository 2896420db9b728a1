//! Presentation of measured points for readers and programs.
//!
//! One function per format: [`table`] and [`figure`] for readers, [`csv`] and [`json`] for
//! programs, [`osu`] and [`imb`] for scripts that parse the output of those benchmarks,
//! [`describe`] and [`concerns`] to judge how far the numbers can be trusted.
//!
//! Points are measured in random order. Here they are sorted: by kernel in the order of the suites,
//! then by the number of ranks and the parameters, with the parameter on the x axis last.

mod balance;
mod comparison;
mod concerns;
mod contest;
mod counterpart;
mod csv;
mod date;
mod describe;
mod extrapolation;
mod figure;
mod findings;
mod fit;
mod group;
mod history;
mod imb;
mod json;
mod kernel_figures;
mod mbs;
mod model;
mod model_residuals;
mod notation;
mod osu;
mod overlay;
mod oversubscription;
mod page;
mod param;
mod phrases;
mod placement;
mod prediction;
mod quickstart;
mod ranks;
mod samples;
mod saved;
mod scaling;
mod sections;
mod sentences;
mod swap;
mod sweep;
mod table;
mod timeline;
mod timeline_differences;
mod trace;
mod uncertainty;
mod verdict;

pub use balance::BalanceReport;
pub use comparison::{
    comparison_csv, comparison_differences, comparison_figures, comparison_json, comparison_summary,
    comparison_table, comparison_unmatched,
};
pub use concerns::concerns;
pub use contest::{best_algorithm_grids, best_algorithm_tables};
pub use csv::csv;
pub use describe::describe;
pub use extrapolation::{ExtrapolationCheck, program_json, program_text};
pub use figure::{figure, is_scenario, scenario_figures};
pub use findings::{findings, findings_table, quantity};
pub use fit::{fit_figures, fit_json, fit_quality, fit_table};
pub use group::by_kernel;
pub use history::{history_csv, history_figures, history_json, history_summary, history_table};
pub use imb::imb;
pub use json::json;
pub use kernel_figures::figures;
pub use mbs::mbs;
pub use model::{
    machine_groups, machine_list, machine_list_json, model_heading, model_json, model_parameters, model_text,
};
pub use model_residuals::{ModelResidual, model_residuals};
pub use osu::osu;
pub use overlay::overlay_section;
pub use oversubscription::oversubscription;
pub use page::{ReportedRun, report};
pub use placement::{layout, placement};
pub use prediction::{PredictionReport, RunComputation, Subject};
pub use quickstart::{
    MachinePrediction, MpiPrediction, PredictionCheck, Quickstart, quickstart_page, quickstart_table,
};
pub use ranks::{rank_list, rank_names};
pub use saved::{SavedKind, saved_section, sweep_section};
pub use scaling::{ScalingReport, limit};
pub use sections::{comparison_section, fit_section, machine_section};
pub use sentences::{key_figures, summary_sentences};
pub use swap::{is_swap, swap_figures, swap_summary, swap_tables};
pub use sweep::{SweepOrder, SweepReport, sweep_bars, sweep_chart};
pub use table::table;
pub use timeline::{TimelineReport, timeline_section};
pub use timeline_differences::{
    timeline_differences_csv, timeline_differences_json, timeline_differences_text,
};
pub use trace::{TraceReport, not_counted, shared_cores};
pub use uncertainty::{samples_json, samples_text};
use verdict::verdict_banner;
pub use verdict::{is_poor, verdict_lines};
