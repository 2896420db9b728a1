//! Options of the output of a benchmark run.

use std::path::PathBuf;

use clap::Args;
use panto_bench::decide;
use panto_results::{ExistingFile, Line, Manifest, Writer};
use panto_transport::World;

use crate::failure::Failure;
use crate::format::Format;
use crate::plot::Target;

#[derive(Args)]
pub struct OutputArgs {
    /// Output format.
    #[arg(short, long, value_enum, value_name = "FORMAT", default_value = "table")]
    pub format: Format,

    /// Write all records and samples to this file (JSON Lines).
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Append to the file if it exists.
    #[arg(long, requires = "output", conflicts_with = "force")]
    append: bool,

    /// Replace the file if it exists.
    #[arg(long, requires = "output")]
    force: bool,

    /// Label of this run, such as a version, for `panto history`.
    #[arg(long, value_name = "TEXT", requires = "output")]
    label: Option<String>,

    /// Plot the results: one SVG per kernel into a directory, or one file (.svg, .png, or .dat with
    /// a gnuplot script).
    #[arg(long, value_name = "DIR|OUT.svg|OUT.png|OUT.dat")]
    plot: Option<PathBuf>,

    /// Write the fastest built-in algorithm for each size and number of ranks as a rules file, for
    /// `collectives.rules` of a model (suite scenario).
    #[arg(long, value_name = "FILE")]
    pub rules: Option<PathBuf>,
}

impl OutputArgs {
    /// Opens the files before anything is measured. In an MPI job, the first process writes for
    /// all.
    pub fn open<W: World>(
        &self,
        world: &W,
        manifest: &Manifest,
    ) -> Result<(Option<PathBuf>, Option<Writer>), Failure> {
        let mut opened = None;
        decide(world, || {
            opened = Some((self.plot_directory()?, self.writer(manifest)?));
            Ok(())
        })?;
        Ok(opened.unwrap_or_default())
    }

    fn plot_directory(&self) -> panto_bench::Result<Option<PathBuf>> {
        let Some(path) = &self.plot else { return Ok(None) };
        Target::new(path).prepare().map_err(|source| panto_bench::Error::Io {
            failure: "cannot write",
            path: path.clone(),
            source,
        })?;
        Ok(Some(path.clone()))
    }

    fn writer(&self, manifest: &Manifest) -> panto_bench::Result<Option<Writer>> {
        let Some(path) = &self.output else { return Ok(None) };
        let existing = match (self.append, self.force) {
            (true, _) => ExistingFile::Append,
            (_, true) => ExistingFile::Replace,
            _ => ExistingFile::Refuse,
        };
        let mut writer = Writer::create(path, existing)?;
        let manifest = Manifest { label: self.label.clone(), ..manifest.clone() };
        writer.write(&Line::Manifest(Box::new(manifest)))?;
        Ok(Some(writer))
    }
}
