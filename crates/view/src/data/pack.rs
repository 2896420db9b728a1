//! Tiles for a page that stands alone: from the coarsest to the finest, as far as there is room.

use std::collections::VecDeque;

use serde_json::json;

use super::grid::{rows, whole};
use super::layout::{BIN_BITS, ROWS};
use super::{Place, View, Wish};
use crate::error::Result;

/// With more lines than this, a page that stands alone shows them in groups.
const MOST_ROWS: usize = 1024;

/// Everything that a page needs, in one piece: the length of a list, the list as JSON, and what it lists.
#[derive(Debug)]
pub struct Packed {
    /// The list: for each timeline its meta, and of all the name, place and length of each piece.
    pub list: String,
    /// The pieces, one after the other.
    pub bytes: Vec<u8>,
}

/// Packs what fits into about so many bytes.
pub fn pack(views: &[View], budget: usize) -> Result<Packed> {
    let mut bytes = Vec::new();
    let (mut pieces, mut metas) = (Vec::new(), Vec::new());
    for (number, view) in views.iter().enumerate() {
        let mut packing =
            Packing { view, number, limit: budget / views.len(), bytes: Vec::new(), pieces: Vec::new() };
        packing.add(&Wish::Summary)?;
        let base = base(view.lines);
        let finest = packing.all()?;
        let mut meta = view.meta();
        meta["single"] = (base == 0 || (finest.is_none() && packing.single()?)).into();
        meta["finest"] = finest.into();
        meta["base"] = base.into();
        metas.push(meta);
        let start = bytes.len();
        pieces.extend(packing.pieces.into_iter().map(|(key, at, length)| json!([key, start + at, length])));
        bytes.extend(packing.bytes);
    }
    Ok(Packed { list: json!({"timelines": metas, "pieces": pieces}).to_string(), bytes })
}

struct Packing<'a> {
    view: &'a View,
    number: usize,
    limit: usize,
    bytes: Vec<u8>,
    pieces: Vec<(String, usize, usize)>,
}

impl Packing<'_> {
    /// Adds what is wished for; answers whether finer tiles would tell more.
    fn add(&mut self, wish: &Wish) -> Result<bool> {
        let Some(answer) = self.view.answer(wish)? else { return Ok(false) };
        if !answer.has_more && self.is_twofold(wish) {
            return Ok(false);
        }
        self.pieces.push((format!("{}/{}", self.number, wish.key()), self.bytes.len(), answer.bytes.len()));
        self.bytes.extend(answer.bytes);
        // Columns of eight bytes begin where they can be read in place.
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
        Ok(answer.has_more)
    }

    /// States of all lines in one row: the page makes bins of them from those of each line, so they need not be there twice.
    fn is_twofold(&self, wish: &Wish) -> bool {
        matches!(wish, Wish::States(place) if place.group > base(self.view.lines))
    }

    /// All tiles; answers the level below which some are missing, or none.
    fn all(&mut self) -> Result<Option<u32>> {
        let mut groups = vec![base(self.view.lines), whole(self.view.lines)];
        groups.dedup();
        let traffic = Wish::Traffic { level: self.view.top(), column: 0 };
        let tops = groups.into_iter().flat_map(|group| self.top(group));
        let wanted = std::iter::once(traffic).chain(tops).collect();
        self.tiles(wanted)
    }

    /// Those of single lines where there are groups, if there is room for every one of them; answers whether there is.
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

    /// The tiles of rows of 2^group lines from afar.
    fn top(&self, group: u32) -> impl Iterator<Item = Wish> + use<> {
        let level = self.view.top();
        let tiles = rows(self.view.lines, group).div_ceil(ROWS) as u32;
        (0..tiles).map(move |row| Wish::States(Place { group, level, row, column: 0 }))
    }

    /// Tiles from the top down; answers the level below which some are missing, or none.
    fn tiles(&mut self, mut wanted: VecDeque<Wish>) -> Result<Option<u32>> {
        while let Some(wish) = wanted.pop_front() {
            if self.bytes.len() > self.limit {
                return Ok(Some(level(&wish) + 1));
            }
            if self.add(&wish)? {
                wanted.extend(finer(&wish).into_iter().flatten().filter(|wish| self.is_within(wish)));
            }
        }
        Ok(None)
    }

    /// Does the tile begin before everything is over?
    fn is_within(&self, wish: &Wish) -> bool {
        let (Wish::States(Place { level, column, .. }) | Wish::Traffic { level, column }) = *wish else {
            return false;
        };
        u128::from(column) << (level + BIN_BITS) <= u128::from(self.view.span)
    }
}

/// The finest grouping of lines in a page that stands alone.
fn base(lines: u32) -> u32 {
    (0..=whole(lines)).find(|group| rows(lines, *group) <= MOST_ROWS).unwrap_or(0)
}

fn level(wish: &Wish) -> u32 {
    match wish {
        Wish::States(Place { level, .. }) | Wish::Traffic { level, .. } => *level,
        Wish::Meta | Wish::Summary | Wish::Occurrence { .. } => 0,
    }
}

/// The two tiles that show the same in more detail.
fn finer(wish: &Wish) -> [Option<Wish>; 2] {
    let below = level(wish).checked_sub(1);
    [0, 1].map(|half| match *wish {
        Wish::States(place) => {
            below.map(|level| Wish::States(Place { level, column: 2 * place.column + half, ..place }))
        }
        Wish::Traffic { column, .. } => below.map(|level| Wish::Traffic { level, column: 2 * column + half }),
        Wish::Meta | Wish::Summary | Wish::Occurrence { .. } => None,
    })
}
