//! Reading: the index at once, states and messages block by block, so that memory does not grow
//! with them.

mod outline;
mod records;
mod source;

use std::fs::File;
use std::io::Read;
use std::ops::{Range, RangeInclusive};
use std::path::Path;

use panto_units::Time;

use crate::block::Kind;
use crate::codec::{Limits, Selection};
use crate::error::{Error, Result};
use crate::head::{FORMAT, HEAD, Head, HeadError};
use crate::index::Entry;
use crate::info::TimelineInfo;
use crate::record::{Message, State};
use crate::summary::Summary;
use records::{Records, States};
use source::{Buffers, Source};

/// A time window. What touches one of its ends is inside.
pub type Window = RangeInclusive<Time>;

/// The window of all times.
pub const ALL_TIME: Window = Time::ZERO..=Time::from_picos(u64::MAX);

/// A timeline: what happened when on each rank.
#[derive(Debug)]
pub struct Timeline {
    source: Source,
    head: Head,
    about: TimelineInfo,
    limits: Limits,
    /// Blocks by kind, by band, and in their order.
    blocks: Vec<Entry>,
    damage: Option<Error>,
}

impl Timeline {
    /// Opens a timeline; only its index is read. A file without its end can be opened, see
    /// [`damage`](Self::damage).
    pub fn open(path: &Path) -> Result<Self> {
        let source = Source::open(path)?;
        let head = read_head(&source)?;
        let block = source.header(HEAD as u64)?;
        let mut buffers = Buffers::default();
        source.payload(HEAD as u64, &block, &mut buffers)?;
        let about = TimelineInfo::take(&buffers.payload, head.ranks, head.helpers);
        let about = about.filter(|_| block.outline.kind == Kind::Info);
        let about =
            about.ok_or_else(|| source.damaged(HEAD as u64, "what should be names makes no sense"))?;
        let limits = Limits {
            lines: head.lines(),
            calls: about.calls.len() as u32,
            message_kinds: about.message_kinds.len() as u32,
        };
        let (blocks, damage) = outline::find(&source, head, HEAD as u64 + block.length())?;
        Ok(Self { source, head, about, limits, blocks, damage })
    }

    /// Returns whether a file looks like a timeline, by its first bytes.
    pub fn recognises(path: &Path) -> bool {
        let is_regular = std::fs::metadata(path).is_ok_and(|about| about.is_file());
        let mut start = [0; 8];
        let read = |mut file: File| file.read_exact(&mut start).is_ok();
        is_regular && File::open(path).is_ok_and(read) && FORMAT.matches(&start)
    }

    /// Returns the number of ranks of the program, without helpers.
    pub fn ranks(&self) -> u32 {
        self.head.ranks
    }

    /// Returns the metadata.
    pub fn about(&self) -> &TimelineInfo {
        &self.about
    }

    /// Returns what is wrong with the file as a whole: its end is missing, or an index is damaged.
    /// All that can be read is sound, and the states of each rank have no gap before the last one;
    /// but there was more.
    pub fn damage(&self) -> Option<&Error> {
        self.damage.as_ref()
    }

    /// Returns the first and the last moment; none if nothing happened.
    pub fn span(&self) -> Option<Window> {
        let first = self.blocks.iter().map(|block| block.outline.first).min()?;
        let last = self.blocks.iter().map(|block| block.outline.last).max()?;
        Some(Time::from_picos(first)..=Time::from_picos(last))
    }

    /// Returns the number of states, and of messages.
    pub fn counts(&self) -> (u64, u64) {
        let all = 0..self.limits.lines;
        let count = |kind| self.blocks(kind, &all).iter().map(|block| u64::from(block.outline.count)).sum();
        (count(Kind::States), count(Kind::Messages))
    }

    /// Returns the states of a rank or helper in a window, in their order.
    pub fn states(&self, rank: u32, window: &Window) -> impl Iterator<Item = Result<State>> + use<'_> {
        let ranks = rank..rank.saturating_add(1);
        self.states_of(ranks, window).map(|found| found.map(|(_, state)| state))
    }

    /// Returns the states of some ranks and helpers in a window: those of each in their order, one
    /// block after the other. Where thousands of ranks share blocks, this reads less than one rank
    /// after the other would.
    pub fn states_of(
        &self,
        ranks: Range<u32>,
        window: &Window,
    ) -> impl Iterator<Item = Result<(u32, State)>> + use<'_> {
        States::new(self, self.selection(ranks, window))
    }

    /// Returns all messages that were in flight in a window, or arrived and not yet received: by
    /// receiver, and those of each in the order in which they were received.
    pub fn messages(&self, window: &Window) -> impl Iterator<Item = Result<Message>> + use<'_> {
        self.messages_to(0..self.limits.lines, window)
    }

    /// Returns the messages in a window that some ranks and helpers received.
    pub fn messages_to(
        &self,
        ranks: Range<u32>,
        window: &Window,
    ) -> impl Iterator<Item = Result<Message>> + use<'_> {
        Records::<Message>::new(self, self.selection(ranks, window))
    }

    /// Returns for each rank how long it was in which state, and what it sent and received. Reads
    /// the whole file once.
    pub fn summary(&self) -> Result<Summary> {
        Summary::of(self)
    }

    /// Returns the number of ranks and helpers.
    pub(crate) fn lines(&self) -> u32 {
        self.limits.lines
    }

    fn selection(&self, ranks: Range<u32>, window: &Window) -> Selection {
        let end = ranks.end.min(self.limits.lines);
        let window = window.start().as_picos()..=window.end().as_picos();
        Selection { ranks: ranks.start.min(end)..end, window }
    }

    /// Returns the blocks of a kind in which records of these ranks can be.
    fn blocks(&self, kind: Kind, ranks: &Range<u32>) -> &[Entry] {
        if ranks.is_empty() {
            return &[];
        }
        let bands = [ranks.start / self.head.width, (ranks.end - 1) / self.head.width];
        let is_before = |entry: &Entry| (entry.outline.kind, entry.outline.band) < (kind, bands[0]);
        let is_within = |entry: &Entry| (entry.outline.kind, entry.outline.band) <= (kind, bands[1]);
        let start = self.blocks.partition_point(is_before);
        let length = self.blocks[start..].partition_point(is_within);
        &self.blocks[start..start + length]
    }
}

fn read_head(source: &Source) -> Result<Head> {
    let path = || source.path().to_owned();
    let mut bytes = [0; HEAD];
    if !source.read(&mut bytes, 0)? {
        let start = &mut bytes[..source.length().min(HEAD as u64 - 1) as usize];
        let is_timeline = source.read(start, 0)? && FORMAT.matches(start);
        return Err(if is_timeline { source.incomplete(0) } else { Error::NotATimeline { path: path() } });
    }
    let head = Head::parse(&bytes).map_err(|reason| match reason {
        HeadError::OtherFormat => Error::NotATimeline { path: path() },
        HeadError::Version(found) => Error::Version { path: path(), found },
        HeadError::Damaged => source.damaged(0, "the head makes no sense, or its checksum does not fit"),
    })?;
    if source.length() < head.least_bytes() {
        return Err(Error::TooShort { path: path(), lines: head.lines(), bytes: source.length() });
    }
    Ok(head)
}
