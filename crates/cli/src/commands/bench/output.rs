//! Where the results go.

use std::path::PathBuf;

use clap::Args;
use panto_bench::decide;
use panto_bench::results::{Existing, Line, Manifest, Writer};
use panto_transport::World;

use crate::failure::Failure;
use crate::plot::Target;
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

    /// What to call the state of things that is measured, such as a version: `panto history` goes by it
    #[arg(long, value_name = "TEXT", requires = "output")]
    label: Option<String>,

    /// Draw what was measured: one SVG per kernel into a directory, or for a paper into a file (.svg, .png, or .dat with a script
    /// for gnuplot)
    #[arg(long, value_name = "DIR|OUT.svg|OUT.png|OUT.dat")]
    plot: Option<PathBuf>,

    /// Write the fastest of our algorithms at each size and number of ranks as a file of rules, for `collectives.rules` of a model (suite
    /// scenario)
    #[arg(long, value_name = "FILE")]
    pub rules: Option<PathBuf>,
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
        let Some(path) = &self.plot else { return Ok(None) };
        Target::new(path).prepare().map_err(|source| panto_bench::Error::Io {
            what: "cannot write",
            path: path.clone(),
            source,
        })?;
        Ok(Some(path.clone()))
    }

    fn writer(&self, manifest: &Manifest) -> panto_bench::Result<Option<Writer>> {
        let Some(path) = &self.output else { return Ok(None) };
        let existing = match (self.append, self.force) {
            (true, _) => Existing::Append,
            (_, true) => Existing::Replace,
            _ => Existing::Refuse,
        };
        let mut writer = Writer::create(path, existing)?;
        let manifest = Manifest { label: self.label.clone(), ..manifest.clone() };
        writer.write(&Line::Manifest(Box::new(manifest)))?;
        Ok(Some(writer))
    }
}
