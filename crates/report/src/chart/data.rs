//! Selects the points of a series that can be drawn.

use super::{Axis, Chart, Point};

/// The drawable points of a chart, and the number of others.
#[derive(Clone)]
pub(super) struct Data {
    /// Drawable points of each series, sorted by x.
    pub series: Vec<Vec<Point>>,
    /// Number of points that cannot be drawn.
    pub omitted: usize,
}

impl Data {
    pub fn of(chart: &Chart) -> Self {
        let series: Vec<_> = chart.series.iter().map(|series| drawable(chart, &series.points)).collect();
        let given: usize = chart.series.iter().map(|series| series.points.len()).sum();
        let kept: usize = series.iter().map(Vec::len).sum();
        Self { series, omitted: given - kept }
    }

    pub fn points(&self) -> impl Iterator<Item = &Point> {
        self.series.iter().flatten()
    }

    pub fn is_empty(&self) -> bool {
        self.points().next().is_none()
    }
}

/// Returns whether a value belongs to the slot reserved for zero, left of the break of a
/// logarithmic axis.
pub(super) fn in_zero_slot(axis: &Axis, x: f64) -> bool {
    axis.scale.is_log() && x == 0.0
}

/// Returns whether the axis can show a value. Beyond the limit, sums and differences would
/// overflow.
pub(super) fn can_show(axis: &Axis, value: f64) -> bool {
    const LIMIT: f64 = 1e100;
    value.is_finite() && value.abs() < LIMIT && (!axis.scale.is_log() || value > 1.0 / LIMIT)
}

fn drawable(chart: &Chart, points: &[Point]) -> Vec<Point> {
    let x_fits = |x| can_show(&chart.x, x) || in_zero_slot(&chart.x, x);
    let mut kept: Vec<Point> =
        points.iter().filter(|p| x_fits(p.x) && can_show(&chart.y, p.y)).map(with_interval).collect();
    kept.sort_by(|a, b| a.x.total_cmp(&b.x));
    kept
}

/// Returns the point with an interval that contains at least its value.
fn with_interval(point: &Point) -> Point {
    Point { low: point.low.min(point.y), high: point.high.max(point.y), ..*point }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::{Scale, Series, Unit};

    fn chart(y: Scale, points: &[(f64, f64)]) -> Chart {
        let points = points.iter().map(|&(x, y)| Point::new(x, y));
        Chart::new("", Axis::new("", Scale::Log2, Unit::Bytes), Axis::new("", y, Unit::Seconds))
            .series(Series::line("a", points))
    }

    #[test]
    fn undrawable_points_are_counted() {
        let points =
            [(0.0, 1.0), (-1.0, 1.0), (1.0, f64::NAN), (1.0, f64::INFINITY), (2.0, 0.0), (4.0, 1e200)];
        assert_eq!(Data::of(&chart(Scale::Linear, &points)).omitted, 4);
        assert_eq!(Data::of(&chart(Scale::Log10, &points)).omitted, 5);
    }

    #[test]
    fn points_are_sorted() {
        let data = Data::of(&chart(Scale::Linear, &[(4.0, 1.0), (0.0, 2.0), (2.0, 3.0)]));
        assert_eq!(data.points().map(|p| p.x).collect::<Vec<_>>(), [0.0, 2.0, 4.0]);
    }

    #[test]
    fn a_missing_interval_shrinks_to_the_value() {
        let p = with_interval(&Point::with_interval(1.0, 2.0, f64::NAN, 3.0));
        assert_eq!((p.low, p.high), (2.0, 3.0));
    }
}
