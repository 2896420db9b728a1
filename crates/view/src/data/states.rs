//! Tiles of states: bins, or individual states where they are few.

use std::ops::Range;

use panto_timeline::{State, StateKind, Timeline};
use panto_units::Time;

use super::grid::{Cell, ClippedState, Grid, KINDS, rows};
use super::layout::{BIN_BITS, BINS, ROWS, TileHeader, TileKind, TileWriter};
use crate::error::Result;

/// Upper limit of states per bin that are shown individually. A bin is about half a pixel, so this
/// is about four per pixel.
const MAX_STATES_PER_BIN: usize = 2;
/// Upper limit of individual states of a tile with few rows.
const MIN_STATE_LIMIT: usize = 8192;
/// If fewer states than this begin in a tile, finer bins would show little that is new.
const MIN_BEGUN: usize = 4 * BINS;

/// Returns the number of a state kind in tiles.
pub fn kind(what: &StateKind) -> usize {
    match what {
        StateKind::Compute => 0,
        StateKind::Message => 1,
        StateKind::Combine => 2,
        StateKind::Access => 3,
        StateKind::Wait(_) => KINDS - 1,
    }
}

/// Index of a tile of states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TileIndex {
    /// A row is 2^group lines.
    pub group: u32,
    /// A bin is 2^level picoseconds.
    pub level: u32,
    /// Index of the tile in rows.
    pub row: u32,
    /// Index of the tile in time.
    pub column: u64,
}

/// What tiles of states are built from.
pub struct Source<'a> {
    pub timeline: &'a Timeline,
    pub grids: &'a [Grid],
    pub lines: u32,
    /// Time of the first event of the timeline, in picoseconds.
    pub origin: u64,
}

/// A tile with its rows, lines and start resolved.
struct Tile<'a> {
    source: &'a Source<'a>,
    index: TileIndex,
    rows: Range<usize>,
    lines: Range<u32>,
    base: u64,
}

/// Builds a tile; the flag tells whether finer tiles would show more. `None` if the index is out of
/// range.
pub fn tile(source: &Source<'_>, index: TileIndex) -> Result<Option<(Vec<u8>, bool)>> {
    let all = rows(source.lines, index.group);
    let first = (index.row as usize).saturating_mul(ROWS);
    let base = shifted(index.column, index.level + BIN_BITS);
    let (Some(base), true) = (base, first < all && index.level < 64 && index.group <= 32) else {
        return Ok(None);
    };
    let rows = first..(first + ROWS).min(all);
    let line = |row: usize| ((row as u64) << index.group).min(u64::from(source.lines)) as u32;
    let lines = line(rows.start)..line(rows.end);
    Tile { source, index, rows, lines, base }.make().map(Some)
}

/// Shifts to the left; `None` on overflow.
pub fn shifted(number: u64, by: u32) -> Option<u64> {
    let wide = u128::from(number).checked_shl(by).filter(|_| by < 64)?;
    u64::try_from(wide).ok()
}

