//! Perfetto exports, read by a strict parser and with the definitions in Perfetto's Python package.
//!
//! Its trace processor is a program that the package downloads on first use, so the tests do not
//! rely on it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use panto_convert::perfetto;
use panto_timeline::Timeline;

use crate::support::folder;
use crate::timelines::{extremes, halo, small};
use crate::wire::{Field, inner, number, trace};

#[derive(Debug, Default, PartialEq)]
struct Totals {
    slices: u64,
    flows: u64,
    threads: u64,
}

/// Checks a trace: names are defined before use, events are in time order, slices nest, flows have
/// two ends, counters end at zero.
fn check(bytes: &[u8]) -> Totals {
    let (mut totals, mut last) = (Totals::default(), 0);
    let (mut tracks, mut depth, mut flows) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
    let (mut counters, mut names) = (BTreeMap::new(), 0);
    for (place, packet) in trace(bytes).iter().enumerate() {
        assert_eq!(number(packet, "trusted_packet_sequence_id"), Some(1));
        let flags = number(packet, "sequence_flags");
        for names_of in inner(packet, "interned_data") {
            assert_eq!((place, flags), (0, Some(1)));
            names = inner(names_of, "event_names").count() as u64;
        }
        for track in inner(packet, "track_descriptor") {
            tracks.push(number(track, "uuid").expect("a track has a number"));
            totals.threads += inner(track, "thread").count() as u64;
        }
        for event in inner(packet, "track_event") {
            assert_eq!(flags, Some(2), "it needs the names");
            let at = number(packet, "timestamp").expect("an event has its time");
            assert!(at >= last, "{at} after {last}");
            last = at;
            let track = number(event, "track_uuid").expect("an event has its track");
            assert!(tracks.contains(&track), "track {track}");
            if let Some(name) = number(event, "name_iid") {
                assert!((1..=names).contains(&name), "name {name}");
            }
            let depth: &mut u64 = depth.entry(track).or_default();
            match number(event, "type") {
                Some(1) => (*depth, totals.slices) = (*depth + 1, totals.slices + 1),
                Some(2) => *depth = depth.checked_sub(1).expect("what ends has begun"),
                Some(3) => message(event, &mut flows),
                Some(4) => drop(counters.insert(track, number(event, "counter_value").expect("a value"))),
                other => panic!("type {other:?}"),
            }
        }
    }
    assert!(depth.values().all(|depth| *depth == 0), "what begins ends");
    assert!(flows.values().all(|ends| *ends == [1, 1]), "every flow has two ends");
    assert!(counters.values().all(|value| *value == 0), "nothing is left in flight");
    totals.flows = flows.len() as u64;
    totals
}

fn message(event: &[Field], flows: &mut BTreeMap<u64, [u32; 2]>) {
    assert_eq!(inner(event, "debug_annotations").count(), 5);
    let ends = ["flow_ids", "terminating_flow_ids"].map(|name| number(event, name));
    let end = usize::from(ends[0].is_none());
    flows.entry(ends[end].expect("a flow")).or_default()[end] += 1;
}

fn write(timeline: &Timeline, folder: &Path) -> PathBuf {
    let target = folder.join("out.pftrace");
    perfetto::write(timeline, &target).unwrap_or_else(|error| panic!("{error}"));
    target
}

fn written(timeline: &Timeline) -> Totals {
    let folder = folder();
    check(&std::fs::read(write(timeline, folder.path())).expect("a trace"))
}

#[test]
fn perfetto_matches_the_timeline() {
    let folder = folder();
    let timeline = halo(folder.path(), 4, 20);
    let (states, messages) = timeline.counts();
    let totals = written(&timeline);
    // Adjacent calls are merged: in each round one of each kind.
    assert_eq!(totals, Totals { slices: states + 16 * 20 * 3, flows: messages, threads: 16 });
}

#[test]
fn perfetto_handles_helpers_and_extreme_timelines() {
    let folder = folder();
    let totals = written(&small(folder.path()));
    assert_eq!(totals, Totals { slices: 13 + 6, flows: 4, threads: 3 });
    let counts = extremes(folder.path()).iter().map(written).collect::<Vec<_>>();
    assert_eq!(counts[0], Totals::default());
    assert_eq!(counts[1], Totals { slices: 2, flows: 0, threads: 1 });
    assert_eq!(counts[2], Totals { slices: 4, flows: 1, threads: 100_000 });
}

/// Python program that parses a trace with Perfetto's own definitions, rejects unknown fields, and
/// prints counts.
const READER: &str = "
import sys
from google.protobuf.unknown_fields import UnknownFieldSet
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent

def known(message):
    assert len(UnknownFieldSet(message)) == 0, message
    for field, value in message.ListFields():
        if field.type == field.TYPE_MESSAGE:
            values = value if isinstance(value, (list, tuple)) or hasattr(value, 'add') else [value]
            for each in values:
                known(each)

trace = Trace()
trace.ParseFromString(open(sys.argv[1], 'rb').read())
assert trace.IsInitialized()
known(trace)
events = [packet.track_event for packet in trace.packet if packet.HasField('track_event')]
slices = sum(event.type == TrackEvent.TYPE_SLICE_BEGIN for event in events)
starts = {flow for event in events for flow in event.flow_ids}
ends = {flow for event in events for flow in event.terminating_flow_ids}
assert starts == ends
threads = [packet.track_descriptor.thread.thread_name for packet in trace.packet if packet.track_descriptor.HasField('thread')]
print(slices, len(starts), len(threads), threads[-1])
";

#[test]
fn perfetto_definitions_parse_the_export() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/mpi");
    let root = std::env::var_os("PANTO_TEST_MPI_DIR").map_or(root, PathBuf::from);
    let python = root.join("perfetto/bin/python");
    if !python.is_file() {
        eprintln!("{} is missing (cargo xtask test installs it): skipped", python.display());
        return;
    }
    let folder = folder();
    // Adjacent calls are merged, as above.
    for (timeline, calls, last) in
        [(small(folder.path()), 6, "rank 1 helper 1"), (halo(folder.path(), 2, 5), 4 * 5 * 3, "rank 3")]
    {
        let trace = write(&timeline, folder.path());
        let output = Command::new(&python).args(["-c", READER]).arg(trace).output().expect("Python starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let (states, messages) = timeline.counts();
        let threads = timeline.ranks() as usize + timeline.about().helper_ranks.len();
        let expected = format!("{} {messages} {threads} {last}\n", states + calls);
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
    }
}
