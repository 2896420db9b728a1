//! Notes about a new trace, one line each.

use panto_report::present::{not_counted, rank_names, shared_cores};
use panto_trace::{RankTrace, Ranks, Trace, key};
use panto_units::{grouped, rounded_bytes};

use crate::print;

/// Returns the totals of a trace: `16 ranks, 48,200 events, 96KiB`. An event is a call, or a
/// sequence of unsuccessful polls.
pub fn totals(ranks: usize, events: u64, bytes: u64) -> String {
    format!("{}, {}, {}", counted(ranks as u64, "rank"), counted(events, "event"), rounded_bytes(bytes))
}

/// Warns of ranks that are missing, incomplete, stopped recording, shared cores, or could not count
/// instructions.
pub fn print_warnings(trace: &Trace) {
    let missing = trace.missing();
    if !missing.is_empty() {
        print::note(format_args!(
            "panto: no trace of {} (of {} ranks). If they ran on other hosts, use `mpirun ... panto trace -o FILE -- ./app`",
            rank_names(&missing),
            trace.size()
        ));
    }
    let reason = |rank: &RankTrace| Some((rank.rank(), rank.metadata().get(key::STOPPED)?.to_owned()));
    let (stopped, reasons): (Vec<u32>, Vec<String>) = trace.ranks().iter().filter_map(reason).unzip();
    if let Some(first) = reasons.first() {
        print::note(format_args!(
            "panto: recording ended early on {}: {first}",
            rank_names(&stopped.into_iter().collect())
        ));
    }
    let is_incomplete = |rank: &&RankTrace| !rank.is_complete() && reason(rank).is_none();
    let incomplete: Ranks = trace.ranks().iter().filter(is_incomplete).map(RankTrace::rank).collect();
    if !incomplete.is_empty() {
        print::note(format_args!(
            "panto: {} did not reach MPI_Finalize; the last calls may be missing",
            rank_names(&incomplete)
        ));
    }
    for warning in shared_cores(trace).into_iter().chain(not_counted(trace)) {
        print::note(format_args!("panto: {warning}"));
    }
}

/// Returns a number with its noun: `1 rank`, `48,200 events`.
fn counted(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_readable() {
        assert_eq!(totals(16, 48_200, 96 << 10), "16 ranks, 48,200 events, 96.0KiB");
        assert_eq!(totals(1, 1, 17), "1 rank, 1 event, 17B");
    }
}
