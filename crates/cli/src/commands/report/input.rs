//! The input files of a report.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use panto_machine::Model;
use panto_report::present::ReportedRun;
use panto_results::{Manifest, Record, read, salvage};
use panto_timeline::Timeline;
use panto_trace::Trace;

use crate::failure::Failure;
use crate::timeline::TimelineFile;
use crate::{model, print};

/// An input file.
pub enum Input {
    Results(Run),
    Timeline(TimelineFile),
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
        if Timeline::recognises(path) || Trace::recognises(path) {
            return Ok(Self::Timeline(TimelineFile::of(path)?));
        }
        if model::is_model(path) {
            return Ok(Self::Machine(Box::new(model::open(path)?), name));
        }
        let results = if lenient { salvage(path)? } else { read(path)? };
        if let Some(damage) = &results.damage {
            print::note(format_args!("panto: the rest of {name} is unreadable: {damage}"));
        }
        if results.manifests.is_empty() {
            return Err(Failure::Usage(format!(
                "{name} is neither results (`panto bench -o`), a timeline (`panto simulate --timeline`) nor a machine model"
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
            Self::Machine(_, name) => name.clone(),
        }
    }

    pub fn run(&self) -> Option<&Run> {
        if let Self::Results(run) = self { Some(run) } else { None }
    }

    pub fn model(&self) -> Option<&Model> {
        if let Self::Machine(model, _) = self { Some(model) } else { None }
    }

    pub fn timeline(&self) -> Option<&Path> {
        if let Self::Timeline(file) = self { Some(file.path()) } else { None }
    }
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
