//! A timeline with its overview, and the tiles that are made of both.

mod crowd;
mod grid;
mod layout;
mod meta;
mod occurrence;
mod overview;
mod pack;
mod path;
mod states;
#[cfg(test)]
mod tests;
mod topology;
mod traffic;

use std::path::Path;

use panto_timeline::Timeline;
use serde_json::Value;

use crate::error::Result;
use occurrence::Which;
use overview::Overview;
pub use overview::Progress;
pub use pack::pack;
pub use states::Place;

/// A timeline that can be looked at.
#[derive(Debug)]
pub struct View {
    name: String,
    timeline: Timeline,
    /// Ranks and helpers.
    lines: u32,
    /// The first moment, and how long everything takes.
    origin: u64,
    span: u64,
    overview: Overview,
}

/// A piece of what a page asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// Names, counts and sums, as JSON.
    Meta,
    /// Sums of all lines.
    Summary,
    /// A tile of states.
    States(Place),
    /// A tile of messages.
    Traffic {
        /// A bin is 2^level picoseconds.
        level: u32,
        /// Its number in time.
        column: u64,
    },
    /// Where a kind of states in a call occurs, as JSON.
    Occurrence {
        /// One more than the number of the call, 0 for none.
        call: u32,
        /// The number of the kind.
        kind: usize,
        /// Which of them.
        which: Which,
    },
}

impl Wish {
    /// From the end of a path: `meta`, `summary`, `states/GROUP/LEVEL/ROW/COLUMN`, `traffic/LEVEL/COLUMN`,
    /// `occurrence/CALL/KIND/NUMBER` or `occurrence/CALL/KIND/LINE/MOMENT`.
    pub fn parse(text: &str) -> Option<Self> {
        let words: Vec<&str> = text.split('/').collect();
        let level = |word: &str| word.parse().ok().filter(|level| *level < 64);
        match words.as_slice() {
            ["meta"] => Some(Self::Meta),
            ["summary"] => Some(Self::Summary),
            ["states", group, at, row, column] => Some(Self::States(Place {
                group: level(group)?,
                level: level(at)?,
                row: row.parse().ok()?,
                column: column.parse().ok()?,
            })),
            ["traffic", at, column] => {
                Some(Self::Traffic { level: level(at)?, column: column.parse().ok()? })
            }
            ["occurrence", call, kind, number] => {
                Self::occurrence(call, kind, Which::Number(number.parse().ok()?))
            }
            ["occurrence", call, kind, line, at] => {
                let which = Which::From { line: line.parse().ok()?, at: at.parse().ok()? };
                Self::occurrence(call, kind, which)
            }
            _ => None,
        }
    }

    fn occurrence(call: &str, kind: &str, which: Which) -> Option<Self> {
        Some(Self::Occurrence { call: call.parse().ok()?, kind: kind.parse().ok()?, which })
    }

    /// As [`parse`](Self::parse) reads it.
    pub fn key(&self) -> String {
        match self {
            Self::Meta => "meta".into(),
            Self::Summary => "summary".into(),
            Self::States(Place { group, level, row, column }) => {
                format!("states/{group}/{level}/{row}/{column}")
            }
            Self::Traffic { level, column } => format!("traffic/{level}/{column}"),
            Self::Occurrence { call, kind, which: Which::Number(number) } => {
                format!("occurrence/{call}/{kind}/{number}")
            }
            Self::Occurrence { call, kind, which: Which::From { line, at } } => {
                format!("occurrence/{call}/{kind}/{line}/{at}")
            }
        }
    }
}

/// What a wish is answered with.
#[derive(Debug)]
pub struct Answer {
    /// A tile, or JSON.
    pub bytes: Vec<u8>,
    /// Would finer tiles tell more?
    pub has_more: bool,
}

impl View {
    /// Opens a timeline and reads all of it, once.
    pub fn open(path: &Path, progress: &Progress) -> Result<Self> {
        Self::of(Timeline::open(path)?, name(path), progress)
    }

    /// Reads all of an open timeline, once.
    pub fn of(timeline: Timeline, name: String, progress: &Progress) -> Result<Self> {
        let lines = timeline.ranks() + timeline.about().helps.len() as u32;
        let span = timeline.span().map(|span| (span.start().as_picos(), span.end().as_picos()));
        let (origin, end) = span.unwrap_or_default();
        let overview = Overview::new(&timeline, lines, origin, end - origin, progress)?;
        Ok(Self { name, timeline, lines, origin, span: end - origin, overview })
    }

    /// What people call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many states there are, and how many messages.
    pub fn counts(&self) -> (u64, u64) {
        self.timeline.counts()
    }

    /// The level at which all of it is one tile.
    pub(crate) fn top(&self) -> u32 {
        meta::top(self.span)
    }

    /// Names, counts and sums.
    pub(crate) fn meta(&self) -> Value {
        meta::meta(self)
    }

    /// What was wished for; none if there is no such thing.
    pub(crate) fn answer(&self, wish: &Wish) -> Result<Option<Answer>> {
        let found = match *wish {
            Wish::Meta => Some((self.meta().to_string().into_bytes(), false)),
            Wish::Summary => Some((meta::summary(self), false)),
            Wish::States(place) => {
                let Self { timeline, lines, origin, overview, .. } = self;
                let source =
                    states::Source { timeline, grids: &overview.grids, lines: *lines, origin: *origin };
                states::tile(&source, place)?
            }
            Wish::Traffic { level, column } => {
                let Self { timeline, lines, origin, overview, .. } = self;
                let Overview { traffic, path, .. } = overview;
                let source = crowd::Source { timeline, traffic, path, lines: *lines, origin: *origin };
                crowd::tile(&source, level, column)?
            }
            Wish::Occurrence { call, kind, which } => {
                let Self { timeline, lines, origin, overview, .. } = self;
                let source = occurrence::Source { timeline, overview, lines: *lines, origin: *origin };
                let found = source.find((call, kind), which)?;
                found.map(|found| (found.to_string().into_bytes(), false))
            }
        };
        Ok(found.map(|(bytes, has_more)| Answer { bytes, has_more }))
    }
}

/// The name of a file, without the way to it.
pub fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
