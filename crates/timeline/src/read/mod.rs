//! Reading: the outline at once, states and messages block by block, so that memory does not grow with them.

mod outline;
mod records;
mod source;

use std::fs::File;
use std::io::Read;
use std::ops::{Range, RangeInclusive};
use std::path::Path;

use panto_units::Time;

use crate::about::About;
use crate::block::Kind;
use crate::codec::{Limits, Wanted};
use crate::error::{Error, Result};
use crate::head::{HEAD, Head, NoHead, looks_right};
use crate::index::Entry;
use crate::record::{Message, State};
use crate::summary::Summary;
use records::{Records, States};
use source::{Buffers, Source};

/// A time window. What touches one of its ends is inside.
pub type Window = RangeInclusive<Time>;

/// The window with everything in it.
pub const EVER: Window = Time::ZERO..=Time::from_picos(u64::MAX);

/// What happened when on each rank.
#[derive(Debug)]
pub struct Timeline {
    source: Source,
    head: Head,
    about: About,
    limits: Limits,
    /// Blocks by kind, by band, and in their order.
    blocks: Vec<Entry>,
    flaw: Option<Error>,
}

impl Timeline {
    /// Opens a timeline. Only its outline is read. One without its end can be opened, see [`flaw`](Self::flaw).
    pub fn open(path: &Path) -> Result<Self> {
        let source = Source::open(path)?;
        let head = read_head(&source)?;
        let block = source.header(HEAD as u64)?;
        let mut buffers = Buffers::default();
        source.payload(HEAD as u64, &block, &mut buffers)?;
        let about = About::take(&buffers.payload, head.ranks, head.helpers);
        let about = about.filter(|_| block.outline.kind == Kind::About);
        let about =
            about.ok_or_else(|| source.damaged(HEAD as u64, "what should be names makes no sense"))?;
        let limits =
            Limits { lines: head.lines(), calls: about.calls.len() as u32, lanes: about.lanes.len() as u32 };
        let (blocks, flaw) = outline::find(&source, head, HEAD as u64 + block.length())?;
        Ok(Self { source, head, about, limits, blocks, flaw })
    }

    /// Does it look like a timeline, by its first bytes?
    pub fn recognises(path: &Path) -> bool {
        let is_regular = std::fs::metadata(path).is_ok_and(|about| about.is_file());
        let mut start = [0; 8];
        let read = |mut file: File| file.read_exact(&mut start).is_ok();
        is_regular && File::open(path).is_ok_and(read) && looks_right(&start)
    }

    /// How many ranks the program has, without helpers.
    pub fn ranks(&self) -> u32 {
        self.head.ranks
    }

    /// What the timeline is of.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// What is wrong with the file as a whole: its end is missing, or the way to it is damaged. Everything that can be read is sound, and
    /// of each rank nothing is missing before its last state; but there was more.
    pub fn flaw(&self) -> Option<&Error> {
        self.flaw.as_ref()
    }

    /// From the first moment to the last; none if nothing happened.
    pub fn span(&self) -> Option<Window> {
        let first = self.blocks.iter().map(|block| block.outline.first).min()?;
        let last = self.blocks.iter().map(|block| block.outline.last).max()?;
        Some(Time::from_picos(first)..=Time::from_picos(last))
    }

    /// How many states there are, and how many messages.
    pub fn counts(&self) -> (u64, u64) {
        let all = 0..self.limits.lines;
        let count = |kind| self.blocks(kind, &all).iter().map(|block| u64::from(block.outline.count)).sum();
        (count(Kind::States), count(Kind::Messages))
    }

    /// The states of a rank or helper in a window, in their order.
    pub fn states(&self, rank: u32, window: &Window) -> impl Iterator<Item = Result<State>> + use<'_> {
        let ranks = rank..rank.saturating_add(1);
        self.states_of(ranks, window).map(|found| found.map(|(_, state)| state))
    }

    /// The states of some ranks and helpers in a window: those of each in their order, one block after the other. This reads less than
    /// one rank after the other where thousands of ranks share blocks.
    pub fn states_of(
        &self,
        ranks: Range<u32>,
        window: &Window,
    ) -> impl Iterator<Item = Result<(u32, State)>> + use<'_> {
        States::new(self, self.wanted(ranks, window))
    }

    /// All messages that were on their way in a window, or there and not yet received; by receiver, and those of each as they were received.
    pub fn messages(&self, window: &Window) -> impl Iterator<Item = Result<Message>> + use<'_> {
        self.messages_to(0..self.limits.lines, window)
    }

    /// Those that some ranks and helpers received.
    pub fn messages_to(
        &self,
        ranks: Range<u32>,
        window: &Window,
    ) -> impl Iterator<Item = Result<Message>> + use<'_> {
        Records::<Message>::new(self, self.wanted(ranks, window))
    }

    /// How long each rank did what, and what it sent and received. Reads everything once.
    pub fn summary(&self) -> Result<Summary> {
        Summary::of(self)
    }

    /// Ranks and helpers.
    pub(crate) fn lines(&self) -> u32 {
        self.limits.lines
    }

    fn wanted(&self, ranks: Range<u32>, window: &Window) -> Wanted {
        let end = ranks.end.min(self.limits.lines);
        let window = window.start().as_picos()..=window.end().as_picos();
        Wanted { ranks: ranks.start.min(end)..end, window }
    }

    /// The blocks of a kind in which these ranks can be.
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
        let looks_right = source.read(start, 0)? && looks_right(start);
        return Err(if looks_right { source.incomplete(0) } else { Error::NotATimeline { path: path() } });
    }
    Head::parse(&bytes).map_err(|reason| match reason {
        NoHead::NotATimeline => Error::NotATimeline { path: path() },
        NoHead::Version(found) => Error::Version { path: path(), found },
        NoHead::Damaged => source.damaged(0, "the head makes no sense, or its checksum does not fit"),
    })
}
