//! Interned names, which events refer to by number (iid), and track descriptors.

use panto_timeline::{StateKind, TimelineInfo};

use super::fields::{interned, packet, track};
use super::proto::Proto;

/// Event categories; the discriminant is the iid of the name in `CATEGORIES`.
#[derive(Debug, Clone, Copy)]
pub enum Category {
    Call = 1,
    State = 2,
    Message = 3,
}

const CATEGORIES: [&str; 3] = ["call", "state", "message"];

/// Annotations of events; the discriminant is the iid of the name in `ANNOTATIONS`.
#[derive(Debug, Clone, Copy)]
pub enum Annotation {
    Bytes = 1,
    Peer = 2,
    Class = 3,
    MessageKind = 4,
    Travel = 5,
    For = 6,
}

const ANNOTATIONS: [&str; 6] = ["bytes", "peer", "class", "lane", "travel_ps", "for_rank"];

/// Event names that precede those of calls: states, and the two ends of a message.
const EVENTS: [&str; 7] = ["compute", "message", "combine", "access", "wait", "send", "receive"];

/// Interned names of a timeline.
pub struct Names<'a> {
    about: &'a TimelineInfo,
}

impl<'a> Names<'a> {
    pub const SEND: u64 = 6;
    pub const RECEIVE: u64 = 7;

    pub fn new(about: &'a TimelineInfo) -> Self {
        Self { about }
    }

    /// Returns the iid of a state's name.
    pub fn state(what: StateKind) -> u64 {
        match what {
            StateKind::Compute => 1,
            StateKind::Message => 2,
            StateKind::Combine => 3,
            StateKind::Access => 4,
            StateKind::Wait(_) => 5,
        }
    }

    /// Returns the iid of a call's name.
    pub fn call(call: u32) -> u64 {
        EVENTS.len() as u64 + 1 + u64::from(call)
    }

    /// Returns the iid of a message kind's name.
    pub fn message_kind(kind: u16) -> u64 {
        1 + u64::from(kind)
    }

    /// Returns the rank of a line.
    pub fn home(&self, line: u32) -> u32 {
        self.about.home(line).unwrap_or(line)
    }

    /// Writes all interned names.
    pub fn put(&self, proto: &mut Proto) {
        let events = EVENTS.iter().copied().chain(self.about.calls.iter().map(String::as_str));
        proto.nested(packet::INTERNED_DATA, |proto| {
            list(proto, interned::EVENT_CATEGORIES, CATEGORIES.iter().copied());
            list(proto, interned::EVENT_NAMES, events);
            list(proto, interned::ANNOTATION_NAMES, ANNOTATIONS.iter().copied());
            list(proto, interned::ANNOTATION_STRINGS, self.about.message_kinds.iter().map(String::as_str));
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

/// Writes the process track of all ranks, named after the traced program.
pub fn process(proto: &mut Proto, uuid: u64, about: &TimelineInfo) {
    let name = about.fact("program").or(about.fact("trace")).unwrap_or("program");
    proto.nested(packet::TRACK_DESCRIPTOR, |proto| {
        proto.number(track::UUID, uuid);
        proto.nested(track::PROCESS, |proto| {
            proto.number(track::PROCESS_PID, PID);
            proto.text(track::PROCESS_NAME, name);
            for (name, value) in about.run_facts() {
                proto.text(track::PROCESS_LABELS, &format!("{name}: {value}"));
            }
        });
    });
}

const PID: u64 = 1;

/// Writes the thread track of a rank or helper.
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

/// Writes the track of a counter.
pub fn counter(proto: &mut Proto, uuid: u64, name: &str, unit: u64) {
    proto.nested(packet::TRACK_DESCRIPTOR, |proto| {
        proto.number(track::UUID, uuid);
        proto.text(track::NAME, name);
        proto.nested(track::COUNTER, |proto| proto.number(track::COUNTER_UNIT, unit));
    });
}
