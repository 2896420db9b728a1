//! Names, which events refer to by number, and tracks.

use panto_timeline::{About, What};

use super::fields::{interned, packet, track};
use super::proto::Proto;

/// Kinds of events, by the number of their name.
#[derive(Debug, Clone, Copy)]
pub enum Category {
    Call = 1,
    State = 2,
    Message = 3,
}

const CATEGORIES: [&str; 3] = ["call", "state", "message"];

/// Figures of events, by the number of their name.
#[derive(Debug, Clone, Copy)]
pub enum Annotation {
    Bytes = 1,
    Peer = 2,
    Class = 3,
    Lane = 4,
    Travel = 5,
    For = 6,
}

const ANNOTATIONS: [&str; 6] = ["bytes", "peer", "class", "lane", "travel_ps", "for_rank"];

/// Names of events before those of calls: what ranks do, and what happens to messages.
const EVENTS: [&str; 7] = ["compute", "message", "combine", "access", "wait", "send", "receive"];

/// Names of calls and lanes, and whose lines are.
pub struct Names<'a> {
    about: &'a About,
}

impl<'a> Names<'a> {
    pub const SEND: u64 = 6;
    pub const RECEIVE: u64 = 7;

    pub fn new(about: &'a About) -> Self {
        Self { about }
    }

    /// The number of the name of what is done.
    pub fn state(what: What) -> u64 {
        match what {
            What::Compute => 1,
            What::Message => 2,
            What::Combine => 3,
            What::Access => 4,
            What::Wait(_) => 5,
        }
    }

    /// The number of the name of a call.
    pub fn call(call: u32) -> u64 {
        EVENTS.len() as u64 + 1 + u64::from(call)
    }

    /// The number of the name of a lane.
    pub fn lane(lane: u16) -> u64 {
        1 + u64::from(lane)
    }

    /// The rank of a line.
    pub fn home(&self, line: u32) -> u32 {
        self.about.home(line).unwrap_or(line)
    }

    /// Writes all names with their numbers.
    pub fn put(&self, proto: &mut Proto) {
        let events = EVENTS.iter().copied().chain(self.about.calls.iter().map(String::as_str));
        proto.nested(packet::INTERNED_DATA, |proto| {
            list(proto, interned::EVENT_CATEGORIES, CATEGORIES.iter().copied());
            list(proto, interned::EVENT_NAMES, events);
            list(proto, interned::ANNOTATION_NAMES, ANNOTATIONS.iter().copied());
            list(proto, interned::ANNOTATION_STRINGS, self.about.lanes.iter().map(String::as_str));
        });
    }
}

fn list<'a>(proto: &mut Proto, field: u32, names: impl Iterator<Item = &'a str>) {
    for (number, name) in (1..).zip(names) {
        proto.nested(field, |proto| {
            proto.number(interned::IID, number);
            proto.text(interned::NAME, name);
        });
    }
}

/// The process of all ranks, named by what the timeline is of.
pub fn process(proto: &mut Proto, uuid: u64, about: &About) {
    let name = about.fact("program").or(about.fact("trace")).unwrap_or("program");
    proto.nested(packet::TRACK_DESCRIPTOR, |proto| {
        proto.number(track::UUID, uuid);
        proto.nested(track::PROCESS, |proto| {
            proto.number(track::PROCESS_PID, PID);
            proto.text(track::PROCESS_NAME, name);
            for (name, value) in &about.facts {
                proto.text(track::PROCESS_LABELS, &format!("{name}: {value}"));
            }
        });
    });
}

const PID: u64 = 1;

/// The track of a rank or helper.
pub fn thread(proto: &mut Proto, uuid: u64, tid: u64, name: &str) {
    proto.nested(packet::TRACK_DESCRIPTOR, |proto| {
        proto.number(track::UUID, uuid);
        proto.nested(track::THREAD, |proto| {
            proto.number(track::THREAD_PID, PID);
            proto.number(track::THREAD_TID, tid);
            proto.text(track::THREAD_NAME, name);
        });
    });
}

/// The track of a counter.
pub fn counter(proto: &mut Proto, uuid: u64, name: &str, unit: u64) {
    proto.nested(packet::TRACK_DESCRIPTOR, |proto| {
        proto.number(track::UUID, uuid);
        proto.text(track::NAME, name);
        proto.nested(track::COUNTER, |proto| proto.number(track::COUNTER_UNIT, unit));
    });
}
