//! The report of `panto quickstart`.

use std::path::{Path, PathBuf};

use panto_fit::Fitted;
use panto_results::{Manifest, Record};
use panto_stats::Summary;
use panto_units::{percent, time};

use super::{ReportedRun, fit_section, timeline_section};
use crate::chart::{Axis, Chart, Figure, Point, Scale, Series, Style, Unit};
use crate::html::{Block, KeyFigure, Page, Section};
use crate::table::{Column, Table};

/// Everything the quickstart measured and predicted; parts are absent if it was interrupted.
#[derive(Default)]
pub struct Quickstart {
    /// The runs: of the benchmark suite, then of the calibration.
    pub manifests: Vec<Manifest>,
    /// The records of the benchmark suite.
    pub records: Vec<Record>,
    /// The model of this machine.
    pub fitted: Option<Fitted>,
    /// What the example program does, for the page.
    pub program: String,
    /// The predictions of the example program, one entry per machine.
    pub predictions: Vec<MachinePrediction>,
    /// One prediction compared with a measurement.
    pub check: Option<PredictionCheck>,
    /// A traced MPI job.
    pub mpi: Option<MpiPrediction>,
}

/// The predictions for one machine.
pub struct MachinePrediction {
    /// The machine's name.
    pub machine: String,
    /// Numbers of processors, each with the predicted time in seconds.
    pub times: Vec<(u32, f64)>,
    /// The number of processors of the timeline.
    pub timeline_processors: u32,
    /// The timeline of the run on that many processors.
    pub timeline: PathBuf,
    /// Where the time was spent on that many processors, in sentences.
    pub words: Vec<String>,
}

/// The predicted time of a program on this machine beside its measured time.
pub struct PredictionCheck {
    /// The predicted time in seconds.
    pub predicted: f64,
    /// The summary of the samples.
    pub measured: Summary,
    /// The measured times in seconds, one per run.
    pub samples: Vec<f64>,
    /// What else used the cores meanwhile, if it was much.
    pub interference: Option<String>,
}

/// The predictions made from the trace of a real MPI job.
pub struct MpiPrediction {
    /// The launcher of the MPI.
    pub launcher: PathBuf,
    /// Machines, each with the predicted time in seconds.
    pub times: Vec<(String, f64)>,
    /// The number of recorded calls, summed over ranks.
    pub calls: u64,
}

/// Returns the page about everything that was measured and predicted.
pub fn quickstart_page(found: &Quickstart) -> Result<Page, panto_view::Error> {
    let run = ReportedRun { name: None, manifests: &found.manifests, records: &found.records };
    let host = found.manifests.last().map_or("this machine", |manifest| manifest.host.as_str());
    let lead = "How this machine passes messages, a model of it, and predictions of a small program on more processors and \
                on other machines. Times are medians with 95% intervals.";
    let mut page = Page::new(format!("Panto\u{2019}s quickstart on {host}"), lead).section(run.summary());
    if !found.predictions.is_empty() {
        page = page.section(prediction(found));
    }
    if let Some(check) = &found.check {
        page = page.section(checked(check));
    }
    if let Some(section) = timelines(&found.predictions)? {
        page = page.section(section);
    }
    if let Some(fitted) = &found.fitted {
        page = page.section(fit_section(fitted));
    }
    Ok(run.kernels(page, found.records.len()).section(run.method()))
}

/// Returns the predicted times and speed-ups, by processors and machines.
pub fn quickstart_table(predictions: &[MachinePrediction]) -> Table {
    let heads =
        predictions.iter().flat_map(|one| [Column::right(one.machine.as_str()), Column::right("speed-up")]);
    let mut table = Table::new([Column::right("processors")].into_iter().chain(heads));
    let rows = predictions.first().map_or(0, |one| one.times.len());
    for row in 0..rows {
        let cells = predictions.iter().flat_map(|one| {
            let (first, (_, seconds)) = (one.times[0], one.times[row]);
            let speedup = f64::from(first.0) * first.1 / seconds;
            [time(seconds), panto_units::significant(speedup, 3)]
        });
        table.row([predictions[0].times[row].0.to_string()].into_iter().chain(cells));
    }
    table
}

fn prediction(found: &Quickstart) -> Section {
    let text = format!(
        "{} Its computation was timed on this machine; the times of its messages come from the models. \
         Speed-ups are relative to half the speed of 2 processors.",
        found.program
    );
    let mut section = Section::new("prediction", "A program on more processors and other machines")
        .block(Block::paragraph(text))
        .block(times_figure(&found.predictions))
        .block(quickstart_table(&found.predictions));
    for one in &found.predictions {
        let words = one.words.iter().map(|line| Block::paragraph(format!("{line}.")));
        let summary =
            format!("Where the time is spent on {} processors of {}", one.timeline_processors, one.machine);
        section = section.block(Block::Details { summary, blocks: words.collect() });
    }
    if let Some(mpi) = &found.mpi {
        section = section.block(Block::paragraph(mpi.in_words()));
    }
    section
}

