//! Reads results: Panto's results files, and the output of other benchmarks.

mod columns;
mod imb;
mod osu;
mod panto;
mod text;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use panto_results::{Error, Result};

use crate::run::Run;

/// The number of bytes at the beginning of a file that are read to detect its format.
const START: u64 = 4096;

/// Returns whether a line is the title of a table of the OSU or Intel MPI benchmarks.
pub(crate) fn is_title(line: &str) -> bool {
    let text = line.trim();
    osu::title(text).is_some() || imb::title(text).is_some()
}

/// Reads one file of any kind.
pub(crate) fn file(path: &Path, salvage: bool) -> Result<Run> {
    let failed = |source| Error::Io { failure: "cannot read", path: path.into(), source };
    let mut start = Vec::new();
    File::open(path).and_then(|file| file.take(START).read_to_end(&mut start)).map_err(failed)?;
    match start.iter().find(|byte| !byte.is_ascii_whitespace()) {
        None => Err(Error::BadFile {
            path: path.into(),
            line: 1,
            reason: "the file is empty; measure something: panto bench comet -o FILE".into(),
        }),
        Some(b'{') => panto::read(path, salvage),
        Some(_) => text::read(path, &std::fs::read(path).map_err(failed)?),
    }
}
