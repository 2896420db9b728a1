//! What `panto compare` prints and draws.

use std::path::Path;

use panto_compare::Comparison;
use panto_report::chart::Figure;
use panto_report::present;

use super::Format;
use crate::failure::Failure;
use crate::out;

/// Points that are shown unless all are asked for.
const MOST_POINTS: usize = 30;

pub fn print(comparison: &Comparison, format: Format, all: bool) {
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

/// One file for all kernels, or one for each in a directory.
pub fn plot(comparison: &Comparison, path: &Path) -> Result<(), Failure> {
    let figures = present::comparison_figures(comparison);
    let is_file = path.extension().is_some_and(|extension| extension == "svg") && !path.is_dir();
    if is_file {
        return write(path, &Figure::new(figures.into_iter().flat_map(|(_, figure)| figure.charts)));
    }
    std::fs::create_dir_all(path).map_err(|error| Failure::write(path, &error))?;
    for (kernel, figure) in figures {
        write(&path.join(format!("{}.svg", kernel.replace('/', "-"))), &figure)?;
    }
    Ok(())
}

fn write(path: &Path, figure: &Figure) -> Result<(), Failure> {
    std::fs::write(path, figure.to_svg()).map_err(|error| Failure::write(path, &error))?;
    out::note(format_args!("wrote {}", path.display()));
    Ok(())
}
