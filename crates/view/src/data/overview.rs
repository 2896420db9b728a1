//! Overview of a timeline: totals and coarse levels of detail, computed in one pass.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use panto_measured::{WaitCounter, WaitStates};
use panto_timeline::{ALL_TIME, Message, State, Timeline};

use super::grid::{ClippedState, Grid, KINDS, rows, whole};
use super::occurrence::Bins;
use super::path::{self, PathSegment};
use super::states::kind;
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

/// Totals of one line.
#[derive(Debug, Clone, Copy, Default)]
pub struct LineTotals {
    pub time: [u64; KINDS],
    pub end: u64,
    pub states: u64,
    pub sent: u64,
    pub bytes_sent: u64,
    pub received: u64,
    pub bytes_received: u64,
}

/// Totals of a kind of state in a call.
#[derive(Debug, Clone, Default)]
pub struct CallTotals {
    pub count: u64,
    pub time: u64,
    pub longest: u64,
    /// Position of the longest state: line and begin.
    pub place: (u32, u64),
    /// Number of occurrences that begin in each bin; empty if they were not counted.
    pub starts: Vec<u32>,
}

/// Totals of messages.
#[derive(Debug)]
pub struct MessageTotals {
    /// Number of messages and bytes of each message kind.
    pub by_kind: Vec<(u64, u64)>,
    /// Histogram of sizes: number of messages by the bit length of their size.
    pub sizes: [u64; 65],
    /// Picoseconds in flight, summed over messages.
    pub travel: u128,
    /// Picoseconds between arrival and receive, summed over messages.
    pub kept: u128,
}

impl MessageTotals {
    fn new(kinds: usize) -> Self {
        Self { by_kind: vec![(0, 0); kinds], sizes: [0; 65], travel: 0, kept: 0 }
    }
}

/// Totals and coarse levels of detail of a timeline.
#[derive(Debug)]
pub struct Overview {
    pub grids: Vec<Grid>,
    pub traffic: Traffic,
    pub lines: Vec<LineTotals>,
    /// Totals by call (one more than its number, 0 for none) and kind of state.
    pub calls: BTreeMap<(u32, usize), CallTotals>,
    /// Bins in which the beginnings in `calls` are counted.
    pub bins: Bins,
    pub messages: MessageTotals,
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
            lines: vec![LineTotals::default(); lines as usize],
            calls: BTreeMap::new(),
            bins: Bins::new(span),
            messages: MessageTotals::new(timeline.about().message_kinds.len()),
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
        let last = (0..).zip(&self.lines).max_by_key(|(line, sums)| (sums.end, std::cmp::Reverse(*line)))?;
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
        let sums = &mut self.lines[line as usize];
        sums.time[kind] += to - from;
        sums.end = state.to.as_picos();
        sums.states += 1;
        let pair = (state.call.map_or(0, |call| call + 1), kind);
        let (bins, others) = (self.bins, self.calls.len());
        let call = self
            .calls
            .entry(pair)
            .or_insert_with(|| CallTotals { starts: bins.empty(others), ..CallTotals::default() });
        bins.add(&mut call.starts, from);
        call.count += 1;
        call.time = call.time.saturating_add(to - from);
        if call.count == 1 || to - from > call.longest {
            (call.longest, call.place) = (to - from, (line, from));
        }
    }

    fn message(&mut self, message: &Message) {
        self.traffic.add(message);
        let from = &mut self.lines[message.from as usize];
        from.sent += 1;
        from.bytes_sent = from.bytes_sent.saturating_add(message.bytes);
        let to = &mut self.lines[message.to as usize];
        to.received += 1;
        to.bytes_received = to.bytes_received.saturating_add(message.bytes);
        let kind = &mut self.messages.by_kind[usize::from(message.kind)];
        *kind = (kind.0 + 1, kind.1.saturating_add(message.bytes));
        self.messages.sizes[(u64::BITS - message.bytes.leading_zeros()) as usize] += 1;
        self.messages.travel += u128::from(message.arrived.since(message.sent).as_picos());
        self.messages.kept += u128::from(message.received.since(message.arrived).as_picos());
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
