//! What `panto compare` prints.

use panto_compare::Comparison;
use panto_report::present;

use crate::format::Format;
use crate::print;

/// Maximum number of points printed without `--all`.
const MAX_POINTS: usize = 30;

pub(super) fn print(comparison: &Comparison, format: Format, all: bool) {
    match format {
        Format::Json => print::line(present::comparison_json(comparison)),
        Format::Csv => print::text(present::comparison_csv(comparison)),
        _ => tables(comparison, all),
    }
    if format != Format::Table {
        warn(comparison);
    }
}

fn tables(comparison: &Comparison, all: bool) {
    let most = if all { comparison.points.len() } else { MAX_POINTS };
    print::line(present::comparison_table(comparison, most));
    for line in present::comparison_unmatched(comparison, all) {
        print::line(line);
    }
    if let Some(table) = present::comparison_differences(comparison) {
        print::line(format_args!("\nThe runs were measured differently:\n{table}"));
    }
    for note in &comparison.notes {
        print::line(format_args!("note: {note}"));
    }
    for line in present::comparison_summary(comparison) {
        print::line(line);
    }
    print::line(format_args!("verdict: {}", comparison.verdict));
}

/// Prints to standard error that the runs were measured differently.
fn warn(comparison: &Comparison) {
    let fields: Vec<&str> = comparison.differences.iter().map(|difference| difference.fact).collect();
    if !fields.is_empty() {
        print::note(format_args!("panto: the runs were measured differently: {}", fields.join(", ")));
    }
}
