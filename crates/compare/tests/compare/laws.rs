//! Properties that hold for all measurements.

use std::collections::BTreeMap;

use panto_compare::{Basis, Comparison, Key, Run, Settings, Verdict, compare};
use panto_random::SplitMix64;
use proptest::prelude::*;

use super::support::times;

fn key(bytes: u64) -> Key {
    let params = BTreeMap::from([("bytes".to_owned(), panto_results::Value::Number(bytes))]);
    Key { kernel: "comet/echo".into(), ranks: Some(2), params, algorithm: None, machine: None, time: None }
}

/// A run with one launch of each of these points.
fn run(points: impl IntoIterator<Item = Vec<f64>>) -> Run {
    let points = points.into_iter().enumerate();
    Run {
        points: points.map(|(place, samples)| (key(place as u64), vec![samples])).collect(),
        ..Run::default()
    }
}

fn judged(old: &Run, new: &Run, threshold: f64) -> Comparison {
    compare(old.clone(), new.clone(), Settings { threshold, ..Settings::default() }).expect("common points")
}

fn scaled(run: &Run, factor: f64) -> Run {
    let mut scaled = run.clone();
    scaled.points.values_mut().flatten().flatten().for_each(|sample| *sample *= factor);
    scaled
}

fn any_run() -> impl Strategy<Value = Run> {
    let samples = prop::collection::vec(1.0..1e9_f64, 1..60);
    prop::collection::vec(samples, 1..8).prop_map(run)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_run_is_the_same_as_itself(run in any_run()) {
        let comparison = judged(&run, &run, 0.05);
        prop_assert_eq!(comparison.verdict, Verdict::Same);
        prop_assert!(comparison.points.iter().all(|pair| pair.verdict == Verdict::Same && pair.ratio == Some(1.0)));
        prop_assert_eq!(comparison.counts.all, run.points.len());
    }

    #[test]
    fn ratios_are_those_of_the_medians_and_invert_with_the_sides(run in any_run(), factor in 0.2..5.0_f64) {
        let other = scaled(&run, factor);
        let (there, back) = (judged(&run, &other, 0.05), judged(&other, &run, 0.05));
        let turned: BTreeMap<&Key, _> = back.points.iter().map(|pair| (&pair.key, pair)).collect();
        for pair in &there.points {
            let ratio = pair.ratio.expect("no time is zero");
            prop_assert!((ratio / factor - 1.0).abs() < 1e-9, "{} and {}", ratio, factor);
            prop_assert!(pair.low <= pair.ratio && pair.ratio <= pair.high);
            prop_assert!((turned[&pair.key].ratio.expect("none is zero") * ratio - 1.0).abs() < 1e-9);
            prop_assert_eq!(turned[&pair.key].p, pair.p);
        }
    }
}

#[test]
fn all_times_longer_by_a_tenth_are_slower_by_a_tenth() {
    for seed in 0..20 {
        let mut rng = SplitMix64::new(seed);
        let levels = [500.0, 3e3, 8e4, 1e6];
        let old = run(levels.map(|level| times(&mut rng, 200, level)));
        let new = scaled(&old, 1.1);
        let comparison = judged(&old, &new, 0.05);
        assert_eq!((comparison.verdict, comparison.counts.slower), (Verdict::Slower, 4), "seed {seed}");
        for pair in &comparison.points {
            assert!((pair.ratio.expect("a ratio") - 1.1).abs() < 1e-9 && pair.low > Some(1.07), "{pair:?}");
            assert_eq!(pair.basis, Basis::Samples);
        }
        assert!((comparison.mean_ratio.expect("a mean") - 1.1).abs() < 1e-9);
        assert_eq!(judged(&new, &old, 0.05).counts.faster, 4);
        // The same change is within a threshold of 20 %.
        assert_eq!(judged(&old, &new, 0.2).verdict, Verdict::Same);
    }
}

/// Holm's correction bounds the family-wise error rate: of all comparisons in which nothing
/// changed, at most one in twenty reports a difference, even without a threshold. The bound for 400
/// families is two standard deviations wider.
#[test]
fn families_without_a_change_rarely_report_one() {
    let mut rng = SplitMix64::new(99);
    let (mut alarms, mut beyond) = (0, 0);
    for _ in 0..400 {
        let mut family = || run((0..12).map(|_| times(&mut rng, 25, 1000.0)).collect::<Vec<_>>());
        let (old, new) = (family(), family());
        let is_alarm = |threshold| judged(&old, &new, threshold).verdict <= Verdict::Faster;
        alarms += usize::from(is_alarm(0.0));
        beyond += usize::from(is_alarm(0.05));
    }
    assert!(alarms <= 28, "{alarms} of 400 families");
    assert!(beyond <= 4, "{beyond} of 400 families, beyond five per cent");
}

#[test]
fn the_outcome_is_the_same_each_time() {
    let mut rng = SplitMix64::new(5);
    let (old, new) = (run([times(&mut rng, 50, 1.0)]), run([times(&mut rng, 70, 1.02)]));
    assert_eq!(judged(&old, &new, 0.05), judged(&old, &new, 0.05));
}

#[test]
fn the_most_important_comes_first() {
    let mut rng = SplitMix64::new(6);
    let factors = [1.0, 0.5, 1.2, 2.0, 0.8];
    let old = run(factors.map(|_| times(&mut rng, 100, 1000.0)));
    let new = run(factors.map(|factor| times(&mut rng, 100, 1000.0 * factor)));
    let comparison = judged(&old, &new, 0.05);
    let order: Vec<(Verdict, Option<u64>)> =
        comparison.points.iter().map(|pair| (pair.verdict, pair.key.number("bytes"))).collect();
    let expected = [
        (Verdict::Slower, 3),
        (Verdict::Slower, 2),
        (Verdict::Faster, 1),
        (Verdict::Faster, 4),
        (Verdict::Same, 0),
    ];
    assert_eq!(order, expected.map(|(verdict, bytes)| (verdict, Some(bytes))));
}

#[test]
fn too_few_samples_are_inconclusive() {
    let comparison = judged(&run([vec![10.0, 11.0, 12.0]]), &run([vec![13.0, 14.0, 15.0]]), 0.05);
    assert_eq!(comparison.verdict, Verdict::Inconclusive);
    assert!(comparison.points[0].why.as_deref().expect("a reason").contains("too few samples"));
}

#[test]
fn times_of_zero_have_no_ratio() {
    let comparison = judged(&run([vec![0.0, 0.0, 0.0]]), &run([vec![1.0, 1.0]]), 0.05);
    let [pair] = &comparison.points[..] else { panic!("one point") };
    assert_eq!((pair.verdict, pair.ratio, pair.low), (Verdict::Inconclusive, None, None));
}

#[test]
fn invalid_settings_are_refused() {
    let run = run([vec![1.0]]);
    for (threshold, confidence) in [(-0.1, 0.95), (f64::NAN, 0.95), (20.0, 0.95), (0.05, 1.0), (0.05, 0.0)] {
        let error =
            compare(run.clone(), run.clone(), Settings { threshold, confidence }).expect_err("invalid");
        assert!(error.to_string().contains("invalid"), "{error}");
    }
}
