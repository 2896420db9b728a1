//! How a point was measured, in words.

use panto_bench::measure::{Clock, Metric, Start};
use panto_bench::param;
use panto_bench::results::Record;
use panto_bench::scenario::figure;

/// Steal time from this part on is worth a word.
pub(super) const STEAL: f64 = 0.01;

/// Clocks that may differ by more than this part of a time are worth a word where several were read.
const CLOCKS: f64 = 0.1;

/// By which part of its time a point may be wrong because clocks differ, if that is worth a word.
pub(super) fn clock_doubt(record: &Record) -> Option<f64> {
    let (doubt, summary) = (record.clock_doubt()?, record.summary()?);
    let part = doubt / summary.median;
    (summary.median > 0.0 && part > CLOCKS).then_some(part)
}

/// Which time it is. Whether it is one way is always said.
pub(super) fn metric(metric: Metric) -> String {
    match metric {
        Metric { half: true, .. } => metric.to_string(),
        Metric { clock: Clock::SendToHandler, .. } => format!("one way, {metric}"),
        _ => format!("the whole operation, not one way, {metric}"),
    }
}

/// The same for a column, where the other times stand below it.
pub(super) fn short_metric(metric: Metric) -> String {
    match metric {
        Metric { clock: Clock::OnRank(rank), half: true } => format!("one way, rank {rank}"),
        Metric { half: true, .. } => "one way".into(),
        Metric { clock: Clock::SendToHandler, .. } => "one way, to the handler".into(),
        _ => format!("not one way, {metric}"),
    }
}

/// Is it the time of one message one way?
pub(super) fn is_one_way(metric: Metric) -> bool {
    metric.half || metric.clock == Clock::SendToHandler
}

/// How the ranks started together.
pub(super) fn start(start: Start) -> &'static str {
    match start {
        Start::RoundTime => "all ranks start at a moment named in advance",
        Start::Barrier => "each rank starts when a barrier lets it go",
    }
}

/// The name of the start method, as in result files.
pub(super) fn start_name(start: Start) -> &'static str {
    match start {
        Start::RoundTime => "round-time",
        Start::Barrier => "barrier",
    }
}

/// The algorithm of a collective. Without one the transport's own was used, or there is none to choose. Where implementations are
/// swept over, the point names it already.
pub(super) fn algorithm(record: &Record) -> &str {
    let named = record.point.params.contains_key(param::IMPLEMENTATION);
    record.algorithm.as_deref().filter(|_| !named).unwrap_or("-")
}

/// The machine that was simulated, or that none was.
pub(super) fn machine(record: &Record) -> &str {
    record.machine.as_deref().unwrap_or("-")
}

/// Names from a file may hold anything: control characters could break a line or move the reader's cursor.
pub(super) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// The first letter in upper case.
pub(super) fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// Computations that are off by more than this part of their time are worth a word.
const COMP: f64 = 0.02;

/// By which part of their time computations were too long, where that matters.
pub(super) fn comp_error(record: &Record) -> Option<f64> {
    record.figures.get(figure::COMP_ERROR).copied().filter(|error| error.abs() > COMP)
}
