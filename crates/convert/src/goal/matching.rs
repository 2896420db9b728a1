//! Matching of sends and receives while schedules are ordered: FIFO by sender and tag, and wildcard
//! receives in the order they were posted.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

/// A posted wildcard receive: source, tag (`None` is any), and its operation number.
type WildcardReceive = (Option<u32>, Option<u32>, u32);

/// Unmatched operations of one destination rank.
#[derive(Default)]
struct Queues {
    /// Operation numbers of sends by (source, tag).
    sends: FxHashMap<(u32, u32), VecDeque<u32>>,
    /// Operation numbers of receives by (source, tag).
    receives: FxHashMap<(u32, u32), VecDeque<u32>>,
    wild: Vec<WildcardReceive>,
}

/// Unmatched operations of all ranks, by destination.
#[derive(Default)]
pub struct Unmatched(FxHashMap<u32, Queues>);

impl Unmatched {
    /// Posts a send; returns the receive that it matches, if one is posted.
    pub fn send(&mut self, from: u32, to: u32, tag: u32, op: u32) -> Option<u32> {
        let waiting = self.0.entry(to).or_default();
        let fits = |(other, wanted, _): &WildcardReceive| {
            other.is_none_or(|other| other == from) && wanted.is_none_or(|wanted| wanted == tag)
        };
        let receive = waiting.receives.get_mut(&(from, tag)).and_then(VecDeque::pop_front);
        let receive =
            receive.or_else(|| waiting.wild.iter().position(fits).map(|place| waiting.wild.remove(place).2));
        if receive.is_none() {
            waiting.sends.entry((from, tag)).or_default().push_back(op);
        }
        receive
    }

    /// Posts a receive; returns the source rank and the send that it matches, if one was posted.
    pub fn receive(&mut self, to: u32, from: Option<u32>, tag: Option<u32>, op: u32) -> Option<(u32, u32)> {
        let waiting = self.0.entry(to).or_default();
        if let (Some(from), Some(tag)) = (from, tag) {
            let send = waiting.sends.get_mut(&(from, tag)).and_then(VecDeque::pop_front);
            if send.is_none() {
                waiting.receives.entry((from, tag)).or_default().push_back(op);
            }
            return send.map(|send| (from, send));
        }
        let fits = |(other, sent): &(u32, u32)| {
            from.is_none_or(|from| from == *other) && tag.is_none_or(|tag| tag == *sent)
        };
        // The lowest key, so that the result does not depend on the iteration order of the map.
        let filled = waiting.sends.iter().filter(|(_, sends)| !sends.is_empty()).map(|(key, _)| *key);
        let Some(key) = filled.filter(fits).min() else {
            waiting.wild.push((from, tag, op));
            return None;
        };
        let send = waiting.sends.get_mut(&key).and_then(VecDeque::pop_front);
        send.map(|send| (key.0, send))
    }

    /// Returns the sends that no receive has matched: source ranks and operation numbers, sorted.
    pub fn unmatched_sends(&self) -> Vec<(u32, u32)> {
        let sends = self.0.values().flat_map(|waiting| &waiting.sends);
        let mut all: Vec<(u32, u32)> =
            sends.flat_map(|((from, _), sends)| sends.iter().map(|send| (*from, *send))).collect();
        all.sort_unstable();
        all
    }
}
