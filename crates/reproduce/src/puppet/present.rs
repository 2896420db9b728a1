//! The tables of PUPPET's thesis as text, JSON, charts and a page.

use std::fmt::Write as _;

use panto_report::chart::{Axis, Chart, Point, Scale, Series, Style, Unit};
use panto_report::html::{Block, Page, Section};
use panto_report::table::{Column, Table};
use panto_units::{TIME, in_units, plain};
use serde_json::{Value, json};

use super::{Cell, ComparedTable, Contradiction, Convergence, SpeedRow, TableKind, ThesisReproduction};
use crate::{Reproduction, Verdict, present as machines_present};

/// Returns tables and notes as text.
pub fn text(thesis: &ThesisReproduction) -> String {
    let mut text = format!("{}\n", parameters(thesis));
    for table in &thesis.tables {
        let _ = write!(text, "\n{}", compared(table));
        if table.kind == TableKind::Convergence {
            let _ = write!(text, "\n{}", convergence(thesis));
        }
    }
    let _ = write!(text, "\n{}\n{}\n", speed_table(thesis), speed_note(thesis));
    let _ = write!(text, "\n{}\n", thesis.tally());
    for (heading, lines) in lists(thesis) {
        let _ = write!(text, "\n{heading}\n");
        for line in lines {
            let _ = writeln!(text, "- {line}");
        }
    }
    text
}

fn lists(thesis: &ThesisReproduction) -> [(&'static str, Vec<&str>); 2] {
    let contradictions = thesis.contradictions.iter().map(|(_, text)| text.as_str());
    let assumed = thesis.assumed.iter().map(String::as_str);
    [("Contradictions within the thesis:", contradictions.collect()), ("Assumed:", assumed.collect())]
}

/// Describes the fitted parameters.
fn parameters(thesis: &ThesisReproduction) -> String {
    let time = |seconds: f64| in_units(seconds, TIME, 4);
    let all = &thesis.parameters;
    format!(
        "PUPPET's thesis (1996), tables A.1 to A.7. One set of parameters for all of them: bubble sort takes {} times the square of \
         the number of elements, merging {} per element, an update of the Cholesky factorisation {} per element ({} on the SP2). A cell is `given` if the parameters were \
         fitted to it, `contradicted` if the thesis states the contrary elsewhere, otherwise `predicted`; a difference of more than \
         {}% is marked.",
        time(all.sort),
        time(all.merge),
        time(all.update),
        time(all.update_sp2),
        super::WITHIN,
    )
}

/// Returns the status of a cell, and the verdict if it is not reproduced.
fn verdict(cell: &Cell) -> String {
    match cell.verdict() {
        Verdict::Differs | Verdict::Broken => format!("{} DIFFERS", cell.status.name()),
        Verdict::Met | Verdict::Holds | Verdict::Contradicted => cell.status.name().into(),
    }
}

/// Returns a table of the thesis with the same rows, and the printed and simulated value of each
/// figure.
fn compared(table: &ComparedTable) -> Table {
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
                let difference = format!("{} {}", signed(cell.difference()), verdict(cell));
                [number(cell.printed), number(cell.simulated), difference]
            })
        };
        shown.row(std::iter::once(row.to_owned()).chain(cells.flat_map(three)));
    }
    shown.caption(format!("Table {}: {}", table.table, table.about))
}

/// Formats a difference; less than 0.05 % counts as none.
fn signed(percent: f64) -> String {
    if percent.abs() < 0.05 { "0%".into() } else { format!("{percent:+.1}%") }
}

