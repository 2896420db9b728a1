//! Sections of a report about two runs, a fit, or a machine.

use panto_compare::Comparison;
use panto_fit::Fitted;
use panto_machine::{Description, Machine, Model, PathTimes, one_way};
use panto_units::rate;

use super::{
    comparison_differences, comparison_figures, comparison_summary, comparison_table, comparison_unmatched,
    fit_figures, fit_quality, fit_table, phrases,
};
use crate::chart::{Axis, Chart, Figure, Point, Scale, Series, Style, Unit};
use crate::html::{Block, KeyFigure, Section};
use crate::table::{Column, Table};

/// Upper limit of points of a comparison that are listed without expanding.
const MAX_POINTS: usize = 30;

/// Returns what became slower or faster: in sentences, in figures and point by point.
pub fn comparison_section(comparison: &Comparison) -> Section {
    let heading = format!("{} against {}", comparison.new, comparison.old);
    let mut section = Section::new("comparison", phrases::one_line(&heading));
    for line in comparison_summary(comparison) {
        section = section.block(Block::paragraph(format!("{}.", phrases::capitalised(&line))));
    }
    for (_, figure) in comparison_figures(comparison) {
        section = section.block(figure);
    }
    if let Some(table) = comparison_differences(comparison) {
        section = section
            .block(Block::paragraph("Old and new were measured under different conditions:"))
            .block(table);
    }
    let rest = comparison_unmatched(comparison, false).into_iter().chain(comparison.notes.iter().cloned());
    for line in rest {
        section = section.block(Block::paragraph(phrases::one_line(&phrases::capitalised(&line))));
    }
    section = section.block(comparison_table(comparison, MAX_POINTS));
    if comparison.points.len() <= MAX_POINTS {
        return section;
    }
    let all = vec![comparison_table(comparison, comparison.points.len()).into()];
    section.block(Block::Details { summary: "All common points".into(), blocks: all })
}

/// Returns the fitted machine: goodness of fit, curves with residuals, and parameters.
pub fn fit_section(fitted: &Fitted) -> Section {
    let text = "A machine model fitted to these results. Dashed lines are the model, points are measurements; vertical lines mark \
                breakpoints, such as a change of protocol.";
    let mut section = Section::new("fit", "Fitted machine").block(Block::paragraph(text));
    section = section.block(fit_quality(fitted));
    for (_, figure) in fit_figures(fitted) {
        section = section.block(figure);
    }
    let parameters = vec![fit_table(fitted).into()];
    section = section.block(Block::Details { summary: "All parameters".into(), blocks: parameters });
    if !fitted.notes.is_empty() {
        let notes =
            fitted.notes.iter().map(|note| Block::paragraph(format!("{}.", phrases::capitalised(note))));
        section = section
            .block(Block::Details { summary: "Assumptions and notes".into(), blocks: notes.collect() });
    }
    let model = Block::Preformatted(fitted.model.clone());
    section.block(Block::Details { summary: "Model file".into(), blocks: vec![model] })
}

/// Returns the parts of a machine model, and the time of an isolated message on it.
pub fn machine_section(model: &Model) -> Section {
    let machine = model.machine();
    let about = Description::of(machine);
    let mut section = Section::new("machine", phrases::one_line(&format!("Machine {}", machine.name)));
    if !machine.about.is_empty() {
        section = section.block(Block::paragraph(format!("{}.", machine.about.trim_end_matches('.'))));
    }
    section =
        section.block(Block::KeyFigures(cards(&about))).block(Block::Preformatted(about.drawing.clone()));
    section = section.block(times(machine, &about));
    let figures = Block::from(figures(model));
    section
        .block(Block::Details { summary: "All parameters, with their sources".into(), blocks: vec![figures] })
}

fn cards(about: &Description) -> Vec<KeyFigure> {
    let start_up =
        about.near.times.first().map_or_else(String::new, |(_, time)| panto_units::time(time.as_secs()));
    let bandwidth = |reach: &PathTimes| reach.bandwidth.map_or_else(|| "unlimited".into(), rate);
    vec![
        KeyFigure::new("processors", about.processors.to_string(), about.topology.clone()),
        KeyFigure::new("latency, 0 B", start_up, "between neighbours"),
        KeyFigure::new("bandwidth", bandwidth(&about.near), "between neighbours"),
        KeyFigure::new("diameter", about.diameter.to_string(), "links on the longest route"),
    ]
}

/// Log2 of the largest size that is drawn.
const MAX_LOG2_SIZE: u32 = 22;

fn times(machine: &Machine, about: &Description) -> Figure {
    let x = Axis::new("message size", Scale::Log2, Unit::Bytes);
    let y =
        Axis::new("time from the start of the send to the end of the receive", Scale::Log10, Unit::Seconds);
    let mut chart = Chart::new("Time of a message without contention", x, y);
    let mut reaches = vec![("neighbours", about.near.distance)];
    if about.far.distance != about.near.distance {
        reaches.push(("longest route", about.far.distance));
    }
    for (name, distance) in reaches {
        let sizes = std::iter::once(0).chain((0..=MAX_LOG2_SIZE).map(|power| 1_u64 << power));
        let time = |bytes| one_way(&machine.network, machine.protocol, bytes, distance).as_secs();
        chart = chart.series(Series::new(
            name,
            Style::Dashed,
            sizes.map(|bytes| Point::new(bytes as f64, time(bytes))),
        ));
    }
    chart.into()
}

fn figures(model: &Model) -> Table {
    let mut table = Table::new([
        Column::text("parameter"),
        Column::text("value"),
        Column::text("95% interval"),
        Column::text("source"),
    ]);
    for figure in model.figures() {
        let interval = model.intervals().iter().find(|interval| interval.key == figure.key);
        let interval = interval.map_or_else(String::new, |interval| interval.written.clone());
        table.row([figure.key.clone(), figure.value.clone(), interval, figure.source.clone()]);
    }
    table
}
