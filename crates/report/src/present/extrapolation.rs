//! The program that was recovered from traces, and how well an extrapolated trace agrees with a
//! real one.

use panto_extrapolate::{Line, Program};
use panto_trace::Summary;
use panto_units::{grouped, percent, rounded_bytes, time};
use serde_json::{Value, json};

use crate::table::{Column, Table};

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
    for place in &program.approximate {
        text.extend(["\napproximate: ", place.as_str()]);
    }
    if !program.approximate.is_empty() {
        text.push('\n');
    }
    text
}

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
        "computation_error": program.computation_error(),
    })
}

/// An extrapolated trace beside the trace of a real run.
pub struct ExtrapolationCheck<'a> {
    /// The extrapolated trace.
    pub made: &'a Summary,
    /// The real one.
    pub real: &'a Summary,
    /// The machine's name, and the predicted times from both traces, in seconds.
    pub predicted: (&'a str, [f64; 2]),
}

impl ExtrapolationCheck<'_> {
    /// Returns whether all ranks make the same calls.
    pub fn has_same_calls(&self) -> bool {
        let calls = |summary: &Summary| -> Vec<(String, u64, u64)> {
            let mut all: Vec<_> =
                summary.functions.iter().map(|one| (one.name.clone(), one.calls, one.bytes)).collect();
            all.sort();
            all
        };
        let ranks = |summary: &Summary| -> Vec<(u64, u64)> {
            summary.ranks.iter().map(|rank| (rank.messages, rank.collectives)).collect()
        };
        calls(self.made) == calls(self.real) && ranks(self.made) == ranks(self.real)
    }

    /// Returns whether the same messages go between all pairs of ranks.
    pub fn has_same_messages(&self) -> bool {
        self.made.pairs == self.real.pairs
    }

    /// Returns the difference of computation, as a share of the real one.
    pub fn computation_difference(&self) -> f64 {
        let [made, real] = [self.made, self.real].map(computation);
        made / real - 1.0
    }

    /// Returns the difference of the predicted times, as a share of the one from the real trace.
    pub fn time_difference(&self) -> f64 {
        let (_, [made, real]) = self.predicted;
        made / real - 1.0
    }

    /// Returns the comparison as text.
    pub fn text(&self) -> String {
        let columns = [
            Column::text(""),
            Column::right("extrapolated"),
            Column::right("traced"),
            Column::right("difference"),
        ];
        let mut table = Table::new(columns);
        let same =
            |is_same: bool, of: &str| if is_same { format!("none {of}") } else { format!("some {of}") };
        let of = |count: fn(&Summary) -> u64| [self.made, self.real].map(count);
        let [made, real] = of(|summary| summary.ranks.iter().map(|rank| rank.calls).sum()).map(grouped);
        table.row(["calls".to_owned(), made, real, same(self.has_same_calls(), "on any rank")]);
        let [made, real] = of(|summary| summary.pairs.iter().map(|pair| pair.messages).sum()).map(grouped);
        table.row(["messages".to_owned(), made, real, same(self.has_same_messages(), "of any pair")]);
        let [made, real] = of(|summary| summary.pairs.iter().map(|pair| pair.bytes).sum()).map(rounded_bytes);
        table.row([
            "bytes of messages".to_owned(),
            made,
            real,
            same(self.has_same_messages(), "of any pair"),
        ]);
        let [made, real] = [self.made, self.real].map(|summary| time(computation(summary)));
        table.row(["computation".to_owned(), made, real, signed(self.computation_difference())]);
        let (machine, times) = self.predicted;
        let [made, real] = times.map(time);
        table.row([format!("time on {machine}"), made, real, signed(self.time_difference())]);
        table.to_string()
    }

    /// Returns the comparison for machines.
    pub fn json(&self) -> Value {
        let (machine, [made, real]) = self.predicted;
        json!({
            "same_calls": self.has_same_calls(),
            "same_messages": self.has_same_messages(),
            "computation_s": [computation(self.made), computation(self.real)],
            "computation_difference": self.computation_difference(),
            "machine": machine,
            "time_s": [made, real],
            "time_difference": self.time_difference(),
        })
    }
}

fn computation(summary: &Summary) -> f64 {
    summary.ranks.iter().map(|rank| rank.computation).sum::<u64>() as f64 * 1e-9
}

fn signed(share: f64) -> String {
    let sign = if share > 0.0 { "+" } else { "" };
    format!("{sign}{}", percent(100.0 * share))
}
