//! `panto info`

use std::path::PathBuf;
use std::process::ExitCode;

use panto_bench::results::{read, salvage};
use panto_timeline::Timeline;
use panto_trace::Trace;

use crate::failure::Failure;
use crate::library;
use crate::out;
use crate::show::{self, Format};
use crate::{model, mpi, scenario, timeline, trace};

/// Show what is in a result file, a trace or a timeline, what a machine model promises, what happens in a scenario, or which MPI would be used
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  panto info run.jsonl\n  panto info run.jsonl --format csv > run.csv\n  \
                        panto info run.jsonl --plot plots\n  panto info --salvage broken.jsonl\n  panto info app.panto\n  panto info my-machine.toml\n  panto info cm5\n  panto info my-scenario.toml\n  panto info staggered\n  \
                        panto info mpi\n  mpirun -n 4 panto info mpi --check     does this MPI keep its promises?"
)]
pub struct Info {
    /// A file that `panto bench -o`, `panto trace -o` or `panto simulate --timeline` wrote, a machine (a model file or the name of a built-in), a scenario (likewise), or `mpi`
    file: PathBuf,

    /// How to print it
    #[arg(short, long, value_enum, default_value_t = Format::Table)]
    format: Format,

    /// Draw what was measured: one SVG per kernel into a directory, or for a paper into a file (.svg, .png, or .dat with a script
    /// for gnuplot)
    #[arg(long, value_name = "DIR|OUT.svg|OUT.png|OUT.dat")]
    plot: Option<PathBuf>,

    /// Of results of the suite scenario: write the fastest of our algorithms as a file of rules, for `collectives.rules` of a model
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,

    /// Show as much of a damaged file as is sound
    #[arg(long)]
    salvage: bool,

    /// With `mpi`, under its launcher: run the conformance test of the message layer
    #[arg(long)]
    check: bool,
}

impl Info {
    /// Do all processes of an MPI job take part?
    pub fn is_for_all(&self) -> bool {
        self.file.as_os_str() == mpi::NAME
    }

    pub fn run(self) -> Result<ExitCode, Failure> {
        if self.is_for_all() {
            if self.plot.is_some() || self.salvage {
                return Err(Failure::Usage(
                    "--plot and --salvage are for files of results; leave them out".into(),
                ));
            }
            return library::info(self.format, self.check);
        }
        if self.check {
            return Err(Failure::Usage("--check is for `panto info mpi`, under a launcher".into()));
        }
        if Trace::recognises(&self.file) {
            if self.plot.is_some() {
                return Err(Failure::Usage("a trace has no plots; leave --plot out".into()));
            }
            return trace::info(&self.file, self.format, self.salvage);
        }
        if Timeline::recognises(&self.file) {
            if self.plot.is_some() {
                return Err(Failure::Usage("--plot is for results of `panto bench`; leave it out".into()));
            }
            return timeline::info(&self.file, self.format, self.salvage);
        }
        if scenario::is_scenario(&self.file) {
            if self.plot.is_some() {
                return Err(Failure::Usage(
                    "a scenario has no plots; bench it first: panto bench scenario/own --scenario FILE --plot DIR".into(),
                ));
            }
            scenario::info(&self.file, self.format)?;
            return Ok(ExitCode::SUCCESS);
        }
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
        if let Some(target) = &self.plot {
            show::plots(target, manifest, &results.records)?;
        }
        if let Some(rules) = &self.rules {
            show::rules(rules, &results.records)?;
        }
        if let Some(damage) = &results.damage {
            out::note(format_args!("panto: the rest of the file is lost: {damage}"));
        } else if results.is_incomplete() {
            out::note("panto: the run was stopped before it had measured everything");
        }
        Ok(ExitCode::SUCCESS)
    }
}
