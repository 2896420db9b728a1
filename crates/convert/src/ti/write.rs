//! Export: from a trace to actions.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use panto_container::CompleteFile;
use panto_trace::{Trace, World};

use super::check_rate;
use super::export::{Export, TagSpaces};
use crate::ExportSummary;
use crate::error::{Error, Result};
use crate::output::{self, Output};

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
    let written = write_ranks(trace, flops, &folder).and_then(|(exported, files)| {
        let mut list = Output::create(target)?;
        for file in &files {
            list.text(format_args!("{}\n", file.target().display()))?;
        }
        // Until all files are complete, an earlier trace stays as it is.
        let list = list.complete()?;
        output::rename(files.into_iter().chain([list]))?;
        Ok(exported)
    });
    if written.is_err() {
        // Fails if the files of an earlier trace are in it, which stay.
        let _ = std::fs::remove_dir(&folder);
    }
    written
}

/// Writes the files of all ranks, under temporary names.
fn write_ranks(trace: &Trace, flops: f64, folder: &Path) -> Result<(ExportSummary, Vec<CompleteFile>)> {
    let world = World::new(trace)?;
    let spaces = TagSpaces::new(&world);
    let mut exported = ExportSummary { ranks: trace.size(), ..ExportSummary::default() };
    let (mut notes, mut files) = (BTreeMap::new(), Vec::new());
    for rank in trace.ranks() {
        let lines = Export::new(&spaces, rank.rank(), trace.size(), flops, &mut notes).lines(rank)?;
        files.push(put(&folder.join(format!("rank-{}.txt", rank.rank())), rank.rank(), &lines)?);
        exported.operations += lines.len() as u64;
    }
    exported.notes = notes.into_iter().map(|(what, count): (&str, u64)| format!("{count} {what}")).collect();
    Ok((exported, files))
}

fn beside(target: &Path) -> PathBuf {
    let mut name: OsString = target.as_os_str().to_owned();
    name.push("_files");
    name.into()
}

fn put(path: &Path, rank: u32, lines: &[String]) -> Result<CompleteFile> {
    let mut file = Output::create(path)?;
    for line in lines {
        file.text(format_args!("{rank} {line}\n"))?;
    }
    file.complete()
}
