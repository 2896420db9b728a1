//! Known machines, measured sample by sample with all disturbances of timers, are recovered with
//! intervals that cover the truth.

use panto_random::SplitMix64;
use panto_stats::{Error, Fit, Segmentation, SizeSamples};

/// An eager protocol to 8 KiB, then a rendezvous with a larger bandwidth.
fn machine(x: f64) -> f64 {
    if x <= 8192.0 { 2.0 + 0.001 * x } else { 6.0 + 0.0007 * x }
}

fn sizes() -> Vec<f64> {
    [0.0].into_iter().chain((0..=40).map(|k| 2_f64.powf(f64::from(k) / 2.0).round())).collect()
}

/// Disturbance of one sample: (generator, launch, progress of the run from 0 to 1) gives a factor.
type Disturbance<'a> = &'a dyn Fn(&mut SplitMix64, usize, f64) -> f64;

/// Launches times sizes times samples. Sizes are visited in rounds, so that a drift affects all of
/// them alike.
fn measure(
    seed: u64,
    launches: usize,
    samples: usize,
    disturbance: Disturbance,
) -> Vec<(f64, Vec<Vec<f64>>)> {
    let mut rng = SplitMix64::new(seed);
    let mut all: Vec<(f64, Vec<Vec<f64>>)> =
        sizes().into_iter().map(|x| (x, vec![Vec::new(); launches])).collect();
    for launch in 0..launches {
        for round in 0..samples {
            for (x, times) in &mut all {
                let factor = disturbance(&mut rng, launch, round as f64 / samples as f64);
                times[launch].push(machine(*x) * factor);
            }
        }
    }
    all
}

fn fit(all: &[(f64, Vec<Vec<f64>>)], resamples: usize) -> Fit {
    let measured: Vec<SizeSamples> = all
        .iter()
        .map(|(x, launches)| SizeSamples { x: *x, launches: launches.iter().map(Vec::as_slice).collect() })
        .collect();
    Segmentation { resamples, ..Segmentation::default() }.fit_samples(&measured).unwrap()
}

/// Returns whether the machine was recovered, its parameters within a share.
fn is_machine(fit: &Fit, within: f64) -> bool {
    let [eager, large] = fit.segments[..] else { return false };
    let near = |a: f64, b: f64| (a / b - 1.0).abs() < within;
    let switch = fit.breakpoints[0];
    switch.last <= 8192.0
        && switch.first > 8192.0
        && near(eager.intercept, 2.0)
        && near(eager.slope, 0.001)
        && near(large.slope, 0.0007)
}

#[test]
fn the_machine_is_recovered_under_every_disturbance() {
    let noise = |r: &mut SplitMix64| 1.0 + 0.03 * r.normal();
    let cases: [(&str, Disturbance); 5] = [
        ("noise", &|r, _, _| noise(r)),
        // Every tenth sample was interrupted.
        ("outliers", &|r, _, _| noise(r) * if r.unit() < 0.1 { 1.0 + 20.0 * r.unit() } else { 1.0 }),
        // A quarter of the samples in a second mode.
        ("bimodality", &|r, _, _| noise(r) * if r.unit() < 0.25 { 1.4 } else { 1.0 }),
        // A tail that only lengthens, as interrupts do.
        ("skew", &|r, _, _| 1.0 - 0.02 * (1.0 - r.unit()).ln()),
        // The machine warms up: 2 % slower at the end, which the medians see as 1 %.
        ("drift", &|r, _, done| noise(r) * (1.0 + 0.02 * done)),
    ];
    for (name, disturbance) in cases {
        for seed in 0..12 {
            let found = fit(&measure(seed, 1, 201, disturbance), 10);
            assert!(is_machine(&found, 0.05), "{name}, seed {seed}: {found:#?}");
        }
    }
}

#[test]
fn launches_that_differ_are_in_the_interval() {
    // Each launch is a few per cent faster or slower as a whole; samples within it hardly vary.
    let mut covered = [0; 2];
    let mut narrow = 0;
    for seed in 0..60 {
        let mut rng = SplitMix64::new(1000 + seed);
        let level: Vec<f64> = (0..10).map(|_| 1.0 + 0.03 * rng.normal()).collect();
        let all = measure(seed, 10, 11, &|r, launch, _| level[launch] * (1.0 + 0.002 * r.normal()));
        let found = fit(&all, 100).segments[0];
        covered[0] += usize::from(found.intercept_interval.contains(2.0));
        covered[1] += usize::from(found.slope_interval.contains(0.001));
        let pooled: Vec<(f64, Vec<Vec<f64>>)> =
            all.into_iter().map(|(x, launches)| (x, vec![launches.concat()])).collect();
        narrow += usize::from(fit(&pooled, 100).segments[0].intercept_interval.contains(2.0));
    }
    // Percentiles of ten launches are a little short of 95 %: those of the pooled samples are far
    // from it.
    assert!(covered[0] >= 50 && covered[1] >= 50, "{covered:?} of 60");
    assert!(narrow < covered[0] - 10, "{narrow} and {covered:?}");
}

