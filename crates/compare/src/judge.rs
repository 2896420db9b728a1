//! The comparison of two runs, point by point; all points are one family of tests.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::thread;

use panto_results::{Error, Result};
use panto_stats::holm;

use crate::comparison::{Basis, Comparison, Counts, Pair, Settings, Verdict};
use crate::evidence::{Evidence, is_testable};
use crate::key::Key;
use crate::matching::{Matched, Matching};
use crate::notes;
use crate::run::Run;

/// Compares two runs. Points that only one of them has are listed. Runs without a common point are
/// an error that states what to run.
pub fn compare(mut old: Run, mut new: Run, settings: Settings) -> Result<Comparison> {
    check(&settings)?;
    let (names, differences) = ((old.name(), new.name()), old.facts.differences(&new.facts));
    let mut notes = notes::of_files(&old, &new);
    let poor = [&mut old, &mut new].map(|run| std::mem::take(&mut run.poor));
    let Matching { both, only_old, only_new } = Matching::of(old, new)?;
    let points = judged(both, &poor, &settings)?;
    notes.extend(notes::of_points(&points, &settings));
    let counts = Counts::of(&points, only_old.len(), only_new.len());
    Ok(Comparison {
        old: names.0,
        new: names.1,
        settings,
        verdict: counts.verdict(),
        mean_ratio: mean_ratio(&points),
        counts,
        differences,
        notes,
        points,
        only_old,
        only_new,
    })
}

fn check(settings: &Settings) -> Result<()> {
    let Settings { threshold, confidence } = *settings;
    if !(0.0..=10.0).contains(&threshold) {
        return Err(Error::usage(format!(
            "invalid threshold {}%: expected 0% to 1000%, such as 5%",
            100.0 * threshold
        )));
    }
    if !(0.5..1.0).contains(&confidence) {
        return Err(Error::usage(format!(
            "invalid confidence {}%: expected at least 50% and less than 100%, such as 95%",
            100.0 * confidence
        )));
    }
    Ok(())
}

/// The number of launches in which points are poor, for the old and the new run.
type Poor = [BTreeMap<Key, usize>; 2];

/// Returns the judged points, the most important first. Poor ones are inconclusive, unless their
/// times are the same.
fn judged(points: Vec<Matched>, poor: &Poor, settings: &Settings) -> Result<Vec<Pair>> {
    let evidence = gathered(&points, settings);
    let p: Vec<f64> = evidence.iter().filter_map(|evidence| evidence.p).collect();
    let mut corrected = holm(&p).map_err(|error| Error::usage(error.to_string()))?.into_iter();
    let mut pairs: Vec<Pair> = points
        .into_iter()
        .zip(evidence)
        .map(|(point, evidence)| {
            let p = evidence.p.and_then(|_| corrected.next());
            pair(point, &evidence, p, settings)
        })
        .collect();
    for pair in pairs.iter_mut().filter(|pair| is_poor(pair, poor) && pair.verdict != Verdict::Same) {
        pair.verdict = Verdict::Inconclusive;
        pair.why.get_or_insert_with(|| "poor: too much interference".to_owned());
    }
    pairs.sort_by(|a, b| {
        let importance = a.verdict.cmp(&b.verdict).then(b.change().total_cmp(&a.change()));
        importance.then_with(|| a.key.cmp(&b.key))
    });
    Ok(pairs)
}

/// Returns whether a point is no evidence. A rank test of launches allows for their noise, unless
/// most of a side are poor.
fn is_poor(pair: &Pair, poor: &Poor) -> bool {
    let poor = poor.each_ref().map(|side| side.get(&pair.key).copied().unwrap_or(0));
    let sides = poor.into_iter().zip([pair.old.launches, pair.new.launches]);
    match pair.basis {
        Basis::Launches => sides.into_iter().any(|(poor, launches)| 2 * poor > launches),
        _ => poor.iter().any(|poor| *poor > 0),
    }
}

/// Gathers the evidence of all points, in parallel on all cores.
fn gathered(points: &[Matched], settings: &Settings) -> Vec<Evidence> {
    let family = points.iter().filter(|point| is_testable(point)).count();
    let threads = thread::available_parallelism().map_or(1, usize::from).min(points.len()).max(1);
    let one = |point: &Matched| Evidence::of(point, family, settings);
    let mut shares: Vec<_> = thread::scope(|scope| {
        // Neighbouring points have similar numbers of samples, so they are distributed cyclically.
        let share = |first: usize| points.iter().skip(first).step_by(threads).map(one).collect::<Vec<_>>();
        let running: Vec<_> = (0..threads).map(|first| scope.spawn(move || share(first))).collect();
        let ended =
            running.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        ended.map(Vec::into_iter).collect()
    });
    (0..points.len()).filter_map(|place| shares[place % threads].next()).collect()
}

fn pair(point: Matched, evidence: &Evidence, p: Option<f64>, settings: &Settings) -> Pair {
    let verdict = evidence.verdict(p, settings);
    Pair {
        verdict,
        basis: evidence.basis,
        ratio: evidence.ratio.map(|(ratio, _)| ratio),
        low: evidence.ratio.map(|(_, interval)| interval.low),
        high: evidence.ratio.map(|(_, interval)| interval.high),
        p,
        why: (verdict == Verdict::Inconclusive).then(|| why(evidence, p, settings).to_owned()),
        old: evidence.old,
        new: evidence.new,
        key: point.key,
        counterpart: point.counterpart,
    }
}

/// Returns why a verdict is inconclusive.
fn why(evidence: &Evidence, p: Option<f64>, settings: &Settings) -> &'static str {
    match (evidence.ratio, p) {
        (None, _) => "a time is zero",
        (_, Some(p)) if p < settings.level() => "a difference, possibly within the threshold",
        (_, Some(_)) => "too noisy, or too few samples",
        (_, None) if evidence.basis == Basis::Threshold => "launches lie on both sides of the threshold",
        (_, None) => "unknown",
    }
}

fn mean_ratio(points: &[Pair]) -> Option<f64> {
    let logs: Vec<f64> = points.iter().filter_map(|pair| pair.ratio).map(f64::ln).collect();
    (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
}
