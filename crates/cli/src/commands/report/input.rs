//! What a file is, and what it holds.

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

impl Run {
    /// For the page; beside others it needs its name.
    pub fn reported(&self, named: bool) -> Reported<'_> {
        let name = named.then_some(self.name.as_str());
        Reported { name, manifests: &self.manifests, records: &self.records }
    }
}
