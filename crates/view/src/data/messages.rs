//! Tiles of messages: individual messages, or flows between groups where there are many; with queue
//! lengths and the critical path.

use panto_timeline::{Message, Timeline};
use panto_units::Time;

use super::layout::{BIN_BITS, BINS, TileHeader, TileKind, TileWriter};
use super::path::{PathSegment, thin};
use super::states::shifted;
use super::traffic::Traffic;
use crate::error::Result;

/// Upper limit of individual messages per tile. About four tiles are in view: 20,000 messages.
const MAX_MESSAGES: usize = 5000;
/// Upper limit of critical-path segments per tile.
const MAX_SEGMENTS: usize = 2 * BINS;
/// Log2 of the number of flow bins per tile.
const FLOW_BITS: u32 = 4;

/// What tiles of messages are built from.
pub struct Source<'a> {
    pub timeline: &'a Timeline,
    pub traffic: &'a Traffic,
    pub path: &'a [PathSegment],
    pub lines: u32,
    pub origin: u64,
}

/// Builds a tile of messages; the flag tells whether finer tiles would show more. `None` if the
/// index is out of range.
pub fn tile(source: &Source<'_>, level: u32, column: u64) -> Result<Option<(Vec<u8>, bool)>> {
    let Some(base) = shifted(column, level + BIN_BITS).filter(|_| level + BIN_BITS < 64) else {
        return Ok(None);
    };
    let flow_level = level + BIN_BITS - FLOW_BITS;
    let known = source.traffic.resolves(flow_level, level);
    if known && source.traffic.sent(level, column * BINS as u64, BINS) > MAX_MESSAGES as u64 {
        return Ok(Some((source.flows(source.traffic, level, base), true)));
    }
    let from = source.origin.saturating_add(base);
    let to = from.saturating_add(shifted(1, level + BIN_BITS).unwrap_or(u64::MAX));
    let mut own =
        Traffic::tile(source.lines, source.origin, base, (flow_level, 1 << FLOW_BITS), (level, BINS));
    let (mut inside, mut before) = (Vec::new(), Vec::new());
    for found in source.timeline.messages(&(Time::from_picos(from)..=Time::from_picos(to))) {
        let message = found?;
        own.add(&message);
        let list = if message.sent.as_picos() < from { &mut before } else { &mut inside };
        // One message beyond the limit is enough to know that there are too many; the bins count
        // all.
        if list.len() <= MAX_MESSAGES {
            list.push(message);
        }
    }
    own.finish();
    if inside.len() > MAX_MESSAGES && level > 0 {
        return Ok(Some((source.flows(&own, level, base), true)));
    }
    let has_all = before.len() <= MAX_MESSAGES;
    before.extend(inside);
    Ok(Some(source.messages(&before, has_all, &own, level, base)))
}

impl Source<'_> {
    fn flows(&self, traffic: &Traffic, level: u32, base: u64) -> Vec<u8> {
        let is_own = !std::ptr::eq(traffic, self.traffic);
        let first = |level: u32| if is_own { 0 } else { base >> level };
        let flow_level = level + BIN_BITS - FLOW_BITS;
        let flows = traffic.flows(flow_level, first(flow_level), 1 << FLOW_BITS);
        let (segments, _) = self.segments(level, base);
        let head = self.head(TileKind::Flows, level, base, [flows.len(), segments.len()]);
        let mut out = TileWriter::with(&TileHeader { group: traffic.group, ..head });
        self.common(&mut out, traffic, level, first(level), &segments);
        out.words(flows.iter().map(|flow| flow.0));
        out.words(flows.iter().map(|flow| flow.1));
        out.words(flows.iter().map(|flow| flow.2));
        out.words(flows.iter().map(|flow| flow.3.count));
        out.floats(flows.iter().map(|flow| flow.3.bytes));
        out.floats(flows.iter().map(|flow| flow.3.travel / flow.3.count as f32));
        out.into_inner()
    }

    /// Encodes the messages sent in the tile and those sent before it that are still in flight: all
    /// of them, or a segment if there are too many.
    fn messages(
        &self,
        messages: &[Message],
        has_all: bool,
        own: &Traffic,
        level: u32,
        base: u64,
    ) -> (Vec<u8>, bool) {
        let (segments, whole) = self.segments(level, base);
        let head = self.head(TileKind::Messages, level, base, [messages.len(), segments.len()]);
        let mut out = TileWriter::with(&TileHeader { whole, unit: u32::from(!has_all), ..head });
        self.common(&mut out, own, level, 0, &segments);
        let sent = |each: &Message| each.sent.as_picos().saturating_sub(self.origin);
        let change = |from: Time, to: Time| (to.as_picos() as f64 - from.as_picos() as f64) as f32;
        out.words(messages.iter().map(|each| sent(each) as u32));
        out.words(messages.iter().map(|each| (sent(each) >> 32) as u32));
        out.doubles(messages.iter().map(|each| each.bytes as f64));
        out.floats(messages.iter().map(|each| change(each.sent, each.arrived)));
        out.floats(messages.iter().map(|each| change(each.arrived, each.received)));
        out.words(messages.iter().map(|each| each.from));
        out.words(messages.iter().map(|each| each.to));
        out.words(messages.iter().map(|each| each.class));
        out.halves(messages.iter().map(|each| each.kind));
        (out.into_inner(), !whole)
    }

    /// Encodes queue lengths and the critical path.
    fn common(
        &self,
        out: &mut TileWriter,
        traffic: &Traffic,
        level: u32,
        first: u64,
        segments: &[PathSegment],
    ) {
        let queues = traffic.queues(level, first, BINS);
        for column in 0..queues[0].len() {
            out.floats(queues.iter().map(|queue| queue[column]));
        }
        out.doubles(segments.iter().map(|segment| segment.from.saturating_sub(self.origin) as f64));
        out.doubles(segments.iter().map(|segment| segment.to.saturating_sub(self.origin) as f64));
        out.words(segments.iter().map(|segment| segment.line));
        out.align();
    }

    /// Returns the critical path within a tile, and whether it is complete.
    fn segments(&self, level: u32, base: u64) -> (Vec<PathSegment>, bool) {
        thin(self.path, self.origin.saturating_add(base), level, BINS as u64, MAX_SEGMENTS)
    }

    fn head(&self, kind: TileKind, level: u32, base: u64, [count, segments]: [usize; 2]) -> TileHeader {
        let (count, more) = (count as u32, [segments as u32, 1 << FLOW_BITS]);
        TileHeader {
            kind,
            group: 0,
            level,
            rows: self.lines,
            first_row: 0,
            count,
            unit: 0,
            more,
            whole: false,
            base,
        }
    }
}
