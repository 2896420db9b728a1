//! The program that was recovered from traces, and how well an extrapolated trace agrees with a
//! real one.

mod check;

use panto_extrapolate::{Line, Program};
use panto_units::percent;
use serde_json::{Value, json};

use crate::table::{Column, Table};

pub use check::ExtrapolationCheck;

/// Returns the calls of a program with their rules, as text.
pub fn program_text(program: &Program) -> String {
    let mut table = Table::new(["call", "partner", "bytes", "ranks", "computation"].map(Column::text));
    for line in program.outline() {
        let Line { depth, call, partner, bytes, who, computation } = line;
        table.row([format!("{}{call}", "  ".repeat(depth)), partner, bytes, who, computation]);
    }
    let grids = program.from().iter().filter_map(|ranks| program.arrangement(*ranks));
    let grids = grids.collect::<Vec<_>>().join(", ");
    let origin = program.origin();
    let mut text = format!("The program, from traces of {origin}, arranged as {grids}:\n\n{table}");
    let assumed = program.assumed.iter().map(|what| ("assumed", what));
    let approximate = program.approximate.iter().map(|place| ("approximate", place));
    let notes: Vec<String> =
        assumed.chain(approximate).map(|(kind, note)| format!("\n{kind}: {note}")).collect();
    text.push_str(&notes.concat());
    if !notes.is_empty() {
        text.push('\n');
    }
    text.extend(["\n", &validation(program.computation_error()), "\n"]);
    text
}

/// Returns how well the laws of computation predict what was left out of the fit.
fn validation(error: Option<f64>) -> String {
    error.map_or_else(
        || format!("Computation: {NO_ERROR}."),
        |error| {
            format!("Computation: the laws miss {} of what was left out of the fit.", percent(100.0 * error))
        },
    )
}

/// Why there is no estimate of the error of computation.
pub(super) const NO_ERROR: &str = "two traces give no estimate of the error; a third would";

/// Returns the same for machines.
pub fn program_json(program: &Program) -> Value {
    let calls: Vec<Value> = program
        .outline()
        .into_iter()
        .map(|line| {
            json!({
                "depth": line.depth, "call": line.call, "partner": line.partner, "bytes": line.bytes,
                "ranks": line.who, "computation": line.computation,
            })
        })
        .collect();
    json!({
        "from": program.from(), "calls": calls, "approximate": program.approximate,
        "assumed": program.assumed,
        "computation_error": program.computation_error(),
    })
}
