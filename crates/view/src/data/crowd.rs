//! Tiles of messages: each by itself, or by groups where they are many; with queues and the critical path.

use panto_timeline::{Message, Timeline};
use panto_units::Time;

use super::layout::{BIN_BITS, BINS, Bytes, Head, Kind};
use super::path::{Part, thin};
use super::states::shifted;
use super::traffic::Traffic;
use crate::error::Result;

/// The most messages of a tile that are told one by one. About four tiles are in view, so these are 20,000.
const RAW: usize = 5000;
/// The most parts of the critical path in a tile.
const PARTS: usize = 2 * BINS;
/// Bins of flows in a tile, as a power of two.
const FLOW_BITS: u32 = 4;

/// What tiles of messages are made from.
pub struct Source<'a> {
    pub timeline: &'a Timeline,
    pub traffic: &'a Traffic,
    pub path: &'a [Part],
    pub lines: u32,
    pub origin: u64,
}

/// Makes a tile of messages, and says whether finer ones would tell more; none if there is no such place.
pub fn tile(source: &Source<'_>, level: u32, column: u64) -> Result<Option<(Vec<u8>, bool)>> {
    let Some(base) = shifted(column, level + BIN_BITS).filter(|_| level + BIN_BITS < 64) else {
        return Ok(None);
    };
    let flow_level = level + BIN_BITS - FLOW_BITS;
    let known = source.traffic.knows(flow_level, level);
    if known && source.traffic.sent(level, column * BINS as u64, BINS) > RAW as u64 {
        return Ok(Some((source.flows(source.traffic, level, base), true)));
    }
    let from = source.origin.saturating_add(base);
    let to = from.saturating_add(shifted(1, level + BIN_BITS).unwrap_or(u64::MAX));
    let mut own =
        Traffic::tile(source.lines, source.origin, base, (flow_level, 1 << FLOW_BITS), (level, BINS));
    let (mut few, mut before) = (Vec::new(), Vec::new());
    for found in source.timeline.messages(&(Time::from_picos(from)..=Time::from_picos(to))) {
        let message = found?;
        own.add(&message);
        let list = if message.sent.as_picos() < from { &mut before } else { &mut few };
        // One more than there may be says that there are too many; all are counted.
        if list.len() <= RAW {
            list.push(message);
        }
    }
    own.finish();
    if few.len() > RAW && level > 0 {
        return Ok(Some((source.flows(&own, level, base), true)));
    }
    let has_all = before.len() <= RAW;
    before.extend(few);
    Ok(Some(source.messages(&before, has_all, &own, level, base)))
}

impl Source<'_> {
    fn flows(&self, traffic: &Traffic, level: u32, base: u64) -> Vec<u8> {
        let is_own = !std::ptr::eq(traffic, self.traffic);
        let first = |level: u32| if is_own { 0 } else { base >> level };
        let flow_level = level + BIN_BITS - FLOW_BITS;
        let flows = traffic.flows(flow_level, first(flow_level), 1 << FLOW_BITS);
        let (parts, _) = self.parts(level, base);
        let head = self.head(Kind::Flows, level, base, [flows.len(), parts.len()]);
        let mut out = Bytes::with(&Head { group: traffic.group, ..head });
        self.common(&mut out, traffic, level, first(level), &parts);
        out.words(flows.iter().map(|flow| flow.0));
        out.words(flows.iter().map(|flow| flow.1));
        out.words(flows.iter().map(|flow| flow.2));
        out.words(flows.iter().map(|flow| flow.3.count));
        out.floats(flows.iter().map(|flow| flow.3.bytes));
        out.floats(flows.iter().map(|flow| flow.3.travel / flow.3.count as f32));
        out.into_inner()
    }

    /// Those that were sent in the tile, and those that were sent before and are still there: all, or some if they are too many.
    fn messages(
        &self,
        messages: &[Message],
        has_all: bool,
        own: &Traffic,
        level: u32,
        base: u64,
    ) -> (Vec<u8>, bool) {
        let (parts, whole) = self.parts(level, base);
        let head = self.head(Kind::Messages, level, base, [messages.len(), parts.len()]);
        let mut out = Bytes::with(&Head { whole, unit: u32::from(!has_all), ..head });
        self.common(&mut out, own, level, 0, &parts);
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
        out.halves(messages.iter().map(|each| each.lane));
        (out.into_inner(), !whole)
    }

    /// Queues, and the critical path.
    fn common(&self, out: &mut Bytes, traffic: &Traffic, level: u32, first: u64, parts: &[Part]) {
        let queues = traffic.queues(level, first, BINS);
        for column in 0..queues[0].len() {
            out.floats(queues.iter().map(|queue| queue[column]));
        }
        out.doubles(parts.iter().map(|part| part.from.saturating_sub(self.origin) as f64));
        out.doubles(parts.iter().map(|part| part.to.saturating_sub(self.origin) as f64));
        out.words(parts.iter().map(|part| part.line));
        out.align();
    }

    /// The critical path in a tile, and whether it is all of it.
    fn parts(&self, level: u32, base: u64) -> (Vec<Part>, bool) {
        thin(self.path, self.origin.saturating_add(base), level, BINS as u64, PARTS)
    }

    fn head(&self, kind: Kind, level: u32, base: u64, [count, parts]: [usize; 2]) -> Head {
        let (count, more) = (count as u32, [parts as u32, 1 << FLOW_BITS]);
        Head {
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
