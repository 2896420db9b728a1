//! The directory of a tuning.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use panto_results::{ExistingFile, Line, Manifest, Writer};
use panto_tune::Summary;

use super::library_files::LibraryFiles;
use super::text;
use crate::failure::Failure;
use crate::files;

/// The names of all files that a tuning may write, besides the library's.
const SUMMARY: &str = "tuning.json";
const SAMPLES: &str = "measured.jsonl";
const ENVIRONMENT: &str = "environment.sh";
const README: &str = "README.txt";
/// The samples of the check.
const CHECKS: [&str; 2] = ["check-default.jsonl", "check-tuned.jsonl"];
/// The library's files.
const OF_LIBRARIES: [&str; 4] = ["openmpi.rules", "mpich.json", "mpich-shared-memory.json", "panto.rules"];

/// The directory of a tuning.
pub(super) struct Directory(PathBuf);

impl Directory {
    /// Creates the directory. Files of an earlier tuning are removed with `force`, and refused
    /// without.
    pub fn create(path: &Path, force: bool) -> panto_bench::Result<Self> {
        let failed = |source| panto_bench::Error::Io { failure: "cannot write", path: path.into(), source };
        std::fs::create_dir_all(path).map_err(failed)?;
        // Variables name the files from any directory.
        let directory = Self(path.canonicalize().map_err(failed)?);
        let own = [SUMMARY, SAMPLES, ENVIRONMENT, README].into_iter().chain(CHECKS).chain(OF_LIBRARIES);
        let existing: Vec<PathBuf> =
            own.map(|name| directory.file(name)).filter(|file| file.exists()).collect();
        if !existing.is_empty() && !force {
            return Err(panto_bench::Error::usage(format!(
                "{} has the files of an earlier tuning; use --force to replace them, or another directory with -o",
                path.display()
            )));
        }
        existing.iter().try_for_each(std::fs::remove_file).map_err(failed)?;
        Ok(directory)
    }

    /// Opens the directory of an earlier tuning.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let directory = path.canonicalize().map_err(|error| unreadable(path, &error))?;
        Ok(Self(directory))
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the files of the check: of the library's own choice, and of the tuned one.
    pub fn checks(&self) -> [PathBuf; 2] {
        CHECKS.map(|name| self.file(name))
    }

    /// Returns the variables of the library's files, by name.
    pub fn environment(&self, files: &LibraryFiles) -> BTreeMap<String, String> {
        let file = |(name, file): (&&str, &&str)| ((*name).to_owned(), self.file(file).display().to_string());
        let value = |(name, value): (&&str, &&str)| ((*name).to_owned(), (*value).to_owned());
        files.file_variables.iter().map(file).chain(files.variables.iter().map(value)).collect()
    }

    /// Opens the file of samples.
    pub fn samples(&self, manifest: &Manifest) -> Result<Writer, Failure> {
        let mut writer = Writer::create(&self.file(SAMPLES), ExistingFile::Refuse)?;
        writer.write(&Line::Manifest(Box::new(manifest.clone())))?;
        Ok(writer)
    }

    /// Writes the library's files, the environment, the summary and a text for people.
    pub fn write(&self, summary: &Summary, library: &LibraryFiles) -> Result<(), Failure> {
        for (name, content) in &library.contents {
            files::replace(&self.file(name), content)?;
        }
        if !summary.environment.is_empty() {
            files::replace(&self.file(ENVIRONMENT), text::environment(&summary.environment))?;
        }
        files::replace(&self.file(README), text::readme(summary, self))?;
        let json = serde_json::to_string_pretty(summary).unwrap_or_default();
        files::replace(&self.file(SUMMARY), format!("{json}\n"))
    }

    /// Reads the summary.
    pub fn summary(&self) -> Result<Summary, Failure> {
        let file = self.file(SUMMARY);
        let text = std::fs::read_to_string(&file).map_err(|error| unreadable(&file, &error))?;
        serde_json::from_str(&text).map_err(|error| {
            Failure::Usage(format!(
                "{}: {error}; this is no file of `panto tune`, or damaged",
                file.display()
            ))
        })
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Usage(format!(
        "cannot read {}: {error}; `panto tune -o DIR` makes the directory",
        path.display()
    ))
}
