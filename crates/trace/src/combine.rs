//! Streams of ranks become one file.

use std::path::Path;

use crate::block::{BlockKind, Content, HEADER};
use crate::error::{Error, Result};
use crate::facts::{Facts, key};
use crate::ranks::Ranks;
use crate::read::{Place, RankTrace, Trace};
use crate::stream::HEAD;
use crate::write::WholeWriter;

/// What became of the streams.
#[derive(Debug, Default)]
pub struct Combined {
    /// Ranks in the new file.
    pub ranks: usize,
    /// Ranks of the program that left nothing.
    pub missing: Ranks,
    /// Ranks whose stream has no end: the program was killed, or the disk was full, or the stream is damaged.
    pub incomplete: Ranks,
    /// What is wrong with damaged streams. They are in the new file up to there.
    pub damage: Vec<String>,
}

/// Writes all ranks of a trace to one file, block by block as they are, each checked on the way. The facts are those of the whole.
///
/// The new file gets its name when it is whole. It must not be one of those that are read.
pub fn combine(trace: &Trace, target: &Path, facts: &Facts) -> Result<Combined> {
    refuse_to_overwrite(trace, target)?;
    let mut combined = Combined {
        ranks: trace.ranks().len(),
        missing: trace.missing(),
        damage: trace.outline_damage().map(ToString::to_string).collect(),
        ..Combined::default()
    };
    let mut writer = WholeWriter::create(target, trace.size(), facts)?;
    let mut incomplete = Vec::new();
    for rank in trace.ranks() {
        let damage = copy(rank, &mut writer)?;
        if damage.is_some() || !rank.is_complete() {
            incomplete.push(rank.rank());
        }
        combined.damage.extend(damage.map(|error| error.to_string()));
    }
    writer.finish()?;
    combined.incomplete = incomplete.into_iter().collect();
    Ok(combined)
}

/// Copies a stream as far as it is sound; answers what is wrong with the rest. The copy says it, too.
fn copy(rank: &RankTrace, writer: &mut WholeWriter) -> Result<Option<Error>> {
    writer.begin_stream();
    writer.write(&rank.head().to_bytes())?;
    let damage = copy_blocks(rank, writer)?;
    if let Some(error) = &damage {
        let mut facts = Facts::default();
        facts.set(key::STOPPED, error);
        let mut bytes = Vec::new();
        Content::single(BlockKind::Facts, facts.to_text().as_bytes()).seal(&mut bytes);
        writer.write(&bytes)?;
    }
    writer.end_stream();
    Ok(damage)
}

fn copy_blocks(rank: &RankTrace, writer: &mut WholeWriter) -> Result<Option<Error>> {
    let mut at = rank.range().start + HEAD as u64;
    let (mut header, mut stored) = ([0; HEADER], Vec::new());
    while at < rank.range().end {
        let Some(place) = Place::at(rank.source(), at, rank.range().end)?.ok().flatten() else { break };
        if let Err(what) = place.load(rank.source(), &mut header, &mut stored)? {
            return Ok(Some(rank.damaged(at, what)));
        }
        writer.write(&header)?;
        writer.write(&stored)?;
        at = place.end();
    }
    Ok(rank.damage())
}

/// A trace that is read must not be replaced by what becomes of it.
pub(crate) fn refuse_to_overwrite(trace: &Trace, target: &Path) -> Result<()> {
    let Ok(real) = target.canonicalize() else { return Ok(()) };
    let is_read = |path: &Path| path.canonicalize().is_ok_and(|path| path == real);
    if trace.ranks().iter().any(|rank| is_read(rank.source().path())) {
        let shown = target.display();
        return Err(Error::Mismatch(format!(
            "{shown} is read, so it cannot be written; name another file with -o"
        )));
    }
    Ok(())
}
