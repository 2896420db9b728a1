//! Where the model, the samples and the plots go.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use panto_bench::results::{Existing, Line, Manifest, Writer};
use panto_bench::{Error, decide};
use panto_transport::World;

use crate::failure::Failure;

#[derive(Args)]
pub struct FileArgs {
    /// How to print what was found
    #[arg(short, long, value_enum, default_value_t = Format::Table)]
    pub format: Format,

    /// Write the model to this file
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Keep all samples in this file, one JSON object per line
    #[arg(long, value_name = "FILE")]
    pub results: Option<PathBuf>,

    /// Replace files that are there
    #[arg(long)]
    force: bool,

    /// Write one SVG per kernel, and the fitted curves, into this directory
    #[arg(long, value_name = "DIR")]
    pub plot: Option<PathBuf>,
}

/// How the findings are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A table for people
    Table,
    /// One JSON object
    Json,
}

impl FileArgs {
    /// Makes sure, before anything is measured, that there is a place for everything. The first process of a job writes for all.
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
            return Err(Error::usage("the model and the samples go to one file; name two: -o and --results"));
        }
        if let Some(path) = &self.output {
            self.check_model(path)?;
        }
        let Some(directory) = &self.plot else { return Ok(()) };
        std::fs::create_dir_all(directory).map_err(|source| cannot_write(directory, source))
    }

    /// A minute of measuring is not lost because nobody can write there. A model that is there stays until the new one is.
    fn check_model(&self, path: &Path) -> panto_bench::Result<()> {
        if path.is_dir() {
            return Err(Error::usage(format!("{} is a directory; name a file in it", path.display())));
        }
        if path.exists() && !self.force {
            return Err(Error::usage(format!(
                "{} is there already; use --force to replace it, or another name",
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
        let existing = if self.force { Existing::Replace } else { Existing::Refuse };
        let mut writer = Writer::create(path, existing)?;
        writer.write(&Line::Manifest(Box::new(manifest.clone())))?;
        Ok(Some(writer))
    }
}

fn cannot_write(path: &Path, source: std::io::Error) -> Error {
    Error::Io { what: "cannot write", path: path.into(), source }
}
