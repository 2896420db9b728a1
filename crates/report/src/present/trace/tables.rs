//! The tables of a trace's summary.

use panto_trace::{Collective, CollectiveKind, Function, Summary};
use panto_units::{grouped, percent, rounded_bytes};

use super::seconds;
use crate::present::phrases::one_line;
use crate::table::{Column, Table};

/// Call sites that get a row; `--format json` has all of them.
const MOST_SITES: usize = 20;

/// Functions that get a row; `--format csv` has all of them.
const MOST_FUNCTIONS: usize = 12;

/// Returns a dash for functions that carry no data.
fn bytes_or_dash(bytes: u64) -> String {
    if bytes == 0 { "-".into() } else { rounded_bytes(bytes) }
}

/// Returns the tables for a terminal, without empty ones.
pub(super) fn all(summary: &Summary) -> impl Iterator<Item = Table> {
    let tables =
        [functions(summary), sites(summary), regions(summary), collectives(summary), blocks(summary)];
    tables.into_iter().filter(|table| !table.rows().is_empty())
}

/// Returns all functions with exact numbers, for CSV.
pub(super) fn all_functions(summary: &Summary) -> Table {
    let columns = [Column::text("function"), Column::right("calls"), Column::right("bytes")];
    let mut table =
        Table::new(columns.into_iter().chain(time_column(summary).map(|column| column.unit("ns"))));
    for function in &summary.functions {
        let row = [function.name.clone(), function.calls.to_string(), function.bytes.to_string()];
        table.row(row.into_iter().chain(summary.has_stamps.then(|| function.inside.to_string())));
    }
    table
}

fn time_column(summary: &Summary) -> Option<Column> {
    summary.has_stamps.then(|| Column::right("time in call"))
}

/// Returns the functions that are called most.
fn functions(summary: &Summary) -> Table {
    let columns = [Column::text("function"), Column::right("calls"), Column::right("bytes")];
    let mut table = Table::new(columns.into_iter().chain(time_column(summary)));
    let (shown, others) = summary.functions.split_at(summary.functions.len().min(MOST_FUNCTIONS));
    let rest = others.iter().fold(Function::default(), |sum, function| Function {
        name: format!("{} others (--format csv)", others.len()),
        calls: sum.calls.saturating_add(function.calls),
        bytes: sum.bytes.saturating_add(function.bytes),
        inside: sum.inside.saturating_add(function.inside),
    });
    for function in shown.iter().chain(Some(&rest).filter(|_| !others.is_empty())) {
        let row = [function.name.clone(), grouped(function.calls), bytes_or_dash(function.bytes)];
        table.row(row.into_iter().chain(summary.has_stamps.then(|| seconds(function.inside))));
    }
    table
}

/// Returns the places in the program that call MPI.
fn sites(summary: &Summary) -> Table {
    let columns = [
        Column::text("call site"),
        Column::text("function"),
        Column::right("calls"),
        Column::right("bytes"),
        Column::right("computation before"),
    ];
    let mut table = Table::new(columns.into_iter().chain(time_column(summary)));
    for site in summary.sites.iter().take(MOST_SITES) {
        let row = [
            one_line(&site.place),
            site.function.clone(),
            grouped(site.calls),
            bytes_or_dash(site.bytes),
            seconds(site.computation),
        ];
        table.row(row.into_iter().chain(summary.has_stamps.then(|| seconds(site.inside))));
    }
    if let Some(rest) = summary.sites.len().checked_sub(MOST_SITES).filter(|rest| *rest > 0) {
        let row = [
            format!("{rest} others (--format json)"),
            String::new(),
            String::new(),
            String::new(),
            String::new(),
        ];
        table.row(row.into_iter().chain(summary.has_stamps.then(String::new)));
    }
    table
}

/// Returns the regions that the program named.
fn regions(summary: &Summary) -> Table {
    let columns = [
        Column::text("region"),
        Column::right("times"),
        Column::right("calls"),
        Column::right("computation"),
    ];
    let mut table = Table::new(columns.into_iter().chain(time_column(summary)));
    for region in &summary.regions {
        let row = [
            one_line(&region.path),
            grouped(region.entered),
            grouped(region.calls),
            seconds(region.computation),
        ];
        table.row(row.into_iter().chain(summary.has_stamps.then(|| seconds(region.inside))));
    }
    table
}

fn collectives(summary: &Summary) -> Table {
    let columns = [
        Column::text("collective"),
        Column::right("ranks"),
        Column::right("calls"),
        Column::right("bytes sent"),
    ];
    let mut table = Table::new(columns);
    for one in &summary.collectives {
        table.row([
            pattern(one.pattern).to_owned(),
            one.size.to_string(),
            grouped(one.calls),
            bytes_or_dash(one.bytes),
        ]);
    }
    table
}

/// Returns the histogram of the lengths of computation blocks.
fn blocks(summary: &Summary) -> Table {
    let blocks = &summary.blocks;
    let total: u64 = blocks.decades().iter().map(|decade| decade.total).fold(0, u64::saturating_add);
    let caption = format!(
        "Computation blocks: {}; median {}, 95th percentile {}",
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

/// Returns a power of ten of nanoseconds with its unit.
fn limit(exponent: i32) -> String {
    let (digits, unit) = match exponent {
        0..3 => (exponent, "ns"),
        3..6 => (exponent - 3, "us"),
        6..9 => (exponent - 6, "ms"),
        _ => (exponent - 9, "s"),
    };
    format!("{}{unit}", 10_f64.powi(digits))
}

/// Returns the name of a collective, as kernels are named.
pub(super) fn pattern(kind: CollectiveKind) -> &'static str {
    match kind {
        CollectiveKind::Group(Collective::Barrier) => "barrier",
        CollectiveKind::Group(Collective::Broadcast) => "broadcast",
        CollectiveKind::Group(Collective::Gather) => "gather",
        CollectiveKind::Group(Collective::Scatter) => "scatter",
        CollectiveKind::Group(Collective::Allgather) => "all-gather",
        CollectiveKind::Group(Collective::Alltoall) => "all-to-all",
        CollectiveKind::Group(Collective::Reduce) => "reduce",
        CollectiveKind::Group(Collective::Allreduce) => "all-reduce",
        CollectiveKind::Group(Collective::ReduceScatter) => "reduce-scatter",
        CollectiveKind::Group(Collective::Scan) => "scan",
        CollectiveKind::Group(Collective::Exscan) => "exclusive scan",
        CollectiveKind::NeighborAllgather => "neighbours' all-gather",
        CollectiveKind::NeighborAlltoall => "neighbours' all-to-all",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_powers_of_ten() {
        assert_eq!(["10ns", "1us", "100us", "1ms", "1s", "100s"], [1, 3, 5, 6, 9, 11].map(limit));
    }
}
