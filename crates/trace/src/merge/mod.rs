//! Merges several runs of one program into one trace without noise: the calls of the first, and
//! before each call the lower quartile of the computation that the runs had there (P2).
//!
//! How often a program polls without success depends on chance, so polls that found nothing are
//! left out, and computation before them belongs to the next call. All else must agree: the calls
//! of each thread with all their parts, including what wildcards matched. Only slots of requests
//! may differ, where several threads take them.

mod compare;
mod copy;
mod places;
mod run;

use std::path::Path;

use crate::combine::refuse_to_overwrite;
use crate::error::{Error, Result};
use crate::metadata::{Metadata, key};
use crate::read::{RankTrace, Trace};
use crate::stream::{stream_end, stream_start};
use crate::write::TraceWriter;
use copy::Copy;
use run::{Call, Run};

/// The result of a merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MergeSummary {
    /// The number of runs.
    pub runs: usize,
    /// The calls of the new trace, on all ranks.
    pub calls: u64,
}

/// Merges traces of several runs of one program into a new file. All are read side by side, block
/// by block.
pub fn merge(traces: &[Trace], target: &Path) -> Result<MergeSummary> {
    let first = check(traces)?;
    for (place, trace) in traces.iter().enumerate() {
        refuse_to_overwrite(trace, target)?;
        if traces[..place].iter().any(|other| other.path() == trace.path()) {
            return Err(Error::Mismatch(format!(
                "{} is named twice; one run has no noise",
                trace.path().display()
            )));
        }
    }
    let mut facts = first.metadata().clone();
    facts.set(key::MERGED, &traces.len());
    let mut writer = TraceWriter::create_like(first, target, &facts)?;
    let mut merged = MergeSummary { runs: traces.len(), calls: 0 };
    for place in 0..first.ranks().len() {
        let runs: Vec<&RankTrace> = traces.iter().map(|trace| &trace.ranks()[place]).collect();
        merged.calls += merge_rank(&runs, &mut writer)?;
    }
    writer.finish()?;
    Ok(merged)
}

/// Checks that all runs have all their ranks, to their end. Returns the first.
fn check(traces: &[Trace]) -> Result<&Trace> {
    let [first, _, ..] = traces else {
        return Err(Error::Mismatch(
            "one run cannot be merged; name two or more traces of the same program".into(),
        ));
    };
    for trace in traces {
        let shown = trace.path().display();
        if !trace.is_complete() {
            return Err(Error::Mismatch(format!(
                "{shown}: this run did not come to its end; merge whole runs"
            )));
        }
        if trace.metadata().get(key::MERGED).is_some() {
            return Err(Error::Mismatch(format!("{shown} is merged already; merge the runs themselves")));
        }
        if let Some((what, this, that)) = differs(trace, first) {
            return Err(Error::Mismatch(format!(
                "{shown} has {what} `{this}` and {} has `{that}`; merge runs that were traced in the same way",
                first.path().display()
            )));
        }
        if trace.size() != first.size() {
            return Err(Error::Mismatch(format!(
                "{shown} has {} ranks and {} has {}; merge runs of one program with as many ranks",
                trace.size(),
                first.path().display(),
                first.size()
            )));
        }
    }
    Ok(first)
}

/// Returns what must be equal in all runs and is not.
fn differs<'a>(one: &'a Trace, other: &'a Trace) -> Option<(&'static str, &'a str, &'a str)> {
    let of = |trace: &'a Trace, name: &str| {
        trace.ranks().first().and_then(|rank| rank.metadata().get(name)).unwrap_or_default()
    };
    [("the clock", key::CLOCK), ("the MPI", key::MPI), ("the program", key::PROGRAM)]
        .into_iter()
        .map(|(what, name)| (what, of(one, name), of(other, name)))
        .find(|(_, this, that)| this != that)
}

fn merge_rank(runs: &[&RankTrace], writer: &mut TraceWriter) -> Result<u64> {
    let (first, others) = (runs[0], &runs[1..]);
    let head = first.head();
    writer.begin_stream();
    writer.write(&stream_start(head, first.metadata()))?;
    let mut others: Vec<Run> = others.iter().map(|run| Run::new(run)).collect();
    let calls = merge_calls(first, &mut others, writer)?;
    let mut facts = Metadata::default();
    facts.set(key::CALLS, &calls);
    writer.write(&stream_end(&facts))?;
    writer.end_stream();
    Ok(calls)
}

fn merge_calls(rank: &RankTrace, others: &mut [Run], writer: &mut TraceWriter) -> Result<u64> {
    let mut first = Run::new(rank);
    let mut copy = Copy::new(rank.has_stamps());
    let (mut call, mut other) = (Call::default(), Call::default());
    let mut lengths = Vec::new();
    while first.read_any(&mut call)? {
        lengths.clear();
        lengths.push(call.before);
        for run in others.iter_mut() {
            if !run.read_of(call.thread, &mut other)? || !run.agrees(&other, &first, &call) {
                return Err(compare::differ(
                    &first,
                    Some(&call),
                    run,
                    Some(&other).filter(|call| call.is_present()),
                ));
            }
            lengths.push(other.before);
        }
        lengths.sort_unstable();
        copy.add(&first, &call, lengths[(lengths.len() - 1) / 4], writer)?;
    }
    for run in others {
        if run.read_any(&mut other)? {
            return Err(compare::differ(&first, None, run, Some(&other)));
        }
        compare::tables(&first, run)?;
    }
    copy.finish(writer)
}
