//! Export: from a timeline to an archive.
//!
//! Each rank is a process with one location, and each of its helpers a further location of that
//! process. The program is a region that lasts from the first to the last moment of a location;
//! calls are regions in it, and messages are sends and receives in the calls that they belong to
//! ([`placement`]). States inside calls are not written: tools that read OTF2 derive waiting times
//! themselves. Times are exact, in picoseconds.

mod definitions;
mod placement;

use std::path::Path;

use panto_container::OutputFolder;
use panto_timeline::Timeline;
use panto_units::Time;

use super::encode::{ChunkFile, put_record, put_text, put_u32, put_u64};
use super::{ANCHOR, kinds};
use crate::ExportSummary;
use crate::error::{Error, Result};
use crate::in_flight::InFlight;
use crate::text::{EARLY, note};
use crate::timeline_events::{MAX_EVENTS, for_each};
use definitions::Regions;
use placement::{Placed, Placement};

/// Bytes of a chunk of events, the library's default.
const EVENT_CHUNK: usize = 1 << 20;

/// Bytes of a chunk of definitions: the largest, because the list of all ranks is one record.
const DEFINITION_CHUNK: usize = 16 << 20;

/// Bytes of events that are kept in memory, of all locations together.
const MAX_BUFFERED: usize = 64 << 20;

/// The folder of the locations' files in an archive.
const LOCATIONS: &str = "traces";

/// Writes a timeline as an archive: a new folder, which appears when it is complete.
pub fn write(timeline: &Timeline, target: &Path) -> Result<ExportSummary> {
    if timeline.ranks() == 0 {
        return Err(Error::Usage("the timeline has no ranks, and an OTF2 archive needs one".into()));
    }
    let failed = |error| Error::file(target, error);
    let folder = OutputFolder::create(target).map_err(failed)?;
    let path = folder.path();
    std::fs::create_dir(path.join(LOCATIONS)).map_err(failed)?;
    let mut events = EventFiles::new(timeline, path);
    let mut placement = Placement::new(timeline.about());
    for_each(timeline, MAX_EVENTS, |at, line, event| {
        placement.event(at, line, event, |at, line, placed| events.put(at, line, placed))
    })?;
    placement.finish(|at, line, placed| events.put(at, line, placed))?;
    let written = events.finish(path)?;
    let definitions = definitions::write(timeline, &written.counts, path, DEFINITION_CHUNK)?;
    let anchor = anchor(timeline, written.counts.len() as u64, definitions);
    panto_container::replace(&path.join(ANCHOR), anchor).map_err(failed)?;
    folder.finish().map_err(failed)?;
    let records = written.counts.iter().sum();
    Ok(ExportSummary { ranks: timeline.ranks(), operations: records, notes: written.notes })
}

/// Returns the anchor file.
fn anchor(timeline: &Timeline, locations: u64, definitions: u64) -> Vec<u8> {
    let about = timeline.about();
    let mut out = vec![kinds::CHUNK_HEADER, kinds::LITTLE_ENDIAN];
    out.extend(kinds::MAGIC);
    out.extend([kinds::ANCHOR_FORMAT, kinds::TRACE_FORMAT]);
    out.extend(kinds::LIBRARY_VERSION);
    out.extend((EVENT_CHUNK as u64).to_le_bytes());
    out.extend((DEFINITION_CHUNK as u64).to_le_bytes());
    out.extend([kinds::SUBSTRATE_POSIX, kinds::COMPRESSION_NONE]);
    out.extend(locations.to_le_bytes());
    out.extend(definitions.to_le_bytes());
    put_text(&mut out, about.fact("machine").unwrap_or_default());
    put_text(&mut out, concat!("Panto ", env!("CARGO_PKG_VERSION")));
    put_text(&mut out, about.fact("program").unwrap_or_default());
    // Properties, the identifier of the archive, snapshots, thumbnails: none.
    out.extend([0; 4]);
    out.extend([0; 8]);
    out.extend([0; 4]);
    out.extend([0; 4]);
    out.extend([kinds::END_OF_FILE, kinds::END_OF_BUFFER, kinds::END_OF_CHUNK]);
    out
}

