//! Combines the ranks' files into a trace after the program has ended.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use panto_trace::{Metadata, RankTrace, Trace, key};

use super::target::Target;
use super::{diagnosis, notes};
use crate::failure::Failure;
use crate::print;

/// Maximum wait for ranks that outlive their launcher.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// Time without writes after which the files are considered complete.
const QUIET_TIME: Duration = Duration::from_secs(1);

/// The files to combine.
pub struct Outcome<'a> {
    pub target: &'a Target,
    pub words: &'a [OsString],
    pub keep: bool,
}

impl Outcome<'_> {
    /// Combines the ranks' files and prints a summary; returns whether all ranks reached
    /// `MPI_Finalize`.
    pub fn combine(&self) -> Result<bool, Failure> {
        let ranks = self.target.ranks();
        settle(ranks);
        let files = rank_files(ranks);
        if files.is_empty() {
            let _ = self.target.clear();
            return Err(Failure::Usage(diagnosis::why(self.words)));
        }
        // The library is no longer loaded, and the disk may be full.
        let _ = self.target.tidy();
        let combined = Trace::open_all(&files)
            .and_then(|trace| panto_trace::combine(&trace, self.target.file(), &self.metadata()))
            .and_then(|_| Trace::open(self.target.file()));
        let trace = combined.map_err(|error| {
            let shown = ranks.display();
            Failure::Run(format!(
                "{error}. The ranks' files are in {shown}; combine them with `panto trace combine {shown} -o FILE`"
            ))
        })?;
        self.print_summary(&trace);
        let cleaned = if self.keep { Ok(()) } else { self.target.clear() };
        cleaned.map_err(|error| Failure::Run(format!("cannot remove {}: {error}", ranks.display())))?;
        Ok(trace.is_complete())
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
    eprintln!(
        "panto: rank {rank} failed; if the launcher kills the others, combine the files with `panto trace combine {ranks} -o \
         {}`",
        target.file().display()
    );
}

/// Returns the ranks' files that have a valid head. A rank without one was killed early, or its
/// disk was full.
///
/// A command may start several MPI programs. The first has the lowest ranks, and only files with
/// its number of ranks are kept.
fn rank_files(folder: &Path) -> Vec<PathBuf> {
    let paths = sizes(folder).into_iter().map(|(path, _)| path);
    let mut found: Vec<(u32, u32, PathBuf)> = paths
        .filter_map(|path| {
            let trace = Trace::open(&path).ok()?;
            Some((trace.ranks().first()?.rank(), trace.size(), path))
        })
        .collect();
    found.sort();
    let size = found.first().map(|(_, size, _)| *size);
    let all = found.len();
    found.retain(|(_, other, _)| Some(*other) == size);
    if found.len() < all {
        print::note("panto: the command started several MPI programs; the trace contains only the first");
    }
    found.into_iter().map(|(_, _, path)| path).collect()
}

/// Waits until the files no longer grow, up to a limit.
fn settle(folder: &Path) {
    let start = Instant::now();
    let (mut last, mut since) = (sizes(folder), Instant::now());
    let is_complete = || Trace::open(folder).is_ok_and(|trace| trace.is_complete());
    while !last.is_empty() && start.elapsed() < MAX_WAIT && since.elapsed() < QUIET_TIME && !is_complete() {
        std::thread::sleep(Duration::from_millis(50));
        let now = sizes(folder);
        if now != last {
            (last, since) = (now, Instant::now());
        }
    }
}

/// Returns the ranks' files and their lengths in bytes.
pub fn sizes(folder: &Path) -> Vec<(PathBuf, u64)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let ranks = entries.filter(|entry| entry.path().extension().is_some_and(|end| end == "rank"));
    let mut sizes: Vec<_> =
        ranks.map(|entry| (entry.path(), entry.metadata().map_or(0, |data| data.len()))).collect();
    sizes.sort();
    sizes
}
