//! What happened between two moments.

use panto_timeline::{Message, State, Timeline};
use panto_units::Time;
use rustc_hash::FxHashMap;

use super::Moment;
use crate::error::Result;

/// What happened between two moments, in the order of time.
#[derive(Debug, Default)]
pub struct Slice {
    entries: Vec<Entry>,
    states: Vec<State>,
    messages: Vec<Parcel>,
    /// The line and the moment of the last message that was read,
    latest: Option<(u32, Time)>,
    /// and how many of each kind came there then.
    together: FxHashMap<Message, u32>,
    /// States that begin up to its last moment and end after it, with whose they are: one a line at most.
    pub crossing: Vec<(u32, State)>,
    /// Its last moment.
    pub last: Time,
    /// The last state that was seen of each line,
    before: Vec<Option<Before>>,
    /// and the lines of which there is one.
    touched: Vec<u32>,
}

/// A message, with what tells it from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Parcel {
    pub message: Message,
    /// How many messages like it in everything come before it. So each can be told from all others where it was sent and where it was received.
    pub twin: u32,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    at: Time,
    line: u32,
    kind: Kind,
    /// Where it is in the list of states or of messages, or the number of the call.
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
struct Before {
    call: Option<u32>,
    to: Time,
}

impl Slice {
    pub fn new(lines: usize) -> Self {
        Self { before: vec![None; lines], ..Self::default() }
    }

    /// How many things happened in it.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Reads what happened from one moment to another, both included; false if that is more than `most`.
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
                // A state that went on with the call would touch this slice, too, and be the last instead.
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

    /// What happened, in its order: when, on which line, and what.
    pub fn moments(&self) -> impl DoubleEndedIterator<Item = (Time, u32, Moment<'_>)> + ExactSizeIterator {
        (0..self.len()).map(|place| self.moment(place))
    }

    /// One of these, by its place.
    pub fn moment(&self, place: usize) -> (Time, u32, Moment<'_>) {
        let entry = &self.entries[place];
        let index = entry.index as usize;
        let moment = match entry.kind {
            Kind::Sent => Moment::Sent(&self.messages[index]),
            Kind::Received => Moment::Received(&self.messages[index]),
            Kind::Begin => Moment::Begin(&self.states[index]),
            Kind::End => Moment::End(&self.states[index]),
            Kind::Enter => Moment::Enter(entry.index),
            Kind::Leave => Moment::Leave(entry.index),
        };
        (entry.at, entry.line, moment)
    }

    fn clear(&mut self, last: Time) {
        self.entries.clear();
        self.states.clear();
        self.messages.clear();
        self.latest = None;
        self.part();
        self.crossing.clear();
        self.last = last;
        for line in self.touched.drain(..) {
            self.before[line as usize] = None;
        }
    }

    fn state(&mut self, line: u32, state: &State, span: Span) {
        let before = self.before[line as usize].replace(Before { call: state.call, to: state.to });
        let goes_on = before.is_some_and(|before| before.call == state.call && before.to == state.from);
        match before {
            None => self.touched.push(line),
            Some(before) if !goes_on => self.leave(line, before, span),
            Some(_) => {}
        }
        let index = self.states.len() as u32;
        if !goes_on && let Some(call) = state.call {
            self.put(line, Kind::Enter, call, state.from, span);
        }
        let begins = self.put(line, Kind::Begin, index, state.from, span);
        let ends = self.put(line, Kind::End, index, state.to, span);
        if begins || ends {
            self.states.push(*state);
        }
        if state.to > span.last {
            self.crossing.push((line, *state));
        }
    }

    fn leave(&mut self, line: u32, before: Before, span: Span) {
        if let Some(call) = before.call {
            self.put(line, Kind::Leave, call, before.to, span);
        }
    }

    fn message(&mut self, message: &Message, span: Span) {
        let here = Some((message.to, message.received));
        if self.latest != here {
            self.latest = here;
            self.part();
        }
        let count = self.together.entry(*message).or_default();
        let twin = *count;
        *count += 1;
        let index = self.messages.len() as u32;
        let leaves = self.put(message.from, Kind::Sent, index, message.sent, span);
        let comes = self.put(message.to, Kind::Received, index, message.received, span);
        if leaves || comes {
            self.messages.push(Parcel { message: *message, twin });
        }
    }

    /// Forgets what came together. A table that was large once would take long to clear each time.
    fn part(&mut self) {
        if self.together.capacity() > 64 {
            self.together = FxHashMap::default();
        } else {
            self.together.clear();
        }
    }

    /// Keeps it, if it is in the span.
    fn put(&mut self, line: u32, kind: Kind, index: u32, at: Time, span: Span) -> bool {
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
    /// Messages come first: they are a part of what ends at that moment. Sorting keeps the order of what a line begins and ends.
    fn key(&self) -> (Time, u8, u32) {
        let class = match self.kind {
            Kind::Sent => 0,
            Kind::Received => 1,
            _ => 2,
        };
        (self.at, class, self.line)
    }
}
