use super::*;

fn points(seed: u64, noise: f64, curve: impl Fn(f64, u64) -> f64) -> Vec<HopPoint> {
    let mut rng = SplitMix64::new(seed);
    let sizes: Vec<f64> = (0..=14).map(|k| 2_f64.powi(k)).chain([0.0]).collect();
    let mut point =
        |x: f64, hops: u64| HopPoint { x, hops, y: curve(x, hops) * (1.0 + noise * rng.normal()) };
    sizes.iter().flat_map(|&x| [1, 2, 4, 6].map(|hops| (x, hops))).map(|(x, hops)| point(x, hops)).collect()
}

/// Returns a switch at 1000 bytes, and half a microsecond per hop.
fn curve(x: f64, hops: u64) -> f64 {
    let near = if x < 1000.0 { 10.0 + 0.02 * x } else { 40.0 + 0.01 * x };
    near + 0.5 * (hops - 1) as f64
}

#[test]
fn exact_data_give_the_exact_curve() {
    let found = Segmentation::default().fit_hops(&points(1, 0.0, curve)).unwrap();
    assert!((found.per_hop - 0.5).abs() < 1e-9, "{found:?}");
    let lines: Vec<(f64, f64)> = found.fit.segments.iter().map(|s| (s.intercept, s.slope)).collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    for ((intercept, slope), truth) in lines.iter().zip([(10.0, 0.02), (40.0, 0.01)]) {
        assert!((intercept - truth.0).abs() < 1e-9 && (slope - truth.1).abs() < 1e-12, "{lines:?}");
    }
    assert!((found.predict(100.0, 3) - 13.0).abs() < 1e-9);
    assert!(found.goodness(&points(1, 0.0, curve)).unwrap().worst < 1e-9);
}

#[test]
fn noise_and_outliers_are_tolerated() {
    let settings = Segmentation { resamples: 100, ..Segmentation::default() };
    let mut covered = 0;
    for seed in 0..40 {
        let mut data = points(seed, 0.01, curve);
        data.iter_mut().step_by(13).for_each(|p| p.y *= 2.0);
        let found = settings.fit_hops(&data).unwrap();
        assert!((found.per_hop / 0.5 - 1.0).abs() < 0.15, "seed {seed}: {found:?}");
        covered += usize::from(found.per_hop_interval.contains(0.5));
    }
    assert!(covered >= 34, "{covered} of 40");
}

#[test]
fn distances_need_no_common_sizes() {
    let curve = |x: f64, hops: u64| 10.0 + 0.02 * x + 3.0 * (hops - 1) as f64;
    let near = (0..20).map(|k| (f64::from(k) * 100.0, 1));
    let far = (0..20).map(|k| (f64::from(k) * 100.0 + 50.0, 3));
    let data: Vec<HopPoint> =
        near.chain(far).map(|(x, hops)| HopPoint { x, hops, y: curve(x, hops) }).collect();
    let found = Segmentation::default().fit_hops(&data).unwrap();
    assert!((found.per_hop - 3.0).abs() < 1e-6, "{found:?}");
}

#[test]
fn the_joint_optimum_is_no_worse_than_any_other() {
    for seed in 0..20 {
        let data = merged(&points(seed, 0.05, |x, hops| 10.0 + 0.02 * x + 0.5 * (hops - 1) as f64)).unwrap();
        let mut joint = Joint::new(&data, &Partition { cost: 0.0, starts: vec![0] });
        let best = joint.minimise();
        let least = joint.cost_of(best);
        for k in -200..=200 {
            let other = joint.cost_of(best + f64::from(k) * 0.01);
            assert!(other >= least - 1e-9, "seed {seed}: {other} below {least}");
        }
    }
}

#[test]
fn launches_widen_the_interval_of_a_hop() {
    let settings = Segmentation { resamples: 100, ..Segmentation::default() };
    let mut rng = SplitMix64::new(5);
    // Each launch has its own time for a hop.
    let hop: Vec<f64> = (0..6).map(|_| 0.5 + 0.1 * rng.normal()).collect();
    let grid: Vec<(f64, u64)> = (0..10).flat_map(|k| [1, 2, 5].map(|h| (2_f64.powi(k), h))).collect();
    let times = |x: f64, hops: u64, h: f64| 10.0 + 0.02 * x + h * (hops - 1) as f64;
    let samples: Vec<Vec<Vec<f64>>> = grid
        .iter()
        .map(|&(x, hops)| {
            hop.iter()
                .map(|h| (0..9).map(|_| times(x, hops, *h) * (1.0 + 1e-4 * rng.normal())).collect())
                .collect()
        })
        .collect();
    let measured: Vec<(u64, SizeSamples)> = grid
        .iter()
        .zip(&samples)
        .map(|(&(x, hops), launches)| {
            (hops, SizeSamples { x, launches: launches.iter().map(Vec::as_slice).collect() })
        })
        .collect();
    let found = settings.fit_hop_samples(&measured).unwrap();
    assert!(found.per_hop_interval.half_width() > 0.02, "{found:?}");
    let points: Vec<HopPoint> =
        measured.iter().map(|(hops, m)| HopPoint { x: m.x, hops: *hops, y: m.point().unwrap().1 }).collect();
    let plain = settings.fit_hops(&points).unwrap();
    assert!(plain.per_hop_interval.half_width() < found.per_hop_interval.half_width() / 3.0, "{plain:?}");
    assert!((plain.per_hop - found.per_hop).abs() < 1e-12);
}

#[test]
fn bad_input_is_an_error() {
    let settings = Segmentation::default();
    let one = |hops| (0..5).map(|k| HopPoint { x: f64::from(k), hops, y: 1.0 }).collect::<Vec<_>>();
    assert_eq!(settings.fit_hops(&one(2)), Err(Error::NoVariation { quantity: "distances" }));
    assert!(matches!(settings.fit_hops(&one(0)), Err(Error::Setting { name: "hops", .. })));
    assert_eq!(settings.fit_hops(&[]), Err(Error::Empty));
    let twice = [
        (1, SizeSamples::once(1.0, &[1.0])),
        (2, SizeSamples::once(1.0, &[1.0])),
        (2, SizeSamples::once(1.0, &[2.0])),
    ];
    assert!(matches!(settings.fit_hop_samples(&twice), Err(Error::Setting { .. })));
}
