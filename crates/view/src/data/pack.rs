//! Selects the tiles of a stand-alone page: from the coarsest to the finest, within a budget of
//! bytes.

use std::collections::VecDeque;

use serde_json::json;

use super::grid::{rows, whole};
use super::layout::{BIN_BITS, ROWS};
use super::{Query, TileIndex, View};
use crate::error::Result;

/// Upper limit of rows of a stand-alone page; with more lines it shows them in groups.
const MAX_ROWS: usize = 1024;

/// All data of a page.
#[derive(Debug)]
pub struct Packed {
    /// Index as JSON: the metadata of each timeline, and key, offset and length of each piece.
    pub list: String,
    /// The pieces, concatenated.
    pub bytes: Vec<u8>,
}

/// Packs the tiles that fit into about `budget` bytes.
pub fn pack(views: &[View], budget: usize) -> Result<Packed> {
    let mut bytes = Vec::new();
    let (mut pieces, mut metas) = (Vec::new(), Vec::new());
    for (number, view) in views.iter().enumerate() {
        let mut packer =
            Packer { view, number, limit: budget / views.len(), bytes: Vec::new(), pieces: Vec::new() };
        packer.add(&Query::Summary)?;
        packer.add(&Query::Totals { from: 0, to: u64::MAX })?;
        packer.add(&Query::Profile)?;
        let base = base(view.lines);
        let finest = packer.all()?;
        let mut meta = view.meta();
        meta["single"] = (base == 0 || (finest.is_none() && packer.single()?)).into();
        meta["finest"] = finest.into();
        meta["base"] = base.into();
        metas.push(meta);
        let start = bytes.len();
        pieces.extend(packer.pieces.into_iter().map(|(key, at, length)| json!([key, start + at, length])));
        bytes.extend(packer.bytes);
    }
    Ok(Packed { list: json!({"timelines": metas, "pieces": pieces}).to_string(), bytes })
}

struct Packer<'a> {
    view: &'a View,
    number: usize,
    limit: usize,
    bytes: Vec<u8>,
    pieces: Vec<(String, usize, usize)>,
}

impl Packer<'_> {
    /// Adds the response to a query; returns whether finer tiles would show more.
    fn add(&mut self, query: &Query) -> Result<bool> {
        let Some(answer) = self.view.respond(query)? else { return Ok(false) };
        if !answer.has_more && self.is_redundant(query) {
            return Ok(false);
        }
        self.pieces.push((format!("{}/{}", self.number, query.key()), self.bytes.len(), answer.bytes.len()));
        self.bytes.extend(answer.bytes);
        // Align columns of eight bytes so that they can be read in place.
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
        Ok(answer.has_more)
    }

    /// Returns whether the page can compute this tile itself: bins of all lines in one row, from
    /// the individual states of each line.
    fn is_redundant(&self, query: &Query) -> bool {
        matches!(query, Query::States(index) if index.group > base(self.view.lines))
    }

    /// Adds all tiles; returns the level below which some are missing, or `None`.
    fn all(&mut self) -> Result<Option<u32>> {
        let mut groups = vec![base(self.view.lines), whole(self.view.lines)];
        groups.dedup();
        let traffic = Query::Traffic { level: self.view.top(), column: 0 };
        let tops = groups.into_iter().flat_map(|group| self.top(group));
        let wanted = std::iter::once(traffic).chain(tops).collect();
        self.tiles(wanted)
    }

    /// Adds tiles of single lines beside the groups, if all of them fit; returns whether they do.
    fn single(&mut self) -> Result<bool> {
        let (bytes, pieces) = (self.bytes.len(), self.pieces.len());
        let wanted = self.top(0).collect();
        let fits = self.tiles(wanted)?.is_none();
        if !fits {
            self.bytes.truncate(bytes);
            self.pieces.truncate(pieces);
        }
        Ok(fits)
    }

    /// Returns the coarsest tiles of rows of 2^group lines.
    fn top(&self, group: u32) -> impl Iterator<Item = Query> + use<> {
        let level = self.view.top();
        let tiles = rows(self.view.lines, group).div_ceil(ROWS) as u32;
        (0..tiles).map(move |row| Query::States(TileIndex { group, level, row, column: 0 }))
    }

    /// Adds tiles from the coarsest to the finest; returns the level below which some are missing,
    /// or `None`.
    fn tiles(&mut self, mut wanted: VecDeque<Query>) -> Result<Option<u32>> {
        while let Some(query) = wanted.pop_front() {
            if self.bytes.len() > self.limit {
                return Ok(Some(level(&query) + 1));
            }
            if self.add(&query)? {
                wanted.extend(finer(&query).into_iter().flatten().filter(|query| self.is_within(query)));
            }
        }
        Ok(None)
    }

    /// Returns whether the tile begins before the end of the timeline.
    fn is_within(&self, query: &Query) -> bool {
        let (Query::States(TileIndex { level, column, .. }) | Query::Traffic { level, column }) = *query
        else {
            return false;
        };
        u128::from(column) << (level + BIN_BITS) <= u128::from(self.view.span)
    }
}

/// Returns the finest grouping of lines in a stand-alone page.
fn base(lines: u32) -> u32 {
    (0..=whole(lines)).find(|group| rows(lines, *group) <= MAX_ROWS).unwrap_or(0)
}

fn level(query: &Query) -> u32 {
    match query {
        Query::States(TileIndex { level, .. }) | Query::Traffic { level, .. } => *level,
        _ => 0,
    }
}

/// Returns the two tiles that show the same at the next finer level.
fn finer(query: &Query) -> [Option<Query>; 2] {
    let below = level(query).checked_sub(1);
    [0, 1].map(|half| match *query {
        Query::States(index) => {
            below.map(|level| Query::States(TileIndex { level, column: 2 * index.column + half, ..index }))
        }
        Query::Traffic { column, .. } => {
            below.map(|level| Query::Traffic { level, column: 2 * column + half })
        }
        _ => None,
    })
}
