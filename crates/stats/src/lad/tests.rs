use super::*;
use panto_random::SplitMix64;

/// Returns the least cost over all lines through two points, or through a point and 0 at an end:
/// the optimum is among them. O(n^3).
pub(crate) fn oracle(curve: &Curve, range: Range<usize>) -> f64 {
    let (first, last) = (curve.x[range.start], curve.x[range.end - 1]);
    let mut points: Vec<(f64, f64)> = range.clone().map(|k| (curve.x[k], curve.y[k])).collect();
    points.extend([(first, 0.0), (last, 0.0)]);
    let mut best = f64::INFINITY;
    for a in &points {
        for b in points.iter().filter(|b| b.0 > a.0) {
            let slope = (b.1 - a.1) / (b.0 - a.0);
            let line = Line { intercept: a.1 - slope * a.0, slope };
            if line.at(first).min(line.at(last)) >= -1e-9 * (a.1 + b.1) {
                best = best.min(cost(curve, range.clone(), line, f64::INFINITY));
            }
        }
    }
    best
}

fn check(points: &[(f64, f64)]) {
    let curve = Curve::new(points).unwrap();
    let n = curve.len();
    let truth = oracle(&curve, 0..n);
    for start in [(0, 1), (0, n - 1), (n - 2, n - 1), (n / 2, n - 1 - n / 2 + usize::from(n % 2 == 1))] {
        if start.0 == start.1 {
            continue;
        }
        let found = Solver::default().solve(&curve, 0..n, start);
        let reached = cost(&curve, 0..n, found.line, f64::INFINITY);
        assert!((reached - truth).abs() <= 1e-9 * (1.0 + truth), "{reached} not {truth}: {points:?}");
        assert!(found.line.at(curve.x[0]) >= -1e-12 * curve.y[0]);
        assert!(found.line.at(curve.x[n - 1]) >= -1e-12 * curve.y[n - 1]);
    }
}

#[test]
fn equals_the_oracle_on_random_data() {
    let mut rng = SplitMix64::new(21);
    for round in 0..400 {
        let n = 2 + rng.index(14);
        // Log-uniform both ways: wild slopes, weights over six decades, ends that want to be
        // negative.
        let points: Vec<(f64, f64)> =
            (0..n).map(|_| (10_f64.powf(6.0 * rng.unit()).floor(), 10_f64.powf(6.0 * rng.unit()))).collect();
        if Curve::new(&points).unwrap().len() >= 2 {
            check(&points);
        }
        let noisy: Vec<(f64, f64)> = (0..=n)
            .map(|i| (f64::from(i as u32), 5.0 + i as f64 + rng.unit() * f64::from(round % 4)))
            .collect();
        check(&noisy);
    }
}

#[test]
fn equals_the_oracle_where_many_points_meet() {
    let mut rng = SplitMix64::new(22);
    for _ in 0..400 {
        let n = 3 + rng.index(12);
        let points: Vec<(f64, f64)> = (0..n).map(|i| (i as f64, 1.0 + rng.index(3) as f64)).collect();
        check(&points);
        let broken: Vec<(f64, f64)> = (0..n)
            .map(|i| (i as f64, if i < n / 2 { 1.0 + i as f64 } else { 20.0 + 3.0 * i as f64 }))
            .collect();
        check(&broken);
    }
}

#[test]
fn warm_starts_reach_the_same_optimum() {
    let mut rng = SplitMix64::new(23);
    let points: Vec<(f64, f64)> = (0..40)
        .map(|i| (2_f64.powf(f64::from(i) / 2.0), 2.0 + 2_f64.powf(f64::from(i) / 2.2) + rng.unit()))
        .collect();
    let curve = Curve::new(&points).unwrap();
    let mut solver = Solver::default();
    let mut vertex = (0, 1);
    for end in 2..=40 {
        let found = solver.solve(&curve, 0..end, vertex);
        let reached = cost(&curve, 0..end, found.line, f64::INFINITY);
        vertex = found.vertex;
        let truth = oracle(&curve, 0..end);
        assert!((reached - truth).abs() <= 1e-10 * (1.0 + truth), "{end}: {reached} not {truth}");
    }
}
