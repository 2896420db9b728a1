//! Export: from a trace to actions.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use panto_trace::{Trace, World};

use super::check_rate;
use super::export::{Export, TagSpaces};
use crate::ExportSummary;
use crate::error::{Error, Result};

/// Writes a trace for `smpirun -replay`: `target` lists one file per rank, which are in a folder
/// beside it. One second of computation becomes `flops` floating-point operations.
///
/// Collectives stay collectives. The format has one communicator, so tags of communicators other
/// than `MPI_COMM_WORLD` are renumbered.
pub fn write(trace: &Trace, flops: f64, target: &Path) -> Result<ExportSummary> {
    check_rate(flops)?;
    if !trace.is_complete() {
        let text = format!(
            "{}: incomplete trace: not all ranks reached their end; trace the program again",
            trace.path().display()
        );
        return Err(Error::Usage(text));
    }
    let folder = beside(target);
    std::fs::create_dir_all(&folder).map_err(|error| Error::file(&folder, error))?;
    let mut files = Vec::new();
    let written = write_ranks(trace, flops, &folder, &mut files).and_then(|exported| {
        let list: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
        std::fs::write(target, list.join("\n") + "\n").map_err(|error| Error::file(target, error))?;
        Ok(exported)
    });
    if written.is_err() {
        // A partial trace must not look like a complete one, and an old list must not refer to
        // deleted files.
        for path in files.iter().map(PathBuf::as_path).chain([target]) {
            let _ = std::fs::remove_file(path);
        }
        let _ = std::fs::remove_dir(&folder);
    }
    written
}

/// Writes the files of all ranks; `files` receives the paths of those created.
fn write_ranks(trace: &Trace, flops: f64, folder: &Path, files: &mut Vec<PathBuf>) -> Result<ExportSummary> {
    let world = World::new(trace)?;
    let spaces = TagSpaces::new(&world);
    let mut exported = ExportSummary { ranks: trace.size(), ..ExportSummary::default() };
    let mut notes = BTreeMap::new();
    for rank in trace.ranks() {
        let lines = Export::new(&spaces, rank.rank(), trace.size(), flops, &mut notes).lines(rank)?;
        files.push(folder.join(format!("rank-{}.txt", rank.rank())));
        put(&files[files.len() - 1], rank.rank(), &lines)?;
        exported.operations += lines.len() as u64;
    }
    exported.notes = notes.into_iter().map(|(what, count): (&str, u64)| format!("{count} {what}")).collect();
    Ok(exported)
}

fn beside(target: &Path) -> PathBuf {
    let mut name: OsString = target.as_os_str().to_owned();
    name.push("_files");
    name.into()
}

fn put(path: &Path, rank: u32, lines: &[String]) -> Result<()> {
    let failed = |error| Error::file(path, error);
    let mut file = BufWriter::new(File::create(path).map_err(failed)?);
    for line in lines {
        writeln!(file, "{rank} {line}").map_err(failed)?;
    }
    file.flush().map_err(failed)
}
