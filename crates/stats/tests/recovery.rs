//! Known curves, disturbed by noise, are recovered: breakpoints, slopes, intercepts, and nothing
//! more.

use panto_random::SplitMix64;
use panto_stats::{Error, Fit, Segmentation};

/// Few resamples: these tests check the lines; the intervals have tests of their own.
fn fit(points: &[(f64, f64)]) -> Fit {
    Segmentation { resamples: 20, ..Segmentation::default() }.fit(points).unwrap()
}

/// Returns log-uniform sizes up to 2^20 in random order, times by `curve`, with normal relative
/// noise.
fn measure(seed: u64, n: usize, noise: f64, curve: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
    let mut rng = SplitMix64::new(seed);
    let mut point = || {
        let x = 2_f64.powf(20.0 * rng.unit()).round();
        (x, curve(x) * (1.0 + noise * rng.normal()))
    };
    (0..n).map(|_| point()).collect()
}

/// An eager protocol to 8 KiB, then a rendezvous with a larger bandwidth.
fn protocols(x: f64) -> f64 {
    if x <= 8192.0 { 2.0 + 0.001 * x } else { 6.0 + 0.0007 * x }
}

fn straight(x: f64) -> f64 {
    2.0 + 0.001 * x
}

fn share(rounds: u64, test: impl Fn(u64) -> bool) -> f64 {
    (0..rounds).filter(|seed| test(*seed)).count() as f64 / rounds as f64
}

#[test]
fn noise_about_one_line_stays_one_line() {
    for (n, noise) in [(8, 0.03), (20, 0.03), (20, 0.02), (60, 0.03), (60, 0.0)] {
        let single = share(200, |seed| fit(&measure(seed, n, noise, straight)).segments.len() == 1);
        assert!(single >= 0.95, "{n} sizes, noise {noise}: {single}");
    }
}

#[test]
fn a_protocol_switch_is_found() {
    let found = share(100, |seed| {
        let fit = fit(&measure(seed, 60, 0.02, protocols));
        let [before, behind] = fit.segments[..] else { return false };
        let switch = fit.breakpoints[0];
        switch.last <= 8192.0 * 1.4
            && switch.first >= 8192.0 / 1.4
            && (before.slope / 0.001 - 1.0).abs() < 0.1
            && (behind.slope / 0.0007 - 1.0).abs() < 0.05
            && (before.intercept / 2.0 - 1.0).abs() < 0.05
    });
    assert!(found >= 0.9, "{found}");
}

#[test]
fn outliers_do_not_disturb() {
    let found = share(100, |seed| {
        let mut points = measure(seed, 80, 0.02, protocols);
        (0..80).step_by(16).for_each(|i| points[i].1 *= 4.0);
        let fit = fit(&points);
        fit.segments.len() == 2 && (fit.segments[1].slope / 0.0007 - 1.0).abs() < 0.05
    });
    assert!(found >= 0.85, "{found}");
}

#[test]
fn a_jump_of_a_fifth_over_the_last_four_sizes_is_found() {
    let found = share(100, |seed| {
        let mut points = measure(seed, 40, 0.02, straight);
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points[36..].iter_mut().for_each(|p| p.1 *= 1.2);
        fit(&points).segments.len() >= 2
    });
    assert!(found >= 0.9, "{found}");
}

#[test]
fn a_slope_steeper_by_three_tenths_is_found() {
    let kink = |x: f64| straight(x) + 0.0003 * (x - 32768.0).max(0.0);
    let found = share(100, |seed| fit(&measure(seed, 60, 0.03, kink)).segments.len() == 2);
    assert!(found >= 0.9, "{found}");
}

#[test]
fn exact_data_give_the_exact_machine() {
    // Three segments, the second of which falls: a larger message may be cheaper.
    let curve = |x: f64| match x {
        x if x < 1000.0 => 5.0 + 0.01 * x,
        x if x < 3000.0 => 20.0 - 0.001 * x,
        x => 8.0 + 0.004 * x,
    };
    let points: Vec<(f64, f64)> =
        (0..60).map(|i| f64::from(i) * 100.0 + 50.0).map(|x| (x, curve(x))).collect();
    let fit = fit(&points);
    let lines: Vec<(f64, f64)> = fit.segments.iter().map(|s| (s.intercept, s.slope)).collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    for ((intercept, slope), truth) in lines.iter().zip([(5.0, 0.01), (20.0, -0.001), (8.0, 0.004)]) {
        assert!((intercept - truth.0).abs() < 1e-9 && (slope - truth.1).abs() < 1e-12, "{lines:?}");
    }
    let places: Vec<f64> = fit.breakpoints.iter().map(|b| b.at).collect();
    assert!((places[0] - 1000.0).abs() < 1e-6 && (places[1] - 3000.0).abs() < 1e-6, "{places:?}");
    assert!((fit.predict(500.0) - 10.0).abs() < 1e-9 && (fit.predict(1e6) - 4008.0).abs() < 1e-6);
}

#[test]
fn intervals_cover_the_truth() {
    let settings = Segmentation { max_segments: 1, resamples: 200, ..Segmentation::default() };
    let covered = |seed| {
        let fit = settings.fit(&measure(seed, 30, 0.03, straight)).unwrap();
        let line = fit.segments[0];
        (line.intercept_interval.contains(2.0), line.slope_interval.contains(0.001))
    };
    let intercepts = share(300, |seed| covered(seed).0);
    let slopes = share(300, |seed| covered(seed).1);
    assert!((0.9..=0.99).contains(&intercepts), "{intercepts}");
    assert!((0.9..=0.99).contains(&slopes), "{slopes}");
}

#[test]
fn settings_and_data_are_checked() {
    let points = [(1.0, 1.0), (2.0, 2.0)];
    let fit = |settings: Segmentation| settings.fit(&points);
    assert_eq!(fit(Segmentation::default()), Err(Error::TooFew { needed: 3, got: 2 }));
    assert!(fit(Segmentation { min_points: 2, ..Segmentation::default() }).is_ok());
    assert!(matches!(
        fit(Segmentation { min_points: 1, ..Segmentation::default() }),
        Err(Error::Setting { .. })
    ));
    assert!(matches!(
        fit(Segmentation { max_segments: 0, ..Segmentation::default() }),
        Err(Error::Setting { .. })
    ));
    assert!(Segmentation { noise_floor: f64::NAN, ..Segmentation::default() }.fit(&points).is_err());
    assert_eq!(Segmentation::default().fit(&[(1.0, f64::NAN)]), Err(Error::NotFinite { index: 0 }));
}
