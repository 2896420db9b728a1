//! The input files of a report.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use panto_machine::Model;
use panto_predict::sweep::Row;
use panto_report::present::{ReportedRun, SavedKind};
use panto_results::{Manifest, Record, read, salvage};
use panto_timeline::Timeline;
use panto_trace::{RankTrace, Trace};
use serde_json::Value;

use crate::failure::Failure;
use crate::timeline::TimelineFile;
use crate::{model, print};

/// An input file.
pub enum Input {
    Results(Run),
    Timeline(TimelineFile),
    /// A trace, with the timeline of its measured run if it has the times of calls.
    Trace(Box<Trace>, Option<TimelineFile>),
    /// What another command printed as JSON.
    Saved(SavedKind, Box<Value>, String),
    /// The rows of a sweep.
    Sweep(Vec<Row>, String),
    Machine(Box<Model>, String),
}

/// A results file.
#[derive(Clone)]
pub struct Run {
    pub path: PathBuf,
    pub name: String,
    pub manifests: Vec<Manifest>,
    pub records: Vec<Record>,
}

impl Input {
    pub fn open(path: &Path, lenient: bool) -> Result<Self, Failure> {
        let name = path.display().to_string();
        if Timeline::recognises(path) {
            return Ok(Self::Timeline(TimelineFile::of(path)?));
        }
        if Trace::recognises(path) || crate::program::is_foreign(path) {
            let trace = crate::program::open(path)?;
            let has_stamps = trace.ranks().iter().any(RankTrace::has_stamps);
            let timeline = if has_stamps { Some(TimelineFile::of(path)?) } else { None };
            return Ok(Self::Trace(Box::new(trace), timeline));
        }
        if model::is_model(path) {
            return Ok(Self::Machine(Box::new(model::open(path)?), name));
        }
        if let Some(saved) = saved(path, &name) {
            return Ok(saved);
        }
        let results = if lenient { salvage(path)? } else { read(path)? };
        if let Some(damage) = &results.damage {
            print::note(format_args!("panto: the rest of {name} is unreadable: {damage}"));
        }
        if results.manifests.is_empty() {
            return Err(Failure::Usage(format!(
                "{name} is neither results (`panto bench -o`), a trace, a timeline, a machine model, a sweep (`panto sweep -o`) nor JSON of `panto simulate`, `sweep` or `compare`"
            )));
        }
        let (manifests, records) = (results.manifests, results.records);
        Ok(Self::Results(Run { path: path.to_owned(), name, manifests, records }))
    }

    pub fn name(&self) -> String {
        match self {
            Self::Results(run) => run.name.clone(),
            Self::Timeline(file) => {
                file.path().file_name().unwrap_or_default().to_string_lossy().into_owned()
            }
            Self::Trace(trace, _) => {
                trace.path().file_name().unwrap_or_default().to_string_lossy().into_owned()
            }
            Self::Machine(_, name) | Self::Saved(_, _, name) | Self::Sweep(_, name) => name.clone(),
        }
    }

    pub fn run(&self) -> Option<&Run> {
        if let Self::Results(run) = self { Some(run) } else { None }
    }

    pub fn model(&self) -> Option<&Model> {
        if let Self::Machine(model, _) = self { Some(model) } else { None }
    }

    pub fn timeline(&self) -> Option<&Path> {
        match self {
            Self::Timeline(file) | Self::Trace(_, Some(file)) => Some(file.path()),
            _ => None,
        }
    }
}

/// Reads what another command saved as JSON: one document, or the rows of a sweep, one on a line.
fn saved(path: &Path, name: &str) -> Option<Input> {
    let text = std::fs::read_to_string(path).ok()?;
    if let Ok(document) = serde_json::from_str::<Value>(&text)
        && let Some(kind) = SavedKind::of(&document)
    {
        return Some(Input::Saved(kind, Box::new(document), name.to_owned()));
    }
    let rows = text.lines().map(|line| Row::from_json(&serde_json::from_str(line).ok()?));
    let rows = rows.collect::<Option<Vec<Row>>>().filter(|rows| !rows.is_empty())?;
    Some(Input::Sweep(rows, name.to_owned()))
}

/// Names the results: by `--label`, else by the label of the run, else by the file name; by the
/// path where two would have the same name.
pub fn name(inputs: &mut [Input], labels: &[String]) -> Result<(), Failure> {
    let mut runs: Vec<&mut Run> = inputs
        .iter_mut()
        .filter_map(|input| if let Input::Results(run) = input { Some(run) } else { None })
        .collect();
    let differ = labels.iter().collect::<BTreeSet<_>>().len() == labels.len();
    if labels.len() > runs.len() || labels.iter().any(String::is_empty) || !differ {
        return Err(Failure::Usage(format!(
            "--label {}: expected up to {1} distinct names, one for each of the {1} results",
            labels.join(","),
            runs.len()
        )));
    }
    let mut names: Vec<String> = runs.iter().map(|run| run.short_name()).collect();
    names.splice(..labels.len(), labels.iter().cloned());
    for (place, run) in runs.iter_mut().enumerate() {
        let is_clear = names.iter().filter(|name| **name == names[place]).count() == 1;
        if is_clear || place < labels.len() {
            run.name.clone_from(&names[place]);
        }
    }
    Ok(())
}

impl Run {
    fn short_name(&self) -> String {
        let label = self.manifests.last().and_then(|manifest| manifest.label.clone());
        label.unwrap_or_else(|| self.path.file_name().unwrap_or_default().to_string_lossy().into_owned())
    }

    /// Returns the results for a page; with their name if there are several.
    pub fn reported(&self, named: bool) -> ReportedRun<'_> {
        let name = named.then_some(self.name.as_str());
        ReportedRun { name, manifests: &self.manifests, records: &self.records }
    }
}
