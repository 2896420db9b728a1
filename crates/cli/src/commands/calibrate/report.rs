//! The result of a calibration: fits, writes, prints and plots the model.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use panto_bench::{Error, decide};
use panto_fit::Fitted;
use panto_report::present;
use panto_transport::World;
use serde_json::json;

use super::calibration::Calibration;
use super::files::FileArgs;
use crate::commands::fit::{print_quality, refuse_poor};
use crate::failure::Failure;
use crate::format::Format;
use crate::{files, print, results};

/// Fits, writes and prints the model. All processes of a job return the same result.
pub fn finish<W: World>(world: &W, calibration: &Calibration, files: &FileArgs) -> Result<ExitCode, Failure> {
    let mut fitted = None;
    decide(world, || {
        fitted = conclude(calibration, files)?;
        Ok(())
    })?;
    if let Some((fitted, directory)) = fitted.zip(files.plot.as_deref()) {
        plots(directory, calibration, &fitted)?;
    }
    Ok(calibration.code())
}

/// Returns the model; `None` if the calibration was interrupted too early for one.
fn conclude(calibration: &Calibration, files: &FileArgs) -> panto_bench::Result<Option<Fitted>> {
    let fitted = match calibration.fit() {
        Ok(fitted) => fitted,
        Err(why) if calibration.is_interrupted() => {
            stopped_early(files, &why);
            return Ok(None);
        }
        Err(why) => return Err(Error::usage(why.to_string())),
    };
    let refused = files.output.as_ref().and_then(|path| refuse_poor(&fitted, path, files.force).err());
    let written = match &files.output {
        Some(path) if refused.is_none() => {
            fitted.save(path).map_err(|error| Error::usage(error.to_string()))?
        }
        _ => Vec::new(),
    };
    match files.format {
        Format::Json => print::line(as_json(calibration, files, &fitted)),
        _ => print_model(calibration, files, &fitted, &written),
    }
    if let Some(why) = refused {
        return Err(Error::usage(why));
    }
    Ok(Some(fitted))
}

fn stopped_early(files: &FileArgs, why: &panto_fit::Error) {
    print::note(format_args!("panto: stopped before a model could be fitted: {why}"));
    match &files.results {
        Some(path) => print::note(format_args!("panto: the records are in {}", path.display())),
        None => print::note("panto: the records were not saved; use --results FILE to keep them"),
    }
}

fn print_model(calibration: &Calibration, files: &FileArgs, fitted: &Fitted, written: &[PathBuf]) {
    let (manifest, seconds) = (calibration.manifest(), calibration.elapsed().as_secs_f64());
    let (points, time) = (calibration.records().len(), panto_units::time(seconds));
    let heading =
        format!("Calibrated {} on {}: {points} points in {time}.", manifest.transport, manifest.host);
    print_quality(fitted);
    print::text(format_args!(
        "{heading}\n\n{}\n{}",
        present::fit_table(fitted),
        present::fit_quality(fitted)
    ));
    if !fitted.notes.is_empty() {
        print::line("\nAssumptions:");
    }
    for note in &fitted.notes {
        print::line(format_args!("  {note}"));
    }
    if calibration.is_interrupted() {
        print::line("\nStopped early: the model is fitted to the records so far.");
    }
    print::line("");
    for path in written {
        print::line(format_args!("wrote {}", path.display()));
    }
    print_next(files.output.as_deref(), files.results.as_deref());
}

/// Prints the next commands.
fn print_next(model: Option<&Path>, results: Option<&Path>) {
    let mut commands = Vec::new();
    if let Some(model) = model.map(Path::display) {
        commands.push((format!("panto simulate app.panto -m {model}"), "predict a traced program"));
        commands.push((format!("panto bench echo --on {model}"), "times of messages on the model"));
    } else {
        print::line("The model was not written; use -o machine.toml.");
    }
    if let Some(results) = results.map(Path::display) {
        commands.push((format!("panto info {results}"), "print the records"));
    }
    let width = commands.iter().map(|(command, _)| command.len()).max().unwrap_or(0);
    for (command, purpose) in commands {
        print::line(format_args!("  {command:width$}  {purpose}"));
    }
}

/// Returns the JSON of `panto fit`, and how it was measured.
fn as_json(calibration: &Calibration, files: &FileArgs, fitted: &Fitted) -> String {
    let mut value = present::fit_json(fitted);
    value["transport"] = json!(calibration.manifest().transport);
    value["points"] = json!(calibration.records().len());
    value["seconds"] = json!(calibration.elapsed().as_secs_f64());
    value["interrupted"] = json!(calibration.is_interrupted());
    value["model_file"] = json!(files.output);
    format!("{value:#}")
}

/// Plots the records and the fitted curves.
fn plots(directory: &Path, calibration: &Calibration, fitted: &Fitted) -> Result<(), Failure> {
    results::plots(directory, calibration.manifest(), calibration.records())?;
    for (name, figure) in present::fit_figures(fitted) {
        let path = directory.join(format!("{name}.svg"));
        files::replace(&path, figure.to_svg())?;
        print::note(format_args!("wrote {}", path.display()));
    }
    Ok(())
}
