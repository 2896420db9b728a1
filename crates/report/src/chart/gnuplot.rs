//! Gnuplot output: a data file, and a script that plots it.

use std::fmt::Write as _;

use panto_units::one_line;

use super::{Axis, Chart, Figure, Point, Scale, Series, Style, Unit};

/// A figure as gnuplot input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gnuplot {
    /// One block of lines per series: x, y, and both ends of the interval, in the base units of the
    /// axes.
    pub data: String,
    /// Script that plots the data.
    pub script: String,
}

impl Figure {
    /// Returns the figure for gnuplot; `data` is the name of the data file beside the script.
    pub fn to_gnuplot(&self, data: &str) -> Gnuplot {
        let mut drawn = Gnuplot {
            data: "# x, y, lower and upper end of the interval of y\n".into(),
            ..Gnuplot::default()
        };
        head(&mut drawn.script, data, self.charts.len());
        let mut block = 0;
        for chart in
            self.charts.iter().filter(|chart| chart.series.iter().any(|series| !series.points.is_empty()))
        {
            axes(&mut drawn.script, chart);
            let mut curves = Vec::new();
            for series in chart.series.iter().filter(|series| !series.points.is_empty()) {
                lines(&mut drawn.data, chart, series);
                curves.push(format!("{} index {block} {}", quoted(data), curve(series)));
                block += 1;
            }
            let _ = writeln!(drawn.script, "plot {}\n", curves.join(", \\\n     "));
        }
        if self.charts.len() > 1 {
            drawn.script.push_str("unset multiplot\n");
        }
        drawn
    }
}

fn head(script: &mut String, data: &str, charts: usize) {
    let stem = data.strip_suffix(".dat").unwrap_or(data);
    let stem = one_line(stem);
    let _ = writeln!(script, "# A window: gnuplot -p {stem}.gp");
    let _ = writeln!(
        script,
        "# A file:   gnuplot -e \"set terminal pdfcairo size 16cm,{}cm; set output '{stem}.pdf'\" {stem}.gp\n",
        9 * charts.max(1)
    );
    script.push_str("set termoption noenhanced\nset key outside right\nset grid\nset bars small\n");
    if charts > 1 {
        let _ = writeln!(script, "set multiplot layout {charts},1");
    }
    script.push('\n');
}

fn axes(script: &mut String, chart: &Chart) {
    let _ = writeln!(script, "set title {}", quoted(&chart.title));
    for (name, axis) in [("x", &chart.x), ("y", &chart.y)] {
        let _ = writeln!(script, "set {name}label {}", quoted(&axis.label));
        let _ = writeln!(script, "set format {name} {}", quoted(format(axis)));
        if !axis.names.is_empty() {
            let names = (1..).zip(&axis.names).map(|(place, label)| format!("{} {place}", quoted(label)));
            let _ = writeln!(script, "set {name}tics ({})", names.collect::<Vec<_>>().join(", "));
        }
        let _ = match axis.scale {
            Scale::Linear => writeln!(script, "unset logscale {name}"),
            Scale::Log2 => writeln!(script, "set logscale {name} 2"),
            Scale::Log10 => writeln!(script, "set logscale {name} 10"),
        };
    }
    script.push_str("unset arrow\nunset label\n");
    for mark in chart.marks.iter().filter(|mark| mark.x.is_finite()) {
        let _ = writeln!(script, "set arrow from {0:e}, graph 0 to {0:e}, graph 1 nohead dashtype 3", mark.x);
        let _ =
            writeln!(script, "set label {} at {:e}, graph 0.97 offset 0.3,0", quoted(&mark.label), mark.x);
    }
}

/// Returns gnuplot's format of tick labels, with unit prefixes.
fn format(axis: &Axis) -> &'static str {
    match axis.unit {
        Unit::Seconds => "%.0s%cs",
        Unit::Bytes => "%.0b%BB",
        Unit::BytesPerSecond => "%.0s%cB/s",
        Unit::Count => "%g",
        Unit::Percent => "%g%%",
    }
}

fn curve(series: &Series) -> String {
    let title = quoted(&series.name);
    let has_interval = series.points.iter().any(|point| point.low < point.high);
    let style = match (series.style, has_interval) {
        (Style::Line | Style::LineAndDots, true) => "using 1:2:3:4 with yerrorlines",
        (Style::Line | Style::LineAndDots, false) => "using 1:2 with linespoints",
        (Style::Dots, true) => "using 1:2:3:4 with yerrorbars",
        (Style::Dots | Style::Cloud, _) => "using 1:2 with points",
        (Style::Dashed, _) => "using 1:2 with lines dashtype 2",
        (Style::Steps, _) => "using 1:2 with steps",
    };
    format!("{style} title {title}")
}

/// Writes one block; two empty lines separate blocks.
fn lines(data: &mut String, chart: &Chart, series: &Series) {
    let _ = writeln!(data, "\n\n# {}: {}", one_line(&chart.title), one_line(&series.name));
    let mut points = series.points.clone();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    for Point { x, y, low, high, .. } in points {
        let row = [x, y, low, high]
            .map(|value| if value.is_finite() { format!("{value:e}") } else { "NaN".into() });
        let _ = writeln!(data, "{}", row.join(" "));
    }
}

/// Quotes text for gnuplot. Within single quotes only the quote itself is special.
fn quoted(text: &str) -> String {
    format!("'{}'", one_line(text).replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_and_curves_belong_together() {
        let axis = |unit| Axis::new("size", Scale::Log2, unit);
        let points = [Point::with_interval(64.0, 2e-6, 1.5e-6, 3e-6), Point::new(8.0, 1e-6)];
        let chart = Chart::new("it's\none", axis(Unit::Bytes), axis(Unit::Seconds))
            .series(Series::new("a", Style::LineAndDots, points))
            .series(Series::new("none", Style::Line, []))
            .series(Series::new("b", Style::Dashed, [Point::new(8.0, f64::NAN)]));
        let drawn = Figure::new([chart.mark(32.0, "switch")]).to_gnuplot("fig.dat");
        let blocks: Vec<&str> = drawn.data.split("\n\n\n").skip(1).collect();
        assert_eq!(blocks.len(), 2, "{}", drawn.data);
        assert_eq!(blocks[0], "# it's one: a\n8e0 1e-6 1e-6 1e-6\n6.4e1 2e-6 1.5e-6 3e-6");
        assert!(blocks[1].contains("8e0 NaN NaN NaN"));
        for line in [
            "set title 'it''s one'",
            "set logscale x 2",
            "'fig.dat' index 0 using 1:2:3:4 with yerrorlines title 'a'",
            "'fig.dat' index 1 using 1:2 with lines dashtype 2 title 'b'",
            "set arrow from 3.2e1, graph 0 to 3.2e1, graph 1 nohead dashtype 3",
        ] {
            assert!(drawn.script.contains(line), "no {line} in\n{}", drawn.script);
        }
    }
}
