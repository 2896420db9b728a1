//! What becomes of the ranks' files when the program has ended.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use panto_trace::{Facts, RankTrace, Trace, key};

use super::target::Target;
use super::{nothing, say};
use crate::failure::Failure;
use crate::out;

/// Ranks that lost their launcher may go on for a moment.
const LAST_WORDS: Duration = Duration::from_secs(10);

/// Nothing was written for so long: nothing more will come.
const SILENCE: Duration = Duration::from_secs(1);

/// What is combined, and into what.
pub struct Outcome<'a> {
    pub target: &'a Target,
    pub words: &'a [OsString],
    pub keep: bool,
}

impl Outcome<'_> {
    /// Makes one file of the ranks' files, and says what is in it; answers whether all ranks came to their end.
    pub fn combine(&self) -> Result<bool, Failure> {
        let ranks = self.target.ranks();
        settle(ranks);
        let files = rank_files(ranks);
        if files.is_empty() {
            let _ = self.target.clear();
            return Err(Failure::Usage(nothing::why(self.words)));
        }
        // Nobody loads the library any more, and the disk may be full.
        let _ = self.target.tidy();
        let combined = Trace::open_all(&files)
            .and_then(|trace| panto_trace::combine(&trace, self.target.file(), &self.facts()))
            .and_then(|_| Trace::open(self.target.file()));
        let trace = combined.map_err(|error| {
            let shown = ranks.display();
            Failure::Run(format!(
                "{error}. What the ranks recorded is in {shown}; `panto trace combine {shown} -o FILE` makes a trace of it"
            ))
        })?;
        self.say(&trace);
        let cleaned = if self.keep { Ok(()) } else { self.target.clear() };
        cleaned.map_err(|error| Failure::Run(format!("cannot take {} away: {error}", ranks.display())))?;
        Ok(trace.is_complete())
    }

    fn facts(&self) -> Facts {
        let mut facts = Facts::default();
        let words: Vec<_> = self.words.iter().map(|word| word.to_string_lossy()).collect();
        facts.set(key::COMMAND, &words.join(" "));
        facts.set(key::VERSION, env!("CARGO_PKG_VERSION"));
        facts
    }

    fn say(&self, trace: &Trace) {
        let file = self.target.file();
        let events = trace.ranks().iter().map(RankTrace::events_count).sum();
        let bytes = file.metadata().map_or(0, |data| data.len());
        let shown = file.display();
        out::note(format_args!(
            "panto: {shown}: {}; `panto info {shown}` shows what is in it",
            say::totals(trace.ranks().len(), events, bytes)
        ));
        say::shortcomings(trace);
    }
}

/// A rank failed, and the others have not ended yet: perhaps nobody will be left to combine.
pub fn say_where(rank: usize, target: &Target) {
    let ranks = target.ranks().display();
    // This process may be one that says nothing else.
    eprintln!(
        "panto: rank {rank} failed; if the launcher kills the others, what they recorded is in {ranks}: `panto trace combine {ranks} -o \
         {}`",
        target.file().display()
    );
}

/// The ranks' files that have a beginning at least. One without is of a rank that had no time or no room for it.
///
/// A command may start several MPI programs, one after the other or one by another; then the first has the low ranks, and only what is of
/// the same number of ranks is of the same program.
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
        out::note("panto: the command started more than one MPI program; only the first is in the trace");
    }
    found.into_iter().map(|(_, _, path)| path).collect()
}

/// Waits until nobody writes any more, but not for long.
fn settle(folder: &Path) {
    let start = Instant::now();
    let (mut last, mut since) = (sizes(folder), Instant::now());
    let is_complete = || Trace::open(folder).is_ok_and(|trace| trace.is_complete());
    while !last.is_empty() && start.elapsed() < LAST_WORDS && since.elapsed() < SILENCE && !is_complete() {
        std::thread::sleep(Duration::from_millis(50));
        let now = sizes(folder);
        if now != last {
            (last, since) = (now, Instant::now());
        }
    }
}

/// The ranks' files and their lengths.
pub fn sizes(folder: &Path) -> Vec<(PathBuf, u64)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let ranks = entries.filter(|entry| entry.path().extension().is_some_and(|end| end == "rank"));
    let mut sizes: Vec<_> =
        ranks.map(|entry| (entry.path(), entry.metadata().map_or(0, |data| data.len()))).collect();
    sizes.sort();
    sizes
}
