//! Streams of ranks become one file.

use std::path::Path;

use crate::block::{BlockKind, Content, HEADER};
use crate::error::{Error, Result};
use crate::metadata::{Metadata, key};
use crate::ranks::Ranks;
use crate::read::{Place, RankTrace, Trace};
use crate::stream::HEAD;
use crate::write::TraceWriter;

/// The result of combining streams.
#[derive(Debug, Default)]
pub struct CombineSummary {
    /// The number of ranks in the new file.
    pub ranks: usize,
    /// Ranks of the program that left no stream.
    pub missing: Ranks,
    /// Ranks whose stream has no end: the program was killed, the disk was full, or the stream is
    /// damaged.
    pub incomplete: Ranks,
    /// Damage of streams. The new file has them up to there.
    pub damage: Vec<String>,
}

/// Writes all ranks of a trace to one file, block by block as they are, each of which is checked.
/// The metadata are those of the whole run.
///
/// The new file gets its name when it is complete. It must not be one of those that are read.
pub fn combine(trace: &Trace, target: &Path, facts: &Metadata) -> Result<CombineSummary> {
    refuse_to_overwrite(trace, target)?;
    let mut combined = CombineSummary {
        ranks: trace.ranks().len(),
        missing: trace.missing(),
        damage: trace.outline_damage().map(ToString::to_string).collect(),
        ..CombineSummary::default()
    };
    let mut writer = TraceWriter::create_like(trace, target, facts)?;
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

/// Copies a stream as far as it is sound. Returns what is wrong with the rest, which the copy notes
/// in its metadata.
fn copy(rank: &RankTrace, writer: &mut TraceWriter) -> Result<Option<Error>> {
    writer.begin_stream();
    writer.write(&rank.head().to_bytes())?;
    let damage = copy_blocks(rank, writer)?;
    if let Some(error) = &damage {
        let mut facts = Metadata::default();
        facts.set(key::STOPPED, error);
        let mut bytes = Vec::new();
        Content::single(BlockKind::Metadata, facts.to_text().as_bytes()).seal(&mut bytes);
        writer.write(&bytes)?;
    }
    writer.end_stream();
    Ok(damage)
}

fn copy_blocks(rank: &RankTrace, writer: &mut TraceWriter) -> Result<Option<Error>> {
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

/// Refuses a target that is one of the files of the trace.
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
