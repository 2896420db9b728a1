//! Sections of a report that are not about one run: two runs beside each other, a fit, a machine.

use panto_compare::Comparison;
use panto_fit::Fitted;
use panto_machine::{Description, Machine, Model, Reach, one_way};
use panto_units::rate;

use super::{
    comparison_alone, comparison_differences, comparison_figures, comparison_in_words, comparison_table,
    fit_figures, fit_quality, fit_table, words,
};
use crate::chart::{Axis, Chart, Figure, Point, Scale, Series, Style, Unit};
use crate::html::{Block, KeyFigure, Section};
use crate::table::{Column, Table};

/// Points of a comparison that are shown unfolded.
const MOST_POINTS: usize = 30;

/// What became slower or faster, in words, in pictures and point by point.
pub fn comparison_section(comparison: &Comparison) -> Section {
    let heading = format!("{} against {}", comparison.new, comparison.old);
    let mut section = Section::new("comparison", words::printable(&heading));
    for line in comparison_in_words(comparison) {
        section = section.block(Block::paragraph(format!("{}.", words::capitalised(&line))));
    }
    for (_, figure) in comparison_figures(comparison) {
        section = section.block(figure);
    }
    if let Some(table) = comparison_differences(comparison) {
        section =
            section.block(Block::paragraph("Old and new were not measured in the same way:")).block(table);
    }
    let rest = comparison_alone(comparison, false).into_iter().chain(comparison.notes.iter().cloned());
    for line in rest {
        section = section.block(Block::paragraph(words::printable(&words::capitalised(&line))));
    }
    section = section.block(comparison_table(comparison, MOST_POINTS));
    if comparison.points.len() <= MOST_POINTS {
        return section;
    }
    let all = vec![comparison_table(comparison, comparison.points.len()).into()];
    section.block(Block::Details { summary: "All points of both".into(), blocks: all })
}

/// What was found, how well it fits, and the fitted curves over the points with what they are off by.
pub fn fit_section(fitted: &Fitted) -> Section {
    let text = "A machine model fitted to these results. Dashed lines are the model, points were measured; vertical lines mark sizes \
                at which the law changes, as where a protocol gives way to another.";
    let mut section = Section::new("fit", "The fitted machine").block(Block::paragraph(text));
    section = section.block(fit_quality(fitted));
    for (_, figure) in fit_figures(fitted) {
        section = section.block(figure);
    }
    let parameters = vec![fit_table(fitted).into()];
    section = section.block(Block::Details { summary: "All parameters".into(), blocks: parameters });
    if !fitted.notes.is_empty() {
        let notes =
            fitted.notes.iter().map(|note| Block::paragraph(format!("{}.", words::capitalised(note))));
        section = section
            .block(Block::Details { summary: "Assumed, and worth knowing".into(), blocks: notes.collect() });
    }
    let model = Block::Preformatted(fitted.model.clone());
    section.block(Block::Details { summary: "The model file".into(), blocks: vec![model] })
}

/// What a machine model is made of, and what a lone message takes on it.
pub fn machine_section(model: &Model) -> Section {
    let machine = model.machine();
    let about = Description::of(machine);
    let mut section = Section::new("machine", words::printable(&format!("The machine {}", machine.name)));
    if !machine.about.is_empty() {
        section = section.block(Block::paragraph(format!("{}.", machine.about.trim_end_matches('.'))));
    }
    section = section.block(Block::Figures(cards(&about))).block(Block::Preformatted(about.drawing.clone()));
    section = section.block(times(machine, &about));
    let figures = Block::from(figures(model));
    section.block(Block::Details { summary: "All figures, with their sources".into(), blocks: vec![figures] })
}

fn cards(about: &Description) -> Vec<KeyFigure> {
    let start_up =
        about.near.times.first().map_or_else(String::new, |(_, time)| panto_units::time(time.as_secs()));
    let bandwidth = |reach: &Reach| reach.bandwidth.map_or_else(|| "no limit".into(), rate);
    vec![
        KeyFigure::new("processors", about.processors.to_string(), about.topology.clone()),
        KeyFigure::new("an empty message", start_up, "between neighbours"),
        KeyFigure::new("bandwidth", bandwidth(&about.near), "between neighbours"),
        KeyFigure::new("diameter", about.diameter.to_string(), "links of the longest way"),
    ]
}

/// Sizes by doubling up to here are drawn.
const LARGEST: u32 = 22;

fn times(machine: &Machine, about: &Description) -> Figure {
    let x = Axis::new("message size", Scale::Log2, Unit::Bytes);
    let y =
        Axis::new("time, from the start of the send to the end of the receive", Scale::Log10, Unit::Seconds);
    let mut chart = Chart::new("A message that meets nobody", x, y);
    let mut reaches = vec![("neighbours", about.near.distance)];
    if about.far.distance != about.near.distance {
        reaches.push(("the longest way", about.far.distance));
    }
    for (name, distance) in reaches {
        let sizes = std::iter::once(0).chain((0..=LARGEST).map(|power| 1_u64 << power));
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
        Column::text("figure"),
        Column::text("value"),
        Column::text("95 %"),
        Column::text("source"),
    ]);
    for figure in model.figures() {
        let interval = model.intervals().iter().find(|interval| interval.key == figure.key);
        let interval = interval.map_or_else(String::new, |interval| interval.written.clone());
        table.row([figure.key.clone(), figure.value.clone(), interval, figure.source.clone()]);
    }
    table
}
