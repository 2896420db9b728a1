//! What `panto compare` prints and draws.

use panto_compare::Comparison;
use panto_report::present;

use super::Format;
use crate::out;

/// Points that are shown unless all are asked for.
const MOST_POINTS: usize = 30;

pub(super) fn print(comparison: &Comparison, format: Format, all: bool) {
    match format {
        Format::Table => tables(comparison, all),
        Format::Json => out::line(present::comparison_json(comparison)),
        Format::Csv => out::text(present::comparison_csv(comparison)),
    }
    if format != Format::Table {
        warn(comparison);
    }
}

fn tables(comparison: &Comparison, all: bool) {
    let most = if all { comparison.points.len() } else { MOST_POINTS };
    out::line(present::comparison_table(comparison, most));
    for line in present::comparison_alone(comparison, all) {
        out::line(line);
    }
    if let Some(table) = present::comparison_differences(comparison) {
        out::line(format_args!("\nOld and new were not measured in the same way:\n{table}"));
    }
    for note in &comparison.notes {
        out::line(format_args!("note: {note}"));
    }
    for line in present::comparison_in_words(comparison) {
        out::line(line);
    }
    out::line(format_args!("verdict: {}", comparison.verdict));
}

/// What stands in the document as well, for whoever looks at the terminal.
fn warn(comparison: &Comparison) {
    let what: Vec<&str> = comparison.differences.iter().map(|difference| difference.what).collect();
    if !what.is_empty() {
        out::note(format_args!("panto: old and new were not measured in the same way: {}", what.join(", ")));
    }
}