#[test]
fn samples_of_one_launch_are_drawn_when_there_is_no_other() {
    // Few samples of great spread at sizes whose medians happen to lie on a line: residuals alone
    // would promise too much.
    let all: Vec<(f64, Vec<Vec<f64>>)> = (0..12)
        .map(f64::from)
        .map(|x| (x, vec![[0.5, 0.8, 1.0, 1.3, 2.0].map(|f| f * (10.0 + x)).to_vec()]))
        .collect();
    let found = fit(&all, 200).segments[0];
    assert!(
        (found.intercept - 10.0).abs() < 1e-9 && found.intercept_interval.half_width() > 1.0,
        "{found:?}"
    );
}

#[test]
fn the_place_of_a_switch_has_an_interval() {
    let exact = fit(&measure(0, 1, 3, &|_, _, _| 1.0), 10).breakpoints[0];
    assert!(
        (exact.interval.low - exact.last).abs() < 1e-9 && (exact.interval.high - exact.first).abs() < 1e-9
    );
    let kink = |x: f64| 2.0 + 0.001 * x + 0.0005 * (x - 5000.0).max(0.0);
    let mut covered = 0;
    for seed in 0..100 {
        let mut rng = SplitMix64::new(seed);
        let points: Vec<(f64, f64)> =
            sizes().into_iter().map(|x| (x, kink(x) * (1.0 + 0.02 * rng.normal()))).collect();
        let found = Segmentation { resamples: 1, ..Segmentation::default() }.fit(&points).unwrap();
        covered += usize::from(found.breakpoints.iter().any(|b| b.interval.contains(5000.0)));
    }
    assert!(covered >= 90, "{covered} of 100");
}

#[test]
fn the_cross_check_agrees_with_a_good_line_and_not_with_a_bad_one() {
    let good = fit(&measure(1, 1, 51, &|r, _, _| 1.0 + 0.01 * r.normal()), 10);
    assert!(good.segments.iter().all(|s| s.disagreement() < 0.05), "{good:#?}");
    // A parabola taken for one line.
    let points: Vec<(f64, f64)> = (1..30).map(f64::from).map(|x| (x, 1.0 + x * x)).collect();
    let bad = Segmentation { max_segments: 1, ..Segmentation::default() }.fit(&points).unwrap();
    assert!(bad.segments[0].disagreement() > 0.2, "{bad:?}");
    let left = bad.goodness(&points).unwrap();
    assert!(left.worst > 0.3 && left.median <= left.p95 && left.p95 <= left.worst);
    assert_eq!(left.residuals.len(), points.len());
}

#[test]
fn residue_classes_of_samples_have_intervals_by_launch() {
    let curve = |x: f64| if x % 16.0 > 0.0 { 94.0 + 0.13 * x } else { 86.0 + 0.12 * x };
    let samples: Vec<(f64, [Vec<f64>; 2])> =
        (0..=100).map(f64::from).map(|x| (x, [0.99, 1.01].map(|level| vec![level * curve(x); 3]))).collect();
    let measured: Vec<SizeSamples> = samples
        .iter()
        .map(|(x, launches)| SizeSamples { x: *x, launches: launches.iter().map(Vec::as_slice).collect() })
        .collect();
    let found =
        Segmentation { resamples: 50, ..Segmentation::default() }.fit_residue_samples(&measured).unwrap();
    assert_eq!(found.modulus, Some(16));
    for (_, curve) in &found.classes {
        let line = curve.segments[0];
        assert!((line.intercept_interval.half_width() / line.intercept - 0.01).abs() < 1e-3, "{line:?}");
    }
}

#[test]
fn bad_samples_are_refused() {
    let fit = |measured: &[SizeSamples]| Segmentation::default().fit_samples(measured);
    assert_eq!(fit(&[]), Err(Error::Empty));
    assert_eq!(fit(&[SizeSamples::once(1.0, &[])]), Err(Error::Empty));
    assert_eq!(fit(&[SizeSamples::once(1.0, &[1.0, f64::NAN])]), Err(Error::NotFinite { index: 1 }));
    assert!(matches!(fit(&[SizeSamples::once(1.0, &[-1.0])]), Err(Error::Negative { .. })));
    assert_eq!(fit(&[SizeSamples::once(1.0, &[1.0])]), Err(Error::TooFew { needed: 3, got: 1 }));
}