fn times_figure(predictions: &[MachinePrediction]) -> Figure {
    let x = Axis::new("processors", Scale::Log2, Unit::Count);
    let y = Axis::new("predicted time", Scale::Log10, Unit::Seconds);
    let mut chart = Chart::new("Predicted time against processors", x, y)
        .subtitle("heat equation on a plate; one rank per processor");
    for one in predictions {
        let points = one.times.iter().map(|&(processors, seconds)| Point::new(processors.into(), seconds));
        chart = chart.series(Series::new(one.machine.as_str(), Style::LineAndDots, points));
    }
    if let Some(times) = predictions.first().map(|first| &first.times) {
        let ideal = times.iter().map(|&(processors, _)| {
            Point::new(processors.into(), times[0].1 * f64::from(times[0].0) / f64::from(processors))
        });
        chart = chart.series(Series::new("linear speed-up", Style::Dashed, ideal));
    }
    chart.into()
}

fn checked(check: &PredictionCheck) -> Section {
    let text = "The messages of the program with 2 ranks were passed repeatedly between 2 threads of this machine; \
                where the program computes, a rank kept its core busy. The model behind the prediction was not fitted to \
                this program.";
    let measured = &check.measured;
    let interval = format!(
        "{} to {}, {} runs",
        time(measured.interval.low),
        time(measured.interval.high),
        check.samples.len()
    );
    let error =
        format!("{}{}", if check.error() < 0.0 { "-" } else { "+" }, percent(100.0 * check.error().abs()));
    let cards = vec![
        KeyFigure::new("predicted", time(check.predicted), "2 processors of this machine"),
        KeyFigure::new("measured", time(measured.median), interval),
        KeyFigure::new("prediction error", error, "relative to the measured median"),
    ];
    let x = Axis::new("run", Scale::Linear, Unit::Count);
    let runs = (1_u32..).zip(&check.samples).map(|(run, &seconds)| Point::new(run.into(), seconds));
    let ends = [1.0, check.samples.len() as f64].map(|run| Point::new(run, check.predicted));
    let chart =
        Chart::new("Measured runs and the prediction", x, Axis::new("time", Scale::Linear, Unit::Seconds))
            .series(Series::new("measured", Style::Dots, runs))
            .series(Series::new("predicted", Style::Dashed, ends));
    let section =
        Section::new("check", "A prediction compared with a measurement").block(Block::paragraph(text));
    let section = section.block(Block::KeyFigures(cards));
    let noted =
        check.interference.iter().fold(section, |section, text| section.block(Block::paragraph(text)));
    noted.block(chart)
}

/// Returns the timelines of the first and the last machine, one above the other.
fn timelines(predictions: &[MachinePrediction]) -> Result<Option<Section>, panto_view::Error> {
    let (Some(first), Some(last)) = (predictions.first(), predictions.last()) else { return Ok(None) };
    let paths: Vec<&Path> =
        if predictions.len() > 1 { vec![&first.timeline, &last.timeline] } else { vec![&first.timeline] };
    let mut section = timeline_section(&paths)?;
    section.heading = format!(
        "Timelines on {} processors: {} and {}",
        first.timeline_processors, first.machine, last.machine
    );
    Ok(Some(section))
}

impl PredictionCheck {
    /// Returns the error of the prediction relative to the measured median; negative if too short.
    pub fn error(&self) -> f64 {
        self.predicted / self.measured.median - 1.0
    }

    /// Returns the comparison in a sentence or two.
    pub fn in_words(&self) -> String {
        let text = format!(
            "Predicted for 2 processors: {}; measured on 2 threads: {} ({} to {}, {} runs). The prediction is {} too {}.",
            time(self.predicted),
            time(self.measured.median),
            time(self.measured.interval.low),
            time(self.measured.interval.high),
            self.samples.len(),
            percent(100.0 * self.error().abs()),
            if self.error() < 0.0 { "short" } else { "long" }
        );
        self.interference.iter().fold(text, |text, more| format!("{text} {more}"))
    }
}

impl MpiPrediction {
    /// Returns the predictions in a sentence or two.
    pub fn in_words(&self) -> String {
        let times: Vec<String> =
            self.times.iter().map(|(name, seconds)| format!("{} on {name}", time(*seconds))).collect();
        format!(
            "Traced an MPI job (Panto itself under {}): {} calls on 2 ranks. Predicted from that trace: {}.",
            self.launcher.display(),
            self.calls,
            times.join(", ")
        )
    }
}
