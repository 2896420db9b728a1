//! A timeline with its overview, and the tiles built from both.

mod grid;
mod layout;
mod messages;
mod meta;
mod near;
mod occurrence;
mod overview;
mod pack;
mod path;
mod profile;
mod queue;
mod states;
#[cfg(test)]
mod tests;
mod topology;
mod totals;
mod traffic;

use std::path::Path;

use panto_timeline::Timeline;
use serde_json::Value;

use crate::error::Result;
use occurrence::Selector;
use overview::Overview;
pub use overview::Progress;
pub use pack::pack;
pub use states::TileIndex;
use totals::Totals;

/// A timeline prepared for viewing.
#[derive(Debug)]
pub struct View {
    name: String,
    timeline: Timeline,
    /// Number of ranks and helpers.
    lines: u32,
    /// Time of the first event, in picoseconds.
    origin: u64,
    /// Time from the first event to the last, in picoseconds.
    span: u64,
    overview: Overview,
}

/// A request of the page for data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Query {
    /// Names, counts and totals, as JSON.
    Meta,
    /// Totals of all lines.
    Summary,
    /// A tile of states.
    States(TileIndex),
    /// A tile of messages.
    Traffic {
        /// A bin is 2^level picoseconds.
        level: u32,
        /// Index of the tile in time.
        column: u64,
    },
    /// Position of an occurrence of a kind of state in a call, as JSON.
    Occurrence {
        /// One more than the number of the call, 0 for none.
        call: u32,
        /// Number of the state kind.
        kind: usize,
        /// Which occurrence.
        which: Selector,
    },
    /// Profile of the critical path, as JSON.
    Profile,
    /// Length of the queue of each line at a time and until then, as JSON.
    Queues {
        /// Picoseconds since the start of the timeline.
        at: u64,
    },
    /// Totals of an interval, as JSON.
    Totals {
        /// Begin of the interval, in picoseconds since the start of the timeline.
        from: u64,
        /// End of the interval.
        to: u64,
    },
    /// The state of a line at a time, and its neighbours, as JSON.
    Near {
        /// A rank or helper.
        line: u32,
        /// Picoseconds since the start of the timeline.
        at: u64,
    },
    /// The messages that a line sent or received in an interval, as JSON.
    Exchange {
        /// A rank or helper.
        line: u32,
        /// Begin of the interval, in picoseconds since the start of the timeline.
        from: u64,
        /// End of the interval.
        to: u64,
    },
}

impl Query {
    /// Parses the end of a URL path: `meta`, `summary`, `states/GROUP/LEVEL/ROW/COLUMN`,
    /// `traffic/LEVEL/COLUMN`, `occurrence/CALL/KIND/NUMBER`, `occurrence/CALL/KIND/LINE/TIME`,
    /// `profile`, `queues/TIME`, `totals/FROM/TO`, `near/LINE/TIME` or `exchange/LINE/FROM/TO`.
    pub fn parse(text: &str) -> Option<Self> {
        let words: Vec<&str> = text.split('/').collect();
        let level = |word: &str| word.parse().ok().filter(|level| *level < 64);
        match words.as_slice() {
            ["meta"] => Some(Self::Meta),
            ["summary"] => Some(Self::Summary),
            ["states", group, at, row, column] => Some(Self::States(TileIndex {
                group: level(group)?,
                level: level(at)?,
                row: row.parse().ok()?,
                column: column.parse().ok()?,
            })),
            ["traffic", at, column] => {
                Some(Self::Traffic { level: level(at)?, column: column.parse().ok()? })
            }
            ["occurrence", call, kind, number] => {
                Self::occurrence(call, kind, Selector::Number(number.parse().ok()?))
            }
            ["occurrence", call, kind, line, at] => {
                let which = Selector::From { line: line.parse().ok()?, at: at.parse().ok()? };
                Self::occurrence(call, kind, which)
            }
            ["profile"] => Some(Self::Profile),
            ["queues", at] => Some(Self::Queues { at: at.parse().ok()? }),
            ["totals", from, to] => Some(Self::Totals { from: from.parse().ok()?, to: to.parse().ok()? }),
            ["near", line, at] => Some(Self::Near { line: line.parse().ok()?, at: at.parse().ok()? }),
            ["exchange", line, from, to] => Some(Self::Exchange {
                line: line.parse().ok()?,
                from: from.parse().ok()?,
                to: to.parse().ok()?,
            }),
            _ => None,
        }
    }

    fn occurrence(call: &str, kind: &str, which: Selector) -> Option<Self> {
        Some(Self::Occurrence { call: call.parse().ok()?, kind: kind.parse().ok()?, which })
    }