/// Returns the distinct names of the cells' rows or columns, in order.
fn distinct(table: &ComparedTable, of: impl Fn(&Cell) -> &String) -> Vec<&str> {
    let mut all: Vec<&str> = Vec::new();
    for cell in &table.cells {
        let name = of(cell).as_str();
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

/// Returns all iterations of the attempts at load balancing.
fn convergence(thesis: &ThesisReproduction) -> Table {
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
        "Table A.5 in full: seconds per iteration; the random initial mappings differ from those of the thesis",
    )
}

/// Returns how long simulations took against the entries of their logs.
fn speed_table(thesis: &ThesisReproduction) -> Table {
    let mut table = Table::new([
        Column::text("program"),
        Column::right("entries"),
        Column::right("median"),
        Column::text("all runs"),
        Column::right("per entry"),
        Column::text("PUPPET, 1996"),
    ]);
    let time = |seconds: f64| in_units(seconds, TIME, 3);
    for row in &thesis.speed {
        let all = row.seconds.first().zip(row.seconds.last());
        let puppet = match row.published {
            Some(most) if row.holds() => format!("less than {}", time(most)),
            Some(most) => format!("less than {} EXCEEDED", time(most)),
            None => String::new(),
        };
        table.row([
            row.program.clone(),
            row.entries.to_string(),
            time(row.median()),
            all.map_or_else(String::new, |(least, most)| format!("{}..{}", time(*least), time(*most))),
            time(row.median() / row.entries as f64),
            puppet,
        ]);
    }
    table.caption("Figures 5.12 and 5.13: time to simulate four processes, by the entries of their log")
}

fn speed_note(thesis: &ThesisReproduction) -> String {
    let exponent = super::speed::exponent(&thesis.speed)
        .map_or_else(String::new, |exponent| format!(": here with the power {exponent:.2} of the entries"));
    format!(
        "The thesis (5.3) reads from its figures that the time is linear in the entries{exponent}. Its figures were measured on a node \
         of the SP2, these on this computer."
    )
}

/// Returns tables and notes as JSON.
pub fn json(thesis: &ThesisReproduction) -> Value {
    let cell = |cell: &Cell| {
        json!({
            "row": cell.row,
            "column": cell.column,
            "published": cell.printed,
            "simulated": cell.simulated,
            "difference": cell.difference(),
            "status": cell.status,
            "verdict": cell.verdict(),
            "contradiction": cell.contradiction.map(Contradiction::name),
        })
    };
    let table = |table: &ComparedTable| {
        json!({
            "table": table.table,
            "about": table.about,
            "cells": table.cells.iter().map(cell).collect::<Vec<_>>(),
        })
    };
    let speed = |row: &SpeedRow| {
        json!({
            "program": row.program,
            "entries": row.entries,
            "seconds": row.seconds,
            "published_less_than_s": row.published,
        })
    };
    let attempt = |attempt: &Convergence| json!({ "attempt": attempt.attempt, "whose": attempt.whose, "times_s": attempt.times });
    json!({
        "machine": super::NAME,
        "parameters": {
            "sort_s": thesis.parameters.sort,
            "merge_s": thesis.parameters.merge,
            "update_s": thesis.parameters.update,
            "update_sp2_s": thesis.parameters.update_sp2,
        },
        "tables": thesis.tables.iter().map(table).collect::<Vec<_>>(),
        "convergence": thesis.convergence.iter().map(attempt).collect::<Vec<_>>(),
        "speed": thesis.speed.iter().map(speed).collect::<Vec<_>>(),
        "tally": thesis.tally(),
        "contradictions": thesis.contradictions.iter().map(|(_, text)| text).collect::<Vec<_>>(),
        "assumed": thesis.assumed,
    })
}

/// Returns charts of scaled speed-up against processors, with their file names.
pub fn charts(thesis: &ThesisReproduction) -> Vec<(&'static str, Chart)> {
    let draw = |title: &str| {
        Chart::new(
            title,
            Axis::new("processors", Scale::Log2, Unit::Count),
            Axis::new("scaled speed-up", Scale::Linear, Unit::Count),
        )
        .subtitle("PUPPET's thesis (dashed) and simulated")
    };
    let of_kind = |kind: TableKind| thesis.tables.iter().filter(move |table| table.kind == kind);
    let speedups = of_kind(TableKind::Speedups).fold(draw("Merge sort on the Ethernet"), |chart, table| {
        curves(chart, table, "scaled", &table.table)
    });
    let topologies =
        of_kind(TableKind::Topologies).fold(draw("Merge sort on two topologies"), |chart, table| {
            ["hypercube", "ring"]
                .into_iter()
                .fold(chart, |chart, column| curves(chart, table, column, column))
        });
    vec![("puppet-speedups.svg", speedups), ("puppet-topologies.svg", topologies)]
}

/// Adds the printed and the simulated curve of a column to a chart.
fn curves(chart: Chart, table: &ComparedTable, column: &str, name: &str) -> Chart {
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

/// Returns the page of the machines, followed by the thesis.
pub fn page_with(machines: &[Reproduction], thesis: &ThesisReproduction) -> Page {
    let page = if machines.is_empty() {
        let lead = "The tables of PUPPET's thesis compared with simulations of its programs on its machines. Nothing was \
                    measured.";
        Page::new("Published and simulated: PUPPET", lead)
    } else {
        machines_present::page(machines)
    };
    let mut section =
        Section::new(super::NAME, "PUPPET's thesis").block(Block::paragraph(parameters(thesis)));
    for table in &thesis.tables {
        section = section.block(compared(table));
    }
    section = section.block(convergence(thesis)).block(speed_table(thesis));
    section = section
        .block(Block::paragraph(speed_note(thesis)))
        .block(Block::paragraph(thesis.tally().to_string()));
    for (_, chart) in charts(thesis) {
        section = section.block(panto_report::chart::Figure::new([chart]));
    }
    for (heading, lines) in lists(thesis) {
        section = section.block(Block::paragraph(heading));
        for line in lines {
            section = section.block(Block::paragraph(line));
        }
    }
    page.section(section)
}