impl Tile<'_> {
    fn make(&self) -> Result<(Vec<u8>, bool)> {
        let limit = (MAX_STATES_PER_BIN * BINS * self.rows.len()).max(MIN_STATE_LIMIT);
        let TileIndex { group, level, column, .. } = self.index;
        let known = self.source.grids.iter().filter(|grid| grid.resolves(group, level));
        if let Some(grid) = known.max_by_key(|grid| grid.group) {
            let cells = grid.copy(group, level, self.rows.clone(), column * BINS as u64, BINS);
            let count: usize = cells.iter().map(|cell| cell.count as usize).sum();
            if count > limit {
                return Ok((self.bins(&cells), true));
            }
        }
        let mut grid = Grid::with_bins(self.rows.len(), BINS, level);
        let mut states = Vec::new();
        for found in self.source.timeline.states_of(self.lines.clone(), &self.window()) {
            let (line, state) = found?;
            self.add(&mut grid, line, &state);
            // One state beyond the limit is enough to know that there are too many; the cells count
            // all.
            if states.len() <= limit {
                states.push((line, state));
            }
        }
        if states.len() > limit && level > 0 {
            // Most of them may have begun earlier: each of a hundred thousand ranks is in some
            // state at any time.
            grid.distribute();
            let begun: usize = grid.cells().iter().map(|cell| cell.count as usize).sum();
            return Ok((self.bins(grid.cells()), begun > MIN_BEGUN));
        }
        states.sort_by_key(|(line, state)| (*line, state.from));
        Ok((self.states(&states), false))
    }

    fn window(&self) -> panto_timeline::Window {
        let from = self.source.origin.saturating_add(self.base);
        let width = shifted(1, self.index.level + BIN_BITS).unwrap_or(u64::MAX);
        Time::from_picos(from)..=Time::from_picos(from.saturating_add(width))
    }

    fn add(&self, grid: &mut Grid, line: u32, state: &State) {
        let row = (line >> self.index.group) as usize - self.rows.start;
        let since = |time: Time| time.as_picos().saturating_sub(self.source.origin).checked_sub(self.base);
        let (from, to) = (since(state.from), since(state.to).unwrap_or(0));
        let piece = ClippedState {
            kind: kind(&state.kind),
            from: from.unwrap_or(0),
            to,
            begins: from.is_some(),
            length: state.length().as_picos(),
        };
        grid.add(row, piece);
    }

    fn head(&self, kind: TileKind, count: usize, unit: u32, more: [usize; 2]) -> TileHeader {
        TileHeader {
            kind,
            group: self.index.group,
            level: self.index.level,
            rows: self.rows.len() as u32,
            first_row: self.rows.start as u32,
            count: count as u32,
            unit,
            more: more.map(|number| number as u32),
            whole: kind == TileKind::States,
            base: self.base,
        }
    }

    /// Encodes shares of each kind as bytes, the number of states that begin, and the longest.
    fn bins(&self, cells: &[Cell]) -> Vec<u8> {
        let mut out = TileWriter::with(&self.head(TileKind::Bins, cells.len(), 0, [0, 0]));
        let width = (self.index.level as f32).exp2();
        let lines = |row: usize| {
            let first = (self.rows.start + row) as u64;
            let end = ((first + 1) << self.index.group).min(u64::from(self.source.lines));
            (end - (first << self.index.group)).max(1) as f32
        };
        for kind in 0..KINDS {
            for (row, cells) in cells.chunks(BINS).enumerate() {
                let scale = 255.0 / (width * lines(row));
                // Round up, so that the smallest share is visible.
                out.bytes(cells.iter().map(|cell| (cell.time[kind] * scale).ceil().min(255.0) as u8));
            }
        }
        out.words(cells.iter().map(|cell| cell.count));
        out.floats(cells.iter().map(|cell| cell.longest));
        out.into_inner()
    }

    /// Encodes each state with its offsets from the start of the tile. States that reach beyond the
    /// tile are clipped, and their exact times are stored separately.
    fn states(&self, states: &[(u32, State)]) -> Vec<u8> {
        let unit = (self.index.level + BIN_BITS).saturating_sub(31);
        let end = 1_u64 << (self.index.level + BIN_BITS - unit).min(31);
        let since = |time: Time| time.as_picos().saturating_sub(self.source.origin);
        let offset = |time: Time| (since(time).saturating_sub(self.base) >> unit).min(end) as u32;
        let row = |line: u32| (line >> self.index.group) - self.rows.start as u32;
        let is_cut = |state: &State| {
            since(state.from) < self.base || since(state.to).saturating_sub(self.base) >> unit > end
        };
        let cut: Vec<(u32, &State)> = (0..)
            .zip(states)
            .filter(|(_, (_, state))| is_cut(state))
            .map(|(at, (_, state))| (at, state))
            .collect();
        let causes: Vec<(u32, u32, u64)> = (0..)
            .zip(states)
            .filter_map(|(at, (_, state))| match state.kind {
                StateKind::Wait(Some(cause)) => Some((at, cause.rank, since(cause.at))),
                _ => None,
            })
            .collect();
        let mut out =
            TileWriter::with(&self.head(TileKind::States, states.len(), unit, [cut.len(), causes.len()]));
        // Gaps and lengths repeat themselves, and compress well.
        let mut last = (u32::MAX, 0);
        out.words(states.iter().map(|(line, state)| {
            let before = if row(*line) == last.0 { last.1 } else { 0 };
            last = (row(*line), offset(state.to));
            offset(state.from).wrapping_sub(before)
        }));
        out.words(states.iter().map(|(_, state)| offset(state.to) - offset(state.from)));
        out.words(states.iter().map(|(_, state)| state.call.map_or(0, |call| call + 1)));
        out.words(cut.iter().map(|(at, _)| *at));
        for moment in [|state: &State| state.from, |state: &State| state.to] {
            out.words(cut.iter().map(|(_, state)| since(moment(state)) as u32));
            out.words(cut.iter().map(|(_, state)| (since(moment(state)) >> 32) as u32));
        }
        out.words(causes.iter().map(|(at, _, _)| *at));
        out.words(causes.iter().map(|(_, rank, _)| *rank));
        out.words(causes.iter().map(|(_, _, at)| *at as u32));
        out.words(causes.iter().map(|(_, _, at)| (*at >> 32) as u32));
        out.bytes(states.iter().map(|(line, _)| row(*line) as u8));
        out.bytes(states.iter().map(|(_, state)| kind(&state.kind) as u8));
        out.into_inner()
    }
}
