//! Messages over time: how many are in flight or arrived and not received, and flows between groups
//! of lines.

use panto_timeline::Message;

/// Upper limit of groups of lines between which messages are counted.
const GROUPS: u32 = 64;
/// Upper limit of bins of flows.
const FLOW_BINS: u64 = 512;
/// Upper limit of bins of queues.
const QUEUE_BINS: u64 = 8192;

/// Columns of queues: messages in flight, messages arrived and not received, bytes in flight, bytes
/// arrived, messages sent.
pub const QUEUES: usize = 5;

/// Messages from one group of lines to another in a bin.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Flow {
    pub count: u32,
    pub bytes: f32,
    /// Picoseconds in flight, summed over messages.
    pub travel: f32,
}

impl Flow {
    /// Adds another flow.
    pub fn merge(&mut self, other: &Self) {
        self.count = self.count.saturating_add(other.count);
        self.bytes += other.bytes;
        self.travel += other.travel;
    }

    fn add(&mut self, message: &Message) {
        self.count = self.count.saturating_add(1);
        self.bytes += message.bytes as f32;
        self.travel += message.arrived.since(message.sent).as_picos() as f32;
    }
}

/// Flows and queues in bins of a power of two.
#[derive(Debug)]
pub struct Traffic {
    /// A group is 2^group lines.
    pub group: u32,
    groups: usize,
    /// Time of the first event, in picoseconds.
    origin: u64,
    flows: Bins<Flow>,
    queues: Bins<[f32; QUEUES]>,
    /// Differences between neighbouring bins for messages that span whole bins: a prefix sum over
    /// them, once all messages are added, gives the queues.
    edges: Vec<[f64; QUEUES - 1]>,
}

/// Bins of 2^shift picoseconds from `base` on, with `each` cells per bin.
#[derive(Debug)]
struct Bins<T> {
    base: u64,
    shift: u32,
    each: usize,
    cells: Vec<T>,
}

impl<T: Clone + Default> Bins<T> {
    /// Creates at most `most` bins that cover a span.
    fn cover(span: u64, most: u64, each: usize) -> Self {
        let mut shift = 0;
        while span >> shift >= most {
            shift += 1;
        }
        Self::with_bins(0, shift, (span >> shift) as usize + 1, each)
    }

    fn with_bins(base: u64, shift: u32, bins: usize, each: usize) -> Self {
        Self { base, shift, each, cells: vec![T::default(); bins * each] }
    }

    fn len(&self) -> usize {
        self.cells.len() / self.each
    }

    /// Returns the bin of a time, if there is one.
    fn bin(&self, moment: u64) -> Option<usize> {
        let bin = moment.checked_sub(self.base)? >> self.shift;
        usize::try_from(bin).ok().filter(|bin| *bin < self.len())
    }
}

impl Traffic {
    /// Creates bins for a whole timeline.
    pub fn new(lines: u32, origin: u64, span: u64) -> Self {
        let (group, groups) = groups(lines);
        let flows = Bins::cover(span, FLOW_BINS, groups * groups);
        Self::of(group, groups, origin, flows, Bins::cover(span, QUEUE_BINS, 1))
    }

    /// Creates bins for a tile; `flows` and `queues` are (level, number of bins).
    pub fn tile(lines: u32, origin: u64, base: u64, flows: (u32, usize), queues: (u32, usize)) -> Self {
        let (group, groups) = groups(lines);
        let flows = Bins::with_bins(base, flows.0, flows.1, groups * groups);
        Self::of(group, groups, origin, flows, Bins::with_bins(base, queues.0, queues.1, 1))
    }

    fn of(group: u32, groups: usize, origin: u64, flows: Bins<Flow>, queues: Bins<[f32; QUEUES]>) -> Self {
        let edges = vec![[0.0; QUEUES - 1]; queues.len() + 1];
        Self { group, groups, origin, flows, queues, edges }
    }

    /// Adds a message.
    pub fn add(&mut self, message: &Message) {
        let [sent, arrived, received] = [message.sent, message.arrived, message.received]
            .map(|time| time.as_picos().saturating_sub(self.origin));
        if let Some(bin) = self.flows.bin(sent) {
            let pair =
                (message.from >> self.group) as usize * self.groups + (message.to >> self.group) as usize;
            self.flows.cells[bin * self.flows.each + pair].add(message);
        }
        if let Some(bin) = self.queues.bin(sent) {
            self.queues.cells[bin][QUEUES - 1] += 1.0;
        }
        self.occupy(sent, arrived, 0, message.bytes);
        self.occupy(arrived, received, 1, message.bytes);
    }

