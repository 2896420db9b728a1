//! The summary of `panto info` equals the counts: calls of each function, and messages from rank to
//! rank.

use std::collections::BTreeMap;

use panto_trace::{Summary, Trace};

use crate::figures::{Counts, Figures, Key};

/// One-sided calls, which have targets but send no messages.
const ONE_SIDED: [&str; 9] = [
    "MPI_Put",
    "MPI_Rput",
    "MPI_Get",
    "MPI_Rget",
    "MPI_Accumulate",
    "MPI_Raccumulate",
    "MPI_Get_accumulate",
    "MPI_Fetch_and_op",
    "MPI_Compare_and_swap",
];

/// Returns the differences between the summary of a trace and the counts of its ranks.
pub fn differences(trace: &Trace, counted: &[(u32, Counts)]) -> Vec<String> {
    let summary = Summary::of(trace).expect("sound");
    let mut pairs: BTreeMap<(u32, u32), (u64, u64)> = BTreeMap::new();
    let mut calls: BTreeMap<&str, u64> = BTreeMap::new();
    for (rank, counts) in counted {
        for (key, figures) in &counts.0 {
            match key {
                (function, None) => *calls.entry(function).or_default() += figures.calls,
                (_, Some(to)) if is_message(key) => add(pairs.entry((*rank, *to)).or_default(), figures),
                _ => {}
            }
        }
    }
    let of_summary = summary.pairs.iter().map(|pair| ((pair.from, pair.to), (pair.messages, pair.bytes)));
    let of_summary: BTreeMap<_, _> = of_summary.collect();
    let mut differences = Vec::new();
    if of_summary != pairs {
        differences.push(format!("messages and bytes: summed up {of_summary:?}, counted {pairs:?}"));
    }
    for (function, calls) in calls {
        let found = summary.functions.iter().find(|found| found.name == function).map(|found| found.calls);
        if found != Some(calls) {
            differences.push(format!("{function}: summed up {found:?} calls, counted {calls}"));
        }
    }
    differences
}

fn is_message((function, _): &Key) -> bool {
    let function = function.trim_end_matches("_c");
    !ONE_SIDED.contains(&function)
}

fn add((messages, bytes): &mut (u64, u64), figures: &Figures) {
    *messages += figures.calls;
    *bytes += figures.bytes;
}
