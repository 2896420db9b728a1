//! The optimal partition of a curve into segments, by dynamic programming (Bellman 1961).

use crate::curve::Curve;
use crate::lad::{Solver, cost};
use std::ops::Range;

/// The cheapest partition of a curve into a given number of segments.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Partition {
    /// Sum of the capped absolute relative residuals over all segments.
    pub(crate) cost: f64,
    /// Index at which each segment starts, the first being 0.
    pub(crate) starts: Vec<usize>,
}

impl Partition {
    /// Returns the cost plus a penalty for each segment.
    pub(crate) fn penalised(&self, penalty: f64) -> f64 {
        self.cost + penalty * self.starts.len() as f64
    }

    /// Returns the index range of each segment of a curve of `n` points.
    pub(crate) fn ranges(&self, n: usize) -> impl Iterator<Item = Range<usize>> + '_ {
        let ends = self.starts.iter().skip(1).copied().chain([n]);
        self.starts.iter().zip(ends).map(|(&start, end)| start..end)
    }
}

/// Returns, for each number of segments from 1 to `max_segments` (as far as the points suffice),
/// the cheapest partition with at least `min_points` in each segment. A residual counts up to `cap`
/// in this choice, so that a segment never pays by passing through one outlier (Fearnhead &
/// Rigaill, "Changepoint detection in the presence of outliers", JASA 114, 2019); the lines
/// themselves are those of least absolute residuals.
///
/// Bellman, "On the approximation of curves by line segments using dynamic programming", CACM 4
/// (1961): the cheapest k segments up to j are the cheapest k - 1 up to some i, and a line from i
/// to j. Exact, unlike greedy splitting. O(n^2) lines of amortised O(n) each, then O(k n^2).
pub(crate) fn partitions(curve: &Curve, min_points: usize, max_segments: usize, cap: f64) -> Vec<Partition> {
    let table = Table::new(curve, min_points, cap);
    let n = curve.len();
    let mut layers = vec![Layer { cost: table.row(0).to_vec(), from: vec![0; n + 1] }];
    let possible = max_segments.min(n / min_points);
    while layers.len() < possible {
        let next = table.extend(&layers[layers.len() - 1]);
        layers.push(next);
    }
    (1..=layers.len()).map(|k| trace(&layers[..k], n)).collect()
}

/// The cheapest partitions of every prefix of the curve into one fixed number of segments.
struct Layer {
    cost: Vec<f64>,
    /// Start of the last segment.
    from: Vec<usize>,
}

/// Cost of the best line through points i..j, at row i, column j; infinite where there are too few
/// points.
struct Table {
    columns: usize,
    costs: Vec<f64>,
}

impl Table {
    fn new(curve: &Curve, min_points: usize, cap: f64) -> Self {
        let n = curve.len();
        let columns = n + 1;
        let mut costs = vec![f64::INFINITY; n * columns];
        let mut solver = Solver::default();
        for start in (0..n).filter(|&i| i == 0 || i >= min_points) {
            let row = &mut costs[start * columns..(start + 1) * columns];
            fill_row(row, curve, &mut solver, start, cap);
            row[..=n.min(start + min_points - 1)].fill(f64::INFINITY);
        }
        Self { columns, costs }
    }

    fn row(&self, start: usize) -> &[f64] {
        &self.costs[start * self.columns..(start + 1) * self.columns]
    }

    /// Adds one segment. Ties go to the earliest start, so that the result does not depend on the
    /// order of the loops.
    fn extend(&self, layer: &Layer) -> Layer {
        let mut next = Layer { cost: vec![f64::INFINITY; self.columns], from: vec![0; self.columns] };
        for (start, before) in layer.cost.iter().enumerate().filter(|(_, c)| c.is_finite()) {
            if start + 1 >= self.columns {
                continue;
            }
            for (end, line) in self.row(start).iter().enumerate().skip(start + 1) {
                if before + line < next.cost[end] {
                    next.cost[end] = before + line;
                    next.from[end] = start;
                }
            }
        }
        next
    }
}

/// Fills a row point by point: the best line hardly moves, so each search starts at the last
/// vertex.
fn fill_row(row: &mut [f64], curve: &Curve, solver: &mut Solver, start: usize, cap: f64) {
    let mut vertex = (start, start + 1);
    for (end, entry) in row.iter_mut().enumerate().skip(start + 2) {
        let solution = solver.solve(curve, start..end, vertex);
        vertex = solution.vertex;
        *entry = cost(curve, start..end, solution.line, cap);
    }
}

fn trace(layers: &[Layer], n: usize) -> Partition {
    let mut end = n;
    let mut starts: Vec<usize> = Vec::with_capacity(layers.len());
    for layer in layers.iter().rev() {
        end = layer.from[end];
        starts.push(end);
    }
    starts.reverse();
    Partition { cost: layers[layers.len() - 1].cost[n], starts }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lad::tests::oracle;
    use panto_random::SplitMix64;

    /// Tries all partitions of `range`.
    fn brute(
        penalty: &dyn Fn(Range<usize>) -> f64,
        range: Range<usize>,
        segments: usize,
        min_points: usize,
    ) -> f64 {
        if segments == 1 {
            return if range.len() >= min_points { penalty(range) } else { f64::INFINITY };
        }
        (range.start + min_points..range.end)
            .map(|cut| penalty(range.start..cut) + brute(penalty, cut..range.end, segments - 1, min_points))
            .fold(f64::INFINITY, f64::min)
    }

    fn check(curve: &Curve, min_points: usize, cap: f64, penalty: &dyn Fn(Range<usize>) -> f64) {
        for (k, found) in partitions(curve, min_points, 4, cap).iter().enumerate() {
            let truth = brute(penalty, 0..curve.len(), k + 1, min_points);
            assert!((found.cost - truth).abs() < 1e-9, "{} segments of {curve:?}", k + 1);
            assert_eq!((found.starts.len(), found.starts[0]), (k + 1, 0));
        }
    }

    #[test]
    fn equals_the_trial_of_all_partitions() {
        let mut rng = SplitMix64::new(31);
        for _ in 0..40 {
            let n = 4 + rng.index(9);
            let min_points = 2 + rng.index(3);
            let points: Vec<(f64, f64)> =
                (0..n).map(|i| ((i * i) as f64, 1.0 + i as f64 + 5.0 * rng.unit())).collect();
            let curve = Curve::new(&points).unwrap();
            check(&curve, min_points, f64::INFINITY, &|range| oracle(&curve, range));
            let line =
                |r: Range<usize>| Solver::default().solve(&curve, r.clone(), (r.start, r.start + 1)).line;
            check(&curve, min_points, 0.2, &|range| cost(&curve, range.clone(), line(range), 0.2));
        }
    }

    #[test]
    fn more_segments_never_cost_more() {
        let mut rng = SplitMix64::new(32);
        let points: Vec<(f64, f64)> = (0..60).map(|i| (f64::from(i), 1.0 + rng.unit())).collect();
        let found = partitions(&Curve::new(&points).unwrap(), 3, 8, f64::INFINITY);
        assert_eq!(found.len(), 8);
        assert!(found.windows(2).all(|w| w[1].cost <= w[0].cost));
    }
}
