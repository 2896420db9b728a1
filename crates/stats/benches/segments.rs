//! The time of a full fit: 300 distinct sizes, up to 8 segments. `cargo bench -p panto-stats`.

use panto_stats::{Rng, Segmentation};
use std::time::Instant;

fn main() {
    for (name, sizes, noise) in
        [("noisy", 300, 0.03), ("clean", 300, 0.0), ("noisy", 100, 0.03), ("noisy", 600, 0.03)]
    {
        let points = curve(sizes, noise);
        for resamples in [0, 400] {
            let settings = Segmentation { resamples, ..Segmentation::default() };
            let start = Instant::now();
            let fit = settings.fit(&points).expect("the curve is valid");
            let time = start.elapsed().as_secs_f64() * 1e3;
            println!(
                "{sizes} sizes, {name}, {resamples} resamples: {time:.1} ms, {} segments, residual {:.4}",
                fit.segments.len(),
                fit.residual
            );
        }
    }
}

/// Eight regimes over six decades of size, with a jump and a new slope at each border.
fn curve(sizes: u32, noise: f64) -> Vec<(f64, f64)> {
    let mut rng = Rng::new(1);
    let point = |i: u32| {
        let place = f64::from(i) / f64::from(sizes);
        let regime = (8.0 * place).floor();
        let x = 10_f64.powf(6.0 * place) * (1.0 + 0.001 * place);
        let clean = (1.0 + 0.3 * regime) + x * 0.001 * (1.0 + 0.5 * (regime % 2.0));
        (x, clean * (1.0 + noise * (2.0 * rng.unit() - 1.0)))
    };
    (0..sizes).map(point).collect()
}
