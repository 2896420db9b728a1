//! Overview of a timeline: totals and coarse levels of detail, computed in one pass.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use panto_measured::{WaitCounter, WaitStates};
use panto_timeline::{ALL_TIME, Message, State, Timeline};

use super::grid::{ClippedState, Grid, rows, whole};
use super::occurrence::Bins;
use super::path::{self, PathSegment};
use super::states::kind;
use super::totals::Totals;
use super::traffic::Traffic;
use crate::error::{Error, Result};

/// Upper limit of cells per grid; 28 bytes each, and as many again for coarser levels.
const MAX_CELLS: usize = 2 << 20;
/// Upper limit of rows of the grouped grid, which exists if there are more lines.
const MAX_GROUPED_ROWS: usize = 512;
/// Lower limit of bins per line: with fewer the overview has no row per line.
const MIN_BINS: usize = 16;
/// Number of events between updates of the progress.
const PROGRESS_INTERVAL: u64 = 1 << 16;

/// Progress of the overview, shared between the thread that reads a timeline and the one that waits
/// for it.
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicU64,
    total: AtomicU64,
    stop: AtomicBool,
}

impl Progress {
    /// Returns the completed fraction, from 0 to 1.
    pub fn fraction(&self) -> f64 {
        let total = self.total.load(Ordering::Relaxed).max(1);
        (self.done.load(Ordering::Relaxed) as f64 / total as f64).min(1.0)
    }

    /// Requests cancellation.
    pub fn cancel(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Records `events` more events; fails if cancellation was requested.
    pub(crate) fn step(&self, events: u64) -> Result<()> {
        self.done.fetch_add(events, Ordering::Relaxed);
        if self.stop.load(Ordering::Relaxed) { Err(Error::Cancelled) } else { Ok(()) }
    }
}

/// Totals and coarse levels of detail of a timeline.
#[derive(Debug)]
pub struct Overview {
    pub grids: Vec<Grid>,
    pub traffic: Traffic,
    pub totals: Totals,
    /// Bins in which the beginnings of the states of each call are counted.
    pub bins: Bins,
    pub path: Vec<PathSegment>,
    pub waits: WaitStates,
}

impl Overview {
    /// Reads all of a timeline.
    pub fn new(timeline: &Timeline, lines: u32, origin: u64, span: u64, progress: &Progress) -> Result<Self> {
        let (states, messages) = timeline.counts();
        // Following the critical path reads the states once more.
        progress.total.store(2 * states + messages, Ordering::Relaxed);
        let mut overview = Self {
            grids: grids(lines, span, states),
            traffic: Traffic::new(lines, origin, span),
            totals: Totals::new(lines, timeline.about().message_kinds.len()),
            bins: Bins::new(span),
            path: Vec::new(),
            waits: WaitStates::default(),
        };
        let mut waits = WaitCounter::default();
        for (number, found) in (1..).zip(timeline.states_of(0..lines, &ALL_TIME)) {
            let (line, state) = found?;
            overview.state(line, &state, origin);
            waits.add(timeline.about(), line, &state);
            if number % PROGRESS_INTERVAL == 0 {
                progress.step(PROGRESS_INTERVAL)?;
            }
        }
        overview.waits = waits.finish(timeline.about());
        overview.grids.iter_mut().for_each(Grid::finish);
        for (number, found) in (1..).zip(timeline.messages(&ALL_TIME)) {
            overview.message(&found?);
            if number % PROGRESS_INTERVAL == 0 {
                progress.step(PROGRESS_INTERVAL)?;
            }
        }
        overview.traffic.finish();
        if let Some(last) = overview.last() {
            overview.path = path::follow(timeline, lines, last, progress)?;
        }
        Ok(overview)
    }

    /// Returns the line that ends last, and its end.
    fn last(&self) -> Option<(u32, u64)> {
        let last =
            (0..).zip(&self.totals.lines).max_by_key(|(line, sums)| (sums.end, std::cmp::Reverse(*line)))?;
        Some((last.0, last.1.end)).filter(|_| last.1.states > 0)
    }

    fn state(&mut self, line: u32, state: &State, origin: u64) {
        let (from, to) = (state.from.as_picos() - origin, state.to.as_picos() - origin);
        let kind = kind(&state.kind);
        for grid in &mut self.grids {
            grid.add(
                (line >> grid.group) as usize,
                ClippedState { kind, from, to, begins: true, length: to - from },
            );
        }
        let others = self.totals.calls.len();
        let call = self.totals.state(line, state, from, to);
        if call.count == 1 {
            call.starts = self.bins.empty(others);
        }
        self.bins.add(&mut call.starts, from);
    }

    fn message(&mut self, message: &Message) {
        self.traffic.add(message);
        self.totals.message(message);
    }
}

/// Returns one grid with a row per line, one with fewer rows if there are many lines, and one with
/// all lines in a row.
fn grids(lines: u32, span: u64, states: u64) -> Vec<Grid> {
    // More cells than states are useless: where states are few they are shown individually.
    let cells = MAX_CELLS.min((states as usize).next_power_of_two());
    let mut groups = Vec::new();
    if lines as usize * MIN_BINS <= MAX_CELLS {
        groups.push(0);
    }
    let few = (0..=whole(lines)).find(|group| rows(lines, *group) <= MAX_GROUPED_ROWS);
    groups.extend(few);
    groups.push(whole(lines));
    groups.dedup();
    groups
        .into_iter()
        .map(|group| Grid::new(lines, span, group, cells.min(MAX_CELLS >> group.min(4))))
        .collect()
}
