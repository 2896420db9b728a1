//! Where the results go.

use std::path::PathBuf;

use clap::Args;
use panto_bench::decide;
use panto_bench::results::{Existing, Line, Manifest, Writer};
use panto_transport::World;

use crate::failure::Failure;
use crate::show::Format;

#[derive(Args)]
pub struct OutputArgs {
    /// How to print results
    #[arg(short, long, value_enum, default_value_t = Format::Table)]
    pub format: Format,

    /// Keep everything in this file, one JSON object per line
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Add to the file if it is there
    #[arg(long, requires = "output", conflicts_with = "force")]
    append: bool,

    /// Replace the file if it is there
    #[arg(long, requires = "output")]
    force: bool,

    /// Write one SVG per kernel into this directory
    #[arg(long, value_name = "DIR")]
    plot: Option<PathBuf>,
}

impl OutputArgs {
    /// Makes sure, before anything is measured, that there is a place for results. The first process of a job writes for all.
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
        let Some(directory) = &self.plot else { return Ok(None) };
        std::fs::create_dir_all(directory).map_err(|source| panto_bench::Error::Io {
            what: "cannot write",
            path: directory.clone(),
            source,
        })?;
        Ok(Some(directory.clone()))
    }

    fn writer(&self, manifest: &Manifest) -> panto_bench::Result<Option<Writer>> {
        let Some(path) = &self.output else { return Ok(None) };
        let existing = match (self.append, self.force) {
            (true, _) => Existing::Append,
            (_, true) => Existing::Replace,
            _ => Existing::Refuse,
        };
        let mut writer = Writer::create(path, existing)?;
        writer.write(&Line::Manifest(Box::new(manifest.clone())))?;
        Ok(Some(writer))
    }
}
