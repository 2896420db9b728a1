//! Tiles of states: bins, or the states themselves where they are few.

use std::ops::Range;

use panto_timeline::{State, Timeline, What};
use panto_units::Time;

use super::grid::{Cell, Grid, KINDS, Piece, rows};
use super::layout::{BIN_BITS, BINS, Bytes, Head, Kind, ROWS};
use crate::error::Result;

/// Below this many states a bin they are shown one by one; a bin is about half a pixel, so this is about four a pixel.
const RAW: usize = 2;
/// However few rows there are, a tile may have so many states.
const LEAST_RAW: usize = 8192;
/// In a tile in which fewer states begin, finer bins would tell little that is new.
const FEW: usize = 4 * BINS;

/// The number of a kind of states in tiles.
pub fn kind(what: &What) -> usize {
    match what {
        What::Compute => 0,
        What::Message => 1,
        What::Combine => 2,
        What::Access => 3,
        What::Wait(_) => KINDS - 1,
    }
}

/// Which tile of states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// A row is 2^group lines.
    pub group: u32,
    /// A bin is 2^level picoseconds.
    pub level: u32,
    /// The tile's number in rows, and in time.
    pub row: u32,
    pub column: u64,
}

/// What tiles are made from.
pub struct Source<'a> {
    pub timeline: &'a Timeline,
    pub grids: &'a [Grid],
    pub lines: u32,
    /// The first moment of the timeline.
    pub origin: u64,
}

/// A tile that is known where it lies.
struct Tile<'a> {
    source: &'a Source<'a>,
    place: Place,
    rows: Range<usize>,
    lines: Range<u32>,
    base: u64,
}

/// Makes a tile, and says whether finer ones would tell more; none if there is no such place.
pub fn tile(source: &Source<'_>, place: Place) -> Result<Option<(Vec<u8>, bool)>> {
    let all = rows(source.lines, place.group);
    let first = (place.row as usize).saturating_mul(ROWS);
    let base = shifted(place.column, place.level + BIN_BITS);
    let (Some(base), true) = (base, first < all && place.level < 64 && place.group <= 32) else {
        return Ok(None);
    };
    let rows = first..(first + ROWS).min(all);
    let line = |row: usize| ((row as u64) << place.group).min(u64::from(source.lines)) as u32;
    let lines = line(rows.start)..line(rows.end);
    Tile { source, place, rows, lines, base }.make().map(Some)
}

/// Shifted to the left, if nothing is lost.
pub fn shifted(number: u64, by: u32) -> Option<u64> {
    let wide = u128::from(number).checked_shl(by).filter(|_| by < 64)?;
    u64::try_from(wide).ok()
}

impl Tile<'_> {
    fn make(&self) -> Result<(Vec<u8>, bool)> {
        let limit = (RAW * BINS * self.rows.len()).max(LEAST_RAW);
        let Place { group, level, column, .. } = self.place;
        let known = self.source.grids.iter().filter(|grid| grid.knows(group, level));
        if let Some(grid) = known.max_by_key(|grid| grid.group) {
            let cells = grid.copy(group, level, self.rows.clone(), column * BINS as u64, BINS);
            let count: usize = cells.iter().map(|cell| cell.count as usize).sum();
            if count > limit {
                return Ok((self.bins(&cells), true));
            }
        }
        let mut grid = Grid::exactly(self.rows.len(), BINS, level);
        let mut states = Vec::new();
        for found in self.source.timeline.states_of(self.lines.clone(), &self.window()) {
            let (line, state) = found?;
            self.add(&mut grid, line, &state);
            // One more than the limit says that there are too many of them; they are all in the cells.
            if states.len() <= limit {
                states.push((line, state));
            }
        }
        if states.len() > limit && level > 0 {
            // Most of them may have begun before: all of a hundred thousand ranks are in some state at any moment.
            grid.settle();
            let begun: usize = grid.cells().iter().map(|cell| cell.count as usize).sum();
            return Ok((self.bins(grid.cells()), begun > FEW));
        }
        states.sort_by_key(|(line, state)| (*line, state.from));
        Ok((self.states(&states), false))
    }

    fn window(&self) -> panto_timeline::Window {
        let from = self.source.origin.saturating_add(self.base);
        let width = shifted(1, self.place.level + BIN_BITS).unwrap_or(u64::MAX);
        Time::from_picos(from)..=Time::from_picos(from.saturating_add(width))
    }

    fn add(&self, grid: &mut Grid, line: u32, state: &State) {
        let row = (line >> self.place.group) as usize - self.rows.start;
        let since = |time: Time| time.as_picos().saturating_sub(self.source.origin).checked_sub(self.base);
        let (from, to) = (since(state.from), since(state.to).unwrap_or(0));
        let piece = Piece {
            kind: kind(&state.what),
            from: from.unwrap_or(0),
            to,
            begins: from.is_some(),
            length: state.length().as_picos(),
        };
        grid.add(row, piece);
    }

    fn head(&self, kind: Kind, count: usize, unit: u32, more: [usize; 2]) -> Head {
        Head {
            kind,
            group: self.place.group,
            level: self.place.level,
            rows: self.rows.len() as u32,
            first_row: self.rows.start as u32,
            count: count as u32,
            unit,
            more: more.map(|number| number as u32),
            whole: kind == Kind::States,
            base: self.base,
        }
    }

    /// Shares of each kind as bytes, how many states began, and the longest.
    fn bins(&self, cells: &[Cell]) -> Vec<u8> {
        let mut out = Bytes::with(&self.head(Kind::Bins, cells.len(), 0, [0, 0]));
        let width = (self.place.level as f32).exp2();
        let lines = |row: usize| {
            let first = (self.rows.start + row) as u64;
            let end = ((first + 1) << self.place.group).min(u64::from(self.source.lines));
            (end - (first << self.place.group)).max(1) as f32
        };
        for kind in 0..KINDS {
            for (row, cells) in cells.chunks(BINS).enumerate() {
                let scale = 255.0 / (width * lines(row));
                // The smallest share is seen, too.
                out.bytes(cells.iter().map(|cell| (cell.time[kind] * scale).ceil().min(255.0) as u8));
            }
        }
        out.words(cells.iter().map(|cell| cell.count));
        out.floats(cells.iter().map(|cell| cell.longest));
        out.into_inner()
    }

    /// Each state with its offsets from the tile's beginning. Those that reach beyond the tile are cut, and their moments kept beside.
    fn states(&self, states: &[(u32, State)]) -> Vec<u8> {
        let unit = (self.place.level + BIN_BITS).saturating_sub(31);
        let end = 1_u64 << (self.place.level + BIN_BITS - unit).min(31);
        let since = |time: Time| time.as_picos().saturating_sub(self.source.origin);
        let offset = |time: Time| (since(time).saturating_sub(self.base) >> unit).min(end) as u32;
        let row = |line: u32| (line >> self.place.group) - self.rows.start as u32;
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
            .filter_map(|(at, (_, state))| match state.what {
                What::Wait(Some(cause)) => Some((at, cause.rank, since(cause.at))),
                _ => None,
            })
            .collect();
        let mut out = Bytes::with(&self.head(Kind::States, states.len(), unit, [cut.len(), causes.len()]));
        // As gaps and lengths they repeat themselves, and pack well.
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
        out.bytes(states.iter().map(|(_, state)| kind(&state.what) as u8));
        out.into_inner()
    }
}
