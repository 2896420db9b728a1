//! `panto fit`: fits a machine model to existing results.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use panto_compare::published;
use panto_fit::{FitOptions, Fitted, Launch, fit_launches};
use panto_machine::Model;
use panto_report::present;
use panto_results::{Results, read};

use crate::failure::Failure;
use crate::files;
use crate::format::{Format, TABLE_OR_JSON};
use crate::print;

/// Fit a machine model to results, for `panto simulate -m` and `panto bench --on`.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Fit {
    /// Results of `panto bench -o` or `panto calibrate --results`, or output of `osu_latency` or of
    /// `IMB-MPI1 PingPong`, all of one machine.
    #[arg(required = true, value_name = "RESULTS")]
    results: Vec<PathBuf>,

    /// Write the model to this file, and fitted rules of collectives, if any, beside it.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Replace the file if it exists, and write the model even if it is poor.
    #[arg(long, requires = "output")]
    force: bool,

    /// Name of the machine [default: the file name].
    #[arg(long)]
    name: Option<String>,

    /// Take topology and switching from this built-in machine or model file.
    #[arg(long, value_name = "MACHINE")]
    like: Option<String>,

    /// Plot the fitted curves with points and residuals, as SVG files in this directory.
    #[arg(long, value_name = "DIR")]
    plot: Option<PathBuf>,

    /// Output format.
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = Format::one_of(TABLE_OR_JSON))]
    format: Format,
}

const AFTER_HELP: &str = "\
Topology and switching are not inferred. They are taken from --like or, for simulated results, from the built-in machine. Otherwise the network has two levels if ranks ran on several hosts, and is fully connected if not. Parameters without measurements are assumed and listed.

Examples:
  panto bench comet/echo -o run.jsonl && panto fit run.jsonl -o mine.toml
  panto bench scenario/only -o collectives.jsonl     the library's collectives
  panto fit calibration.jsonl collectives.jsonl -o cluster.toml --plot plots
  panto fit monday.jsonl friday.jsonl -o mine.toml   intervals of two launches
  panto fit run.jsonl --like fat-tree.toml -o cluster.toml
  panto fit osu.txt --like hdr -o cluster.toml       output of osu_latency
  panto simulate app.panto -m cluster.toml           predict with the model";

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
        let request = FitOptions { name: Some(self.name()), like };
        let fitted = fit_launches(&launches, &request).map_err(|error| Failure::Usage(error.to_string()))?;
        show(&fitted, self.format);
        if let Some(output) = &self.output {
            refuse_poor(&fitted, output, self.force).map_err(Failure::Run)?;
            save(&fitted, output)?;
        }
        if let Some(directory) = &self.plot {
            plots(&fitted, directory)?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn read(&self) -> Result<Vec<Results>, Failure> {
        let one = |path: &PathBuf| {
            let results = if published::recognises(path) { published::read(path)? } else { read(path)? };
            if results.records.is_empty() {
                return Err(Failure::Usage(format!(
                    "{} has no results; measure them with panto calibrate --results {}",
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

/// Fails if the output exists and is not to be replaced, or is one of the inputs.
fn check(output: &Path, force: bool, inputs: &[PathBuf]) -> Result<(), Failure> {
    inputs.iter().try_for_each(|input| files::refuse_overwrite(input, output))?;
    if output.exists() && !force {
        return Err(Failure::Usage(format!(
            "{} exists; use --force to replace it, or another name",
            output.display()
        )));
    }
    Ok(())
}

/// Refuses to write a poor model, on which no prediction should rest.
pub fn refuse_poor(fitted: &Fitted, output: &Path, force: bool) -> Result<(), String> {
    let Some(quality) = fitted.quality.as_ref().filter(|_| fitted.is_poor() && !force) else { return Ok(()) };
    Err(format!(
        "{} was not written, because the model is {}; measure again on a quiet machine (`panto info machine`), or write it with \
         --force",
        output.display(),
        quality.verdict()
    ))
}

/// Prints how far a model can be believed, in colour on a terminal.
pub fn print_quality(fitted: &Fitted) {
    let Some(quality) = &fitted.quality else { return };
    print::toned(quality.grade.into(), format_args!("Quality of the model {}.", quality.verdict()));
}

fn show(fitted: &Fitted, format: Format) {
    if format == Format::Json {
        return print::line(present::fit_json(fitted));
    }
    print_quality(fitted);
    print::text(present::fit_table(fitted));
    print::line("");
    print::text(present::fit_quality(fitted));
    print::line("");
    for note in &fitted.notes {
        print::line(format_args!("note: {note}"));
    }
}

fn save(fitted: &Fitted, output: &Path) -> Result<(), Failure> {
    for path in fitted.save(output).map_err(|error| Failure::Usage(error.to_string()))? {
        print::note(format_args!("wrote {}", path.display()));
    }
    Ok(())
}

fn plots(fitted: &Fitted, directory: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(directory).map_err(|error| Failure::write(directory, &error))?;
    for (name, figure) in present::fit_figures(fitted) {
        let path = directory.join(format!("{name}.svg"));
        files::replace(&path, figure.to_svg())?;
        print::note(format_args!("wrote {}", path.display()));
    }
    Ok(())
}
