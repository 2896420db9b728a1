//! What is printed about the tables of PUPPET's thesis.

use std::path::Path;

use panto_bench::reproduce::Reproduction;
use panto_predict::puppet::{Cell, Compared, Reproduced, Status};
use panto_report::chart::{Axis, Chart, Point, Scale, Series, Style, Unit};
use panto_report::html::{Block, Page, Section};
use panto_report::present;
use panto_report::table::{Column, Table};
use panto_units::{TIME, on_ladder, plain};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::out;

/// Tables and sentences.
pub fn print(thesis: &Reproduced) {
    out::line(parameters(thesis));
    for table in &thesis.tables {
        out::text(format_args!("\n{}", compared(table)));
        if table.table == "A.5" {
            out::text(format_args!("\n{}", convergence(thesis)));
        }
    }
    for (heading, lines) in lists(thesis) {
        out::line(format_args!("\n{heading}"));
        for line in lines {
            out::line(format_args!("- {line}"));
        }
    }
}

fn lists(thesis: &Reproduced) -> [(&'static str, &[String]); 2] {
    [("The thesis disagrees with itself:", &thesis.contradictions), ("Assumed:", &thesis.assumed)]
}

/// What was fitted, in a sentence.
fn parameters(thesis: &Reproduced) -> String {
    let time = |seconds: f64| on_ladder(seconds, TIME, 4);
    let all = &thesis.parameters;
    format!(
        "PUPPET's thesis (1996), tables A.1 and A.4 to A.7. One set of parameters for all of them: bubble sort takes {} for the square of \
         the number of elements, merging {} an element, fan-in's update {} an element. Each cell was `given` to find \
         them or the size of a problem, or it is `predicted`.",
        time(all.sort),
        time(all.merge),
        time(all.update)
    )
}

fn status(cell: &Cell) -> &'static str {
    match cell.status {
        Status::Given => "given",
        Status::Predicted => "predicted",
    }
}

/// A table of the thesis: a row for each of its rows; of each figure what is printed and what comes out.
fn compared(table: &Compared) -> Table {
    let (rows, columns) = (distinct(table, |cell| &cell.row), distinct(table, |cell| &cell.column));
    let mut heads = vec![Column::text(table.rows)];
    for column in &columns {
        heads.extend([Column::right(*column), Column::right("simulated"), Column::text("difference")]);
    }
    let mut shown = Table::new(heads);
    for row in rows {
        let cells = columns.iter().map(|column| table.cell(row, column));
        let three = |cell: Option<&Cell>| {
            cell.map_or_else(Default::default, |cell| {
                let number = |value: f64| plain(value, 4);
                let difference = format!("{} {}", signed(cell.difference()), status(cell));
                [number(cell.printed), number(cell.simulated), difference]
            })
        };
        shown.row(std::iter::once(row.to_owned()).chain(cells.flat_map(three)));
    }
    shown.caption(format!("Table {}: {}", table.table, table.about))
}

/// Less than a thousandth of the figure is no difference.
fn signed(percent: f64) -> String {
    if percent.abs() < 0.05 { "0%".into() } else { format!("{percent:+.1}%") }
}