    /// Returns the text that [`parse`](Self::parse) reads.
    pub fn key(&self) -> String {
        match self {
            Self::Meta => "meta".into(),
            Self::Summary => "summary".into(),
            Self::States(TileIndex { group, level, row, column }) => {
                format!("states/{group}/{level}/{row}/{column}")
            }
            Self::Traffic { level, column } => format!("traffic/{level}/{column}"),
            Self::Occurrence { call, kind, which: Selector::Number(number) } => {
                format!("occurrence/{call}/{kind}/{number}")
            }
            Self::Occurrence { call, kind, which: Selector::From { line, at } } => {
                format!("occurrence/{call}/{kind}/{line}/{at}")
            }
            Self::Profile => "profile".into(),
            Self::Queues { at } => format!("queues/{at}"),
            Self::Totals { from, to } => format!("totals/{from}/{to}"),
            Self::Near { line, at } => format!("near/{line}/{at}"),
            Self::Exchange { line, from, to } => format!("exchange/{line}/{from}/{to}"),
        }
    }
}

/// Response to a query.
#[derive(Debug)]
pub struct Response {
    /// A tile, or JSON.
    pub bytes: Vec<u8>,
    /// Whether finer tiles would show more.
    pub has_more: bool,
}

impl View {
    /// Opens a timeline and reads all of it, once.
    pub fn open(path: &Path, progress: &Progress) -> Result<Self> {
        Self::from_timeline(Timeline::open(path)?, name(path), progress)
    }

    /// Reads all of an open timeline, once.
    pub fn from_timeline(timeline: Timeline, name: String, progress: &Progress) -> Result<Self> {
        let lines = timeline.ranks() + timeline.about().helper_ranks.len() as u32;
        let span = timeline.span().map(|span| (span.start().as_picos(), span.end().as_picos()));
        let (origin, end) = span.unwrap_or_default();
        let overview = Overview::new(&timeline, lines, origin, end - origin, progress)?;
        Ok(Self { name, timeline, lines, origin, span: end - origin, overview })
    }

    /// Returns the display name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the number of states and of messages.
    pub fn counts(&self) -> (u64, u64) {
        self.timeline.counts()
    }

    /// Returns the level at which the whole timeline is one tile.
    pub(crate) fn top(&self) -> u32 {
        meta::top(self.span)
    }

    /// Returns names, counts and totals.
    pub(crate) fn meta(&self) -> Value {
        meta::meta(self)
    }

    /// Answers a query; `None` if it is out of range.
    pub(crate) fn respond(&self, query: &Query) -> Result<Option<Response>> {
        let found = match *query {
            Query::Meta => Some((self.meta().to_string().into_bytes(), false)),
            Query::Summary => Some((meta::summary(self), false)),
            Query::States(index) => {
                let Self { timeline, lines, origin, overview, .. } = self;
                let source =
                    states::Source { timeline, grids: &overview.grids, lines: *lines, origin: *origin };
                states::tile(&source, index)?
            }
            Query::Traffic { level, column } => {
                let Self { timeline, lines, origin, overview, .. } = self;
                let Overview { traffic, path, .. } = overview;
                let source = messages::Source { timeline, traffic, path, lines: *lines, origin: *origin };
                messages::tile(&source, level, column)?
            }
            Query::Occurrence { call, kind, which } => {
                let Self { timeline, lines, origin, overview, .. } = self;
                let source = occurrence::Source { timeline, overview, lines: *lines, origin: *origin };
                let found = source.find((call, kind), which)?;
                found.map(|found| (found.to_string().into_bytes(), false))
            }
            Query::Profile => {
                let profile = profile::profile(&self.timeline, self.lines, &self.overview.path)?;
                Some((profile.to_string().into_bytes(), false))
            }
            Query::Queues { at } => {
                let queues = queue::queues(&self.timeline, self.lines, self.origin, at)?;
                Some((queues.to_string().into_bytes(), false))
            }
            Query::Totals { from, to } => Some((self.totals(from, to)?.to_string().into_bytes(), false)),
            Query::Near { line, at } => {
                self.near().states(line, at)?.map(|found| (found.to_string().into_bytes(), false))
            }
            Query::Exchange { line, from, to } => {
                Some((self.near().messages(line, from, to)?.to_string().into_bytes(), false))
            }
        };
        Ok(found.map(|(bytes, has_more)| Response { bytes, has_more }))
    }
}

impl View {
    /// Returns the totals of an interval; those of the whole timeline are known.
    fn totals(&self, from: u64, to: u64) -> Result<Value> {
        if from == 0 && to >= self.span {
            return Ok(self.overview.totals.json());
        }
        Ok(Totals::of(&self.timeline, self.lines, self.origin, from, to)?.json())
    }

    fn near(&self) -> near::Source<'_> {
        near::Source { timeline: &self.timeline, lines: self.lines, origin: self.origin, span: self.span }
    }
}

/// Returns the file name of a path.
pub fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
