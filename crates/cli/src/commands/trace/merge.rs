//! `panto trace merge`: merges traces of several runs to reduce noise.

use std::path::PathBuf;
use std::process::ExitCode;

use panto_launch::refuse_to_replace;
use panto_trace::{Trace, merge};
use panto_units::grouped;

use crate::failure::Failure;
use crate::{interrupt, print};

/// Merge traces of several runs to reduce noise: computation before each call is the lower quartile
/// over the runs.
#[derive(clap::Args)]
#[command(after_help = "The runs must make the same calls; unsuccessful polls are ignored.\n\n\
                        Example:\n  panto trace merge run1.panto run2.panto run3.panto -o app.panto")]
pub struct Merge {
    /// Traces of the same program with the same number of ranks; the first provides the structure.
    #[arg(required = true, num_args = 2.., value_name = "TRACE")]
    traces: Vec<PathBuf>,

    /// Output file.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// Replace the file if it exists.
    #[arg(long)]
    force: bool,
}

impl Merge {
    pub fn run(self) -> Result<ExitCode, Failure> {
        refuse_to_replace(&self.output, self.force)?;
        interrupt::end_without_leftovers()?;
        let traces = self.traces.iter().map(|path| Trace::open(path)).collect::<Result<Vec<_>, _>>()?;
        let merged = merge(&traces, &self.output)?;
        print::note(format_args!(
            "panto: {}: {} calls, from {} runs",
            self.output.display(),
            grouped(merged.calls),
            merged.runs
        ));
        Ok(ExitCode::SUCCESS)
    }
}
