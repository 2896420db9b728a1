//! The picture of a sweep: time against the first number that is varied.

use std::path::Path;

use panto_predict::sweep::{Knob, Row, Variant};
use panto_report::chart::{Axis, Chart, Point, Scale, Series, Style, Unit};
use panto_units::{parse_bytes, parse_rate, parse_seconds};

use super::show;
use crate::failure::Failure;

/// More curves than this cannot be told apart.
const MOST_CURVES: usize = 12;
/// Values that are so many times apart are laid out by their ratios.
const WIDE: f64 = 8.0;

/// What is laid out on the horizontal axis: the first of what varies whose values are all numbers of one kind.
pub fn axis(variants: &[&Variant]) -> Result<(Knob, Unit), Failure> {
    let first = variants.iter().flat_map(|variant| variant.choices());
    let mut seen: Vec<&Knob> = Vec::new();
    for (knob, _) in first {
        if seen.contains(&knob) {
            continue;
        }
        seen.push(knob);
        let values: Vec<Option<&str>> = variants.iter().map(|variant| variant.get(knob)).collect();
        let differs = values.windows(2).any(|pair| pair[0] != pair[1]);
        if let Some(unit) = values.into_iter().collect::<Option<Vec<_>>>().and_then(|values| unit(&values))
            && differs
        {
            return Ok((knob.clone(), unit));
        }
    }
    Err(Failure::Usage(
        "--plot: nothing that is varied is a number; vary one, such as --vary link.latency=1us,2us or --processors 4,8".into(),
    ))
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

/// A curve for each combination of all else that is varied.
pub fn chart(trace: &Path, ranks: u32, rows: &[Row]) -> Result<Chart, Failure> {
    let variants: Vec<&Variant> = rows.iter().map(|row| &row.variant).collect();
    let (knob, unit) = axis(&variants)?;
    let (varied, fixed) = show::split(rows);
    let mut curves: Vec<(String, Vec<Point>)> = Vec::new();
    for row in rows {
        let others = varied.iter().filter(|other| **other != knob);
        let name: Vec<&str> = others.map(|other| row.variant.get(other).unwrap_or("-")).collect();
        let name = if name.is_empty() { "time".to_owned() } else { name.join(", ") };
        let place = row.variant.get(&knob).and_then(|value| number(value, unit));
        let (Some(x), Ok(figures)) = (place, &row.outcome) else { continue };
        let point = Point::new(x, figures.time);
        match curves.iter_mut().find(|(known, _)| *known == name) {
            Some((_, points)) => points.push(point),
            None => curves.push((name, vec![point])),
        }
    }
    let points = || curves.iter().flat_map(|(_, points)| points);
    let x = Axis::new(knob.name(), scale(points().map(|point| point.x), unit == Unit::Count), unit);
    let y = Axis::new("predicted time", scale(points().map(|point| point.y), false), Unit::Seconds);
    let title = format!("Predicted time by {}", knob.name());
    let same =
        fixed.iter().filter_map(|knob| Some(format!("{} {}", knob.name(), rows.first()?.variant.get(knob)?)));
    let about = [format!("{}, {ranks} ranks", trace.display())].into_iter().chain(same);
    let mut chart = Chart::new(title, x, y).subtitle(about.collect::<Vec<_>>().join("; "));
    if curves.len() > MOST_CURVES {
        chart = chart.note(format!("Shown are the first {MOST_CURVES} of {} curves.", curves.len()));
    }
    let failed = rows.iter().filter(|row| row.outcome.is_err()).count();
    if failed > 0 {
        chart = chart.note(format!("{failed} settings failed and have no point."));
    }
    let series = curves.into_iter().take(MOST_CURVES);
    Ok(series
        .fold(chart, |chart, (name, points)| chart.series(Series::new(name, Style::LineAndDots, points))))
}

/// By ratios if values are far apart; counts such as processors double.
fn scale(values: impl Iterator<Item = f64>, is_count: bool) -> Scale {
    let (low, high) =
        values.fold((f64::INFINITY, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
    match low > 0.0 && high / low >= WIDE {
        false => Scale::Linear,
        true if is_count => Scale::Log2,
        true => Scale::Log10,
    }
}
