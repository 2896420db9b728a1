//! Small timelines, and the reading of all their content.

use std::path::Path;

use panto_timeline::{
    ALL_TIME, Cause, Error, Message, State, StateKind, Timeline, TimelineInfo, WriteSummary, Writer,
};
use panto_units::Time;

use crate::halo::Event;

pub fn picos(picos: u64) -> Time {
    Time::from_picos(picos)
}

/// Returns the metadata of a timeline with this number of ranks and a few names.
pub fn about(ranks: u32) -> TimelineInfo {
    TimelineInfo {
        ranks,
        helper_ranks: Vec::new(),
        facts: vec![("program".into(), "a \"quoted\"\nname=with <b>everything</b>".into())],
        calls: ["MPI_Send", "MPI_Recv", "MPI_Bcast"].map(String::from).to_vec(),
        message_kinds: ["message", "broadcast"].map(String::from).to_vec(),
    }
}

pub fn state(what: StateKind, call: Option<u32>, from: u64, to: u64) -> State {
    State { kind: what, call, from: picos(from), to: picos(to) }
}

pub fn wait(rank: u32, at: u64) -> StateKind {
    StateKind::Wait(Some(Cause { rank, at: picos(at) }))
}

/// The content of a timeline, up to the first error.
#[derive(Debug, PartialEq)]
pub struct Seen {
    /// States of each rank, then of each helper.
    pub states: Vec<Vec<State>>,
    /// Messages of each receiving rank.
    pub messages: Vec<Vec<Message>>,
}

impl Seen {
    pub fn new(lines: usize) -> Self {
        Self { states: vec![Vec::new(); lines], messages: vec![Vec::new(); lines] }
    }

    pub fn add(&mut self, event: &Event) {
        match event {
            Event::State(rank, state) => self.states[*rank as usize].push(*state),
            Event::Message(message) => self.messages[message.to as usize].push(*message),
        }
    }
}

/// Writes the events, and returns what a reader should see.
pub fn write(path: &Path, about: &TimelineInfo, memory: usize, events: &[Event]) -> (WriteSummary, Seen) {
    let mut writer = Writer::with_memory(path, about, memory).expect("a timeline can be written");
    let mut seen = Seen::new(about.ranks as usize + about.helper_ranks.len());
    for event in events {
        tell(&mut writer, event);
        seen.add(event);
    }
    (writer.finish().expect("nothing went wrong"), seen)
}

pub fn tell(writer: &mut Writer, event: &Event) {
    match event {
        Event::State(rank, state) => writer.state(*rank, *state),
        Event::Message(message) => writer.message(*message),
    }
}

/// Reads everything, rank by rank, and returns it with the errors that ended the reading.
pub fn read(timeline: &Timeline) -> (Seen, Vec<Error>) {
    let lines = timeline.ranks() as usize + timeline.about().helper_ranks.len();
    let (mut seen, mut errors) = (Seen::new(lines), Vec::new());
    for rank in 0..lines as u32 {
        for found in timeline.states(rank, &ALL_TIME) {
            match found {
                Ok(state) => seen.states[rank as usize].push(state),
                Err(error) => errors.push(error),
            }
        }
        for found in timeline.messages_to(rank..rank + 1, &ALL_TIME) {
            match found {
                Ok(message) => seen.messages[rank as usize].push(message),
                Err(error) => errors.push(error),
            }
        }
    }
    (seen, errors)
}

/// Returns a few states and messages of two ranks and a helper of the second. With little memory
/// they fill several blocks per rank.
pub fn few() -> (TimelineInfo, Vec<Event>) {
    let about = TimelineInfo { helper_ranks: vec![1], ..about(2) };
    let mut events = Vec::new();
    for round in 0..12_u64 {
        let start = 10_000 * round;
        for rank in 0..3 {
            let other = 1 - rank.min(1);
            let kinds = [
                (StateKind::Compute, None, 0, 3_000 + 7 * round),
                (StateKind::Message, Some(0), 3_200, 3_900),
                (wait(other, start + 3_900), Some(1), 4_000, 5_000 + round * round),
                (
                    [StateKind::Combine, StateKind::Access, StateKind::Wait(None)][rank as usize],
                    Some(2),
                    6_000,
                    6_500,
                ),
            ];
            for (what, call, from, to) in kinds {
                events.push(Event::State(rank, state(what, call, start + from, start + to)));
            }
            events.push(Event::Message(Message {
                from: other,
                to: rank,
                bytes: 1000 * round,
                class: 7,
                kind: rank as u16 % 2,
                sent: picos(start + 3_900),
                arrived: picos(start + 4_990),
                received: picos(start + 5_000 + round),
            }));
        }
    }
    (about, events)
}
