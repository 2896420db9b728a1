//! Perfetto: a protocol-buffer trace for <https://ui.perfetto.dev> and its trace processor.
//!
//! The program is a process, ranks and helpers are its threads. Calls are slices, and states are
//! slices inside them. Sending and receiving a message are instants with annotations, tied together
//! by a flow. Two counters show messages and bytes in flight. Times are nanoseconds, rounded down.

mod fields;
mod names;
mod proto;

use std::path::Path;

use panto_timeline::{Cause, Message, State, StateKind, Timeline};
use panto_units::Time;

use crate::ExportSummary;
use crate::error::Result;
use crate::in_flight::InFlight;
use crate::output::Output;
use crate::text::{EARLY, nanos, note};
use crate::timeline_events::{MAX_EVENTS, MessageInstance, TimelineEvent, Tracks, for_each};
use fields::{event, packet, trace};
use names::{Annotation, Category, Names};
use proto::Proto;

/// Packet sequence of all packets; interned names are per sequence.
const SEQUENCE: u64 = 1;

/// Track UUIDs: the process, two counters, then threads from [`THREADS`] on.
const PROCESS: u64 = 1;
const MESSAGES: u64 = 2;
const BYTES: u64 = 3;
const THREADS: u64 = 16;

/// Writes a timeline in time order.
pub fn write(timeline: &Timeline, target: &Path) -> Result<ExportSummary> {
    let tracks = Tracks::new(timeline.about());
    let names = Names::new(timeline.about());
    let mut writer = Writer::new(Output::create(target)?, &names);
    writer.head(timeline, &tracks)?;
    for_each(timeline, MAX_EVENTS, |at, line, event| writer.event(at, line, event))?;
    writer.count()?;
    let notes = note(writer.in_flight.early, EARLY).into_iter().collect();
    Output::finish([writer.out])?;
    Ok(ExportSummary { ranks: timeline.ranks(), operations: writer.packets, notes })
}

struct Writer<'a> {
    out: Output,
    names: &'a Names<'a>,
    buffer: Proto,
    in_flight: InFlight,
    /// Counter values written last.
    counted: InFlight,
    /// Time for which the counters may have to be updated, in nanoseconds.
    at: u64,
    packets: u64,
}

impl<'a> Writer<'a> {
    fn new(out: Output, names: &'a Names<'a>) -> Self {
        let (in_flight, counted) = (InFlight::default(), InFlight::default());
        Self { out, names, buffer: Proto::default(), in_flight, counted, at: 0, packets: 0 }
    }

    /// Writes interned names, then track descriptors.
    fn head(&mut self, timeline: &Timeline, tracks: &Tracks) -> Result<()> {
        let names = self.names;
        self.packet(|proto| {
            proto.number(packet::SEQUENCE_FLAGS, packet::INCREMENTAL_STATE_CLEARED);
            names.put(proto);
        })?;
        self.packet(|proto| names::process(proto, PROCESS, timeline.about()))?;
        for (tid, line) in (1..).zip(tracks.order()) {
            let (uuid, name) = (THREADS + u64::from(line), tracks.name(line));
            self.packet(|proto| names::thread(proto, uuid, tid, &name))?;
        }
        for (uuid, name, unit) in [
            (MESSAGES, "messages in flight", fields::track::UNIT_COUNT),
            (BYTES, "bytes in flight", fields::track::UNIT_SIZE_BYTES),
        ] {
            self.packet(|proto| names::counter(proto, uuid, name, unit))?;
        }
        Ok(())
    }

    fn packet(&mut self, fill: impl FnOnce(&mut Proto)) -> Result<()> {
        self.packets += 1;
        self.buffer.clear();
        self.buffer.nested(trace::PACKET, |proto| {
            proto.number(packet::TRUSTED_PACKET_SEQUENCE_ID, SEQUENCE);
            fill(proto);
        });
        self.out.bytes(self.buffer.bytes())
    }

    /// Writes an event on a track.
    fn track_event(&mut self, at: u64, track: u64, kind: u64, fill: impl FnOnce(&mut Proto)) -> Result<()> {
        self.packet(|proto| {
            proto.number(packet::TIMESTAMP, at);
            proto.number(packet::SEQUENCE_FLAGS, packet::NEEDS_INCREMENTAL_STATE);
            proto.nested(packet::TRACK_EVENT, |proto| {
                proto.number(event::TYPE, kind);
                proto.number(event::TRACK_UUID, track);
                fill(proto);
            });
        })
    }

