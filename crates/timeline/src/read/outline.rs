//! Finding the blocks: by the index, or from block to block where there is none.

use super::source::{Buffers, Source};
use crate::block::Kind;
use crate::error::{Error, Result};
use crate::head::{FORMAT, Head, TAIL};
use crate::index::{self, Entry};

/// Returns all blocks of states and messages, those of a band in their order, and what is wrong
/// with the file behind them.
pub fn find(source: &Source, head: Head, start: u64) -> Result<(Vec<Entry>, Option<Error>)> {
    let bands = head.lines().div_ceil(head.width);
    let (mut entries, damage) = match by_index(source, bands, start) {
        Ok(Some(entries)) => (entries, None),
        Ok(None) => scan(source, bands, start)?,
        Err(error @ Error::Io { .. }) => return Err(error),
        Err(no_index) => {
            let (entries, damage) = scan(source, bands, start)?;
            // The tail is too short for a block, so a scan that reaches it finds the file
            // incomplete. Damage means that it did not.
            let is_damage = |error: &Error| matches!(error, Error::Damaged(_));
            (entries, damage.filter(is_damage).or(Some(no_index)))
        }
    };
    entries.sort_by_key(|entry| (entry.outline.kind, entry.outline.band, entry.place));
    Ok((entries, damage))
}

/// Returns the blocks by the index; none if the file has no tail, because its writer did not
/// finish.
fn by_index(source: &Source, bands: u32, start: u64) -> Result<Option<Vec<Entry>>> {
    let mut tail = [0; TAIL];
    let Some(tail_at) = source.length().checked_sub(TAIL as u64).filter(|place| *place >= start) else {
        return Ok(None);
    };
    source.read(&mut tail, tail_at)?;
    let Some(mut place) = FORMAT.parse_tail(&tail) else { return Ok(None) };
    let (mut end, mut entries, mut buffers) = (tail_at, Vec::new(), Buffers::default());
    loop {
        let nonsense = |what| source.damaged(place.min(tail_at), what);
        if place < start || place >= end {
            return Err(nonsense("the index is not where it should be"));
        }
        let header = source.header(place)?;
        if header.outline.kind != Kind::Index || place.checked_add(header.length()) != Some(end) {
            return Err(nonsense("the index is not where it should be"));
        }
        source.payload(place, &header, &mut buffers)?;
        let chapter = index::take(&buffers.payload, header.outline.count, place, bands)
            .ok_or_else(|| nonsense("the index makes no sense"))?;
        entries.extend(chapter.entries);
        match chapter.before {
            // The index before this one ends where the blocks of this one begin.
            Some(before) => (place, end) = (before, chapter.start),
            None if chapter.start == start => return Ok(Some(entries)),
            None => return Err(nonsense("the index leaves blocks out")),
        }
    }
}

/// Follows the blocks as far as they are sound.
fn scan(source: &Source, bands: u32, start: u64) -> Result<(Vec<Entry>, Option<Error>)> {
    let (mut entries, mut place) = (Vec::new(), start);
    loop {
        let header = match source.header(place) {
            Ok(header) => header,
            Err(error @ Error::Io { .. }) => return Err(error),
            Err(error) => return Ok((entries, Some(error))),
        };
        let outline = header.outline;
        if outline.is_sound(bands) {
            entries.push(Entry { outline, place, length: header.length() });
        } else if outline.kind != Kind::Index {
            return Ok((entries, Some(source.damaged(place, "a block that makes no sense here"))));
        }
        place += header.length();
    }
}
