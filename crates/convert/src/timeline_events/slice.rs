//! Events of one slice of time.

use panto_timeline::{Message, State, Timeline};
use panto_units::Time;
use rustc_hash::FxHashMap;

use super::TimelineEvent;
use crate::error::Result;

/// Events of one slice of time, in time order.
#[derive(Debug, Default)]
pub struct Slice {
    entries: Vec<Entry>,
    states: Vec<State>,
    messages: Vec<MessageInstance>,
    /// Receiver and time of the message read last.
    latest: Option<(u32, Time)>,
    /// Number of identical messages received at `latest`, by message.
    duplicates: FxHashMap<Message, u32>,
    /// States that begin in or before the slice and end after it, with their lines: one per line at
    /// most.
    pub crossing: Vec<(u32, State)>,
    /// Last instant of the slice.
    pub last: Time,
    /// State read last of each line.
    before: Vec<Option<LastState>>,
    /// Lines with an entry in `before`.
    touched: Vec<u32>,
}

/// A message and its index among identical ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MessageInstance {
    pub message: Message,
    /// Number of identical messages before this one: identifies the message both where it was sent
    /// and where it was received.
    pub ordinal: u32,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    at: Time,
    line: u32,
    kind: Kind,
    /// Index in the list of states or of messages, or the number of the call.
    index: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Sent,
    Received,
    Begin,
    End,
    Enter,
    Leave,
}

#[derive(Debug, Clone, Copy)]
struct LastState {
    call: Option<u32>,
    to: Time,
}

impl Slice {
    pub fn new(lines: usize) -> Self {
        Self { before: vec![None; lines], ..Self::default() }
    }

    /// Returns the number of events.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Reads the events from `first` to `last`, both included; returns false if there are more than
    /// `most`.
    pub fn read(&mut self, timeline: &Timeline, first: Time, last: Time, most: usize) -> Result<bool> {
        self.clear(last);
        let span = Span { first, last };
        let lines = self.before.len() as u32;
        for found in timeline.states_of(0..lines, &(first..=last)) {
            let (line, state) = found?;
            self.state(line, &state, span);
            if self.entries.len() > most {
                return Ok(false);
            }
        }
        for line in std::mem::take(&mut self.touched) {
            if let Some(before) = self.before[line as usize].take() {
                // A state that continued the call would be in this slice, too, and be the last
                // instead.
                self.leave(line, before, span);
            }
        }
        for found in timeline.messages(&(first..=last)) {
            self.message(&found?, span);
            if self.entries.len() > most {
                return Ok(false);
            }
        }
        self.entries.sort_by_key(Entry::key);
        Ok(true)
    }

    /// Returns the events in order: time, line and event.
    pub fn events(
        &self,
    ) -> impl DoubleEndedIterator<Item = (Time, u32, TimelineEvent<'_>)> + ExactSizeIterator {
        (0..self.len()).map(|place| self.event(place))
    }

    /// Returns one event by its index.
    pub fn event(&self, place: usize) -> (Time, u32, TimelineEvent<'_>) {
        let entry = &self.entries[place];
        let index = entry.index as usize;
        let event = match entry.kind {
            Kind::Sent => TimelineEvent::Sent(&self.messages[index]),
            Kind::Received => TimelineEvent::Received(&self.messages[index]),
            Kind::Begin => TimelineEvent::Begin(&self.states[index]),
            Kind::End => TimelineEvent::End(&self.states[index]),
            Kind::Enter => TimelineEvent::Enter(entry.index),
            Kind::Leave => TimelineEvent::Leave(entry.index),
        };
        (entry.at, entry.line, event)
    }

    fn clear(&mut self, last: Time) {
        self.entries.clear();
        self.states.clear();
        self.messages.clear();
        self.latest = None;
        self.reset_duplicates();
        self.crossing.clear();
        self.last = last;
        for line in self.touched.drain(..) {
            self.before[line as usize] = None;
        }
    }

    fn state(&mut self, line: u32, state: &State, span: Span) {
        let before = self.before[line as usize].replace(LastState { call: state.call, to: state.to });
        let continues = before.is_some_and(|before| before.call == state.call && before.to == state.from);
        match before {
            None => self.touched.push(line),
            Some(before) if !continues => self.leave(line, before, span),
            Some(_) => {}
        }
        let index = self.states.len() as u32;
        if !continues && let Some(call) = state.call {
            self.push(line, Kind::Enter, call, state.from, span);
        }
        let begins = self.push(line, Kind::Begin, index, state.from, span);
        let ends = self.push(line, Kind::End, index, state.to, span);
        if begins || ends {
            self.states.push(*state);
        }
        if state.to > span.last {
            self.crossing.push((line, *state));
        }
    }

    fn leave(&mut self, line: u32, before: LastState, span: Span) {
        if let Some(call) = before.call {
            self.push(line, Kind::Leave, call, before.to, span);
        }
    }

    fn message(&mut self, message: &Message, span: Span) {
        let here = Some((message.to, message.received));
        if self.latest != here {
            self.latest = here;
            self.reset_duplicates();
        }
        let count = self.duplicates.entry(*message).or_default();
        let ordinal = *count;
        *count += 1;
        let index = self.messages.len() as u32;
        let leaves = self.push(message.from, Kind::Sent, index, message.sent, span);
        let comes = self.push(message.to, Kind::Received, index, message.received, span);
        if leaves || comes {
            self.messages.push(MessageInstance { message: *message, ordinal });
        }
    }

    /// Forgets identical messages. Reallocates a large table, since clearing costs time
    /// proportional to its capacity.
    fn reset_duplicates(&mut self) {
        if self.duplicates.capacity() > 64 {
            self.duplicates = FxHashMap::default();
        } else {
            self.duplicates.clear();
        }
    }

    /// Adds an event if it is in the span; returns whether it is.
    fn push(&mut self, line: u32, kind: Kind, index: u32, at: Time, span: Span) -> bool {
        let is_in = span.first <= at && at <= span.last;
        if is_in {
            self.entries.push(Entry { at, line, kind, index });
        }
        is_in
    }
}

#[derive(Clone, Copy)]
struct Span {
    first: Time,
    last: Time,
}

impl Entry {
    /// Messages sort before other events of the same instant, because the states that carry them
    /// end then. The sort is stable: it keeps the order of a line's starts and ends.
    fn key(&self) -> (Time, u8, u32) {
        let class = match self.kind {
            Kind::Sent => 0,
            Kind::Received => 1,
            _ => 2,
        };
        (self.at, class, self.line)
    }
}