    fn event(&mut self, at: Time, line: u32, event: TimelineEvent<'_>) -> Result<()> {
        let at = nanos(at);
        if at > self.at {
            self.count()?;
            self.at = at;
        }
        let (names, track) = (self.names, THREADS + u64::from(line));
        match event {
            TimelineEvent::Enter(call) => self.track_event(at, track, event::SLICE_BEGIN, |proto| {
                named(proto, Category::Call, Names::call(call));
            }),
            TimelineEvent::Begin(state) => {
                self.track_event(at, track, event::SLICE_BEGIN, |proto| begin(proto, names, state))
            }
            TimelineEvent::End(_) | TimelineEvent::Leave(_) => {
                self.track_event(at, track, event::SLICE_END, |_| {})
            }
            TimelineEvent::Sent(instance) => {
                self.in_flight.sent(&instance.message);
                self.track_event(at, track, event::INSTANT, |proto| {
                    named(proto, Category::Message, Names::SEND);
                    figures(proto, names, &instance.message, instance.message.to);
                    proto.fixed(event::FLOW_IDS, flow(instance));
                })
            }
            TimelineEvent::Received(instance) => {
                self.in_flight.received(&instance.message);
                self.track_event(at, track, event::INSTANT, |proto| {
                    named(proto, Category::Message, Names::RECEIVE);
                    figures(proto, names, &instance.message, instance.message.from);
                    proto.fixed(event::TERMINATING_FLOW_IDS, flow(instance));
                })
            }
        }
    }

    /// Updates the counters where they have changed; at most once per nanosecond.
    fn count(&mut self) -> Result<()> {
        let (now, before, at) = (self.in_flight, self.counted, self.at);
        self.counted = now;
        for (track, now, before) in
            [(MESSAGES, now.messages, before.messages), (BYTES, now.bytes, before.bytes)]
        {
            if now != before {
                self.track_event(at, track, event::COUNTER, |proto| {
                    proto.number(event::COUNTER_VALUE, now as u64);
                })?;
            }
        }
        Ok(())
    }
}

fn named(proto: &mut Proto, category: Category, name: u64) {
    proto.number(event::CATEGORY_IIDS, category as u64);
    proto.number(event::NAME_IID, name);
}

fn begin(proto: &mut Proto, names: &Names<'_>, state: &State) {
    named(proto, Category::State, Names::state(state.kind));
    if let StateKind::Wait(Some(Cause { rank, .. })) = state.kind {
        annotate(proto, Annotation::For, u64::from(names.home(rank)));
    }
}

/// Annotates a message: bytes, the rank at its other end, class, kind, and transfer time.
fn figures(proto: &mut Proto, names: &Names<'_>, message: &Message, peer: u32) {
    annotate(proto, Annotation::Bytes, message.bytes);
    annotate(proto, Annotation::Peer, u64::from(names.home(peer)));
    annotate(proto, Annotation::Class, u64::from(message.class));
    proto.nested(event::DEBUG_ANNOTATIONS, |proto| {
        proto.number(event::ANNOTATION_NAME_IID, Annotation::MessageKind as u64);
        proto.number(event::ANNOTATION_STRING_IID, Names::message_kind(message.kind));
    });
    annotate(proto, Annotation::Travel, message.arrived.since(message.sent).as_picos());
}

fn annotate(proto: &mut Proto, annotation: Annotation, value: u64) {
    proto.nested(event::DEBUG_ANNOTATIONS, |proto| {
        proto.number(event::ANNOTATION_NAME_IID, annotation as u64);
        proto.number(event::ANNOTATION_UINT, value);
    });
}

/// Returns the identifier of a message's flow: a hash of the whole message, so that no state is
/// kept between its send and its receive.
fn flow(instance: &MessageInstance) -> u64 {
    let Message { from, to, bytes, class, kind, sent, arrived, received } = instance.message;
    let [sent, arrived, received] = [sent, arrived, received].map(Time::as_picos);
    let ends = u64::from(from) << 32 | u64::from(to);
    let class_and_kind = u64::from(class) << 32 | u64::from(kind);
    let mix = |hash: u64, word: u64| {
        let product = (hash ^ word).wrapping_mul(HASH_MULTIPLIER);
        product ^ product >> 32
    };
    let words = [ends, bytes, class_and_kind, sent, arrived, received, u64::from(instance.ordinal)];
    words.into_iter().fold(0, mix).max(1)
}

/// Multiplier of the hash: 2^64 divided by the golden ratio (Fibonacci hashing; Knuth, TAOCP vol.
/// 3, section 6.4).
const HASH_MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
