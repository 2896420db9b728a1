//! `panto info`

use std::path::PathBuf;
use std::process::ExitCode;

use panto_bench::results::{read, salvage};

use crate::failure::Failure;
use crate::model;
use crate::show::{self, Format};

/// Show what is in a result file, or what a machine model promises
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  panto info run.jsonl\n  panto info run.jsonl --format csv > run.csv\n  \
                        panto info run.jsonl --plot plots\n  panto info --salvage broken.jsonl\n  panto info my-machine.toml\n  panto info cm5"
)]
pub struct Info {
    /// A file that `panto bench -o` wrote, or a machine: a model file or the name of a built-in
    file: PathBuf,

    /// How to print it
    #[arg(short, long, value_enum, default_value_t = Format::Table)]
    format: Format,

    /// Write one SVG per kernel into this directory
    #[arg(long, value_name = "DIR")]
    plot: Option<PathBuf>,

    /// Show as much of a damaged file as is sound
    #[arg(long)]
    salvage: bool,
}

impl Info {
    pub fn run(self) -> Result<ExitCode, Failure> {
        if model::is_model(&self.file) {
            if self.plot.is_some() {
                return Err(Failure::Usage(
                    "a machine model has no plots; bench it first: --on MODEL --plot DIR".into(),
                ));
            }
            model::info(&self.file, self.format)?;
            return Ok(ExitCode::SUCCESS);
        }
        let results = if self.salvage { salvage(&self.file)? } else { read(&self.file)? };
        let Some(manifest) = results.manifests.last() else {
            return Err(Failure::Usage(format!("{} holds no results", self.file.display())));
        };
        if self.format == Format::Table {
            show::manifests(&results.manifests);
            show::tables(&results.records);
        }
        show::results(self.format, manifest, &results.records, results.ends.last());
        if let Some(directory) = &self.plot {
            std::fs::create_dir_all(directory).map_err(|error| Failure::write(directory, &error))?;
            show::plots(directory, manifest, &results.records)?;
        }
        if let Some(damage) = &results.damage {
            eprintln!("panto: the rest of the file is lost: {damage}");
        } else if results.is_incomplete() {
            eprintln!("panto: the run was stopped before it had measured everything");
        }
        Ok(ExitCode::SUCCESS)
    }
}
