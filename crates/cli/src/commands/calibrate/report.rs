//! What was found: the model, what is printed and what is drawn.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use panto_bench::{Error, decide};
use panto_fit::Fitted;
use panto_report::present;
use panto_transport::World;
use serde_json::json;

use super::course::Course;
use super::files::{FileArgs, Format};
use crate::failure::Failure;
use crate::{out, show};

/// Fits, writes and prints. All processes of a job end in the same way.
pub fn finish<W: World>(world: &W, course: &Course, files: &FileArgs) -> Result<ExitCode, Failure> {
    let mut fitted = None;
    decide(world, || {
        fitted = conclude(course, files)?;
        Ok(())
    })?;
    if let Some((fitted, directory)) = fitted.zip(files.plot.as_deref()) {
        plots(directory, course, &fitted)?;
    }
    Ok(course.code())
}

/// The model, unless it was stopped too early for one.
fn conclude(course: &Course, files: &FileArgs) -> panto_bench::Result<Option<Fitted>> {
    let fitted = match course.fit() {
        Ok(fitted) => fitted,
        // Nobody is surprised that half a measurement is no machine.
        Err(why) if course.is_interrupted() => {
            stopped_early(files, &why);
            return Ok(None);
        }
        Err(why) => return Err(Error::usage(why.to_string())),
    };
    let written = match &files.output {
        Some(path) => fitted.save(path).map_err(|error| Error::usage(error.to_string()))?,
        None => Vec::new(),
    };
    match files.format {
        Format::Table => print(course, files, &fitted, &written),
        Format::Json => out::line(as_json(course, files, &fitted)),
    }
    Ok(Some(fitted))
}

fn stopped_early(files: &FileArgs, why: &panto_fit::Error) {
    out::note(format_args!("panto: stopped; no model yet: {why}"));
    match &files.results {
        Some(path) => out::note(format_args!("panto: what was measured is in {}", path.display())),
        None => out::note("panto: nothing is kept; use --results FILE to keep what is measured"),
    }
}

fn print(course: &Course, files: &FileArgs, fitted: &Fitted, written: &[PathBuf]) {
    let (manifest, seconds) = (course.manifest(), course.elapsed().as_secs_f64());
    let (points, time) = (course.records().len(), panto_units::time(seconds));
    let heading =
        format!("Calibrated {} on {}: {points} points in {time}.", manifest.transport, manifest.host);
    out::text(format_args!("{heading}\n\n{}\n{}", present::fit_table(fitted), present::fit_quality(fitted)));
    if !fitted.notes.is_empty() {
        out::line("\nAssumed, and worth knowing:");
    }
    for note in &fitted.notes {
        out::line(format_args!("  {note}"));
    }
    if course.is_interrupted() {
        out::line("\nStopped before everything was measured: the model is of what is there.");
    }
    out::line("");
    for path in written {
        out::line(format_args!("wrote {}", path.display()));
    }
    next(files.output.as_deref(), files.results.as_deref());
}

/// What to do with it.
fn next(model: Option<&Path>, results: Option<&Path>) {
    let mut commands = Vec::new();
    if let Some(model) = model.map(Path::display) {
        commands.push((format!("panto simulate app.panto -m {model}"), "predict a traced program on it"));
        commands.push((format!("panto bench echo --on {model}"), "what the model says of a message"));
    } else {
        out::line("Nothing was written; use -o machine.toml to keep the model.");
    }
    if let Some(results) = results.map(Path::display) {
        commands.push((format!("panto info {results}"), "all that was measured"));
    }
    let width = commands.iter().map(|(command, _)| command.len()).max().unwrap_or(0);
    for (command, what) in commands {
        out::line(format_args!("  {command:width$}  {what}"));
    }
}

/// What `panto fit` prints, and how it was measured.
fn as_json(course: &Course, files: &FileArgs, fitted: &Fitted) -> String {
    let mut value = present::fit_json(fitted);
    value["transport"] = json!(course.manifest().transport);
    value["points"] = json!(course.records().len());
    value["seconds"] = json!(course.elapsed().as_secs_f64());
    value["interrupted"] = json!(course.is_interrupted());
    value["model_file"] = json!(files.output);
    format!("{value:#}")
}

/// What was measured, and the fitted curves over it.
fn plots(directory: &Path, course: &Course, fitted: &Fitted) -> Result<(), Failure> {
    show::plots(directory, course.manifest(), course.records())?;
    for (name, figure) in present::fit_figures(fitted) {
        let path = directory.join(format!("{name}.svg"));
        std::fs::write(&path, figure.to_svg()).map_err(|error| Failure::write(&path, &error))?;
        out::note(format_args!("wrote {}", path.display()));
    }
    Ok(())
}
