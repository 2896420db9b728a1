//! Benchmarks a full fit: 300 distinct sizes, 100,000 samples, up to 8 segments. `cargo bench -p
//! panto-stats`.

use panto_random::SplitMix64;
use panto_stats::{Segmentation, SizeSamples};
use std::time::Instant;

fn main() {
    for (name, sizes, noise) in
        [("noisy", 300, 0.03), ("clean", 300, 0.0), ("noisy", 100, 0.03), ("noisy", 600, 0.03)]
    {
        let points = curve(sizes, noise);
        for resamples in [0, 400] {
            let settings = Segmentation { resamples, ..Segmentation::default() };
            let what = format!("{sizes} sizes, {name}, {resamples} resamples");
            timed(&what, || settings.fit(&points).expect("the curve is valid").segments.len());
        }
        let settings = Segmentation::default();
        timed(&format!("{sizes} sizes, {name}, residue classes"), || {
            settings.fit_residues(&points).expect("the curve is valid").classes.len()
        });
    }
    for launches in [1, 10] {
        let samples = samples(&curve(300, 0.01), launches, 340 / launches);
        let measured: Vec<SizeSamples> = samples.iter().map(measured).collect();
        timed(&format!("102,000 samples of {launches} launches"), || {
            Segmentation::default().fit_samples(&measured).expect("the curve is valid").segments.len()
        });
    }
}

fn timed(what: &str, work: impl FnOnce() -> usize) {
    let start = Instant::now();
    let found = work();
    println!("{what}: {:.1} ms, {found} found", start.elapsed().as_secs_f64() * 1e3);
}

/// Returns eight segments over six decades of size, with a jump and a new slope at each breakpoint.
fn curve(sizes: u32, noise: f64) -> Vec<(f64, f64)> {
    let mut rng = SplitMix64::new(1);
    let point = |i: u32| {
        let place = f64::from(i) / f64::from(sizes);
        let regime = (8.0 * place).floor();
        let x = f64::from(i) + (10_f64.powf(6.0 * place) * (1.0 + 0.001 * place)).round();
        let clean = (1.0 + 0.3 * regime) + x * 0.001 * (1.0 + 0.5 * (regime % 2.0));
        (x, clean * (1.0 + noise * (2.0 * rng.unit() - 1.0)))
    };
    (0..sizes).map(point).collect()
}

/// A size and its samples by launch.
type Sampled = (f64, Vec<Vec<f64>>);

fn samples(points: &[(f64, f64)], launches: usize, each: usize) -> Vec<Sampled> {
    let mut rng = SplitMix64::new(2);
    let mut launch = |y: f64| (0..each).map(|_| y * (1.0 + 0.1 * rng.unit())).collect();
    points.iter().map(|(x, y)| (*x, (0..launches).map(|_| launch(*y)).collect())).collect()
}

fn measured((x, launches): &Sampled) -> SizeSamples<'_> {
    SizeSamples { x: *x, launches: launches.iter().map(Vec::as_slice).collect() }
}
