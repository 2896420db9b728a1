//! `panto fit`

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;
use panto_bench::results::{Results, read};
use panto_fit::{Fitted, Launch, Request, fit_launches};
use panto_machine::Model;
use panto_report::present;

use crate::failure::Failure;
use crate::files;
use crate::out;

/// Make a machine model from results, for `panto simulate -m` and `panto bench --on`
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Fit {
    /// Files that `panto bench -o` or `panto calibrate --results` wrote, all of one machine
    #[arg(required = true, value_name = "RESULTS")]
    results: Vec<PathBuf>,

    /// Write the model into this file, and rules for collectives, if there are any, beside it
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Replace the file if it is there already
    #[arg(long, requires = "output")]
    force: bool,

    /// The name of the machine [default: the name of the file]
    #[arg(long)]
    name: Option<String>,

    /// A built-in machine or a model file with the same topology and switching, which are taken from it
    #[arg(long, value_name = "MACHINE")]
    like: Option<String>,

    /// Write the fitted curves over the points, with the residuals, as SVG into this directory
    #[arg(long, value_name = "DIR")]
    plot: Option<PathBuf>,

    /// How to print what was found
    #[arg(short, long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

/// How a fit is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Tables for people
    Table,
    /// One JSON object, with the model and all points
    Json,
}

const AFTER_HELP: &str = "\
Topology and switching are never guessed: they are those of --like, of the built-in machine that was simulated, of two levels where
ranks ran on several hosts, or else a link between any two processors. What is not among the results is assumed and said.

Examples:
  panto bench comet/echo -o run.jsonl && panto fit run.jsonl -o mine.toml
  panto bench scenario/only -o collectives.jsonl          all collectives, as the library does them
  panto fit calibration.jsonl collectives.jsonl -o cluster.toml --plot plots
  panto fit monday.jsonl tuesday.jsonl friday.jsonl -o cluster.toml    three launches: intervals hold for others
  panto fit run.jsonl --like fat-tree.toml -o cluster.toml
  panto simulate app.panto -m cluster.toml      then predicts with it";

impl Fit {
    pub fn run(self) -> Result<ExitCode, Failure> {
        if let Some(output) = &self.output {
            check(output, self.force, &self.results)?;
        }
        let results = self.read()?;
        let launches: Vec<Launch<'_>> = results
            .iter()
            .flat_map(Results::launches)
            .map(|(manifest, records)| Launch { manifest, records })
            .collect();
        let like = self.like.as_ref().map(|name| Model::load(name, &[])).transpose()?;
        let request = Request { name: Some(self.name()), like };
        let fitted = fit_launches(&launches, &request).map_err(|error| Failure::Usage(error.to_string()))?;
        show(&fitted, self.format);
        if let Some(output) = &self.output {
            save(&fitted, output)?;
        }
        if let Some(directory) = &self.plot {
            plots(&fitted, directory)?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn read(&self) -> Result<Vec<Results>, Failure> {
        let one = |path: &PathBuf| {
            let results = read(path)?;
            if results.records.is_empty() {
                return Err(Failure::Usage(format!(
                    "{} holds no results; measure some: panto calibrate --results {}",
                    path.display(),
                    path.display()
                )));
            }
            Ok(results)
        };
        self.results.iter().map(one).collect()
    }

    fn name(&self) -> String {
        let stem = || self.output.as_ref()?.file_stem()?.to_str().map(str::to_owned);
        self.name.clone().or_else(stem).unwrap_or_else(|| "fitted".into())
    }
}

/// Nothing that is there is lost without being asked for.
fn check(output: &Path, force: bool, inputs: &[PathBuf]) -> Result<(), Failure> {
    inputs.iter().try_for_each(|input| files::keep(input, output))?;
    if output.exists() && !force {
        return Err(Failure::Usage(format!(
            "{} is there already; use --force to replace it, or another name",
            output.display()
        )));
    }
    Ok(())
}

fn show(fitted: &Fitted, format: Format) {
    if format == Format::Json {
        return out::line(present::fit_json(fitted));
    }
    out::text(present::fit_table(fitted));
    out::line("");
    out::text(present::fit_quality(fitted));
    out::line("");
    for note in &fitted.notes {
        out::line(format_args!("note: {note}"));
    }
}

fn save(fitted: &Fitted, output: &Path) -> Result<(), Failure> {
    for path in fitted.save(output).map_err(|error| Failure::Usage(error.to_string()))? {
        out::note(format_args!("wrote {}", path.display()));
    }
    Ok(())
}

fn plots(fitted: &Fitted, directory: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(directory).map_err(|error| Failure::write(directory, &error))?;
    for (name, figure) in present::fit_figures(fitted) {
        let path = directory.join(format!("{name}.svg"));
        std::fs::write(&path, figure.to_svg()).map_err(|error| Failure::write(&path, &error))?;
        out::note(format_args!("wrote {}", path.display()));
    }
    Ok(())
}
