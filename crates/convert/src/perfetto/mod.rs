//! Perfetto: a trace of protocol buffers, for <https://ui.perfetto.dev> and its trace processor.
//!
//! The program is a process, ranks and helpers are its threads. Calls are slices, and what is done in them are slices inside these. Where a message is sent and
//! where it is received is an instant with its figures, and a flow ties the two together. Two counters tell how many messages and
//! bytes are under way. Times are nanoseconds, rounded down.

mod fields;
mod names;
mod proto;

use std::path::Path;

use panto_timeline::{Cause, Message, State, Timeline, What};
use panto_units::Time;

use crate::Exported;
use crate::error::Result;
use crate::moments::{MOST, Moment, Parcel, Tracks, for_each};
use crate::output::Output;
use crate::text::{EARLY, nanos, note};
use crate::underway::UnderWay;
use fields::{event, packet, trace};
use names::{Annotation, Category, Names};
use proto::Proto;

/// All packets are of one sequence, so that all know its names.
const SEQUENCE: u64 = 1;

/// Tracks by their number: the process, counters, then threads.
const PROCESS: u64 = 1;
const MESSAGES: u64 = 2;
const BYTES: u64 = 3;
const THREADS: u64 = 16;

/// Writes a timeline in the order of time.
pub fn write(timeline: &Timeline, target: &Path) -> Result<Exported> {
    let tracks = Tracks::new(timeline.about());
    let names = Names::new(timeline.about());
    let mut writing = Writing::new(Output::create(target)?, &names);
    writing.head(timeline, &tracks)?;
    for_each(timeline, MOST, |at, line, moment| writing.moment(at, line, moment))?;
    writing.count()?;
    let notes = note(writing.under_way.early, EARLY).into_iter().collect();
    Output::finish([writing.out])?;
    Ok(Exported { ranks: timeline.ranks(), operations: writing.packets, notes })
}

struct Writing<'a> {
    out: Output,
    names: &'a Names<'a>,
    buffer: Proto,
    under_way: UnderWay,
    /// What the counters said last,
    counted: UnderWay,
    /// and the moment for which they may have to be said anew.
    at: u64,
    packets: u64,
}

impl<'a> Writing<'a> {
    fn new(out: Output, names: &'a Names<'a>) -> Self {
        let (under_way, counted) = (UnderWay::default(), UnderWay::default());
        Self { out, names, buffer: Proto::default(), under_way, counted, at: 0, packets: 0 }
    }

    /// Names first, then tracks.
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
            (MESSAGES, "messages under way", fields::track::UNIT_COUNT),
            (BYTES, "bytes under way", fields::track::UNIT_SIZE_BYTES),
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

    /// An event on a track.
    fn event(&mut self, at: u64, track: u64, kind: u64, fill: impl FnOnce(&mut Proto)) -> Result<()> {
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

    fn moment(&mut self, at: Time, line: u32, moment: Moment<'_>) -> Result<()> {
        let at = nanos(at);
        if at > self.at {
            self.count()?;
            self.at = at;
        }
        let (names, track) = (self.names, THREADS + u64::from(line));
        match moment {
            Moment::Enter(call) => self.event(at, track, event::SLICE_BEGIN, |proto| {
                named(proto, Category::Call, Names::call(call));
            }),
            Moment::Begin(state) => {
                self.event(at, track, event::SLICE_BEGIN, |proto| begin(proto, names, state))
            }
            Moment::End(_) | Moment::Leave(_) => self.event(at, track, event::SLICE_END, |_| {}),
            Moment::Sent(parcel) => {
                self.under_way.sent(&parcel.message);
                self.event(at, track, event::INSTANT, |proto| {
                    named(proto, Category::Message, Names::SEND);
                    figures(proto, names, &parcel.message, parcel.message.to);
                    proto.fixed(event::FLOW_IDS, flow(parcel));
                })
            }
            Moment::Received(parcel) => {
                self.under_way.received(&parcel.message);
                self.event(at, track, event::INSTANT, |proto| {
                    named(proto, Category::Message, Names::RECEIVE);
                    figures(proto, names, &parcel.message, parcel.message.from);
                    proto.fixed(event::TERMINATING_FLOW_IDS, flow(parcel));
                })
            }
        }
    }

    /// Says how many messages are under way, where that has changed: once a nanosecond.
    fn count(&mut self) -> Result<()> {
        let (now, before, at) = (self.under_way, self.counted, self.at);
        self.counted = now;
        for (track, now, before) in
            [(MESSAGES, now.messages, before.messages), (BYTES, now.bytes, before.bytes)]
        {
            if now != before {
                self.event(at, track, event::COUNTER, |proto| {
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
    named(proto, Category::State, Names::state(state.what));
    if let What::Wait(Some(Cause { rank, .. })) = state.what {
        annotate(proto, Annotation::For, u64::from(names.home(rank)));
    }
}

/// What is known of a message: bytes, the rank at its other end, its class, what it is for, and how long it was on its way.
fn figures(proto: &mut Proto, names: &Names<'_>, message: &Message, peer: u32) {
    annotate(proto, Annotation::Bytes, message.bytes);
    annotate(proto, Annotation::Peer, u64::from(names.home(peer)));
    annotate(proto, Annotation::Class, u64::from(message.class));
    proto.nested(event::DEBUG_ANNOTATIONS, |proto| {
        proto.number(event::ANNOTATION_NAME_IID, Annotation::Lane as u64);
        proto.number(event::ANNOTATION_STRING_IID, Names::lane(message.lane));
    });
    annotate(proto, Annotation::Travel, message.arrived.since(message.sent).as_picos());
}

fn annotate(proto: &mut Proto, annotation: Annotation, value: u64) {
    proto.nested(event::DEBUG_ANNOTATIONS, |proto| {
        proto.number(event::ANNOTATION_NAME_IID, annotation as u64);
        proto.number(event::ANNOTATION_UINT, value);
    });
}

/// The number of a flow, from all that a message is: nothing needs to be kept from its sending to its receiving.
fn flow(parcel: &Parcel) -> u64 {
    let Message { from, to, bytes, class, lane, sent, arrived, received } = parcel.message;
    let [sent, arrived, received] = [sent, arrived, received].map(Time::as_picos);
    let ends = u64::from(from) << 32 | u64::from(to);
    let kind = u64::from(class) << 32 | u64::from(lane);
    let mix = |hash: u64, word: u64| {
        let product = (hash ^ word).wrapping_mul(MIX);
        product ^ product >> 32
    };
    let words = [ends, bytes, kind, sent, arrived, received, u64::from(parcel.twin)];
    words.into_iter().fold(0, mix).max(1)
}

/// Two to the power of 64, divided by the golden ratio: an odd number without a pattern.
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
