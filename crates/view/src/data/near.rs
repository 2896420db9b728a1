//! The state of a line at a time with the states before and after it, and the messages that a line
//! sent and received in an interval: what a reader asks about one bar of the diagram.

use panto_timeline::{Message, State, StateKind, Timeline, Window};
use panto_units::Time;
use serde_json::{Value, json};

use super::states::kind;
use crate::error::Result;

/// Upper limit of messages listed; few calls complete more.
const MAX_LISTED: usize = 256;
/// Upper limit of messages read for a list: about a second of work.
const MAX_READ: usize = 4_000_000;

/// What is looked at.
pub struct Source<'a> {
    pub timeline: &'a Timeline,
    pub lines: u32,
    /// Time of the first event, in picoseconds.
    pub origin: u64,
    /// Time from the first event to the last, in picoseconds.
    pub span: u64,
}

impl Source<'_> {
    /// Returns the state of a line that began last at `at` or before, in picoseconds since the
    /// start, or the first one, and those before and after it, as JSON: three states or null.
    /// `None` if the line has no state.
    ///
    /// Windows around the time grow until they hold all three, so that only a few blocks are read.
    pub fn states(&self, line: u32, at: u64) -> Result<Option<Value>> {
        if line >= self.lines {
            return Ok(None);
        }
        let at = at.min(self.span);
        let mut width = (self.span >> 20).max(1);
        loop {
            let (from, to) = (at.saturating_sub(width), at.saturating_add(width).min(self.span));
            let states = self.within(line, from, to)?;
            let begun = states.partition_point(|state| self.since(state.from) <= at);
            let place = begun.saturating_sub(1);
            let is_complete =
                (place > 0 && begun > 0 || from == 0) && (place + 1 < states.len() || to == self.span);
            if is_complete {
                let get = |place: Option<usize>| {
                    place.and_then(|place| states.get(place)).map(|state| self.state(state))
                };
                let found = [place.checked_sub(1), Some(place), Some(place + 1)].map(get);
                return Ok((!states.is_empty()).then(|| json!(found)));
            }
            width = width.saturating_mul(8);
        }
    }

    /// Returns the states of a line in an interval that last longer than nothing.
    fn within(&self, line: u32, from: u64, to: u64) -> Result<Vec<State>> {
        let states = self.timeline.states(line, &self.window(from, to));
        let lasting = states.filter(|found| found.as_ref().map_or(true, |state| state.from < state.to));
        Ok(lasting.collect::<std::result::Result<_, _>>()?)
    }

    /// Returns a state: kind, call (one more than its number, 0 for none), begin, end, and line and
    /// time of its cause.
    fn state(&self, state: &State) -> Value {
        let cause = match state.kind {
            StateKind::Wait(Some(cause)) => Some((cause.rank, self.since(cause.at))),
            _ => None,
        };
        let call = state.call.map_or(0, |call| call + 1);
        json!([kind(&state.kind), call, self.since(state.from), self.since(state.to), cause])
    }

    /// Returns the messages that a line sent, and those to it that were sent, arrived or were
    /// received in an interval, as JSON: the messages, and whether these are all.
    pub fn messages(&self, line: u32, from: u64, to: u64) -> Result<Value> {
        let (mut listed, mut is_all) = (Vec::new(), true);
        for (number, found) in self.timeline.messages(&self.window(from, to)).enumerate() {
            let message = found?;
            if number >= MAX_READ || listed.len() >= MAX_LISTED {
                is_all = false;
                break;
            }
            let is_inside = |time: Time| (from..=to).contains(&self.since(time));
            let is_sent = message.from == line && is_inside(message.sent);
            // A wait may end when its message is sent: of a measured one the arrival is unknown.
            let is_received = message.to == line
                && [message.sent, message.arrived, message.received].into_iter().any(is_inside);
            if is_sent || is_received {
                listed.push(self.message(&message));
            }
        }
        Ok(json!([listed, is_all]))
    }

    /// Returns a message: sender, receiver, bytes, class, kind, and when it was sent, arrived and
    /// was received.
    fn message(&self, message: &Message) -> Value {
        let [sent, arrived, received] =
            [message.sent, message.arrived, message.received].map(|time| self.since(time));
        let Message { from, to, bytes, class, kind, .. } = *message;
        json!([from, to, bytes, class, kind, sent, arrived, received])
    }

    fn since(&self, time: Time) -> u64 {
        time.as_picos().saturating_sub(self.origin)
    }

    fn window(&self, from: u64, to: u64) -> Window {
        let at = |time: u64| Time::from_picos(self.origin.saturating_add(time));
        at(from)..=at(to)
    }
}
