//! Notes on how far a comparison can be trusted.

use crate::comparison::{Basis, Pair, Settings};
use crate::evidence::least_p;
use crate::run::Run;

/// The upper bound of the search for the number of launches that a test needs; no realistic family
/// of points needs more.
const MOST_LAUNCHES: usize = 1000;

/// Returns the notes of the files of both runs.
pub(crate) fn of_files(old: &Run, new: &Run) -> Vec<String> {
    old.notes.iter().chain(&new.notes).cloned().collect()
}

/// Returns notes on verdicts that rest on weak evidence.
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
            "{count} of {all} points have identical samples on both sides: are they the same measurement?"
        )
    })
}

fn threshold(count: usize, all: usize) -> Option<String> {
    (count > 0).then(|| {
        format!(
            "{count} of {all} points have too few values for a test, so the threshold alone decides; measure several launches, \
             or use files with samples"
        )
    })
}

fn counterparts(points: &[Pair]) -> Option<String> {
    let count = points.iter().filter(|pair| pair.counterpart.is_some()).count();
    (count > 0).then(|| {
        format!(
            "{count} of {} points were measured by different benchmarks, whose timing methods differ: means are compared",
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
            "a side has only one launch: the verdicts hold for these launches, and others may differ; measure {needed} per side \
             (panto bench --append) for verdicts that hold in general"
        )
    } else {
        format!(
            "{fewest} launches per side are too few for a test of launches over {family} points (it needs {needed}): samples are \
             tested instead, and intervals show how launches differ"
        )
    })
}
