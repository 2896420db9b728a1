//! Explains a prediction in sentences: the critical path, the longest wait, the load imbalance.

use panto_sim::observe::Activity;
use panto_sim::program::Program;
use panto_sim::results::{CriticalPath, TimeSum};
use panto_units::{Time, percent, time};

use crate::prediction::Prediction;

/// Share of a rank's time, or of the mean computation, below which there is no sentence.
const NOTABLE: f64 = 0.05;

/// The sentence in place of a critical path.
const NO_PATH: &str =
    "the critical path is not shown: finding it in a run of this length takes more than 1 GiB of memory";

/// Returns a few sentences about where the time went, the most important first.
pub fn explain(prediction: &Prediction, program: &Program) -> Vec<String> {
    let path = prediction.path.as_ref().map(|path| critical_path(prediction, program, path));
    let mut words = vec![path.unwrap_or_else(|| NO_PATH.to_owned())];
    words.extend(longest_wait(prediction));
    words.extend(imbalance(prediction));
    words
}

fn share(part: impl Into<TimeSum>, whole: Time) -> f64 {
    if whole == Time::ZERO { 0.0 } else { part.into().as_secs() / whole.as_secs() }
}

fn critical_path(prediction: &Prediction, program: &Program, path: &CriticalPath) -> String {
    let whole = prediction.time();
    let of = |part: Time| percent(100.0 * share(part, whole));
    let hops = path.hops;
    let compute = sum(path, |activity| activity == Activity::Compute);
    let calls = sum(path, |activity| activity != Activity::Compute);
    let most = path.shares.first().map(|share| {
        let part = match (share.activity, share.call.and_then(|call| program.calls.get(call as usize))) {
            (Activity::Compute, _) => format!("the computation of rank {}", share.rank),
            (_, Some(call)) => format!("{call} of rank {}", share.rank),
            (_, None) => format!("rank {} outside its calls", share.rank),
        };
        format!("; its longest part is {part} ({})", of(share.time))
    });
    format!(
        "the critical path is {} computation, {} message overhead and {} network, over {} message{}{}",
        of(compute),
        of(calls),
        of(path.network),
        hops,
        if hops == 1 { "" } else { "s" },
        most.unwrap_or_default()
    )
}

fn sum(path: &CriticalPath, of: impl Fn(Activity) -> bool) -> Time {
    let parts = path.shares.iter().filter(|share| of(share.activity));
    parts.fold(Time::ZERO, |sum, share| sum.saturating_add(share.time))
}

fn longest_wait(prediction: &Prediction) -> Option<String> {
    let (rank, awaited, waited) = prediction.totals.longest_wait()?;
    let end = prediction.ends[rank as usize];
    let part = share(waited, end);
    (part >= NOTABLE).then(|| {
        let for_what = if rank == awaited {
            "for its own messages and collectives".into()
        } else {
            format!("for rank {awaited}")
        };
        format!(
            "rank {rank} waits {for_what} for {} of its time ({})",
            percent(100.0 * part),
            time(waited.as_secs())
        )
    })
}

/// Returns a sentence if a rank computes much more than the mean.
fn imbalance(prediction: &Prediction) -> Option<String> {
    let computes = || prediction.totals.ranks().iter().map(|rank| rank.spent.compute);
    let (most, at) =
        computes().zip(0..).max_by_key(|&(time, rank): &(TimeSum, u32)| (time, std::cmp::Reverse(rank)))?;
    let mean = prediction.spent().compute.as_secs() / prediction.ends.len() as f64;
    let excess = most.as_secs() / mean - 1.0;
    (mean > 0.0 && excess >= NOTABLE && share(most, prediction.time()) >= NOTABLE)
        .then(|| format!("load imbalance: rank {at} computes {} more than the mean", percent(100.0 * excess)))
}
