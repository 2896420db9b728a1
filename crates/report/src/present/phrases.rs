//! How a point was measured, as text.

pub(super) use panto_units::one_line;

use panto_results::scenario::figure;
use panto_results::{Clock, Metric, Record, SyncMethod, param};

/// Share of steal time from which it is mentioned.
pub(super) const STEAL: f64 = 0.01;

/// Share of the CPU time of other processes from which it is mentioned.
pub(super) const OTHERS: f64 = 0.05;

/// Clock error as a share of the time from which it is mentioned.
const CLOCKS: f64 = 0.1;

/// Returns the share of a point's time that clock differences may account for, if it is worth
/// mentioning.
pub(super) fn clock_doubt(record: &Record) -> Option<f64> {
    let (doubt, summary) = (record.clock_doubt()?, record.summary()?);
    let part = doubt / summary.median;
    (summary.median > 0.0 && part > CLOCKS).then_some(part)
}

/// Describes the metric, always including whether it is one-way.
pub(super) fn metric(metric: Metric) -> String {
    match metric {
        Metric { half: true, .. } => metric.to_string(),
        Metric { clock: Clock::SendToHandler, .. } => format!("one way, {metric}"),
        _ => format!("whole operation, not one-way, {metric}"),
    }
}

/// Describes the metric briefly, for a column.
pub(super) fn short_metric(metric: Metric) -> String {
    match metric {
        Metric { clock: Clock::OnRank(rank), half: true } => format!("one way, rank {rank}"),
        Metric { half: true, .. } => "one way".into(),
        Metric { clock: Clock::SendToHandler, .. } => "one way, to the handler".into(),
        _ => format!("not one-way, {metric}"),
    }
}

/// Returns whether a metric is the one-way time of a message.
pub(super) fn is_one_way(metric: Metric) -> bool {
    metric.half || metric.clock == Clock::SendToHandler
}

/// Describes how the ranks start together.
pub(super) fn start(start: SyncMethod) -> &'static str {
    match start {
        SyncMethod::RoundTime => "all ranks start at a prearranged time",
        SyncMethod::Barrier => "each rank starts when it leaves a barrier",
    }
}

/// Returns the name of the start method, as in result files.
pub(super) fn start_name(start: SyncMethod) -> &'static str {
    match start {
        SyncMethod::RoundTime => "round-time",
        SyncMethod::Barrier => "barrier",
    }
}

/// Returns the algorithm of a collective; `-` if it is the transport's own, if there is none to
/// choose, or if the point names its implementation.
pub(super) fn algorithm(record: &Record) -> &str {
    let named = record.point.params.contains_key(param::IMPLEMENTATION);
    record.algorithm.as_deref().filter(|_| !named).unwrap_or("-")
}

/// Returns the simulated machine; `-` if the record was measured.
pub(super) fn machine(record: &Record) -> &str {
    record.machine.as_deref().unwrap_or("-")
}

/// Returns the text with its first letter in upper case.
pub(super) fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// Deviation of computations as a share of their time from which it is mentioned.
const COMP: f64 = 0.02;

/// Returns the share by which computations deviate from their requested time, if it is worth
/// mentioning.
pub(super) fn comp_error(record: &Record) -> Option<f64> {
    record.figures.get(figure::COMP_ERROR).copied().filter(|error| error.abs() > COMP)
}
