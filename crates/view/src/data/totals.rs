//! Totals of an interval: time by line, call and kind of state, lengths of states, and messages.

use std::collections::BTreeMap;

use panto_timeline::{Message, State, Timeline, Window};
use panto_units::Time;
use serde_json::{Value, json};

use super::grid::{KINDS, rows, whole};
use super::states::kind;
use crate::error::Result;

/// Upper limit of rows of lines that are listed; more lines are added up in groups of a power of
/// two.
const MAX_ROWS: usize = 1024;
/// Number of classes of lengths and sizes: the bit length of a 64-bit number.
const CLASSES: usize = 65;

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
#[derive(Debug, Clone)]
pub struct CallTotals {
    pub count: u64,
    pub time: u64,
    pub longest: u64,
    /// Position of the longest state: line and begin.
    pub place: (u32, u64),
    /// Number of states by the bit length of their lengths in picoseconds.
    pub lengths: [u32; CLASSES],
    /// Number of occurrences that begin in each bin; empty if they were not counted.
    pub starts: Vec<u32>,
}

impl Default for CallTotals {
    fn default() -> Self {
        Self { count: 0, time: 0, longest: 0, place: (0, 0), lengths: [0; CLASSES], starts: Vec::new() }
    }
}

/// Totals of messages.
#[derive(Debug)]
pub struct MessageTotals {
    /// Number of messages and bytes of each message kind.
    pub by_kind: Vec<(u64, u64)>,
    /// Histogram of sizes: number of messages by the bit length of their size.
    pub sizes: [u64; CLASSES],
    /// Picoseconds in flight, summed over messages.
    pub travel: u128,
    /// Picoseconds between arrival and receive, summed over messages.
    pub kept: u128,
}

/// Totals of a timeline or of an interval.
#[derive(Debug)]
pub struct Totals {
    pub lines: Vec<LineTotals>,
    /// Totals by call (one more than its number, 0 for none) and kind of state.
    pub calls: BTreeMap<(u32, usize), CallTotals>,
    pub messages: MessageTotals,
}

/// Returns the number of bits of a number, which is its class.
fn class(number: u64) -> usize {
    (u64::BITS - number.leading_zeros()) as usize
}

impl Totals {
    /// Returns totals of nothing.
    pub fn new(lines: u32, message_kinds: usize) -> Self {
        let messages =
            MessageTotals { by_kind: vec![(0, 0); message_kinds], sizes: [0; CLASSES], travel: 0, kept: 0 };
        Self { lines: vec![LineTotals::default(); lines as usize], calls: BTreeMap::new(), messages }
    }

    /// Adds the part from `from` to `to` of a state, in picoseconds since the start; returns the
    /// totals of its call.
    #[inline]
    pub fn state(&mut self, line: u32, state: &State, from: u64, to: u64) -> &mut CallTotals {
        let kind = kind(&state.kind);
        let sums = &mut self.lines[line as usize];
        sums.time[kind] += to - from;
        sums.end = state.to.as_picos();
        sums.states += 1;
        let call = self.calls.entry((state.call.map_or(0, |call| call + 1), kind)).or_default();
        let length = state.length().as_picos();
        call.count += 1;
        call.time = call.time.saturating_add(to - from);
        call.lengths[class(length)] += 1;
        if call.count == 1 || length > call.longest {
            (call.longest, call.place) = (length, (line, from));
        }
        call
    }

    /// Adds a message.
    pub fn message(&mut self, message: &Message) {
        let from = &mut self.lines[message.from as usize];
        from.sent += 1;
        from.bytes_sent = from.bytes_sent.saturating_add(message.bytes);
        let to = &mut self.lines[message.to as usize];
        to.received += 1;
        to.bytes_received = to.bytes_received.saturating_add(message.bytes);
        let kind = &mut self.messages.by_kind[usize::from(message.kind)];
        *kind = (kind.0 + 1, kind.1.saturating_add(message.bytes));
        self.messages.sizes[class(message.bytes)] += 1;
        self.messages.travel += u128::from(message.arrived.since(message.sent).as_picos());
        self.messages.kept += u128::from(message.received.since(message.arrived).as_picos());
    }

    /// Reads the interval from `from` to `to`, in picoseconds since `origin`. Messages are counted
    /// where they are sent.
    pub fn of(timeline: &Timeline, lines: u32, origin: u64, from: u64, to: u64) -> Result<Self> {
        let mut totals = Self::new(lines, timeline.about().message_kinds.len());
        let at = |time: u64| Time::from_picos(origin.saturating_add(time));
        let window: Window = at(from)..=at(to);
        let since = |time: Time| time.as_picos().saturating_sub(origin);
        for found in timeline.states_of(0..lines, &window) {
            let (line, state) = found?;
            let (begin, end) = (since(state.from).max(from), since(state.to).min(to));
            if begin < end {
                totals.state(line, &state, begin, end);
            }
        }
        for found in timeline.messages(&window) {
            let message = found?;
            if (from..to).contains(&since(message.sent)) {
                totals.message(&message);
            }
        }
        Ok(totals)
    }

    /// Returns the totals as JSON: calls, messages, and lines in groups of 2^group.
    pub fn json(&self) -> Value {
        let calls: Vec<Value> = self
            .calls
            .iter()
            .map(|((call, kind), sum)| {
                let last = sum.lengths.iter().rposition(|count| *count > 0).map_or(0, |last| last + 1);
                let [place, begin] = [u64::from(sum.place.0), sum.place.1];
                json!([call, kind, sum.count, sum.time, sum.longest, place, begin, sum.lengths[..last]])
            })
            .collect();
        let lines = self.lines.len() as u32;
        let group = (0..=whole(lines)).find(|group| rows(lines, *group) <= MAX_ROWS).unwrap_or(0);
        json!({
            "calls": calls,
            "messageKinds": self.messages.by_kind,
            "sizes": self.messages.sizes.as_slice(),
            "travel": self.messages.travel as f64,
            "kept": self.messages.kept as f64,
            "group": group,
            "lines": self.lines.chunks(1 << group).map(row).collect::<Vec<_>>(),
        })
    }
}

/// Returns the sums of some lines: time by kind, messages and bytes sent, messages and bytes
/// received.
fn row(lines: &[LineTotals]) -> Vec<u64> {
    let sum = |value: &dyn Fn(&LineTotals) -> u64| lines.iter().map(value).fold(0, u64::saturating_add);
    let times = (0..KINDS).map(|kind| sum(&move |line| line.time[kind]));
    let traffic = [
        sum(&|line| line.sent),
        sum(&|line| line.bytes_sent),
        sum(&|line| line.received),
        sum(&|line| line.bytes_received),
    ];
    times.chain(traffic).collect()
}
