//! Where the time went, in words.

use panto_sim::observe::Activity;
use panto_sim::program::Program;
use panto_sim::results::Sum;
use panto_units::{Time, percent, time};

use crate::prediction::{CriticalPath, Prediction};

/// Waits below this share of a rank's time are not worth a sentence.
const MUCH: f64 = 0.05;

/// A few sentences, the most important first.
pub fn in_words(prediction: &Prediction, program: &Program) -> Vec<String> {
    let mut words = Vec::new();
    words.extend(prediction.path.as_ref().map(|path| path_in_words(prediction, program, path)));
    words.extend(longest_wait(prediction));
    words.extend(imbalance(prediction));
    words
}

fn share(part: impl Into<Sum>, whole: Time) -> f64 {
    if whole == Time::ZERO { 0.0 } else { part.into().as_secs() / whole.as_secs() }
}

fn path_in_words(prediction: &Prediction, program: &Program, path: &CriticalPath) -> String {
    let whole = prediction.time();
    let of = |part: Time| percent(100.0 * share(part, whole));
    let hops = path.path.hops(program);
    let compute = sum(path, |activity| activity == Activity::Compute);
    let calls = sum(path, |activity| activity != Activity::Compute);
    let most = path.shares.first().map(|share| {
        let what = match (share.activity, share.call.and_then(|call| program.calls.get(call as usize))) {
            (Activity::Compute, _) => format!("the computation of rank {}", share.rank),
            (_, Some(call)) => format!("{call} of rank {}", share.rank),
            (_, None) => format!("what rank {} does beside its calls", share.rank),
        };
        format!("; the longest part of a rank is {what}: {}", of(share.time))
    });
    format!(
        "the critical path is {} computation, {} work for messages, {} network, over {} message{}{}",
        of(compute),
        of(calls),
        of(path.path.network()),
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
    let (who, whom, waited) = prediction.totals.waits().first().copied()?;
    let end = prediction.ends[who as usize];
    let part = share(waited, end);
    (part >= MUCH).then(|| {
        let for_whom = if who == whom {
            "for its own messages and collectives".into()
        } else {
            format!("for rank {whom}")
        };
        format!(
            "{} of rank {who}'s time is waiting {for_whom} ({})",
            percent(100.0 * part),
            time(waited.as_secs())
        )
    })
}

/// Do some ranks compute much more than others?
fn imbalance(prediction: &Prediction) -> Option<String> {
    let computes = || prediction.totals.ranks().iter().map(|rank| rank.spent.compute);
    let (most, at) =
        computes().zip(0..).max_by_key(|&(time, rank): &(Sum, u32)| (time, std::cmp::Reverse(rank)))?;
    let mean = prediction.spent().compute.as_secs() / prediction.ends.len() as f64;
    let excess = most.as_secs() / mean - 1.0;
    (mean > 0.0 && excess >= MUCH && share(most, prediction.time()) >= MUCH)
        .then(|| format!("rank {at} computes {} more than the mean of all ranks", percent(100.0 * excess)))
}
