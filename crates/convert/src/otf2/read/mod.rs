//! Import: from an archive's MPI events to a trace.
//!
//! Each location that is a rank is read twice. The first pass finds what only the end of an
//! operation tells: the source of a non-blocking receive, the parameters of a non-blocking
//! collective, and what each rank contributes to collectives whose ranks differ. The second writes
//! the calls. What is not in an MPI function is computation.

mod anchor;
mod calls;
mod clock;
mod collective;
mod definitions;
mod events;
mod outcomes;

use std::collections::BTreeMap;
use std::path::Path;

use crate::ImportSummary;
use crate::error::{Error, Result};
use crate::stream::{MAX_RANKS, Target};
use crate::text::note;
use anchor::Anchor;
use calls::Caller;
use definitions::Definitions;
use events::EventFile;
use outcomes::{Outcomes, RankSizes};

/// The most functions that a note names.
const MAX_NAMED: usize = 4;

/// What was left out, of all ranks together.
#[derive(Debug, Default)]
pub struct Omitted {
    /// Calls of MPI functions without events, by function.
    calls: BTreeMap<String, u64>,
    /// One-sided operations.
    one_sided: u64,
    /// Receives and collectives that were started and never completed.
    incomplete: u64,
    /// Completions of requests that were not started.
    unknown_requests: u64,
}

/// Reads an archive, by its anchor file or its folder, and writes its MPI events as a trace.
pub fn read(path: &Path, target: &Path) -> Result<ImportSummary> {
    let anchor = Anchor::find(path)?;
    let definitions = Definitions::read(&anchor)?;
    let ranks = definitions.rank_locations.len() as u32;
    if !(1..=MAX_RANKS).contains(&ranks) {
        return Err(Error::Usage(format!(
            "{}: found {ranks} MPI ranks; only archives of MPI programs can be imported",
            path.display()
        )));
    }
    let outcomes = definitions
        .rank_locations
        .iter()
        .map(|location| Outcomes::read(&mut EventFile::open(&anchor, &definitions, *location)?));
    let outcomes = outcomes.collect::<Result<Vec<Outcomes>>>()?;
    let sizes = RankSizes::new(&outcomes, &definitions);
    let mut omitted = Omitted::default();
    let mut made = Target::create(target, ranks, "OTF2", &path.display().to_string())?;
    let streams = made.streams();
    for (rank, outcomes) in (0..).zip(&outcomes) {
        let mut file = EventFile::open(&anchor, &definitions, definitions.rank_locations[rank as usize])?;
        let mut caller =
            Caller::new(streams.begin_bare(rank), rank, &definitions, outcomes, &sizes, &mut omitted);
        while let Some(event) = file.next()? {
            caller.event(&event).map_err(|text| file.error(&event, &text))?;
        }
        made.add(&caller.finish())?;
    }
    let imported = ImportSummary { ranks, calls: made.calls, notes: notes(&omitted, &definitions) };
    made.finish()?;
    Ok(imported)
}

fn notes(omitted: &Omitted, definitions: &Definitions) -> Vec<String> {
    let calls = omitted.calls.values().sum::<u64>();
    let mut names: Vec<(&str, u64)> = omitted.calls.iter().map(|(name, count)| (&name[..], *count)).collect();
    names.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let more = if names.len() > MAX_NAMED { ", ..." } else { "" };
    let names: Vec<&str> = names.into_iter().take(MAX_NAMED).map(|(name, _)| name).collect();
    let without = format!("calls without MPI events omitted: {}{more}", names.join(", "));
    let notes = [
        (calls, &without[..]),
        (omitted.one_sided, "one-sided operations omitted: their events do not tell when they must end"),
        (omitted.incomplete, "operations omitted that were started and never completed"),
        (omitted.unknown_requests, "completions omitted of requests that were not started"),
        (definitions.other_locations, "locations omitted that are not ranks: threads, accelerators, metrics"),
    ];
    notes.into_iter().filter_map(|(count, what)| note(count, what)).collect()
}
