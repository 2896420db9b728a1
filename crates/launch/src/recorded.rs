//! What the ranks recorded: their files, from the end of the program to one trace.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use panto_trace::{Metadata, Trace};

use crate::error::{Error, Result};
use crate::places::places;
use crate::target::{Target, is_rank};

/// Maximum wait for ranks that outlive their launcher.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// Time without writes after which the files are considered complete.
const QUIET_TIME: Duration = Duration::from_secs(1);

/// The files that the ranks of a program wrote.
#[derive(Debug)]
pub struct Recorded {
    files: Vec<PathBuf>,
    /// Whether the command started several MPI programs. Only the files of the first are kept.
    pub several_programs: bool,
}

impl Recorded {
    /// Waits until the ranks' files no longer grow, up to ten seconds, and returns those of the
    /// first MPI program. A rank whose file has no valid head was killed early, or its disk was
    /// full.
    pub fn wait(target: &Target) -> Self {
        settle(target.ranks());
        let paths = sizes(target.ranks()).into_iter().map(|(path, _)| path);
        let mut found: Vec<(u32, u32, PathBuf)> = paths
            .filter_map(|path| {
                let trace = Trace::open(&path).ok()?;
                Some((trace.ranks().first()?.rank(), trace.size(), path))
            })
            .collect();
        // The first program has the lowest ranks; only files with its number of ranks are kept.
        found.sort();
        let size = found.first().map(|(_, size, _)| *size);
        let all = found.len();
        found.retain(|(_, other, _)| Some(*other) == size);
        Self {
            several_programs: found.len() < all,
            files: found.into_iter().map(|(_, _, path)| path).collect(),
        }
    }

    /// Returns whether no rank was traced.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Combines the files into the target's file.
    pub fn combine(&self, target: &Target, metadata: &Metadata) -> Result<Trace> {
        Trace::open_all(&self.files)
            .and_then(|trace| {
                let mut metadata = metadata.clone();
                places(&trace)?.add_to(&mut metadata);
                panto_trace::combine(&trace, target.file(), &metadata)
            })
            .and_then(|_| Trace::open(target.file()))
            .map_err(|source| Error::NotCombined { ranks: target.ranks().to_owned(), source })
    }
}

/// Returns the total size of the ranks' files in a directory, in bytes.
pub fn bytes_recorded(ranks: &Path) -> u64 {
    sizes(ranks).iter().map(|(_, bytes)| bytes).sum()
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
fn sizes(folder: &Path) -> Vec<(PathBuf, u64)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let ranks = entries.filter(|entry| entry.file_name().to_str().is_some_and(is_rank));
    let mut sizes: Vec<_> =
        ranks.map(|entry| (entry.path(), entry.metadata().map_or(0, |data| data.len()))).collect();
    sizes.sort();
    sizes
}
