//! What a file is, and what it holds.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use panto_bench::results::{Manifest, Record, read, salvage};
use panto_machine::Model;
use panto_report::present::Reported;
use panto_timeline::Timeline;
use panto_trace::Trace;

use crate::failure::Failure;
use crate::{model, out};

/// A file that a page can be about.
pub enum Input {
    Results(Run),
    Timeline(PathBuf),
    Machine(Box<Model>, String),
}

/// What a result file holds.
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
            return Ok(Self::Timeline(path.to_owned()));
        }
        if Trace::recognises(path) {
            return Err(Failure::Usage(format!(
                "{name} is a trace, which has no times of its own; predict it first: panto simulate {name} -m MACHINE --timeline app.ptl"
            )));
        }
        if model::is_model(path) {
            return Ok(Self::Machine(Box::new(model::open(path)?), name));
        }
        let results = if lenient { salvage(path)? } else { read(path)? };
        if let Some(damage) = &results.damage {
            out::note(format_args!("panto: the rest of {name} is lost: {damage}"));
        }
        if results.manifests.is_empty() {
            return Err(Failure::Usage(format!(
                "{name} holds nothing to report: it is no result (`panto bench -o`), no timeline (`panto simulate --timeline`) and no machine model"
            )));
        }
        let (manifests, records) = (results.manifests, results.records);
        Ok(Self::Results(Run { path: path.to_owned(), name, manifests, records }))
    }

    pub fn name(&self) -> String {
        match self {
            Self::Results(run) => run.name.clone(),
            Self::Timeline(path) => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
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
        if let Self::Timeline(path) = self { Some(path) } else { None }
    }
}

/// Results are called what the user calls them, else what the measurement was called, else as their files; where that would be the same
/// for two, by the way to the file.
pub fn name(inputs: &mut [Input], labels: &[String]) -> Result<(), Failure> {
    let mut runs: Vec<&mut Run> = inputs
        .iter_mut()
        .filter_map(|input| if let Input::Results(run) = input { Some(run) } else { None })
        .collect();
    let differ = labels.iter().collect::<BTreeSet<_>>().len() == labels.len();
    if labels.len() > runs.len() || labels.iter().any(String::is_empty) || !differ {
        return Err(Failure::Usage(format!(
            "--label {}: give each of the results a name, in their order, all different; there are {} results",
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

    /// For the page; beside others it needs its name.
    pub fn reported(&self, named: bool) -> Reported<'_> {
        let name = named.then_some(self.name.as_str());
        Reported { name, manifests: &self.manifests, records: &self.records }
    }
}
