//! A fitted machine: its parameters, its goodness of fit, and its curves over the points.

use panto_fit::{Curve, Fitted, FittedPoint, Parameter, Unit};
use serde_json::{Value, json};

use crate::chart::{Axis, Chart, Figure, Point, Scale, Series, Style, Unit as AxisUnit};
use crate::table::{Column, Table};

/// Returns the parameters, each with its interval and its source.
pub fn fit_table(fitted: &Fitted) -> Table {
    let mut table = Table::new([
        Column::text("parameter"),
        Column::right("value"),
        Column::right("95% interval"),
        Column::text("method"),
    ]);
    let same = |a: &Parameter, b: &Parameter| law(a).is_some() && law(a) == law(b);
    for parameters in fitted.parameters.chunk_by(same) {
        match law(&parameters[0]) {
            // Laws of many pieces are not readable as numbers: the model file and the figure have
            // them.
            Some(law) if parameters.len() > MAX_PIECES => {
                let count = format!("{} parameters", parameters.len());
                table.row([law.to_owned(), count, String::new(), parameters[0].method.clone()]);
            }
            _ => {
                for parameter in parameters {
                    table.row(row(parameter));
                }
            }
        }
    }
    table
}

/// Upper limit of parameters of one piecewise law that are listed individually.
const MAX_PIECES: usize = 8;

/// Returns the law that a parameter is a piece of, such as `network.link.pieces`.
fn law(parameter: &Parameter) -> Option<&str> {
    let pieces = ".pieces";
    let end = parameter.key.find(pieces)? + pieces.len();
    Some(&parameter.key[..end])
}

fn row(parameter: &Parameter) -> [String; 4] {
    let interval = parameter.interval.map_or_else(String::new, |(low, high)| {
        format!("{} .. {}", quantity(low, parameter.unit), quantity(high, parameter.unit))
    });
    [parameter.key.clone(), value(parameter), interval, parameter.method.clone()]
}

/// Returns the residuals of the model on each curve.
pub fn fit_quality(fitted: &Fitted) -> Table {
    let columns = ["points", "median residual", "worst residual", "worst at"].map(Column::right);
    let mut table = Table::new([Column::text("curve")].into_iter().chain(columns));
    for curve in &fitted.curves {
        let mut off: Vec<f64> = curve.points.iter().map(|point| point.residual().abs() * 100.0).collect();
        off.sort_by(f64::total_cmp);
        let middle = panto_stats::median(&off).unwrap_or(0.0);
        let Some(worst) =
            curve.points.iter().max_by(|a, b| a.residual().abs().total_cmp(&b.residual().abs()))
        else {
            continue;
        };
        table.row([
            curve.label.clone(),
            curve.points.len().to_string(),
            panto_units::percent(middle),
            panto_units::percent(worst.residual().abs() * 100.0),
            panto_units::bytes(worst.bytes),
        ]);
    }
    table
}

/// Returns everything as one JSON object.
pub fn fit_json(fitted: &Fitted) -> Value {
    json!({
        "model": fitted.model,
        "rules": fitted.rules.as_ref().map(|rules| json!({ "file": rules.name, "text": rules.text })),
        "parameters": fitted.parameters,
        "curves": fitted.curves,
        "notes": fitted.notes,
        "quality": fitted.quality,
    })
}

/// Returns a file name and a figure per curve: the curve over its points, with the residuals below.
pub fn fit_figures(fitted: &Fitted) -> Vec<(String, Figure)> {
    fitted.curves.iter().map(|curve| (file_name(&curve.label), figure(curve))).collect()
}