/// What cells have of a kind, each once.
fn distinct(table: &Compared, of: impl Fn(&Cell) -> &String) -> Vec<&str> {
    let mut all: Vec<&str> = Vec::new();
    for cell in &table.cells {
        let name = of(cell).as_str();
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

/// The attempts of load balancing in full.
fn convergence(thesis: &Reproduced) -> Table {
    let most = thesis.convergence.iter().map(|attempt| attempt.times.len()).max().unwrap_or(0);
    let iterations = (0..most).map(|iteration| Column::right(iteration.to_string()));
    let mut table =
        Table::new([Column::right("attempt"), Column::text("iteration")].into_iter().chain(iterations));
    for attempt in &thesis.convergence {
        let time = |iteration: usize| {
            attempt.times.get(iteration).map_or(String::new(), |time| format!("{time:.2}"))
        };
        let head = [attempt.attempt.to_string(), attempt.whose.clone()];
        table.row(head.into_iter().chain((0..most).map(time)));
    }
    table.caption(
        "Table A.5 in full: seconds, iteration by iteration, from random mappings that are not the same",
    )
}

/// All of it for programs.
pub fn json(thesis: &Reproduced) -> Value {
    let cell = |cell: &Cell| {
        json!({
            "row": cell.row,
            "column": cell.column,
            "published": cell.printed,
            "simulated": cell.simulated,
            "difference": cell.difference(),
            "status": status(cell),
        })
    };
    let table = |table: &Compared| {
        json!({
            "table": table.table,
            "about": table.about,
            "cells": table.cells.iter().map(cell).collect::<Vec<_>>(),
        })
    };
    let attempt = |attempt: &panto_predict::puppet::Convergence| json!({ "attempt": attempt.attempt, "whose": attempt.whose, "times_s": attempt.times });
    json!({
        "machine": super::PUPPET,
        "parameters": {
            "sort_s": thesis.parameters.sort,
            "merge_s": thesis.parameters.merge,
            "update_s": thesis.parameters.update,
        },
        "tables": thesis.tables.iter().map(table).collect::<Vec<_>>(),
        "convergence": thesis.convergence.iter().map(attempt).collect::<Vec<_>>(),
        "contradictions": thesis.contradictions,
        "assumed": thesis.assumed,
    })
}

/// Scaled speed-ups against processors, by name of the file.
fn charts(thesis: &Reproduced) -> Vec<(&'static str, Chart)> {
    let draw = |title: &str| {
        Chart::new(
            title,
            Axis::new("processors", Scale::Log2, Unit::Count),
            Axis::new("scaled speed-up", Scale::Linear, Unit::Count),
        )
        .subtitle("PUPPET's thesis (dashed) and simulated")
    };
    let starting =
        |name: &'static str| thesis.tables.iter().filter(move |table| table.table.starts_with(name));
    let speedups = starting("A.4").fold(draw("Merge sort on the Ethernet"), |chart, table| {
        curves(chart, table, "scaled", &table.table)
    });
    let topologies = starting("A.7").fold(draw("Merge sort on two topologies"), |chart, table| {
        ["hypercube", "ring"].into_iter().fold(chart, |chart, column| curves(chart, table, column, column))
    });
    vec![("puppet-speedups.svg", speedups), ("puppet-topologies.svg", topologies)]
}

/// A column of a table: what is printed, and what comes out.
fn curves(chart: Chart, table: &Compared, column: &str, name: &str) -> Chart {
    let points = |value: fn(&Cell) -> f64| {
        let cells = table.cells.iter().filter(|cell| cell.column == column);
        let point = |cell: &Cell| Some(Point::new(cell.row.parse().ok()?, value(cell)));
        cells.filter_map(point).collect::<Vec<_>>()
    };
    let printed = Series::new(format!("{name}, printed"), Style::Dashed, points(|cell| cell.printed));
    chart
        .series(Series::new(name, Style::LineAndDots, points(|cell| cell.simulated)))
        .series(printed.like(name))
}

/// Writes the charts.
pub fn plots(directory: &Path, thesis: &Reproduced) -> Result<(), Failure> {
    std::fs::create_dir_all(directory).map_err(|error| Failure::write(directory, &error))?;
    for (name, chart) in charts(thesis) {
        let path = directory.join(name);
        std::fs::write(&path, chart.to_svg()).map_err(|error| Failure::write(&path, &error))?;
        out::note(format_args!("wrote {}", path.display()));
    }
    Ok(())
}

/// The page of the machines, with the thesis below them.
pub fn page_with(machines: &[Reproduction], thesis: &Reproduced) -> Page {
    let page = if machines.is_empty() {
        let lead = "What PUPPET's thesis says, beside what comes out when its programs run on its machines. Nothing was \
                    measured.";
        Page::new("Published and simulated: PUPPET", lead)
    } else {
        present::reproduction_page(machines)
    };
    let mut section =
        Section::new(super::PUPPET, "PUPPET's thesis").block(Block::paragraph(parameters(thesis)));
    for table in &thesis.tables {
        section = section.block(compared(table));
    }
    section = section.block(convergence(thesis));
    for (_, chart) in charts(thesis) {
        section = section.block(panto_report::chart::Figure::new([chart]));
    }
    for (heading, lines) in lists(thesis) {
        section = section.block(Block::paragraph(heading));
        for line in lines {
            section = section.block(Block::paragraph(line.as_str()));
        }
    }
    page.section(section)
}
