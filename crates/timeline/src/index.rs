//! The index: which blocks there are, so that those of some ranks and of a time window are found
//! without reading the others.
//!
//! Its payload has the offset of the index before it, or zero; the offset of its first block; then
//! for each block its kind, band, count and length, its first moment (as a difference from that of
//! the block before) and the difference to its last moment. Blocks follow each other, and then the
//! index, so their offsets follow from their lengths.

use crate::block::{HEADER, Kind, MOST_RECORDS, Outline};
use panto_container::varint;

/// A block of states or messages in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    pub outline: Outline,
    pub place: u64,
    pub length: u64,
}

/// One index: the blocks since the index before it.
pub struct Chapter {
    /// The offset of the index before it.
    pub before: Option<u64>,
    /// The offset of its first block, or of itself if it has none.
    pub start: u64,
    pub entries: Vec<Entry>,
}

impl Outline {
    /// Returns whether this can be a block of states or messages of a timeline with this number of
    /// bands.
    pub fn is_sound(&self, bands: u32) -> bool {
        matches!(self.kind, Kind::States | Kind::Messages)
            && self.band < bands
            && (1..=MOST_RECORDS).contains(&self.count)
            && self.first <= self.last
    }
}

/// Appends the payload of an index.
pub fn put(before: Option<u64>, start: u64, entries: &[Entry], out: &mut Vec<u8>) {
    varint::put(out, before.unwrap_or(0));
    varint::put(out, start);
    let mut moment = 0;
    for Entry { outline, length, .. } in entries {
        varint::put(out, outline.kind as u64);
        varint::put(out, u64::from(outline.band));
        varint::put(out, u64::from(outline.count));
        varint::put(out, *length);
        varint::put_change(out, moment, outline.first);
        varint::put(out, outline.last - outline.first);
        moment = outline.first;
    }
}

/// Reads the payload of an index of `count` blocks at offset `place`; none if it is invalid.
pub fn take(mut bytes: &[u8], count: u32, place: u64, bands: u32) -> Option<Chapter> {
    let bytes = &mut bytes;
    let before = Some(varint::take(bytes)?).filter(|before| *before != 0);
    let start = varint::take(bytes)?;
    let mut chapter = Chapter { before, start, entries: Vec::new() };
    let (mut at, mut moment) = (start, 0);
    for _ in 0..count {
        let entry = take_entry(bytes, at, moment)?;
        at = at.checked_add(entry.length)?;
        moment = entry.outline.first;
        // A block cannot end behind the index, so the list is not longer than the file has room
        // for.
        if !entry.outline.is_sound(bands) || entry.length < HEADER as u64 || at > place {
            return None;
        }
        chapter.entries.push(entry);
    }
    (at == place && bytes.is_empty()).then_some(chapter)
}

fn take_entry(bytes: &mut &[u8], place: u64, moment: u64) -> Option<Entry> {
    let kind = Kind::from_number(varint::take(bytes)?)?;
    let band = u32::try_from(varint::take(bytes)?).ok()?;
    let count = u32::try_from(varint::take(bytes)?).ok()?;
    let length = varint::take(bytes)?;
    let first = varint::take_change(bytes, moment)?;
    let last = first.checked_add(varint::take(bytes)?)?;
    Some(Entry { outline: Outline { kind, band, count, first, last }, place, length })
}