fn file_name(label: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = label.chars().map(plain).collect();
    format!("fit-{}", name.split('-').filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-"))
}

fn figure(curve: &Curve) -> Figure {
    // Size 0 has no position on a logarithmic axis.
    let sized = || curve.points.iter().filter(|point| point.bytes > 0);
    let place = |point: &FittedPoint| point.bytes as f64;
    let x = || Axis::new("message size", Scale::Log2, AxisUnit::Bytes);
    let measured =
        Series::new("measured", Style::Dots, sized().map(|point| Point::new(place(point), point.measured)));
    let fitted =
        Series::new("model", Style::Dashed, sized().map(|point| Point::new(place(point), point.fitted)));
    let above = Chart::new(
        format!("{}: measured and fitted", curve.label),
        x(),
        Axis::new("time", Scale::Log10, AxisUnit::Seconds),
    )
    .series(measured)
    .series(fitted.like("measured"));
    let off = Series::new(
        "residual",
        Style::Dots,
        sized().map(|point| Point::new(place(point), point.residual() * 100.0)),
    );
    let below =
        Chart::new("Residuals", x(), Axis::new("residual", Scale::Linear, AxisUnit::Percent)).series(off);
    Figure::new([marked(above, &curve.breaks), marked(below, &curve.breaks)])
}

/// Marks the breakpoints of the law. Of several within a factor of two, only the first is marked.
fn marked(mut chart: Chart, breaks: &[u64]) -> Chart {
    let (mut last, mut unmarked) = (0, 0);
    for &end in breaks.iter().filter(|end| **end > 0) {
        if last > 0 && end < 2 * last {
            unmarked += 1;
            continue;
        }
        last = end;
        chart = chart.mark(end as f64, panto_units::bytes(end));
    }
    match unmarked {
        0 => chart,
        1 => chart.note("One more breakpoint close to a marked one is not marked."),
        _ => chart.note(format!("{unmarked} more breakpoints close to marked ones are not marked.")),
    }
}

fn value(parameter: &Parameter) -> String {
    quantity(parameter.value, parameter.unit)
}

fn quantity(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Seconds => panto_units::time(value),
        Unit::SecondsPerByte => format!("{}/B", panto_units::time(value)),
        Unit::BytesPerSecond => panto_units::rate(value),
        Unit::Bytes => panto_units::bytes(value.round().max(0.0) as u64),
        Unit::Number => panto_units::count(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitted() -> Fitted {
        let point = |bytes, measured, fitted| FittedPoint { bytes, measured, fitted };
        let parameter = Parameter {
            key: "network.link.latency".into(),
            value: 2e-6,
            unit: Unit::Seconds,
            interval: Some((1.9e-6, 2.2e-6)),
            method: "comet/echo".into(),
        };
        Fitted {
            quality: None,
            model: "name = \"x\"".into(),
            rules: None,
            parameters: vec![parameter],
            curves: vec![Curve {
                label: "one way, 1 hop".into(),
                points: vec![point(0, 2e-6, 2e-6), point(64, 2e-6, 2.1e-6), point(4096, 4e-6, 4e-6)],
                breaks: vec![100],
            }],
            notes: vec!["assumed".into()],
        }
    }

    #[test]
    fn tables_have_value_interval_and_method() {
        let text = fit_table(&fitted()).to_string();
        assert!(text.contains("1.90us .. 2.20us") && text.contains("comet/echo"), "{text}");
        let quality = fit_quality(&fitted()).to_string();
        assert!(quality.contains("5.0%") && quality.contains("64B"), "{quality}");
    }

    #[test]
    fn a_law_of_many_pieces_is_one_row() {
        let mut many = fitted();
        let piece = |number: usize| Parameter {
            key: format!("network.link.pieces.{number}.latency"),
            ..many.parameters[0].clone()
        };
        many.parameters = (1..=MAX_PIECES + 1).map(piece).collect();
        let text = fit_table(&many).to_string();
        assert!(text.contains("9 parameters") && !text.contains("pieces.3"), "{text}");
        many.parameters.pop();
        assert!(fit_table(&many).to_string().contains("pieces.3"));
    }

    #[test]
    fn a_curve_has_a_figure_with_its_residuals() {
        let figures = fit_figures(&fitted());
        assert_eq!(figures[0].0, "fit-one-way-1-hop");
        assert_eq!(figures[0].1.charts.len(), 2);
        assert!(figures[0].1.to_svg().contains("Residuals"));
    }

    #[test]
    fn json_has_everything() {
        let value = fit_json(&fitted());
        assert_eq!(value["parameters"][0]["interval"][1], 2.2e-6);
        assert_eq!(value["curves"][0]["points"][1]["bytes"], 64);
    }
}
