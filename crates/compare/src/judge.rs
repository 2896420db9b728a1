//! Two runs, point by point, as one family.

use std::panic::resume_unwind;
use std::thread;

use panto_bench::{Error, Result};
use panto_stats::holm;

use crate::comparison::{Basis, Comparison, Counts, Pair, Settings, Verdict};
use crate::evidence::{Evidence, is_testable};
use crate::matching::{Matched, Matching};
use crate::notes;
use crate::run::Run;

/// Compares two runs. Points that only one of them has are listed; that there is none in both is an error that says what
/// to run.
pub fn compare(old: Run, new: Run, settings: Settings) -> Result<Comparison> {
    check(&settings)?;
    let (names, differences) = ((old.name(), new.name()), old.facts.differences(&new.facts));
    let mut notes = notes::of_files(&old, &new);
    let Matching { both, only_old, only_new } = Matching::of(old, new)?;
    let points = judged(both, &settings)?;
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
            "a threshold of {}% makes no sense; give one from 0% to 1000%, such as 5%",
            100.0 * threshold
        )));
    }
    if !(0.5..1.0).contains(&confidence) {
        return Err(Error::usage(format!(
            "a confidence of {}% makes no sense; give one from 50% to less than 100%, such as 95%",
            100.0 * confidence
        )));
    }
    Ok(())
}

/// The most important points first.
fn judged(points: Vec<Matched>, settings: &Settings) -> Result<Vec<Pair>> {
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
    pairs.sort_by(|a, b| {
        let importance = a.verdict.cmp(&b.verdict).then(b.change().total_cmp(&a.change()));
        importance.then_with(|| a.key.cmp(&b.key))
    });
    Ok(pairs)
}

/// On all cores: points know nothing of each other yet.
fn gathered(points: &[Matched], settings: &Settings) -> Vec<Evidence> {
    let family = points.iter().filter(|point| is_testable(point)).count();
    let threads = thread::available_parallelism().map_or(1, usize::from).min(points.len()).max(1);
    let one = |point: &Matched| Evidence::of(point, family, settings);
    let mut shares: Vec<_> = thread::scope(|scope| {
        // Neighbours have samples of like number, so they are dealt out in turns.
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
        why: (verdict == Verdict::CannotTell).then(|| why(evidence, p, settings).to_owned()),
        old: evidence.old,
        new: evidence.new,
        key: point.key,
        counterpart: point.counterpart,
    }
}

/// Why it cannot be told.
fn why(evidence: &Evidence, p: Option<f64>, settings: &Settings) -> &'static str {
    match (evidence.ratio, p) {
        (None, _) => "a time is zero",
        (_, Some(p)) if p < settings.level() => "there is a difference, and it may be within the threshold",
        (_, Some(_)) => "too noisy, or too few samples",
        (_, None) if evidence.basis == Basis::Threshold => "launches are on both sides of the threshold",
        (_, None) => "not known",
    }
}

fn mean_ratio(points: &[Pair]) -> Option<f64> {
    let logs: Vec<f64> = points.iter().filter_map(|pair| pair.ratio).map(f64::ln).collect();
    (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
}
