//! Sends and receives that have not met.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

/// A receive with a wild card: from whom, with which tag, and its number.
type Wild = (Option<u32>, Option<u32>, u32);

/// What waits at a rank.
#[derive(Default)]
struct Box {
    /// Sends by sender and tag.
    sends: FxHashMap<(u32, u32), VecDeque<u32>>,
    /// Receives by sender and tag.
    receives: FxHashMap<(u32, u32), VecDeque<u32>>,
    wild: Vec<Wild>,
}

/// What waits at all ranks.
#[derive(Default)]
pub struct Mail(FxHashMap<u32, Box>);

impl Mail {
    /// A send to a rank; answers the receive that it meets.
    pub fn send(&mut self, from: u32, to: u32, tag: u32, one: u32) -> Option<u32> {
        let waiting = self.0.entry(to).or_default();
        let fits = |(other, wanted, _): &Wild| {
            other.is_none_or(|other| other == from) && wanted.is_none_or(|wanted| wanted == tag)
        };
        let receive = waiting.receives.get_mut(&(from, tag)).and_then(VecDeque::pop_front);
        let receive =
            receive.or_else(|| waiting.wild.iter().position(fits).map(|place| waiting.wild.remove(place).2));
        if receive.is_none() {
            waiting.sends.entry((from, tag)).or_default().push_back(one);
        }
        receive
    }

    /// A receive of a rank; answers the sender and the send that it meets.
    pub fn receive(&mut self, to: u32, from: Option<u32>, tag: Option<u32>, one: u32) -> Option<(u32, u32)> {
        let waiting = self.0.entry(to).or_default();
        if let (Some(from), Some(tag)) = (from, tag) {
            let send = waiting.sends.get_mut(&(from, tag)).and_then(VecDeque::pop_front);
            if send.is_none() {
                waiting.receives.entry((from, tag)).or_default().push_back(one);
            }
            return send.map(|send| (from, send));
        }
        let fits = |(other, sent): &(u32, u32)| {
            from.is_none_or(|from| from == *other) && tag.is_none_or(|tag| tag == *sent)
        };
        // The lowest, so that the answer does not depend on the order of a table.
        let filled = waiting.sends.iter().filter(|(_, sends)| !sends.is_empty()).map(|(key, _)| *key);
        let Some(key) = filled.filter(fits).min() else {
            waiting.wild.push((from, tag, one));
            return None;
        };
        let send = waiting.sends.get_mut(&key).and_then(VecDeque::pop_front);
        send.map(|send| (key.0, send))
    }

    /// Sends that nobody received: who sent them, and their numbers.
    pub fn unmatched_sends(&self) -> Vec<(u32, u32)> {
        let sends = self.0.values().flat_map(|waiting| &waiting.sends);
        let mut all: Vec<(u32, u32)> =
            sends.flat_map(|((from, _), sends)| sends.iter().map(|send| (*from, *send))).collect();
        all.sort_unstable();
        all
    }
}
