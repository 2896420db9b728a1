//! `panto trace combine`

use std::path::PathBuf;
use std::process::ExitCode;

use panto_trace::{Facts, Trace, combine};

use super::target;
use crate::failure::Failure;
use crate::out;
use crate::trace::{listed, named};

/// Make one file of the ranks' own files, as `panto trace --keep` or a run that was cut short left them
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  panto trace combine app.panto.ranks -o app.panto\n  panto trace combine 0.rank 1.rank -o part.panto"
)]
pub struct Combine {
    /// A folder with the ranks' files, or these files
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// The file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// Replace the file if it is there
    #[arg(long)]
    force: bool,
}

impl Combine {
    pub fn run(self) -> Result<ExitCode, Failure> {
        target::refuse_to_replace(&self.output, self.force)?;
        let trace = Trace::open_all(&self.paths)?;
        // What is known of the whole is in the facts of a whole trace, and else in those of its ranks.
        let facts: Facts = trace.facts().clone();
        let combined = combine(&trace, &self.output, &facts)?;
        for damage in &combined.damage {
            out::note(format_args!("panto: left out from there on: {damage}"));
        }
        if !combined.missing.is_empty() {
            let missing = listed(&combined.missing);
            out::note(format_args!("panto: of {} ranks these are missing: {missing}", trace.size()));
        }
        if !combined.incomplete.is_empty() {
            let incomplete = named(&combined.incomplete);
            out::note(format_args!("panto: the last calls are missing on {incomplete}"));
        }
        out::note(format_args!("panto: {}: {} ranks", self.output.display(), combined.ranks));
        Ok(ExitCode::SUCCESS)
    }
}
