//! `panto report`

mod input;
mod sections;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use panto_report::html::{Page, Section};
use panto_report::present::{self, Reported};

use self::input::{Input, Run};
use crate::failure::Failure;
use crate::plot::Target;
use crate::{files, out, show};

pub use sections::timeline_section;

/// Write one HTML page about results, timelines and machine models, to send to a colleague
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Report {
    /// Results of `panto bench -o`, timelines of `panto simulate --timeline`, and machine models, in any mix; further results are
    /// compared with the first
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// The page
    #[arg(short, long, value_name = "FILE", default_value = "report.html")]
    output: PathBuf,

    /// The heading of the page
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,

    /// What the results are called in the page, in their order, with commas between them [default: what `panto bench --label` called
    /// them, or the names of the files]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    label: Vec<String>,

    /// Write the figures of the results as well: one for each kernel into a directory as SVG, or into files of this form, and for
    /// gnuplot as data with a script beside them
    #[arg(long, value_name = "DIR|OUT.svg|OUT.png|OUT.dat")]
    plot: Option<PathBuf>,

    /// Take as much of damaged files as is sound
    #[arg(long)]
    salvage: bool,
}

const AFTER_HELP: &str = "\
The page is one file that asks the network for nothing. Results have plots with intervals, their raw samples, what follows from them, and how
they were measured; where they allow it, a fitted machine with its residuals. Several results are compared with the first, their curves
over each other. A timeline has its viewer inside. A model beside results says what it predicts for them.

Examples:
  panto report run.jsonl                                       report.html
  panto report before.jsonl after.jsonl -o change.html         what became slower or faster
  panto report a.jsonl b.jsonl --label before,after            the same, with names for the legends
  panto report run.jsonl mine.toml app.ptl -o all.html         results, a model of the machine, a predicted program
  panto report run.jsonl --plot figures/                       an SVG for each kernel beside the page
  panto report echo.jsonl --plot echo.png                      for a paper; echo.dat is for gnuplot";

impl Report {
    pub fn run(self) -> Result<ExitCode, Failure> {
        for file in &self.files {
            files::keep(file, &self.output)?;
        }
        files::check_output(&self.output)?;
        let mut inputs: Vec<Input> =
            self.files.iter().map(|file| Input::open(file, self.salvage)).collect::<Result<_, _>>()?;
        input::name(&mut inputs, &self.label)?;
        let page = self.page(&inputs)?.to_html();
        std::fs::write(&self.output, &page).map_err(|error| Failure::write(&self.output, &error))?;
        let bytes = panto_units::bytes(page.len() as u64);
        out::note(format_args!("wrote {}, {bytes}", self.output.display()));
        self.pictures(&inputs)?;
        Ok(ExitCode::SUCCESS)
    }

    fn page(&self, inputs: &[Input]) -> Result<Page, Failure> {
        let runs = sections::with_models(inputs);
        let reported: Vec<Reported> = runs.iter().map(|run| run.reported(runs.len() > 1)).collect();
        let mut page = Page::new(self.title(inputs, &reported), lead(&reported));
        let points = runs.iter().map(|run| run.records.len()).sum();
        let compared = sections::compared(&runs, self.salvage);
        page.sections.extend(present::overlay_section(&reported, &compared).filter(|_| runs.len() > 1));
        page.sections.extend(compared.iter().flatten().map(present::comparison_section));
        page.sections.extend(reported.iter().map(Reported::summary));
        page.sections.extend(sections::timelines(inputs)?);
        page = reported.iter().fold(page, |page, run| run.kernels(page, points));
        page.sections.extend(runs.iter().filter_map(|run| fit(run, runs.len() > 1)));
        let models = inputs.iter().filter_map(Input::model);
        page.sections.extend(models.map(present::machine_section));
        page.sections.extend(reported.iter().map(Reported::method));
        Ok(page)
    }

    /// What the user calls it, or what it is about.
    fn title(&self, inputs: &[Input], runs: &[Reported]) -> String {
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
            let drawn = run.manifests.last().map(|manifest| show::pictures(manifest, &run.records));
            pictures.extend(
                drawn.into_iter().flatten().map(|(name, picture)| (format!("{prefix}{name}"), picture)),
            );
        }
        Target::new(path).write(&pictures)
    }
}

fn lead(runs: &[Reported]) -> String {
    runs.first().map_or_else(|| "What is in these files, shown by Panto.".into(), |run| run.lead().to_owned())
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The machine that a run speaks of, where it measured enough for one.
fn fit(run: &Run, named: bool) -> Option<Section> {
    let request = panto_fit::Request { name: Some(stem(&run.path)), ..panto_fit::Request::default() };
    let fitted = panto_fit::fit(&run.records, &run.manifests, &request).ok()?;
    let mut section = present::fit_section(&fitted);
    if named {
        section.heading = format!("{}: {}", section.heading, run.name);
    }
    Some(section)
}
