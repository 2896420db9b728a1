//! Import: from actions to a trace.

use std::path::{Path, PathBuf};

use super::action::Importer;
use super::args::{Args, Line};
use super::check_rate;
use crate::ImportSummary;
use crate::error::{Error, Result};
use crate::stream::{MAX_RANKS, RankStream, Target};

/// A file and its content.
struct Source {
    file: String,
    text: String,
}

/// Reads a time-independent trace and writes it as one of Panto's; `flops` floating-point
/// operations take one second.
///
/// The file has the actions of all ranks, or lists one file per line, relative to the working
/// directory or to the list.
pub fn read(path: &Path, flops: f64, target: &Path) -> Result<ImportSummary> {
    check_rate(flops)?;
    let sources = sources(path)?;
    let actions = by_rank(&sources)?;
    let ranks = actions.len() as u32;
    let name = path.display().to_string();
    if let Some(missing) = actions.iter().position(Vec::is_empty) {
        let text =
            format!("rank {missing} of {ranks} has no actions; every rank needs init and finalize at least");
        return Err(Error::Parse { file: name, line: 1, column: 1, text });
    }
    let mut made = Target::create(target, ranks, "SimGrid's time-independent trace", &name)?;
    let streams = made.streams();
    let (mut unmatched_waits, mut wildcards) = (0, 0);
    for (rank, actions) in (0..).zip(&actions) {
        let mut importer = Importer::new(streams.begin(rank), rank, ranks, flops);
        actions.iter().try_for_each(|args| importer.action(args))?;
        (unmatched_waits, wildcards) =
            (unmatched_waits + importer.unmatched_waits, wildcards + importer.wildcards);
        made.add(&RankStream::end(importer.finish()))?;
    }
    let notes = [
        (unmatched_waits, "waits without a matching request omitted"),
        (wildcards, "receives have wildcards; simulate them with --wildcards rematch"),
    ];
    let counted = notes.into_iter().filter(|(count, _)| *count > 0);
    let notes = counted.map(|(count, what)| format!("{count} {what}")).collect();
    let imported = ImportSummary { ranks, calls: made.calls, notes };
    made.finish()?;
    Ok(imported)
}

/// Groups the actions by rank.
fn by_rank(sources: &[Source]) -> Result<Vec<Vec<Args<'_>>>> {
    let mut ranks: Vec<Vec<Args<'_>>> = Vec::new();
    for source in sources {
        for (number, text) in (1..).zip(source.text.lines()) {
            if text.trim().is_empty() || text.trim_start().starts_with('#') {
                continue;
            }
            let line = Line { file: &source.file, number, text };
            let (rank, args) = line.split()?;
            if rank >= MAX_RANKS {
                return Err(line
                    .error(text.trim_start(), format!("found rank {rank}, expected one below {MAX_RANKS}")));
            }
            if ranks.len() <= rank as usize {
                ranks.resize_with(rank as usize + 1, Vec::new);
            }
            ranks[rank as usize].push(args);
        }
    }
    if ranks.is_empty() {
        let file = sources.first().map_or_else(String::new, |source| source.file.clone());
        let text = "no actions found; a trace has lines such as `0 compute 1e6`".into();
        return Err(Error::Parse { file, line: 1, column: 1, text });
    }
    Ok(ranks)
}

fn sources(path: &Path) -> Result<Vec<Source>> {
    let source = load(path)?;
    let first = source.text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
    let mut words = first.unwrap_or_default().split_whitespace();
    let is_rank = words.next().is_some_and(|word| word.parse::<u32>().is_ok());
    if first.is_none() || is_rank && words.next().is_some() {
        return Ok(vec![source]);
    }
    let names = source.text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    names.map(|name| load(&find(name, path)).map_err(|error| listed(error, name, path))).collect()
}

/// Explains why a line was taken for the name of a file.
fn listed(error: Error, name: &str, list: &Path) -> Error {
    match error {
        Error::File { error, .. } => Error::Usage(format!(
            "{}: no actions such as `0 compute 1e6`, and its line `{name}` is not the name of a file: {error}",
            list.display()
        )),
        other => other,
    }
}

/// Resolves the name of a file in a list.
fn find(name: &str, list: &Path) -> PathBuf {
    let beside = list.with_file_name(name);
    if Path::new(name).exists() || !beside.exists() { name.into() } else { beside }
}

fn load(path: &Path) -> Result<Source> {
    let bytes = std::fs::read(path).map_err(|error| Error::file(path, error))?;
    let file = path.display().to_string();
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Source { file, text }),
        Err(error) => {
            let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = valid.split(|byte| *byte == b'\n').count();
            Err(Error::Parse {
                file,
                line,
                column: 1,
                text: "not UTF-8 text; give a time-independent trace of SimGrid".into(),
            })
        }
    }
}
