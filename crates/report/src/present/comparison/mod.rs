//! Comparison of two runs: as a table, in sentences, for programs and as figures.

mod export;
mod figure;
mod sentences;

use panto_compare::{Comparison, Key, Pair};
use panto_units::TIME;

use super::notation::Notation;
use super::param::phrase;
use super::phrases;
use crate::table::{Column, Table};

pub use export::{comparison_csv, comparison_json};
pub use figure::comparison_figures;
pub use sentences::{comparison_summary, comparison_unmatched};

/// Returns a table of the points that both runs have, the most important first; at most `most` of
/// them.
pub fn comparison_table(comparison: &Comparison, most: usize) -> Table {
    let shown = &comparison.points[..comparison.points.len().min(most)];
    let times = shown.iter().flat_map(|pair| [pair.old.median_ns, pair.new.median_ns]);
    let notation = Notation::of(times.map(seconds), &TIME[1..]);
    let mut table = Table::new([
        Column::text("verdict"),
        Column::text("kernel"),
        Column::text("point"),
        notation.column("old"),
        notation.column("new"),
        Column::number("ratio"),
        Column::right(format!("{} interval", percent(comparison.settings.confidence))),
        Column::right("p"),
        Column::text("based on"),
        Column::text("note"),
    ]);
    for pair in shown {
        table.row(row(pair, notation));
    }
    let more = comparison.points.len() - shown.len();
    match more {
        0 => table,
        _ => table.caption(format!("{most} most important of {} points", comparison.points.len())),
    }
}

/// Returns a table of other differences between the runs; `None` if there are none.
pub fn comparison_differences(comparison: &Comparison) -> Option<Table> {
    let mut table = Table::new([Column::text("difference"), Column::text("old"), Column::text("new")]);
    for difference in &comparison.differences {
        let shown = |values: &[String]| if values.is_empty() { "unknown".into() } else { values.join(", ") };
        table.row([difference.fact.to_owned(), shown(&difference.old), shown(&difference.new)]);
    }
    (!comparison.differences.is_empty()).then_some(table)
}

fn row(pair: &Pair, notation: Notation) -> [String; 10] {
    [
        pair.verdict.to_string(),
        kernels(pair),
        point(&pair.key),
        notation.cell(seconds(pair.old.median_ns)),
        notation.cell(seconds(pair.new.median_ns)),
        pair.ratio.map_or("-".into(), ratio),
        pair.low.zip(pair.high).map_or("-".into(), |(low, high)| format!("{}..{}", ratio(low), ratio(high))),
        pair.p.map_or("-".into(), p_value),
        basis_text(pair),
        pair.why.clone().unwrap_or_default(),
    ]
}

/// Returns what the verdict is based on, with the counts of both sides: `200|180 samples`.
fn basis_text(pair: &Pair) -> String {
    use panto_compare::Basis;
    match pair.basis {
        Basis::Launches => format!("{}|{} launches", pair.old.launches, pair.new.launches),
        Basis::Samples => format!("{}|{} samples", pair.old.samples, pair.new.samples),
        basis @ (Basis::Threshold | Basis::Exact | Basis::Identical) => basis.to_string(),
    }
}

/// Returns the kernel, or both where the runs are of different benchmarks.
fn kernels(pair: &Pair) -> String {
    let other = pair.counterpart.as_ref().map(|key| format!(" and {}", key.kernel)).unwrap_or_default();
    phrases::one_line(&format!("{}{other}", pair.key.kernel))
}

/// Formats a point: `2 ranks, 1 hop, size 64KiB`.
fn point(key: &Key) -> String {
    let text = key.parameters().into_iter().map(|(name, value)| phrase(name, Some(&value)));
    phrases::one_line(&text.collect::<Vec<_>>().join(", "))
}

pub(super) fn ratio(ratio: f64) -> String {
    format!("{ratio:.3}")
}

fn p_value(p: f64) -> String {
    if p < 1e-4 { "<0.0001".into() } else { format!("{p:.4}") }
}

/// Formats a fraction as a percentage: 0.05 is `5%`.
pub(super) fn percent(part: f64) -> String {
    format!("{}%", panto_units::trim_zeros(&format!("{:.2}", 100.0 * part)))
}

pub(super) fn seconds(nanos: f64) -> f64 {
    nanos * 1e-9
}
