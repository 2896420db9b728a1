//! `panto trace combine`: combines the files of ranks into a trace.

use std::path::PathBuf;
use std::process::ExitCode;

use panto_launch::{places, refuse_to_replace};
use panto_report::present::rank_names;
use panto_trace::{Metadata, Trace, combine};

use crate::failure::Failure;
use crate::{interrupt, print};

/// Combine the per-rank files of `panto trace --keep` or of a killed run into one trace.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  panto trace combine app.panto.ranks -o app.panto\n  panto trace combine 0.rank 1.rank -o part.panto"
)]
pub struct Combine {
    /// Directory of per-rank files, or the files themselves.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Output file.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// Replace the file if it exists.
    #[arg(long)]
    force: bool,
}

impl Combine {
    pub fn run(self) -> Result<ExitCode, Failure> {
        refuse_to_replace(&self.output, self.force)?;
        interrupt::end_without_leftovers()?;
        let trace = Trace::open_all(&self.paths)?;
        // Metadata of the whole run are those of a combined trace; single ranks keep their own.
        let mut facts: Metadata = trace.metadata().clone();
        places(&trace)?.add_to(&mut facts);
        let combined = combine(&trace, &self.output, &facts)?;
        for damage in &combined.damage {
            print::note(format_args!("panto: truncated at the damage: {damage}"));
        }
        if !combined.missing.is_empty() {
            let missing = rank_names(&combined.missing);
            print::note(format_args!("panto: missing {missing} (of {} ranks)", trace.size()));
        }
        if !combined.incomplete.is_empty() {
            let incomplete = rank_names(&combined.incomplete);
            print::note(format_args!("panto: the last calls are missing on {incomplete}"));
        }
        print::note(format_args!("panto: {}: {} ranks", self.output.display(), combined.ranks));
        Ok(ExitCode::SUCCESS)
    }
}
