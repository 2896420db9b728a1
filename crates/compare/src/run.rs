//! What one side of a comparison measured.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;

use panto_bench::{Error, Result};

use crate::facts::Facts;
use crate::key::Key;
use crate::read;

/// The samples of a point in nanoseconds, by launch.
pub type Launches = Vec<Vec<f64>>;

/// One side of a comparison: all launches of one or several files.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Run {
    /// The files.
    pub files: Vec<PathBuf>,
    /// Every point with the samples of its launches.
    pub points: BTreeMap<Key, Launches>,
    /// How it was measured.
    pub facts: Facts,
    /// What a reader should know of the files: what was left out, what is incomplete.
    pub notes: Vec<String>,
    /// A command line that measured it.
    pub command: Option<String>,
}

impl Run {
    /// Reads a file, all files of a directory, or a list of files with commas between them. Each holds at least one launch.
    /// With `salvage`, as much of damaged files as is sound.
    pub fn open(argument: &Path, salvage: bool) -> Result<Self> {
        let mut run = Self::default();
        for path in files(argument)? {
            run.merge(read::file(&path, salvage)?);
            run.files.push(path);
        }
        if run.points.is_empty() {
            let why = run.notes.first().map(|note| format!(" ({note})")).unwrap_or_default();
            return Err(Error::usage(format!(
                "{} holds no times to compare{why}; measure some: panto bench comet -o FILE",
                argument.display()
            )));
        }
        Ok(run)
    }

    /// Both sides of a comparison, at once; see [`Run::open`].
    pub fn open_both(old: &Path, new: &Path, salvage: bool) -> Result<(Self, Self)> {
        thread::scope(|scope| {
            let new = scope.spawn(|| Self::open(new, salvage));
            let old = Self::open(old, salvage)?;
            let new = new.join().unwrap_or_else(|panic| resume_unwind(panic))?;
            Ok((old, new))
        })
    }

    /// The kernels that were measured.
    pub fn kernels(&self) -> BTreeSet<&str> {
        self.points.keys().map(|key| key.kernel.as_str()).collect()
    }

    /// Leaves out all kernels but those of these names: a kernel, or a whole suite. Names that stand for nothing here are
    /// an error that lists what there is.
    pub fn keep(&mut self, names: &[String]) -> Result<()> {
        let is = |kernel: &str, name: &str| {
            kernel == name || kernel.split('/').any(|part| part == name) && !name.is_empty()
        };
        if let Some(name) = names.iter().find(|name| !self.kernels().iter().any(|kernel| is(kernel, name))) {
            let known: Vec<&str> = self.kernels().into_iter().collect();
            return Err(Error::usage(format!(
                "there is no `{name}` in {}; there are {}",
                self.name(),
                known.join(", ")
            )));
        }
        self.points.retain(|key, _| names.iter().any(|name| is(&key.kernel, name)));
        Ok(())
    }

    /// The files in words.
    pub fn name(&self) -> String {
        self.files.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
    }

    /// The samples of one more launch of a point.
    pub(crate) fn push(&mut self, key: Key, samples: Vec<f64>) {
        self.points.entry(key).or_default().push(samples);
    }

    fn merge(&mut self, other: Self) {
        for (key, launches) in other.points {
            self.points.entry(key).or_default().extend(launches);
        }
        self.facts.merge(other.facts);
        self.notes.extend(other.notes);
        self.command = self.command.take().or(other.command);
    }
}

pub(crate) fn files(argument: &Path) -> Result<Vec<PathBuf>> {
    if argument.is_dir() {
        return of_directory(argument);
    }
    let list = argument.to_str().filter(|text| !argument.exists() && text.contains(','));
    Ok(match list {
        Some(list) => list.split(',').filter(|name| !name.is_empty()).map(PathBuf::from).collect(),
        None => vec![argument.into()],
    })
}

/// By name, so that the order is the same everywhere. Hidden files are not meant.
fn of_directory(directory: &Path) -> Result<Vec<PathBuf>> {
    let failed = |source| Error::Io { what: "cannot read", path: directory.into(), source };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.path().is_file() && !entry.file_name().to_string_lossy().starts_with('.') {
            found.push(entry.path());
        }
    }
    found.sort();
    if found.is_empty() {
        return Err(Error::usage(format!("there is no file in {}", directory.display())));
    }
    Ok(found)
}