/// The files of events, one for each location.
struct EventFiles<'a> {
    timeline: &'a Timeline,
    files: Vec<ChunkFile>,
    /// First and last moment of each location so far.
    spans: Vec<Option<(Time, Time)>>,
    in_flight: InFlight,
    /// Messages between a rank and its own helpers, which are not MPI's.
    signals: u64,
    buffered: usize,
}

/// What was written.
struct Written {
    /// The number of events of each location.
    counts: Vec<u64>,
    notes: Vec<String>,
}

impl<'a> EventFiles<'a> {
    fn new(timeline: &'a Timeline, folder: &Path) -> Self {
        let about = timeline.about();
        let lines = about.ranks as usize + about.helper_ranks.len();
        let path = |line| folder.join(LOCATIONS).join(format!("{line}.evt"));
        Self {
            timeline,
            files: (0..lines).map(|line| ChunkFile::new(path(line), EVENT_CHUNK)).collect(),
            spans: vec![None; lines],
            in_flight: InFlight::default(),
            signals: 0,
            buffered: 0,
        }
    }

    fn put(&mut self, at: Time, line: u32, placed: Placed<'_>) -> Result<()> {
        let mut record = Vec::new();
        match placed {
            Placed::Enter(call) => put_region(&mut record, kinds::event::ENTER, Regions::call(call)),
            Placed::Leave(call) => put_region(&mut record, kinds::event::LEAVE, Regions::call(call)),
            Placed::Sent(message) | Placed::Received(message) => {
                let about = self.timeline.about();
                let home = |line| about.home(line).unwrap_or(line);
                let (from, to) = (home(message.from), home(message.to));
                let is_sent = matches!(placed, Placed::Sent(_));
                if from == to && message.from != message.to {
                    self.signals += u64::from(is_sent);
                    return Ok(());
                }
                if is_sent {
                    self.in_flight.sent(message);
                }
                let (kind, partner) =
                    if is_sent { (kinds::event::MPI_SEND, to) } else { (kinds::event::MPI_RECV, from) };
                let mut content = Vec::with_capacity(24);
                put_u32(&mut content, partner);
                put_u32(&mut content, definitions::WORLD);
                put_u32(&mut content, message.class);
                put_u64(&mut content, message.bytes);
                put_record(&mut record, kind, &content);
            }
        }
        self.add(at, line, &record)
    }

    fn add(&mut self, at: Time, line: u32, record: &[u8]) -> Result<()> {
        let (line, file) = (line as usize, &mut self.files[line as usize]);
        let before = file.buffered();
        match &mut self.spans[line] {
            Some((_, last)) => *last = at,
            none => {
                *none = Some((at, at));
                let mut enter = Vec::new();
                put_region(&mut enter, kinds::event::ENTER, Regions::PROGRAM);
                file.event(at.as_picos(), &enter)?;
            }
        }
        file.event(at.as_picos(), record)?;
        self.buffered += file.buffered() - before;
        if self.buffered > MAX_BUFFERED {
            self.files.iter_mut().try_for_each(ChunkFile::write_buffer)?;
            self.buffered = 0;
        }
        Ok(())
    }

    fn finish(self, folder: &Path) -> Result<Written> {
        let mut counts = Vec::with_capacity(self.files.len());
        for (line, (mut file, span)) in self.files.into_iter().zip(self.spans).enumerate() {
            if let Some((_, last)) = span {
                let mut leave = Vec::new();
                put_region(&mut leave, kinds::event::LEAVE, Regions::PROGRAM);
                file.event(last.as_picos(), &leave)?;
            }
            counts.push(file.finish()?);
            let local = folder.join(LOCATIONS).join(format!("{line}.def"));
            ChunkFile::new(local, DEFINITION_CHUNK).finish()?;
        }
        let signals = "signals between a rank and its own helpers omitted";
        let notes = [note(self.in_flight.early, EARLY), note(self.signals, signals)];
        Ok(Written { counts, notes: notes.into_iter().flatten().collect() })
    }
}

fn put_region(record: &mut Vec<u8>, kind: u8, region: u32) {
    record.push(kind);
    put_u32(record, region);
}
