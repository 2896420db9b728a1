//! The chart of a sweep: predicted time against the first numeric parameter that is varied.

use std::path::Path;

use panto_predict::sweep::{Parameter, Row, Variant};
use panto_units::{parse_bytes, parse_rate, parse_seconds};

use super::split;
use crate::chart::{Axis, Chart, Point, Scale, Series, Style, Unit};

/// Curves that can be told apart by colour.
const MOST_CURVES: usize = 12;
/// Ratio of the largest to the smallest value from which an axis is logarithmic.
const WIDE: f64 = 8.0;

/// Returns the parameter of the horizontal axis: the first one that varies and whose values are all
/// numbers of one unit; `None` if there is none.
fn sweep_axis(variants: &[&Variant]) -> Option<(Parameter, Unit)> {
    let first = variants.iter().flat_map(|variant| variant.choices());
    let mut seen: Vec<&Parameter> = Vec::new();
    for (parameter, _) in first {
        if seen.contains(&parameter) {
            continue;
        }
        seen.push(parameter);
        let values: Vec<Option<&str>> = variants.iter().map(|variant| variant.get(parameter)).collect();
        let differs = values.windows(2).any(|pair| pair[0] != pair[1]);
        if let Some(unit) = values.into_iter().collect::<Option<Vec<_>>>().and_then(|values| unit(&values))
            && differs
        {
            return Some((parameter.clone(), unit));
        }
    }
    None
}

fn unit(values: &[&str]) -> Option<Unit> {
    [Unit::Count, Unit::Seconds, Unit::BytesPerSecond, Unit::Bytes]
        .into_iter()
        .find(|unit| values.iter().all(|value| number(value, *unit).is_some()))
}

fn number(text: &str, unit: Unit) -> Option<f64> {
    match unit {
        Unit::Count => text.parse().ok().filter(|value: &f64| value.is_finite()),
        Unit::Seconds => parse_seconds(text).ok(),
        Unit::BytesPerSecond => parse_rate(text).ok(),
        Unit::Bytes => parse_bytes(text).ok().map(|bytes| bytes as f64),
        Unit::Percent => None,
    }
}

/// Returns a chart with a curve for each combination of the other parameters; `None` if no
/// parameter that varies is a number.
pub fn sweep_chart(trace: &Path, ranks: u32, rows: &[Row]) -> Option<Chart> {
    let variants: Vec<&Variant> = rows.iter().map(|row| &row.variant).collect();
    let (parameter, unit) = sweep_axis(&variants)?;
    let (varied, fixed) = split(rows);
    let mut curves: Vec<(String, Vec<Point>)> = Vec::new();
    for row in rows {
        let others = varied.iter().filter(|other| **other != parameter);
        let name: Vec<&str> = others.map(|other| row.variant.get(other).unwrap_or("-")).collect();
        let name = if name.is_empty() { "time".to_owned() } else { name.join(", ") };
        let place = row.variant.get(&parameter).and_then(|value| number(value, unit));
        let (Some(x), Ok(figures)) = (place, &row.outcome) else { continue };
        let point = Point::new(x, figures.time);
        match curves.iter_mut().find(|(known, _)| *known == name) {
            Some((_, points)) => points.push(point),
            None => curves.push((name, vec![point])),
        }
    }
    let points = || curves.iter().flat_map(|(_, points)| points);
    let x = Axis::new(parameter.name(), scale(points().map(|point| point.x), unit == Unit::Count), unit);
    let y = Axis::new("predicted time", scale(points().map(|point| point.y), false), Unit::Seconds);
    let title = format!("Predicted time by {}", parameter.name());
    let same = fixed.iter().filter_map(|parameter| {
        Some(format!("{} {}", parameter.name(), rows.first()?.variant.get(parameter)?))
    });
    let about = [format!("{}, {ranks} ranks", trace.display())].into_iter().chain(same);
    let mut chart = Chart::new(title, x, y).subtitle(about.collect::<Vec<_>>().join("; "));
    if curves.len() > MOST_CURVES {
        chart = chart.note(format!("The first {MOST_CURVES} of {} curves.", curves.len()));
    }
    let failed = rows.iter().filter(|row| row.outcome.is_err()).count();
    if failed > 0 {
        chart = chart.note(format!("{failed} settings failed and have no point."));
    }
    let series = curves.into_iter().take(MOST_CURVES);
    Some(
        series
            .fold(chart, |chart, (name, points)| chart.series(Series::new(name, Style::LineAndDots, points))),
    )
}

/// Returns a logarithmic scale for values that are far apart, to base 2 for counts.
fn scale(values: impl Iterator<Item = f64>, is_count: bool) -> Scale {
    let (low, high) =
        values.fold((f64::INFINITY, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
    match low > 0.0 && high / low >= WIDE {
        false => Scale::Linear,
        true if is_count => Scale::Log2,
        true => Scale::Log10,
    }
}
