//! Combines the ranks' files into a trace after the program has ended.

use std::ffi::OsString;

use panto_launch::{Coverage, Diagnosis, Recorded, Target};
use panto_trace::{Metadata, RankTrace, Trace, key};

use super::notes;
use crate::failure::Failure;
use crate::print;

/// The files to combine.
pub struct Outcome<'a> {
    pub target: &'a Target,
    pub words: &'a [OsString],
    pub keep: bool,
}

impl Outcome<'_> {
    /// Combines the ranks' files; returns how much of the program the trace has. Prints a summary
    /// if the file is the user's.
    pub fn combine(&self, is_kept: bool) -> Result<Coverage, Failure> {
        let recorded = Recorded::wait(self.target);
        if recorded.is_empty() {
            let _ = self.target.clear();
            return Err(panto_launch::Error::Untraced(Diagnosis::of(self.words)).into());
        }
        if recorded.several_programs {
            print::note("panto: the command started several MPI programs; the trace contains only the first");
        }
        // The library is no longer loaded, and the disk may be full.
        let _ = self.target.tidy();
        let trace = recorded.combine(self.target, &self.metadata())?;
        if is_kept {
            self.print_summary(&trace);
        }
        let cleaned = if self.keep { Ok(()) } else { self.target.clear() };
        cleaned.map_err(|error| {
            Failure::Run(format!("cannot remove {}: {error}", self.target.ranks().display()))
        })?;
        Ok(Coverage::of(&trace))
    }

    fn metadata(&self) -> Metadata {
        let mut facts = Metadata::default();
        let words: Vec<_> = self.words.iter().map(|word| word.to_string_lossy()).collect();
        facts.set(key::COMMAND, &words.join(" "));
        facts.set(key::VERSION, env!("CARGO_PKG_VERSION"));
        facts
    }

    fn print_summary(&self, trace: &Trace) {
        let file = self.target.file();
        let events = trace.ranks().iter().map(RankTrace::events_count).sum();
        let bytes = file.metadata().map_or(0, |data| data.len());
        let shown = file.display();
        print::note(format_args!(
            "panto: wrote {shown}: {}; `panto info {shown}` prints a summary",
            notes::totals(trace.ranks().len(), events, bytes)
        ));
        notes::print_warnings(trace);
    }
}

/// Prints where the files are after a rank failed: the launcher may kill the process that would
/// combine them.
pub fn print_location(rank: usize, target: &Target) {
    let ranks = target.ranks().display();
    // Printed even if the output of this process is off.
    print::alarm(format_args!(
        "panto: rank {rank} failed; if the launcher kills the others, combine the files with `panto trace combine {ranks} -o \
         {}`",
        target.file().display()
    ));
}