    /// Adds an interval in which a message is in a queue.
    fn occupy(&mut self, from: u64, to: u64, column: usize, bytes: u64) {
        let Bins { base, shift, .. } = self.queues;
        let bins = self.queues.len() as u64;
        if to <= from || to <= base {
            return;
        }
        let (from, to) = (from.max(base) - base, to - base);
        let (first, last) = (from >> shift, (to - 1) >> shift);
        if first >= bins {
            return;
        }
        let width = (shift as f32).exp2();
        let mut part = |bin: u64, time: u64| {
            let (cell, share) = (&mut self.queues.cells[bin as usize], time as f32 / width);
            cell[column] += share;
            cell[column + 2] += share * bytes as f32;
        };
        if first == last {
            return part(first, to - from);
        }
        part(first, ((first + 1) << shift) - from);
        if last < bins {
            part(last, to - (last << shift));
        }
        for (bin, sign) in [(first + 1, 1.0), (last.min(bins), -1.0)] {
            self.edges[bin as usize][column] += sign;
            self.edges[bin as usize][column + 2] += sign * bytes as f64;
        }
    }

    /// Computes the queues of whole bins, once all messages are added.
    pub fn finish(&mut self) {
        let mut level = [0.0; QUEUES - 1];
        for (cell, edge) in self.queues.cells.iter_mut().zip(&self.edges) {
            for column in 0..level.len() {
                level[column] += edge[column];
                cell[column] += level[column] as f32;
            }
        }
        self.edges.clear();
    }

    /// Returns whether it has bins of 2^flows and 2^queues picoseconds.
    pub fn resolves(&self, flows: u32, queues: u32) -> bool {
        self.flows.shift <= flows && self.queues.shift <= queues
    }

    /// Returns the flows between groups in bins of 2^level picoseconds, as (bin, from, to, flow),
    /// without empty ones.
    pub fn flows(&self, level: u32, first: u64, bins: usize) -> Vec<(u32, u32, u32, Flow)> {
        let by = level - self.flows.shift;
        let mut found = Vec::new();
        for bin in 0..bins as u64 {
            let mut sum = vec![Flow::default(); self.flows.each];
            for fine in fine(first + bin, by, self.flows.len()) {
                let cells = &self.flows.cells[fine * self.flows.each..(fine + 1) * self.flows.each];
                sum.iter_mut().zip(cells).for_each(|(sum, cell)| sum.merge(cell));
            }
            let flows = (0..).zip(&sum).filter(|(_, flow)| flow.count > 0);
            let groups = self.groups as u32;
            found.extend(flows.map(|(pair, flow)| (bin as u32, pair / groups, pair % groups, *flow)));
        }
        found
    }

    /// Returns the queues in bins of 2^level picoseconds: means over the bin, and messages sent in
    /// it.
    pub fn queues(&self, level: u32, first: u64, bins: usize) -> Vec<[f32; QUEUES]> {
        let by = level - self.queues.shift;
        let scale = (-(by as f32)).exp2();
        let mean = |bin: u64| {
            let mut sum = [0.0; QUEUES];
            for fine in fine(first + bin, by, self.queues.len()) {
                sum.iter_mut().zip(&self.queues.cells[fine]).for_each(|(sum, cell)| *sum += cell);
            }
            sum[..QUEUES - 1].iter_mut().for_each(|sum| *sum *= scale);
            sum
        };
        (0..bins as u64).map(mean).collect()
    }

    /// Returns the number of messages sent in bins of 2^level picoseconds.
    pub fn sent(&self, level: u32, first: u64, bins: usize) -> u64 {
        self.queues(level, first, bins).iter().map(|queue| queue[QUEUES - 1] as u64).sum()
    }
}

/// Returns the fine bins of a bin that is 2^by times as wide.
fn fine(bin: u64, by: u32, bins: usize) -> std::ops::Range<usize> {
    let edge = |bin: u64| super::states::shifted(bin, by).map_or(bins, |edge| (edge as usize).min(bins));
    edge(bin)..edge(bin + 1)
}

fn groups(lines: u32) -> (u32, usize) {
    let mut group = 0;
    while lines.div_ceil(1 << group) > GROUPS {
        group += 1;
    }
    (group, lines.div_ceil(1 << group).max(1) as usize)
}
