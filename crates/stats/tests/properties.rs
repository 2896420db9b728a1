//! Properties that hold for any data, checked on generated data with a fixed seed.

use panto_random::SplitMix64;
use panto_stats::{
    Bandwidth, Error, Segmentation, StopRule, Summary, compare, diagnose, holm, mann_whitney, median,
    outliers, quantile,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestCaseResult, TestRng, TestRunner};

/// Runs the same cases on every machine and every run.
fn property<S: Strategy>(strategy: &S, test: impl Fn(S::Value) -> TestCaseResult) {
    let config = ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    TestRunner::new_with_rng(config, rng).run(strategy, test).unwrap();
}

fn times() -> impl Strategy<Value = Vec<f64>> {
    vec(0.001_f64..1e6, 1..80)
}

fn curve() -> impl Strategy<Value = Vec<(f64, f64)>> {
    vec(((0_u32..100_000).prop_map(f64::from), 0.01_f64..1e4), 3..40)
}

/// Generates any bit patterns.
fn anything() -> impl Strategy<Value = Vec<f64>> {
    vec(prop_oneof![3 => -10.0_f64..1e3, 1 => any::<f64>()], 0..40)
}

fn settings() -> Segmentation {
    Segmentation { resamples: 10, ..Segmentation::default() }
}

#[test]
fn a_summary_is_ordered_and_knows_no_order() {
    property(&(times(), any::<u64>()), |(values, seed)| {
        let s = Summary::of(&values).unwrap();
        let order = [s.min, s.q1, s.median, s.q3, s.p95, s.p99, s.max];
        prop_assert!(order.is_sorted() && s.interval.contains(s.median));
        let mut shuffled = values.clone();
        SplitMix64::new(seed).shuffle(&mut shuffled);
        prop_assert_eq!(s, Summary::of(&shuffled).unwrap());
        prop_assert!((s.median - median(&values).unwrap()).abs() <= 1e-12 * s.median);
        Ok(())
    });
}

#[test]
fn the_stop_rule_equals_the_summary() {
    property(&(vec(90.0_f64..110.0, 10..200), 0.0_f64..0.1), |(values, relative)| {
        let reached = StopRule { relative, min_samples: 6 }.reached(&values);
        prop_assert_eq!(reached, Summary::of(&values).unwrap().relative_half_width() <= relative);
        Ok(())
    });
}

#[test]
fn swapping_the_samples_turns_the_test_round() {
    property(&(times(), times()), |(a, b)| {
        let (there, back) = (mann_whitney(&a, &b).unwrap(), mann_whitney(&b, &a).unwrap());
        prop_assert!((there.p - back.p).abs() < 1e-12 && (0.0..=1.0).contains(&there.p));
        prop_assert!((there.u + back.u - (a.len() * b.len()) as f64).abs() < 1e-9);
        Ok(())
    });
}

#[test]
fn correction_never_helps_a_p_value_nor_changes_the_order() {
    property(&vec(0.0_f64..=1.0, 0..30), |p| {
        let adjusted = holm(&p).unwrap();
        prop_assert!(p.iter().zip(&adjusted).all(|(p, a)| a >= p && *a <= 1.0));
        let mut pairs: Vec<(f64, f64)> = p.into_iter().zip(adjusted).collect();
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        prop_assert!(pairs.is_sorted_by_key(|p| p.1));
        Ok(())
    });
}

#[test]
fn a_fit_is_well_formed_and_knows_no_order() {
    property(&(curve(), any::<u64>()), |(points, seed)| {
        let Ok(fit) = settings().fit(&points) else { return Ok(()) };
        prop_assert_eq!(fit.breakpoints.len() + 1, fit.segments.len());
        prop_assert!(fit.segments.iter().all(|s| s.points >= 3 && s.from_x < s.to_x));
        prop_assert!(fit.breakpoints.iter().all(|b| b.last < b.at && b.at < b.first));
        for s in &fit.segments {
            let least = s.line().at(s.from_x).min(s.line().at(s.to_x));
            prop_assert!(least >= -1e-9 * (s.intercept.abs() + s.slope.abs() * s.to_x));
            prop_assert!(s.slope_interval.contains(s.slope) && s.intercept_interval.contains(s.intercept));
        }
        let mut shuffled = points.clone();
        SplitMix64::new(seed).shuffle(&mut shuffled);
        prop_assert_eq!(fit, settings().fit(&shuffled).unwrap());
        Ok(())
    });
}

#[test]
fn units_do_not_matter_to_a_fit() {
    // Powers of two, so that scaling itself rounds nothing.
    property(&curve(), |points| {
        let Ok(fit) = settings().fit(&points) else { return Ok(()) };
        let scaled: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x * 1024.0, y / 1_048_576.0)).collect();
        let other = settings().fit(&scaled).unwrap();
        prop_assert!((fit.cost - other.cost).abs() <= 1e-9 * (1.0 + fit.cost));
        prop_assert_eq!(fit.segments.len(), other.segments.len());
        Ok(())
    });
}

#[test]
fn bandwidth_sizes_are_ordered() {
    property(&curve(), |points| {
        let Ok(b) = Bandwidth::of(&points) else { return Ok(()) };
        prop_assert!(b.half_size <= b.ninety_size && b.ninety_size <= b.peak_size && b.peak > 0.0);
        Ok(())
    });
}

#[test]
fn no_data_cause_a_panic() {
    property(&(anything(), anything()), |(a, b)| {
        let pairs: Vec<(f64, f64)> = a.iter().copied().zip(b.iter().copied()).collect();
        let _ =
            (Summary::of(&a), outliers(&a), diagnose(&a), quantile(&a, 0.3), StopRule::default().reached(&a));
        let _ = (compare(&a, &b), holm(&a), settings().fit(&pairs), Bandwidth::of(&pairs));
        let _ = (
            panto_stats::theil_sen(&pairs),
            panto_stats::least_squares(&pairs),
            panto_stats::least_absolute(&pairs),
        );
        let refused = matches!(Summary::of(&a), Err(Error::NotFinite { .. }));
        prop_assert!(refused || a.iter().all(|v| !v.is_nan()));
        Ok(())
    });
}
