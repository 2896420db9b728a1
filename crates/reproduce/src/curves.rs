//! Figures that are read from curves of simulated times.

use panto_results::{Record, Value, param};
use panto_stats::{Fit, Line, Segmentation, least_squares};

use crate::error::Result;

/// Pairs of a parameter, such as bytes, and seconds.
pub(super) type Points = Vec<(f64, f64)>;

/// Returns median times in seconds against a parameter, of the records that `keep` selects,
/// ascending.
pub(super) fn curve(records: &[Record], axis: &str, keep: impl Fn(&Record) -> bool) -> Points {
    let place = |record: &Record| match axis {
        param::RANKS => Some(record.point.ranks as f64),
        _ => record.point.number(axis).map(|value| value as f64),
    };
    let point = |record: &Record| Some((place(record)?, record.summary()?.median * 1e-9));
    let mut points: Points = records.iter().filter(|record| keep(record)).filter_map(point).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points
}

/// Returns a predicate: whether the parameter has this value.
pub(super) fn at(name: &'static str, value: u64) -> impl Fn(&Record) -> bool {
    move |record| record.point.number(name) == Some(value)
}

/// Returns a predicate: whether the record is of this variant.
pub(super) fn is_variant(name: &'static str) -> impl Fn(&Record) -> bool {
    move |record| record.point.params.get(param::VARIANT) == Some(&Value::Text(name.into()))
}

/// Returns the largest distance of the points from their least-squares line, in per cent of the
/// largest time, as it is visible in a graph. A parabola through its vertex departs by 12% from a
/// line.
pub(super) fn departure(points: &[(f64, f64)]) -> Result<f64> {
    let fit = least_squares(points)?;
    let largest = most(points.iter().map(|point| point.1));
    Ok(100.0 * most(points.iter().map(|&(x, y)| (fit.line.at(x) - y).abs())) / largest)
}

/// Returns the largest relative distance of the points from a line, in per cent.
pub(super) fn distance(points: &[(f64, f64)], line: Line) -> f64 {
    most(points.iter().map(|&(x, y)| 100.0 * (line.at(x) / y - 1.0).abs()))
}

/// Returns the points with a function applied to the axis.
pub(super) fn against(points: &[(f64, f64)], of: impl Fn(f64) -> f64) -> Points {
    points.iter().map(|&(x, y)| (of(x), y)).collect()
}

/// Returns the points above a value of the axis.
pub(super) fn beyond(points: &[(f64, f64)], least: f64) -> Points {
    points.iter().copied().filter(|point| point.0 > least).collect()
}

/// Returns the ratio of the second curve to the first, at each value of the axis that both have.
pub(super) fn ratios(first: &[(f64, f64)], second: &[(f64, f64)]) -> Vec<f64> {
    let same = |x: f64| first.iter().find(|point| point.0.total_cmp(&x).is_eq());
    second.iter().filter_map(|&(x, y)| Some(y / same(x)?.1)).filter(|ratio| ratio.is_finite()).collect()
}

/// Returns the segmented fit of a curve.
pub(super) fn regimes(points: &[(f64, f64)]) -> Result<Fit> {
    Ok(Segmentation::default().fit(points)?)
}

pub(super) fn median(values: &[f64]) -> Result<f64> {
    Ok(panto_stats::median(values)?)
}

pub(super) fn least(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(f64::INFINITY, f64::min)
}

pub(super) fn most(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(f64::NEG_INFINITY, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parabola_departs_from_a_line_and_not_from_its_own() {
        let square: Points = (1..10).map(|x| (f64::from(x), 3.0 + f64::from(x * x))).collect();
        assert!(departure(&square).expect("points") > 8.0);
        assert!(departure(&against(&square, |x| x * x)).expect("points") < 1e-9);
        assert_eq!(beyond(&square, 8.0).len(), 1);
        assert_eq!(ratios(&[(1.0, 2.0), (2.0, 4.0)], &[(2.0, 6.0), (3.0, 1.0)]), [1.5]);
    }
}
