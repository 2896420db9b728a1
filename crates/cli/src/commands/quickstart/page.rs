//! The report of the quickstart.

use std::path::Path;

use panto_report::chart::{Axis, Chart, Figure, Point, Scale, Series, Style, Unit};
use panto_report::html::{Block, KeyFigure, Page, Section};
use panto_report::present::{self, Reported};
use panto_report::table::{Column as Head, Table};
use panto_units::{percent, time};

use super::check::Check;
use super::heat;
use super::launch::Launched;
use super::predict::{Column, DRAWN, PROCESSORS};
use super::tour::Found;
use crate::commands::report::timeline_section;
use crate::failure::Failure;

/// Everything that was found, also where it was stopped early.
pub fn page(found: &Found) -> Result<Page, Failure> {
    let run = Reported { name: None, manifests: &found.manifests, records: &found.records };
    let host = found.manifests.last().map_or("this machine", |manifest| manifest.host.as_str());
    let lead = "How this machine passes messages, a model of it, and how a small program would run on more processors and on other \
                machines. Each time is a median with its 95% interval.";
    let mut page = Page::new(format!("Panto\u{2019}s quickstart on {host}"), lead).section(run.summary());
    if !found.columns.is_empty() {
        page = page.section(prediction(found));
    }
    if let Some(check) = &found.check {
        page = page.section(checked(check));
    }
    if let Some(section) = timelines(&found.columns)? {
        page = page.section(section);
    }
    if let Some(fitted) = &found.fitted {
        page = page.section(present::fit_section(fitted));
    }
    Ok(run.kernels(page, found.records.len()).section(run.method()))
}

/// Times by processors and machines.
pub fn prediction_table(columns: &[Column]) -> Table {
    let heads =
        columns.iter().flat_map(|column| [Head::right(column.machine.as_str()), Head::right("speed-up")]);
    let mut table = Table::new([Head::right("processors")].into_iter().chain(heads));
    for (place, processors) in PROCESSORS.iter().enumerate() {
        let cells = columns.iter().flat_map(|column| {
            let speedup = f64::from(PROCESSORS[0]) * column.seconds[0] / column.seconds[place];
            [time(column.seconds[place]), panto_units::significant(speedup, 3)]
        });
        table.row([processors.to_string()].into_iter().chain(cells));
    }
    table
}

fn prediction(found: &Found) -> Section {
    let text = format!(
        "The program spreads heat over a plate of {0} x {0} points in {1} steps: each rank has a block, exchanges its edges with its \
         neighbours, computes, and every tenth step all agree on how much still changes. Its computation was timed on this machine; \
         its messages take what the models say. Speed-ups are relative to half the speed of 2 processors.",
        heat::SIDE,
        heat::STEPS
    );
    let mut section = Section::new("prediction", "A program on processors that are not there")
        .block(Block::paragraph(text))
        .block(speedups(&found.columns))
        .block(prediction_table(&found.columns));
    for column in &found.columns {
        let words = column.words.iter().map(|line| Block::paragraph(format!("{line}.")));
        let summary = format!("Where the time goes on {DRAWN} processors of {}", column.machine);
        section = section.block(Block::Details { summary, blocks: words.collect() });
    }
    if let Some(launched) = &found.launched {
        section = section.block(Block::paragraph(launched.in_words()));
    }
    section
}

fn speedups(columns: &[Column]) -> Figure {
    let x = Axis::new("processors", Scale::Log2, Unit::Count);
    let y = Axis::new("predicted time", Scale::Log10, Unit::Seconds);
    let mut chart = Chart::new("Predicted time against processors", x, y)
        .subtitle("heat on a plate; each processor runs a rank");
    for column in columns {
        let points = PROCESSORS
            .iter()
            .zip(&column.seconds)
            .map(|(&processors, &at)| Point::new(processors.into(), at));
        chart = chart.series(Series::new(column.machine.as_str(), Style::LineAndDots, points));
    }
    if let Some(first) = columns.first() {
        let ideal = PROCESSORS.map(|processors| {
            Point::new(processors.into(), first.seconds[0] * f64::from(PROCESSORS[0]) / f64::from(processors))
        });
        chart = chart.series(Series::new("if messages took no time", Style::Dashed, ideal));
    }
    chart.into()
}

fn checked(check: &Check) -> Section {
    let text = "The messages of the program with 2 ranks were passed for real between 2 threads of this machine, again and again; \
                while a rank would compute, it kept its core busy. The prediction comes from the model of this machine, which \
                knows nothing of this program.";
    let measured = &check.measured;
    let interval = format!(
        "{} to {}, {} runs",
        time(measured.interval.low),
        time(measured.interval.high),
        check.samples.len()
    );
    let off = format!("{}{}", if check.off() < 0.0 { "-" } else { "+" }, percent(100.0 * check.off().abs()));
    let cards = vec![
        KeyFigure::new("predicted", time(check.predicted), "2 processors of this machine"),
        KeyFigure::new("measured", time(measured.median), interval),
        KeyFigure::new("the prediction is off by", off, "of the measured median"),
    ];
    let x = Axis::new("run", Scale::Linear, Unit::Count);
    let runs = (1_u32..).zip(&check.samples).map(|(run, &seconds)| Point::new(run.into(), seconds));
    let ends = [1.0, check.samples.len() as f64].map(|run| Point::new(run, check.predicted));
    let chart =
        Chart::new("Each run, and the prediction", x, Axis::new("time", Scale::Linear, Unit::Seconds))
            .series(Series::new("measured", Style::Dots, runs))
            .series(Series::new("predicted", Style::Dashed, ends));
    let section = Section::new("check", "One prediction beside reality").block(Block::paragraph(text));
    let section = section.block(Block::Figures(cards));
    let noted = check.disturbance.iter().fold(section, |section, text| section.block(Block::paragraph(text)));
    noted.block(chart)
}

/// This machine above the slowest of the others, with one zoom for both.
fn timelines(columns: &[Column]) -> Result<Option<Section>, Failure> {
    let (Some(first), Some(last)) = (columns.first(), columns.last()) else { return Ok(None) };
    let paths: Vec<&Path> =
        if columns.len() > 1 { vec![&first.timeline, &last.timeline] } else { vec![&first.timeline] };
    let mut section = timeline_section(&paths)?;
    section.heading =
        format!("{DRAWN} processors of {} and of {}, moment by moment", first.machine, last.machine);
    Ok(Some(section))
}

impl Launched {
    pub fn in_words(&self) -> String {
        let times: Vec<String> =
            self.seconds.iter().map(|(name, seconds)| format!("{} on {name}", time(*seconds))).collect();
        format!(
            "A real MPI program, Panto itself under {}, was traced: {} calls on 2 ranks. Predicted from that trace: {}.",
            self.launcher.display(),
            self.calls,
            times.join(", ")
        )
    }
}
