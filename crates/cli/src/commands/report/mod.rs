//! `panto report`: writes a self-contained HTML page.

mod input;
mod sections;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use panto_report::html::{Page, Section};
use panto_report::present::{self, ReportedRun};

use self::input::{Input, Run};
use crate::failure::Failure;
use crate::plot::Target;
use crate::{files, interrupt, print, results};

/// Write a self-contained HTML page about results, traces, timelines, predictions, sweeps,
/// comparisons and machine models, in any mixture.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Report {
    /// Results of `panto bench -o`, traces, timelines of `panto simulate --timeline`, machine
    /// models, sweeps (`panto sweep -o`), and JSON of `panto simulate`, `sweep` and `compare`;
    /// further results are compared with the first.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Output file.
    #[arg(short, long, value_name = "FILE", default_value = "report.html")]
    output: PathBuf,

    /// Title of the page.
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,

    /// Names of the results, in order [default: their labels, or file names].
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    label: Vec<String>,

    /// Also write the figures of the results: one SVG per kernel into a directory, or files of this
    /// format (.dat with a gnuplot script).
    #[arg(long, value_name = "DIR|OUT.svg|OUT.png|OUT.dat")]
    plot: Option<PathBuf>,

    /// Read damaged files up to the damage.
    #[arg(long)]
    salvage: bool,
}

const AFTER_HELP: &str = "\
The page is one file without external resources. Results get plots with intervals, raw samples, findings, the method of measurement, and a fitted machine with residuals if they suffice for one. Several results are compared with the first and plotted together. A timeline, and a trace with stamps, gets its viewer, and a model adds its expectations to the results. The contents list follows the files.

Examples:
  panto report run.jsonl                              report.html
  panto report before.jsonl after.jsonl -o both.html  a comparison
  panto report a.jsonl b.jsonl --label before,after   named in the legends
  panto report run.jsonl mine.toml app.ptl            with model and timeline
  panto report app.panto rows.jsonl prediction.json   trace, sweep, prediction
  panto report run.jsonl --plot figures/              and an SVG per kernel
  panto report echo.jsonl --plot echo.png             and a PNG";

impl Report {
    pub fn run(self) -> Result<ExitCode, Failure> {
        for file in &self.files {
            files::refuse_overwrite(file, &self.output)?;
        }
        files::check_output(&self.output)?;
        interrupt::end_without_leftovers()?;
        let mut inputs: Vec<Input> =
            self.files.iter().map(|file| Input::open(file, self.salvage)).collect::<Result<_, _>>()?;
        input::name(&mut inputs, &self.label)?;
        let page = self.page(&inputs)?.to_html();
        files::replace(&self.output, &page)?;
        let bytes = panto_units::bytes(page.len() as u64);
        print::note(format_args!("wrote {}, {bytes}", self.output.display()));
        self.pictures(&inputs)?;
        Ok(ExitCode::SUCCESS)
    }

    fn page(&self, inputs: &[Input]) -> Result<Page, Failure> {
        let runs = sections::with_models(inputs);
        let reported: Vec<ReportedRun> = runs.iter().map(|run| run.reported(runs.len() > 1)).collect();
        let mut page = Page::new(self.title(inputs, &reported), lead(&reported));
        let points = runs.iter().map(|run| run.records.len()).sum();
        let compared = sections::compared(&runs, self.salvage);
        let mixed = inputs.len() > 1;
        let group = |name: &str| if mixed { name.to_owned() } else { String::new() };
        let common = group("All results");
        let overlay = present::overlay_section(&reported, &compared).filter(|_| runs.len() > 1);
        let compared = compared.iter().flatten().map(present::comparison_section);
        page.sections.extend(overlay.into_iter().chain(compared).map(|section| section.in_group(&common)));
        for (run, reported) in runs.iter().zip(&reported) {
            let first = page.sections.len();
            page.sections.push(reported.summary());
            page = reported.kernels(page, points);
            page.sections.extend(fit(run, runs.len() > 1));
            page.sections.push(reported.method());
            let name = group(&run.name);
            page.sections[first..].iter_mut().for_each(|section| section.group.clone_from(&name));
        }
        page.sections.extend(sections::others(inputs, &group)?);
        Ok(page)
    }

    /// Returns the title: that of the user, or one by the contents.
    fn title(&self, inputs: &[Input], runs: &[ReportedRun]) -> String {
        let names = || inputs.iter().map(Input::name).collect::<Vec<_>>().join(", ");
        let found = match runs {
            [only] => only.title(),
            [] => names(),
            _ => format!(
                "Message passing: {}",
                runs.iter().filter_map(|run| run.name).collect::<Vec<_>>().join(", ")
            ),
        };
        self.title.clone().unwrap_or(found)
    }

    fn pictures(&self, inputs: &[Input]) -> Result<(), Failure> {
        let Some(path) = &self.plot else { return Ok(()) };
        let runs: Vec<&Run> = inputs.iter().filter_map(Input::run).collect();
        let mut pictures = Vec::new();
        for run in &runs {
            let prefix = if runs.len() > 1 { format!("{}-", stem(&run.path)) } else { String::new() };
            let drawn = run.manifests.last().map(|manifest| results::pictures(manifest, &run.records));
            pictures.extend(
                drawn.into_iter().flatten().map(|(name, picture)| (format!("{prefix}{name}"), picture)),
            );
        }
        Target::new(path).write(&pictures)
    }
}

fn lead(runs: &[ReportedRun]) -> String {
    runs.first().map_or_else(|| "Traces, predictions and machine models.".into(), |run| run.lead().to_owned())
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the section of the machine fitted to a run, if its records suffice.
fn fit(run: &Run, named: bool) -> Option<Section> {
    let request = panto_fit::FitOptions { name: Some(stem(&run.path)), ..panto_fit::FitOptions::default() };
    let fitted = panto_fit::fit(&run.records, &run.manifests, &request).ok()?;
    let mut section = present::fit_section(&fitted);
    if named {
        section.heading = format!("{}: {}", section.heading, run.name);
    }
    Some(section)
}
