//! What is said of a trace, in a line each.

use panto_trace::{RankTrace, Ranks, Trace, key};

use crate::out;
use crate::trace::{amount, crowded, grouped, named};

/// `16 ranks, 48,200 events, 96KiB`. An event is a call, or many that only looked whether something had come.
pub fn totals(ranks: usize, events: u64, bytes: u64) -> String {
    format!("{}, {}, {}", counted(ranks as u64, "rank"), counted(events, "event"), amount(bytes))
}

/// What is not as it should be: ranks that are missing, that did not come to their end, that stopped recording, that shared cores.
pub fn shortcomings(trace: &Trace) {
    let missing = trace.missing();
    if !missing.is_empty() {
        out::note(format_args!(
            "panto: {} of {} left no trace. If they ran on other hosts, start the program the other way round: `mpirun ... panto \
             trace -o FILE -- ./app`",
            named(&missing),
            trace.size()
        ));
    }
    let reason = |rank: &RankTrace| Some((rank.rank(), rank.facts().get(key::STOPPED)?.to_owned()));
    let (stopped, reasons): (Vec<u32>, Vec<String>) = trace.ranks().iter().filter_map(reason).unzip();
    if let Some(first) = reasons.first() {
        out::note(format_args!(
            "panto: recording ended early on {}: {first}",
            named(&stopped.into_iter().collect())
        ));
    }
    let is_cut_off = |rank: &&RankTrace| !rank.is_complete() && reason(rank).is_none();
    let cut_off: Ranks = trace.ranks().iter().filter(is_cut_off).map(RankTrace::rank).collect();
    if !cut_off.is_empty() {
        out::note(format_args!(
            "panto: {} did not come to MPI_Finalize; what was recorded until shortly before the end is there",
            named(&cut_off)
        ));
    }
    if let Some(crowd) = crowded(trace) {
        out::note(format_args!("panto: {crowd}"));
    }
}

/// `1 rank`, `48,200 calls`.
fn counted(number: u64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {what}{plural}", grouped(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_for_people() {
        assert_eq!(totals(16, 48_200, 96 << 10), "16 ranks, 48,200 events, 96.0KiB");
        assert_eq!(totals(1, 1, 17), "1 rank, 1 event, 17B");
    }
}
