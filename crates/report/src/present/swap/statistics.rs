//! Latency, bandwidths and the error of the linear model, by protocol (T7).

use panto_findings::swap::{Estimate, Statistics, statistics};
use panto_results::swap::Order;
use panto_results::{Record, param};
use panto_units::{bytes, percent, rate, time};

use super::experiments;
use crate::table::{Column, Table};

/// Returns a table per experiment.
pub(super) fn tables(records: &[&Record]) -> Vec<(String, Table)> {
    let of_experiment = |experiment: &super::Experiment| {
        let all = statistics(&experiment.records);
        let heading = format!("{}: statistics of COMMTEST", experiment.name());
        (!all.is_empty()).then(|| (heading, table(&all)))
    };
    experiments(records, &[param::PROTOCOL, param::BYTES]).iter().filter_map(of_experiment).collect()
}

fn table(all: &[Statistics]) -> Table {
    let columns = [
        Column::text("protocol"),
        Column::right("latency"),
        Column::right("interval"),
        Column::right("from swaps"),
        Column::right("swap"),
        Column::right("interval"),
        Column::right("one way"),
        Column::right("at"),
        Column::right("longest"),
        Column::right("first to last"),
        Column::right("model error"),
        Column::text("dominant protocol"),
    ];
    let caption = "latency: cost of a message beside its bytes; one way: busy while as much comes back, idle while nothing else is \
                   sent; longest: time at the fastest size, over the ranks; first to last: there, from the first start to the last \
                   end; model error: of latency and bandwidth at every size";
    let mut table = Table::new(columns).caption(caption);
    for each in all {
        table.row(row(each));
    }
    table
}

fn row(each: &Statistics) -> [String; 12] {
    let none = || "-".to_owned();
    let latency = each.latency();
    let swaps = each.per_swap.map(|(_, [few, many])| format!("{few}, {many}"));
    let swap = each.swap_bandwidth();
    // Idle and swap bandwidth of ordered protocols are the same value.
    let one_way = match each.protocol.order {
        Order::Ordered => "idle, as swap".to_owned(),
        Order::Unordered => format!("{} {}", each.one_way_name(), rate(each.one_way_bandwidth().value)),
    };
    let dominant = each
        .dominant
        .map(|law| format!("{} from {} to {}", percent(100.0 * law.error), bytes(law.from), bytes(law.to)));
    [
        each.protocol.to_string(),
        latency.map_or_else(none, |latency| time(latency.value)),
        latency.map_or_else(none, |latency| interval(latency, time)),
        swaps.unwrap_or_else(none),
        rate(swap.value),
        interval(swap, rate),
        one_way,
        bytes(each.best_size),
        time(each.longest),
        each.first_to_last.map_or_else(none, time),
        each.error.map_or_else(none, |error| percent(100.0 * error)),
        dominant.unwrap_or_default(),
    ]
}

fn interval(estimate: Estimate, form: fn(f64) -> String) -> String {
    if estimate.interval.high <= estimate.interval.low {
        return "exact".into();
    }
    format!("{}..{}", form(estimate.interval.low), form(estimate.interval.high))
}
