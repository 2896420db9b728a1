//! The curve of the multiples and its modulus are found, and never where there is none.

use panto_random::SplitMix64;
use panto_stats::{ResidueClass, ResidueFit, Segmentation};

fn fit(points: &[(f64, f64)]) -> ResidueFit {
    Segmentation { resamples: 10, ..Segmentation::default() }.fit_residues(points).unwrap()
}

/// Byte by byte up to 40, then multiples, sizes just below them, and multiples of half the modulus.
fn sizes(modulus: u32) -> Vec<f64> {
    let around = |full: u32| [full - 1, full, full + modulus.div_ceil(2)];
    let mut sizes: Vec<u32> = (0..=40).chain((1..=20).flat_map(|k| around(k * modulus))).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes.into_iter().map(f64::from).collect()
}

fn measured(sizes: &[f64], seed: u64, noise: f64, curve: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
    let mut rng = SplitMix64::new(seed);
    sizes.iter().map(|&x| (x, curve(x) * (1.0 + noise * rng.normal()))).collect()
}

/// The CM-5's curve with packets of any size: whole packets start sooner and flow faster.
fn packets(modulus: f64) -> impl Fn(f64) -> f64 {
    move |x| if x % modulus > 0.0 { 94.0 + 0.13 * x } else { 86.0 + 0.12 * x }
}

#[test]
fn exact_data_give_both_curves() {
    for modulus in [2_u32, 3, 8, 12, 16, 64, 100, 128] {
        let m = f64::from(modulus);
        let found = fit(&measured(&sizes(modulus), 0, 0.0, packets(m)));
        assert_eq!(found.modulus, Some(u64::from(modulus)), "{found:?}");
        let [(first, multiples), (second, others)] = &found.classes[..] else { panic!("{found:?}") };
        let m = u64::from(modulus);
        assert_eq!((*first, *second), (ResidueClass::Multiples(m), ResidueClass::Others(m)));
        for (curve, intercept, slope) in [(multiples, 86.0, 0.12), (others, 94.0, 0.13)] {
            let [line] = curve.segments[..] else { panic!("{curve:?}") };
            assert!((line.intercept - intercept).abs() < 1e-9 && (line.slope - slope).abs() < 1e-12);
        }
        assert!(found.margin > 0.0 && (found.predict(f64::from(modulus) * 7.0 + 1.0) - 94.0) > 0.9);
    }
}

#[test]
fn noise_and_outliers_do_not_hide_the_modulus() {
    for (modulus, rounds) in [(2_u32, 20), (16, 20), (64, 20)] {
        let found = (0..rounds).filter(|seed| {
            let mut points = measured(&sizes(modulus), *seed, 0.01, packets(f64::from(modulus)));
            (5..points.len()).step_by(23).for_each(|i| points[i].1 *= 3.0);
            fit(&points).modulus == Some(u64::from(modulus))
        });
        let found = found.count();
        assert!(20 * found >= 19 * rounds as usize, "modulus {modulus}: {found} of {rounds}");
    }
}

#[test]
fn each_class_has_its_own_switches() {
    let curve = |x: f64| match (x % 16.0 > 0.0, x < 150.0) {
        (false, true) => 10.0 + 0.01 * x,
        (false, false) => 40.0 + 0.005 * x,
        (true, _) => 14.0 + 0.02 * x,
    };
    let found = fit(&measured(&sizes(16), 1, 0.0, curve));
    assert_eq!(found.modulus, Some(16));
    let counts: Vec<usize> = found.classes.iter().map(|(_, curve)| curve.segments.len()).collect();
    assert_eq!(counts, [2, 1], "{found:?}");
}

#[test]
fn nothing_is_found_where_there_is_nothing() {
    let dense = sizes(16);
    let powers: Vec<f64> = [0.0].into_iter().chain((0..=20).map(|k| 2_f64.powi(k))).collect();
    let around: Vec<f64> = (3..=20).flat_map(|k| [-1.0, 0.0, 1.0].map(|d| 2_f64.powi(k) + d)).collect();
    let switch = |x: f64| if x < 64.0 { 2.0 + 0.001 * x } else { 9.0 + 0.0007 * x };
    for sizes in [&dense, &powers, &around] {
        for noise in [0.0, 0.01, 0.03] {
            let false_alarms = (0..20).filter(|seed| {
                let mut points = measured(sizes, *seed, noise, switch);
                (5..points.len()).step_by(20).for_each(|i| points[i].1 *= 3.0);
                fit(&points).modulus.is_some()
            });
            let count = false_alarms.count();
            assert!(count <= 1, "{} sizes, noise {noise}: {count} of 20", sizes.len());
        }
    }
}

#[test]
fn moduli_that_the_sizes_cannot_tell_apart_are_named() {
    // Next to powers of two, multiples of 2 are those of 4 and of 8 as well.
    let around: Vec<f64> = (4..=20).flat_map(|k| [-1.0, 0.0, 1.0].map(|d| 2_f64.powi(k) + d)).collect();
    let found = fit(&measured(&around, 0, 0.0, packets(8.0)));
    assert_eq!((found.modulus, &found.same[..]), (Some(2), &[4, 8, 16][..]));
}

#[test]
fn one_curve_where_no_modulus_can_be_tried() {
    let found = ResidueFit::fit(&[(1.0, 1.0), (3.0, 2.0), (5.0, 3.0)]).unwrap();
    assert!(found.modulus.is_none() && found.margin.is_infinite());
    assert!((found.predict(7.0) - 4.0).abs() < 1e-9);
    assert!(ResidueFit::fit(&[(1.0, 1.0)]).is_err());
    assert!(ResidueFit::fit(&[(1.0, 1.0), (2.0, f64::NAN), (3.0, 1.0)]).is_err());
}
