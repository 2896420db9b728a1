//! What a reader should know before believing a comparison.

use crate::comparison::{Basis, Pair, Settings};
use crate::evidence::least_p;
use crate::run::Run;

/// Nobody measures more often, and no family needs it.
const MOST_LAUNCHES: usize = 1000;

/// What the files themselves have to say.
pub(crate) fn of_files(old: &Run, new: &Run) -> Vec<String> {
    old.notes.iter().chain(&new.notes).cloned().collect()
}

/// What the verdicts rest on, as far as it is less than one would wish.
pub(crate) fn of_points(points: &[Pair], settings: &Settings) -> Vec<String> {
    let with = |basis: Basis| points.iter().filter(move |pair| pair.basis == basis);
    [
        identical(with(Basis::Identical).count(), points.len()),
        threshold(with(Basis::Threshold).count(), points.len()),
        counterparts(points),
        samples(&with(Basis::Samples).collect::<Vec<_>>(), tested(points), settings),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn tested(points: &[Pair]) -> usize {
    points.iter().filter(|pair| pair.p.is_some()).count()
}

fn identical(count: usize, all: usize) -> Option<String> {
    (count > 0).then(|| {
        format!(
            "{count} of {all} points have the very same samples on both sides: is it the same measurement?"
        )
    })
}

fn threshold(count: usize, all: usize) -> Option<String> {
    (count > 0).then(|| {
        format!(
            "{count} of {all} points have too few numbers for a test: the threshold decides alone; several launches, or files \
             with samples, would tell more"
        )
    })
}

fn counterparts(points: &[Pair]) -> Option<String> {
    let count = points.iter().filter(|pair| pair.counterpart.is_some()).count();
    (count > 0).then(|| {
        format!(
            "{count} of {} points were measured by different benchmarks, which do not time in the same way: means are compared",
            points.len()
        )
    })
}

fn samples(points: &[&Pair], family: usize, settings: &Settings) -> Option<String> {
    let fewest = points.iter().map(|pair| pair.old.launches.min(pair.new.launches)).min()?;
    let needed =
        (2..MOST_LAUNCHES).find(|&n| least_p(n, n) * (family as f64) < settings.level()).unwrap_or(fewest);
    Some(if fewest < 2 {
        format!(
            "there is one launch on a side: what is shown holds for these launches, and others may differ; {needed} on each side \
             (panto bench --append) would show what holds for all"
        )
    } else {
        format!(
            "{fewest} launches on a side are too few for a test of launches over {family} points, {needed} would do: samples are \
             tested, and intervals tell how launches differ"
        )
    })
}
