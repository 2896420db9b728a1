//! What a timeline looks like from afar, made in one pass.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use panto_timeline::{EVER, Message, State, Timeline};

use super::grid::{Grid, KINDS, Piece, rows, whole};
use super::occurrence::Bins;
use super::path::{self, Part};
use super::states::kind;
use super::traffic::Traffic;
use crate::error::{Error, Result};

/// The most cells of a grid; 28 bytes each, and as many again for coarser levels.
const CELLS: usize = 2 << 20;
/// With more rows than this there is a grid in which they are grouped.
const FEW_ROWS: usize = 512;
/// Lines are not told apart in the overview if they would have fewer bins than this.
const LEAST_BINS: usize = 16;
/// The progress is told after so many events.
const BEAT: u64 = 1 << 16;

/// How far the overview is. The reader of a timeline tells, whoever waits for it asks.
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicU64,
    total: AtomicU64,
    stop: AtomicBool,
}

impl Progress {
    /// From 0 to 1.
    pub fn share(&self) -> f64 {
        let total = self.total.load(Ordering::Relaxed).max(1);
        (self.done.load(Ordering::Relaxed) as f64 / total as f64).min(1.0)
    }

    /// Nobody waits any more.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// So many events more are done. An error if nobody waits.
    pub(crate) fn step(&self, events: u64) -> Result<()> {
        self.done.fetch_add(events, Ordering::Relaxed);
        if self.stop.load(Ordering::Relaxed) { Err(Error::Stopped) } else { Ok(()) }
    }
}

/// Sums of one line.
#[derive(Debug, Clone, Copy, Default)]
pub struct Line {
    pub time: [u64; KINDS],
    pub end: u64,
    pub states: u64,
    pub sent: u64,
    pub bytes_sent: u64,
    pub received: u64,
    pub bytes_received: u64,
}

/// Sums of a kind of states in a call.
#[derive(Debug, Clone, Default)]
pub struct CallSum {
    pub count: u64,
    pub time: u64,
    pub longest: u64,
    /// Where the longest is: its line, and when it begins.
    pub place: (u32, u64),
    /// How many begin in each bin; empty if that was not counted.
    pub begun: Vec<u32>,
}

/// Sums of messages.
#[derive(Debug)]
pub struct MessageSums {
    /// By lane: how many, and bytes.
    pub lanes: Vec<(u64, u64)>,
    /// How many have a size of so many bits.
    pub sizes: [u64; 65],
    /// Picoseconds on their way, and waiting to be received.
    pub travel: u128,
    pub kept: u128,
}

impl MessageSums {
    fn new(lanes: usize) -> Self {
        Self { lanes: vec![(0, 0); lanes], sizes: [0; 65], travel: 0, kept: 0 }
    }
}

/// What a timeline looks like from afar.
#[derive(Debug)]
pub struct Overview {
    pub grids: Vec<Grid>,
    pub traffic: Traffic,
    pub lines: Vec<Line>,
    /// By call (one more than its number, 0 for none) and kind.
    pub calls: BTreeMap<(u32, usize), CallSum>,
    /// Bins in which is counted how many of them begin.
    pub bins: Bins,
    pub messages: MessageSums,
    pub path: Vec<Part>,
}

impl Overview {
    /// Reads all of a timeline.
    pub fn new(timeline: &Timeline, lines: u32, origin: u64, span: u64, progress: &Progress) -> Result<Self> {
        let (states, messages) = timeline.counts();
        // Following the path reads the states once more.
        progress.total.store(2 * states + messages, Ordering::Relaxed);
        let mut overview = Self {
            grids: grids(lines, span, states),
            traffic: Traffic::new(lines, origin, span),
            lines: vec![Line::default(); lines as usize],
            calls: BTreeMap::new(),
            bins: Bins::new(span),
            messages: MessageSums::new(timeline.about().lanes.len()),
            path: Vec::new(),
        };
        for (number, found) in (1..).zip(timeline.states_of(0..lines, &EVER)) {
            let (line, state) = found?;
            overview.state(line, &state, origin);
            if number % BEAT == 0 {
                progress.step(BEAT)?;
            }
        }
        overview.grids.iter_mut().for_each(Grid::finish);
        for (number, found) in (1..).zip(timeline.messages(&EVER)) {
            overview.message(&found?);
            if number % BEAT == 0 {
                progress.step(BEAT)?;
            }
        }
        overview.traffic.finish();
        if let Some(last) = overview.last() {
            overview.path = path::follow(timeline, lines, last, progress)?;
        }
        Ok(overview)
    }

    /// The line that ends last, and when.
    fn last(&self) -> Option<(u32, u64)> {
        let last = (0..).zip(&self.lines).max_by_key(|(line, sums)| (sums.end, std::cmp::Reverse(*line)))?;
        Some((last.0, last.1.end)).filter(|_| last.1.states > 0)
    }

    fn state(&mut self, line: u32, state: &State, origin: u64) {
        let (from, to) = (state.from.as_picos() - origin, state.to.as_picos() - origin);
        let kind = kind(&state.what);
        for grid in &mut self.grids {
            grid.add(
                (line >> grid.group) as usize,
                Piece { kind, from, to, begins: true, length: to - from },
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
            .or_insert_with(|| CallSum { begun: bins.empty(others), ..CallSum::default() });
        bins.add(&mut call.begun, from);
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
        let lane = &mut self.messages.lanes[usize::from(message.lane)];
        *lane = (lane.0 + 1, lane.1.saturating_add(message.bytes));
        self.messages.sizes[(u64::BITS - message.bytes.leading_zeros()) as usize] += 1;
        self.messages.travel += u128::from(message.arrived.since(message.sent).as_picos());
        self.messages.kept += u128::from(message.received.since(message.arrived).as_picos());
    }
}

/// One grid with every line, one with fewer rows if there are many, and one with all lines in a row.
fn grids(lines: u32, span: u64, states: u64) -> Vec<Grid> {
    // There is no use in more cells than states: where those are few they are shown themselves.
    let cells = CELLS.min((states as usize).next_power_of_two());
    let mut groups = Vec::new();
    if lines as usize * LEAST_BINS <= CELLS {
        groups.push(0);
    }
    let few = (0..=whole(lines)).find(|group| rows(lines, *group) <= FEW_ROWS);
    groups.extend(few);
    groups.push(whole(lines));
    groups.dedup();
    groups.into_iter().map(|group| Grid::new(lines, span, group, cells.min(CELLS >> group.min(4)))).collect()
}
