//! The tables of a trace.

use panto_report::table::{Column, Table};
use panto_trace::{Function, Pattern, Summary};
use panto_units::{Ladder, percent, rung, significant};

use super::seconds;

/// Functions that are shown; `--format csv` has all.
const MOST_FUNCTIONS: usize = 12;

/// Bytes, from one.
const BYTES: Ladder = &[
    (1_099_511_627_776.0, "TiB"),
    (1_073_741_824.0, "GiB"),
    (1_048_576.0, "MiB"),
    (1024.0, "KiB"),
    (1.0, "B"),
];

/// A number of bytes with three digits: sums need not be exact to be understood.
pub fn amount(bytes: u64) -> String {
    if bytes < 1024 {
        return format!("{bytes}B");
    }
    let (size, unit) = rung(bytes as f64, BYTES);
    format!("{}{unit}", significant(bytes as f64 / size, 3))
}

/// A number with a comma before each three digits.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Where nothing is sent, that is said by nothing.
fn some_amount(bytes: u64) -> String {
    if bytes == 0 { "-".into() } else { amount(bytes) }
}

pub fn all(summary: &Summary) -> impl Iterator<Item = Table> {
    let tables = [functions(summary), collectives(summary), blocks(summary)];
    tables.into_iter().filter(|table| !table.rows().is_empty())
}

/// All functions with exact numbers, for files.
pub fn all_functions(summary: &Summary) -> Table {
    let columns = [Column::text("function"), Column::right("calls"), Column::right("bytes")];
    let mut table =
        Table::new(columns.into_iter().chain(inside_column(summary).map(|column| column.unit("ns"))));
    for function in &summary.functions {
        let row = [function.name.clone(), function.calls.to_string(), function.bytes.to_string()];
        table.row(row.into_iter().chain(summary.has_stamps.then(|| function.inside.to_string())));
    }
    table
}

fn inside_column(summary: &Summary) -> Option<Column> {
    summary.has_stamps.then(|| Column::right("time inside"))
}

/// The functions that are called most, for people.
fn functions(summary: &Summary) -> Table {
    let columns = [Column::text("function"), Column::right("calls"), Column::right("bytes")];
    let mut table = Table::new(columns.into_iter().chain(inside_column(summary)));
    let (shown, others) = summary.functions.split_at(summary.functions.len().min(MOST_FUNCTIONS));
    let rest = others.iter().fold(Function::default(), |sum, function| Function {
        name: format!("{} more (--format csv)", others.len()),
        calls: sum.calls.saturating_add(function.calls),
        bytes: sum.bytes.saturating_add(function.bytes),
        inside: sum.inside.saturating_add(function.inside),
    });
    for function in shown.iter().chain(Some(&rest).filter(|_| !others.is_empty())) {
        let row = [function.name.clone(), grouped(function.calls), some_amount(function.bytes)];
        table.row(row.into_iter().chain(summary.has_stamps.then(|| seconds(function.inside))));
    }
    table
}

fn collectives(summary: &Summary) -> Table {
    let columns = [
        Column::text("collective"),
        Column::right("ranks"),
        Column::right("calls"),
        Column::right("bytes given"),
    ];
    let mut table = Table::new(columns);
    for one in &summary.collectives {
        table.row([
            pattern(one.pattern).to_owned(),
            one.size.to_string(),
            grouped(one.calls),
            some_amount(one.bytes),
        ]);
    }
    table
}

/// How long the blocks of computation are.
fn blocks(summary: &Summary) -> Table {
    let blocks = &summary.blocks;
    let total: u64 = blocks.decades().iter().map(|decade| decade.total).fold(0, u64::saturating_add);
    let caption = format!(
        "Blocks of computation: {}, of {} in the median; 95% are not longer than {}",
        grouped(blocks.count()),
        seconds(blocks.quantile(0.5)),
        seconds(blocks.quantile(0.95))
    );
    let columns = [
        Column::right("shorter than"),
        Column::right("blocks"),
        Column::right("computation"),
        Column::right("share"),
    ];
    let mut table = Table::new(columns).caption(caption);
    for (decade, exponent) in blocks.decades().iter().zip(1..).filter(|(decade, _)| decade.count > 0) {
        let share = 100.0 * decade.total as f64 / total.max(1) as f64;
        table.row([limit(exponent), grouped(decade.count), seconds(decade.total), percent(share)]);
    }
    table
}

/// A power of ten of nanoseconds, as it is written.
fn limit(exponent: i32) -> String {
    let (digits, unit) = match exponent {
        0..3 => (exponent, "ns"),
        3..6 => (exponent - 3, "us"),
        6..9 => (exponent - 6, "ms"),
        _ => (exponent - 9, "s"),
    };
    format!("{}{unit}", 10_f64.powi(digits))
}

/// A pattern in the words of the kernels.
pub fn pattern(pattern: Pattern) -> &'static str {
    match pattern {
        Pattern::Barrier => "barrier",
        Pattern::Broadcast => "broadcast",
        Pattern::Gather => "gather",
        Pattern::Scatter => "scatter",
        Pattern::AllGather => "all-gather",
        Pattern::AllToAll => "all-to-all",
        Pattern::Reduce => "reduce",
        Pattern::AllReduce => "all-reduce",
        Pattern::ReduceScatter => "reduce-scatter",
        Pattern::Scan => "scan",
        Pattern::ExclusiveScan => "exclusive scan",
        Pattern::NeighbourAllGather => "neighbours' all-gather",
        Pattern::NeighbourAllToAll => "neighbours' all-to-all",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_for_people() {
        assert_eq!(["0", "999", "1,000", "1,234,567"], [0, 999, 1000, 1_234_567].map(grouped));
        assert_eq!(["0B", "17B", "1.00KiB", "3.50GiB"], [0, 17, 1024, 7 << 29].map(amount));
        assert_eq!(["10ns", "1us", "100us", "1ms", "1s", "100s"], [1, 3, 5, 6, 9, 11].map(limit));
    }
}
