//! Uncertainty between launches: a bootstrap over launches instead of points.
//!
//! Whatever slows a launch slows all of its points, so the points of one launch tell little about
//! the next. Each launch is fitted alone (with the pooled points of experiments that it lacks),
//! with the breakpoints of all launches together; then launches are resampled with replacement, and
//! the interval of a figure is that of the median over the resampled launches (a cluster bootstrap;
//! Davison and Hinkley 1997, section 3.8). Intervals are only ever widened by it.

use panto_stats::{Bootstrap, Interval, ResidueClass};

use crate::estimate::Estimate;
use crate::machine_parameters::MachineParameters;
use crate::piecewise::{Piece, PiecewiseLinear};

/// Fewer launches do not show how launches differ.
pub const MIN_LAUNCHES: usize = 3;

/// Widens the intervals of `all`, the fit to all launches together, by the spread of `alone`, the
/// fit to each of them. `largest` is the largest measured size in bytes.
pub fn widen(all: &mut MachineParameters, alone: &[MachineParameters], largest: u64) {
    let curves: [fn(&mut MachineParameters) -> Option<&mut PiecewiseLinear>; 7] = [
        |figures| Some(&mut figures.network.near),
        |figures| Some(&mut figures.network.link),
        |figures| figures.network.local.as_mut(),
        |figures| figures.network.inside.as_mut(),
        |figures| Some(&mut figures.software.send),
        |figures| Some(&mut figures.software.receive),
        |figures| figures.occupancy.as_mut(),
    ];
    let mut alone = alone.to_vec();
    for curve in curves {
        let own: Vec<PiecewiseLinear> =
            alone.iter_mut().filter_map(|figures| curve(figures).cloned()).collect();
        if let Some(curve) = curve(all) {
            *curve = widened(curve, &own, largest);
        }
    }
    let estimates: [fn(&mut MachineParameters) -> Option<&mut Estimate>; 8] = [
        |figures| figures.network.hop.as_mut(),
        |figures| Some(&mut figures.network.control),
        |figures| Some(&mut figures.software.immediate),
        |figures| figures.gap.as_mut(),
        |figures| figures.rates.copy.as_mut(),
        |figures| figures.rates.strided.as_mut(),
        |figures| figures.rates.reduce.as_mut(),
        |figures| figures.rates.daxpy.as_mut(),
    ];
    for estimate in estimates {
        let own: Vec<f64> =
            alone.iter_mut().filter_map(|figures| estimate(figures).map(|own| own.value)).collect();
        if let (Some(estimate), Some(interval)) = (estimate(all), interval(&own)) {
            estimate.interval = Interval {
                low: estimate.interval.low.min(interval.low).min(estimate.value),
                high: estimate.interval.high.max(interval.high).max(estimate.value),
            };
        }
    }
}

/// Returns the interval of the median over launches; `None` with fewer than [`MIN_LAUNCHES`].
fn interval(values: &[f64]) -> Option<Interval> {
    let groups: Vec<[f64; 1]> = values.iter().map(|value| [*value]).collect();
    let median = |drawn: &mut [f64]| panto_stats::median(drawn).unwrap_or(0.0);
    (values.len() >= MIN_LAUNCHES)
        .then(|| Bootstrap::default().interval_by_group(&groups, median).ok())
        .flatten()
}

fn widened(curve: &PiecewiseLinear, alone: &[PiecewiseLinear], largest: u64) -> PiecewiseLinear {
    curve.map(|class, from, piece| {
        let to = piece.up_to.unwrap_or(largest);
        let Some((first, last)) = class_range(class, from, to) else { return vec![*piece] };
        let lines: Vec<(f64, f64)> = alone.iter().map(|own| line(own, first, last)).collect();
        let margin = |values: Vec<f64>, value: f64, before: f64| {
            let found = interval(&values);
            found.map_or(before, |found| before.max(found.high - value).max(value - found.low))
        };
        let (intercepts, slopes) = lines.into_iter().unzip();
        vec![Piece {
            intercept_margin: margin(intercepts, piece.line.intercept, piece.intercept_margin),
            slope_margin: margin(slopes, piece.line.slope, piece.slope_margin),
            ..*piece
        }]
    })
}

/// Returns the first and the last size of a residue class in a range; `None` if it has none there.
fn class_range(class: ResidueClass, from: u64, to: u64) -> Option<(u64, u64)> {
    let is_one = |bytes: &u64| class.contains(*bytes as f64);
    let first = (from..=to).find(is_one)?;
    let last = (first..=to).rev().find(is_one)?;
    Some((first, last))
}

/// Returns the line through a curve at the ends of a range, as intercept and slope.
fn line(curve: &PiecewiseLinear, first: u64, last: u64) -> (f64, f64) {
    let (start, end) = (curve.at(first), curve.at(last));
    let slope =
        if last > first { (end - start) / (last - first) as f64 } else { curve.piece(first).line.slope };
    (start - slope * first as f64, slope)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn margins_cover_the_spread_between_launches() {
        let pooled = PiecewiseLinear::new(vec![
            Piece::exact(Some(100), panto_stats::Line { intercept: 10.0, slope: 1.0 }),
            Piece::exact(None, panto_stats::Line { intercept: 50.0, slope: 2.0 }),
        ]);
        let launch = |more: f64| pooled.plus(&PiecewiseLinear::line(more, 0.0));
        let found = widened(&pooled, &[launch(-2.0), launch(0.0), launch(3.0)], 1_000);
        for (_, pieces) in found.classes() {
            for piece in pieces {
                assert!((piece.intercept_margin - 3.0).abs() < 1e-9, "{piece:?}");
                assert!(piece.slope_margin < 1e-9, "{piece:?}");
            }
        }
        assert_eq!(
            widened(&pooled, &[launch(-2.0), launch(3.0)], 1_000),
            pooled,
            "two launches say too little"
        );
    }

    #[test]
    fn class_ranges_begin_and_end_at_members() {
        assert_eq!(class_range(ResidueClass::Multiples(16), 1, 40), Some((16, 32)));
        assert_eq!(class_range(ResidueClass::Others(16), 16, 32), Some((17, 31)));
        assert_eq!(class_range(ResidueClass::Multiples(16), 1, 8), None);
    }
}
