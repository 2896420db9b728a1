//! The measurements of one side of a comparison.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;

use panto_results::{Error, Result};

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
    /// The points, each with the samples of its launches.
    pub points: BTreeMap<Key, Launches>,
    /// The number of launches in which a point is poor.
    pub poor: BTreeMap<Key, usize>,
    /// The conditions of the measurement.
    pub facts: Facts,
    /// Notes on the files: what was skipped, what is incomplete.
    pub notes: Vec<String>,
    /// The command line that measured it.
    pub command: Option<String>,
}

impl Run {
    /// Reads a file, all files of a directory, or a comma-separated list of files; each has at
    /// least one launch. With `salvage`, reads the valid part of damaged files.
    pub fn open(argument: &Path, salvage: bool) -> Result<Self> {
        let mut run = Self::default();
        for path in files(argument)? {
            run.merge(read::file(&path, salvage)?);
            run.files.push(path);
        }
        if run.points.is_empty() {
            let why = run.notes.first().map(|note| format!(" ({note})")).unwrap_or_default();
            return Err(Error::usage(format!(
                "{} has no times to compare{why}; measure some: panto bench comet -o FILE",
                argument.display()
            )));
        }
        Ok(run)
    }

    /// Reads both sides of a comparison in parallel; see [`Run::open`].
    pub fn open_both(old: &Path, new: &Path, salvage: bool) -> Result<(Self, Self)> {
        thread::scope(|scope| {
            let new = scope.spawn(|| Self::open(new, salvage));
            let old = Self::open(old, salvage)?;
            let new = new.join().unwrap_or_else(|panic| resume_unwind(panic))?;
            Ok((old, new))
        })
    }

    /// Returns the names of the measured kernels.
    pub fn kernels(&self) -> BTreeSet<&str> {
        self.points.keys().map(|key| key.kernel.as_str()).collect()
    }

    /// Keeps only the kernels with these names, each that of a kernel or a whole suite. An unknown
    /// name is an error that lists the measured kernels.
    pub fn keep(&mut self, names: &[String]) -> Result<()> {
        let is = |kernel: &str, name: &str| {
            kernel == name || kernel.split('/').any(|part| part == name) && !name.is_empty()
        };
        if let Some(name) = names.iter().find(|name| !self.kernels().iter().any(|kernel| is(kernel, name))) {
            let known: Vec<&str> = self.kernels().into_iter().collect();
            return Err(Error::usage(format!(
                "no kernel `{name}` in {}; it has {}",
                self.name(),
                known.join(", ")
            )));
        }
        self.points.retain(|key, _| names.iter().any(|name| is(&key.kernel, name)));
        Ok(())
    }

    /// Returns the names of the files, separated by commas.
    pub fn name(&self) -> String {
        self.files.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
    }

    /// Adds the samples of another launch of a point.
    pub(crate) fn push(&mut self, key: Key, samples: Vec<f64>) {
        self.points.entry(key).or_default().push(samples);
    }

    fn merge(&mut self, other: Self) {
        for (key, launches) in other.points {
            self.points.entry(key).or_default().extend(launches);
        }
        for (key, launches) in other.poor {
            *self.poor.entry(key).or_default() += launches;
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

/// Returns the files of a directory, sorted by name so that the order is the same everywhere.
/// Hidden files are skipped.
fn of_directory(directory: &Path) -> Result<Vec<PathBuf>> {
    let failed = |source| Error::Io { failure: "cannot read", path: directory.into(), source };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.path().is_file() && !entry.file_name().to_string_lossy().starts_with('.') {
            found.push(entry.path());
        }
    }
    found.sort();
    if found.is_empty() {
        return Err(Error::usage(format!("no file in {}", directory.display())));
    }
    Ok(found)
}
