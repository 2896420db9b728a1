//! Options of the output of a calibration: the model, the samples and the plots.

use std::path::{Path, PathBuf};

use clap::Args;
use panto_bench::{Error, decide};
use panto_results::{ExistingFile, Line, Manifest, Writer};
use panto_transport::World;

use crate::failure::Failure;
use crate::format::{Format, TABLE_OR_JSON};

#[derive(Args)]
pub struct FileArgs {
    /// Output format.
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = Format::one_of(TABLE_OR_JSON))]
    pub format: Format,

    /// Write the model to this file.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Write all records and samples to this file (JSON Lines).
    #[arg(long, value_name = "FILE")]
    pub results: Option<PathBuf>,

    /// Replace existing files, and write the model even if it is poor.
    #[arg(long)]
    pub force: bool,

    /// Write one SVG per kernel, and the fitted curves, into this directory.
    #[arg(long, value_name = "DIR")]
    pub plot: Option<PathBuf>,
}

impl FileArgs {
    /// Checks and opens the files before anything is measured. The first process of a job writes
    /// for all.
    pub fn open<W: World>(&self, world: &W, manifest: &Manifest) -> Result<Option<Writer>, Failure> {
        let mut writer = None;
        decide(world, || {
            self.check()?;
            writer = self.writer(manifest)?;
            Ok(())
        })?;
        Ok(writer)
    }

    fn check(&self) -> panto_bench::Result<()> {
        if self.output.is_some() && self.output == self.results {
            return Err(Error::usage("-o and --results name the same file; use two"));
        }
        if let Some(path) = &self.output {
            self.check_model(path)?;
        }
        let Some(directory) = &self.plot else { return Ok(()) };
        std::fs::create_dir_all(directory).map_err(|source| cannot_write(directory, source))
    }

    /// Fails if the model cannot be written. An existing model stays until the new one is complete.
    fn check_model(&self, path: &Path) -> panto_bench::Result<()> {
        if path.is_dir() {
            return Err(Error::usage(format!("{} is a directory; name a file", path.display())));
        }
        if path.exists() && !self.force {
            return Err(Error::usage(format!(
                "{} exists; use --force to replace it, or another name",
                path.display()
            )));
        }
        let is_new = !path.exists();
        let opened = std::fs::OpenOptions::new().append(true).create(true).open(path);
        opened.map_err(|source| cannot_write(path, source))?;
        if is_new { std::fs::remove_file(path).map_err(|source| cannot_write(path, source)) } else { Ok(()) }
    }

    fn writer(&self, manifest: &Manifest) -> panto_bench::Result<Option<Writer>> {
        let Some(path) = &self.results else { return Ok(None) };
        let existing = if self.force { ExistingFile::Replace } else { ExistingFile::Refuse };
        let mut writer = Writer::create(path, existing)?;
        writer.write(&Line::Manifest(Box::new(manifest.clone())))?;
        Ok(Some(writer))
    }
}

fn cannot_write(path: &Path, source: std::io::Error) -> Error {
    Error::Io { failure: "cannot write", path: path.into(), source }
}
