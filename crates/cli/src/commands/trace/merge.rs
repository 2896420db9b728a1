//! `panto trace merge`

use std::path::PathBuf;
use std::process::ExitCode;

use panto_trace::{Trace, merge};

use super::target;
use crate::failure::Failure;
use crate::out;
use crate::trace::grouped;

/// Remove noise: make one trace of several runs, with the lower quartile of the computation before each call
#[derive(clap::Args)]
#[command(after_help = "The runs must have made the same calls; polls that found nothing are left out.\n\n\
                        Example:\n  panto trace merge run1.panto run2.panto run3.panto -o app.panto")]
pub struct Merge {
    /// Traces of the same program, with as many ranks; the first gives the structure
    #[arg(required = true, num_args = 2.., value_name = "TRACE")]
    traces: Vec<PathBuf>,

    /// The file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// Replace the file if it is there
    #[arg(long)]
    force: bool,
}

impl Merge {
    pub fn run(self) -> Result<ExitCode, Failure> {
        target::refuse_to_replace(&self.output, self.force)?;
        let traces = self.traces.iter().map(|path| Trace::open(path)).collect::<Result<Vec<_>, _>>()?;
        let merged = merge(&traces, &self.output)?;
        out::note(format_args!(
            "panto: {}: {} calls, from {} runs",
            self.output.display(),
            grouped(merged.calls),
            merged.runs
        ));
        Ok(ExitCode::SUCCESS)
    }
}
