//! From the actions of ranks to a trace.

use std::path::{Path, PathBuf};

use super::action::Walk;
use super::args::{Args, Line};
use super::check_rate;
use crate::Imported;
use crate::error::{Error, Result};
use crate::stream::{MOST_RANKS, Target};

/// A file and its text.
struct Source {
    file: String,
    text: String,
}

/// Reads a trace, and writes it as one of Panto's. `flops` operations take a second.
///
/// The file has the actions of all ranks, or names a file a line: as it is, or beside the list.
pub fn read(path: &Path, flops: f64, target: &Path) -> Result<Imported> {
    check_rate(flops)?;
    let sources = sources(path)?;
    let actions = by_rank(&sources)?;
    let ranks = actions.len() as u32;
    let name = path.display().to_string();
    if let Some(silent) = actions.iter().position(Vec::is_empty) {
        let text = format!(
            "rank {silent} of {ranks} has no actions; a trace has all ranks, with init and finalize at least"
        );
        return Err(Error::Text { file: name, line: 1, column: 1, text });
    }
    let mut made = Target::create(target, ranks, "SimGrid's time-independent trace", &name)?;
    let (mut lost, mut wild) = (0, 0);
    for (rank, actions) in (0..).zip(&actions) {
        let mut walk = Walk::new(made.stream(rank), rank, ranks, flops);
        actions.iter().try_for_each(|args| walk.action(args))?;
        (lost, wild) = (lost + walk.lost, wild + walk.wild);
        made.add(walk.finish())?;
    }
    let notes = [
        (lost, "waits found nothing to wait for, and were left out"),
        (wild, "receives take what comes first; simulate them with --wildcards rematch"),
    ];
    let said = notes.into_iter().filter(|(count, _)| *count > 0);
    let notes = said.map(|(count, what)| format!("{count} {what}")).collect();
    let imported = Imported { ranks, calls: made.calls, notes };
    made.finish()?;
    Ok(imported)
}

/// The actions of each rank.
fn by_rank(sources: &[Source]) -> Result<Vec<Vec<Args<'_>>>> {
    let mut ranks: Vec<Vec<Args<'_>>> = Vec::new();
    for source in sources {
        for (number, text) in (1..).zip(source.text.lines()) {
            if text.trim().is_empty() || text.trim_start().starts_with('#') {
                continue;
            }
            let line = Line { file: &source.file, number, text };
            let (rank, args) = line.split()?;
            if rank >= MOST_RANKS {
                return Err(line.error(
                    text.trim_start(),
                    format!("found rank {rank}, expected one below {MOST_RANKS}"),
                ));
            }
            if ranks.len() <= rank as usize {
                ranks.resize_with(rank as usize + 1, Vec::new);
            }
            ranks[rank as usize].push(args);
        }
    }
    if ranks.is_empty() {
        let file = sources.first().map_or_else(String::new, |source| source.file.clone());
        let text = "there are no actions; a trace has lines such as `0 compute 1e6`".into();
        return Err(Error::Text { file, line: 1, column: 1, text });
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
    names.map(|name| load(&find(name, path))).collect()
}

/// A file that a list names.
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
            let sound = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = sound.split(|byte| *byte == b'\n').count();
            Err(Error::Text {
                file,
                line,
                column: 1,
                text: "this is not text in UTF-8; give a trace of SimGrid".into(),
            })
        }
    }
}
